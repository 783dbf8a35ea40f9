import { describe, expect, it } from 'vitest'
import { AuthenticationBase, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { createApp, createAppWithUser, LOGIN } from './app.ts'

/** A strategy with a configuration of its own, on a service without an application around. */
function createStrategy(configuration: object = {}, name = 'jwt') {
  const auth = new AuthenticationBase(alula(), 'authentication', { [name]: configuration })
  const strategy = new JWTStrategy()

  auth.register(name, strategy)

  return strategy
}

/** Puts a note of each call of a method in a list. */
function record(app: any, path: string, method: string): any[] {
  const calls: any[] = []

  app.service(path).hooks({
    before: { [method]: [(context: any) => void calls.push({ id: context.id, params: context.params })] }
  })

  return calls
}

describe('the configuration of the jwt strategy', () => {
  it('inherits the entity from the service and has defaults', () => {
    const { strategy } = createAppStrategy()

    expect(strategy.configuration).toEqual({
      service: 'users',
      entity: 'user',
      entityId: undefined,
      header: 'Authorization',
      schemes: ['Bearer', 'JWT']
    })
  })

  it('takes values of its own', () => {
    const own = {
      service: 'people',
      entity: 'person',
      entityId: 'key',
      header: 'X-Token',
      schemes: ['Token']
    }

    expect(createStrategy(own).configuration).toEqual(own)
  })

  it('refuses an option that it does not know, under its name', () => {
    expect(() => createStrategy({ expiresIn: '1d' })).toThrow(
      "Invalid JwtStrategy option 'authentication.jwt.expiresIn'. " +
        "Did you mean to set it in 'authentication.jwtOptions'?"
    )
    expect(() => createStrategy({ secret: 'mine' }, 'access')).toThrow(
      "Invalid JwtStrategy option 'authentication.access.secret'."
    )
  })

  it('refuses a header or schemes of another kind', () => {
    for (const header of [null, 5, ['Authorization']]) {
      expect(() => createStrategy({ header })).toThrow(
        "The 'header' option for the jwt strategy must be a string"
      )
    }
    for (const schemes of [null, 'Bearer']) {
      expect(() => createStrategy({ schemes })).toThrow(
        "The 'schemes' option for the jwt strategy must be an array"
      )
    }
  })

  it('refuses what can not be the name of a cookie', () => {
    for (const cookie of [null, 5, '', 'a b', 'a;', ';a', 'a=b', ['session'], {}]) {
      expect(() => createStrategy({ cookie }), String(cookie)).toThrow(
        "The 'cookie' option for the jwt strategy must be the name of a cookie"
      )
    }
    for (const cookie of ['session', '__Host-session', 'a'])
      expect(() => createStrategy({ cookie })).not.toThrow()
  })
})

function createAppStrategy(options: Parameters<typeof createApp>[0] = {}) {
  const app = createApp(options)

  return { app, strategy: app.service('authentication').getStrategy('jwt') as JWTStrategy }
}

describe('parse', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['JWT abc', 'abc'],
    ['jWt abc', 'abc'],
    ['Bearer: abc', 'abc'],
    ['  Bearer   abc  ', 'abc'],
    ['Bearer\tabc', 'abc'],
    ['abc', 'abc'],
    [' abc ', 'abc'],
    ['Bearer', 'Bearer']
  ])('finds the token in %j', async (authorization, accessToken) => {
    expect(await createStrategy().parse({ headers: { authorization } })).toEqual({
      strategy: 'jwt',
      accessToken
    })
  })

  it.each([['Basic abc'], ['Digest a b c'], ['Token abc'], [''], ['   ']])(
    'finds nothing in %j',
    async (authorization) => {
      expect(await createStrategy().parse({ headers: { authorization } })).toBeNull()
    }
  )

  it('finds nothing where there is no header, or several, or one of another kind', async () => {
    const strategy = createStrategy()

    const values = [
      ['Bearer a'],
      [],
      {},
      null,
      undefined,
      5,
      true,
      { toString: () => 'Bearer a' },
      Symbol('a')
    ]

    for (const request of [{}, ...values.map((authorization) => ({ headers: { authorization } }))] as any[]) {
      expect(await strategy.parse(request)).toBeNull()
    }
  })

  it('returns the name of the strategy', async () => {
    const found = await createStrategy({}, 'access').parse({ headers: { authorization: 'Bearer abc' } })

    expect(found).toEqual({ strategy: 'access', accessToken: 'abc' })
  })

  it('looks into the header and for the schemes of the configuration', async () => {
    const strategy = createStrategy({ header: 'X-Token', schemes: ['Secret'] })

    expect(await strategy.parse({ headers: { 'x-token': 'secret abc' } })).toMatchObject({
      accessToken: 'abc'
    })
    expect(await strategy.parse({ headers: { 'x-token': 'abc' } })).toMatchObject({ accessToken: 'abc' })
    expect(await strategy.parse({ headers: { 'x-token': 'Bearer abc' } })).toBeNull()
    expect(await strategy.parse({ headers: { authorization: 'Secret abc' } })).toBeNull()
  })

  it('looks into the cookie of the configuration, where the header has nothing', async () => {
    const strategy = createStrategy({ cookie: 'session' })
    const parse = (headers?: object) => strategy.parse({ headers } as any)

    expect(await parse({ cookie: 'a=1; session=abc' })).toEqual({ strategy: 'jwt', accessToken: 'abc' })
    expect(await parse({ cookie: 'session=abc', authorization: 'Bearer def' })).toMatchObject({
      accessToken: 'def'
    })
    for (const headers of [undefined, {}, { cookie: 'sessions=abc' }, { cookie: 'session=' }])
      expect(await parse(headers)).toBeNull()

    expect(await createStrategy().parse({ headers: { cookie: 'undefined=abc' } })).toBeNull()
  })

  it('takes a scheme for a text and not for an expression', async () => {
    const strategy = createStrategy({ schemes: ['B.*r'] })

    expect(await strategy.parse({ headers: { authorization: 'Bearer abc' } })).toBeNull()
    expect(await strategy.parse({ headers: { authorization: 'B.*r abc' } })).toMatchObject({
      accessToken: 'abc'
    })
  })
})

describe('authenticate', () => {
  it('returns the token, what it says and the entity', async () => {
    const { app, service, user } = await createAppWithUser()
    const login = await service.create(LOGIN)
    const { accessToken } = login
    const [strategy] = app.service('authentication').getStrategies('jwt')

    expect(await strategy.authenticate({ strategy: 'jwt', accessToken }, {})).toEqual({
      accessToken,
      authentication: { strategy: 'jwt', accessToken, payload: login.authentication.payload },
      user
    })
  })

  it('refuses a request without a token', async () => {
    const { strategy } = createAppStrategy()

    for (const accessToken of [undefined, null, '']) {
      await expect(strategy.authenticate({ strategy: 'jwt', accessToken }, {})).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'No access token'
      })
    }
  })

  it('verifies with the options of the params', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const [strategy] = app.service('authentication').getStrategies('jwt')

    await expect(strategy.authenticate({ accessToken }, { jwt: { issuer: 'someone else' } })).rejects.toThrow(
      'jwt issuer invalid. expected: someone else'
    )
  })

  it('returns no entity when the service has none', async () => {
    const { app, strategy } = createAppStrategy({ settings: { entity: null, service: undefined } })
    const accessToken = await app.service('authentication').createAccessToken({ my: 'payload' })
    const result = await strategy.authenticate({ accessToken }, { provider: 'rest' })

    expect(Object.keys(result)).toEqual(['accessToken', 'authentication'])
    expect(result.authentication.payload.my).toBe('payload')
  })

  it('refuses a token without a subject where there is an entity', async () => {
    const { app, service } = await createAppWithUser()
    const calls = record(app, 'users', 'get')

    for (const options of [{}, { subject: '' }]) {
      const accessToken = await service.createAccessToken({}, options)

      await expect(service.create({ strategy: 'jwt', accessToken })).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'jwt subject missing'
      })
    }

    expect(calls).toEqual([])
  })

  it('refuses a token whose entity is gone with a 401', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').remove(user.id)

    await expect(service.create({ strategy: 'jwt', accessToken })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'The entity of the access token does not exist'
    })
  })

  it('passes on what else fails when the entity is loaded', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const error = new Error('The database is gone')

    app.service('users').hooks({
      before: {
        get: [
          () => {
            throw error
          }
        ]
      }
    })

    await expect(service.create({ strategy: 'jwt', accessToken })).rejects.toBe(error)
  })

  it('refuses a token whose entity the option isActive does not let in', async () => {
    let banned: unknown
    const seen: any[] = []
    const isActive = async (user: any, params: any) => {
      seen.push([user.email, params.provider])

      return user.email !== banned
    }
    const { service } = await createAppWithUser({ settings: { isActive } })
    const { accessToken } = await service.create(LOGIN)
    const request = { strategy: 'jwt', accessToken }

    seen.length = 0
    expect(await service.create(request, { provider: 'rest' })).toHaveProperty('user')
    expect(seen).toEqual([[LOGIN.email, 'rest']])

    banned = LOGIN.email
    await expect(service.create(request)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'The entity of the access token is not active'
    })
  })
})

describe('the entity of a token', () => {
  it('is loaded once for a call from inside, with a query of its own and without a provider', async () => {
    const { app, service, user } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const calls = record(app, 'users', 'get')
    const [strategy] = app.service('authentication').getStrategies('jwt')

    await strategy.authenticate({ accessToken }, { query: { name: 'not for users' }, mine: true })

    expect(calls).toEqual([{ id: String(user.id), params: { query: {}, mine: true } }])
  })

  it('is loaded once more for a call from outside, as the caller and with its query', async () => {
    const { app, service, user } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const calls = record(app, 'users', 'get')
    const [strategy] = app.service('authentication').getStrategies('jwt')

    app.service('users').hooks({
      after: { get: [({ params, result }: any) => void (params.provider && delete result.password)] }
    })

    const params = { provider: 'rest', query: { $select: ['email', 'password'] } }
    const result = await strategy.authenticate({ accessToken }, params)

    expect(calls).toMatchObject([
      { id: String(user.id), params: { query: {} } },
      { id: String(user.id), params: { ...params, user } }
    ])
    expect(result.user).toEqual({ id: user.id, email: user.email })
  })

  it('is loaded with the query and by the id that a subclass says', async () => {
    class Custom extends JWTStrategy {
      override async getEntityQuery() {
        return { $select: ['email'] }
      }

      override async getEntityId(result: any) {
        return result.authentication.payload.owner
      }
    }

    const { app, strategy } = createAppStrategy({ strategies: { jwt: new Custom() } })
    const { id } = await app.service('users')._create({ email: 'wren@example.org', password: 'hash' })
    const accessToken = await app.service('authentication').createAccessToken({ owner: id })
    const { user } = await strategy.authenticate({ accessToken }, {})

    expect(user).toEqual({ id, email: 'wren@example.org' })
  })

  it('may have the id 0', async () => {
    const { user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    expect(user.id).toBe(0)
    expect((await service.create({ strategy: 'jwt', accessToken })).user).toEqual(user)
  })

  it('can not be loaded without a service', async () => {
    const { app, strategy } = createAppStrategy({ settings: { service: undefined } })
    const accessToken = await app.service('authentication').createAccessToken({}, { subject: '1' })

    for (const attempt of [strategy.getEntity('1', {}), strategy.authenticate({ accessToken }, {})]) {
      await expect(attempt).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'Could not find entity service'
      })
    }
  })
})
