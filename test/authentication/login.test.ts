import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { AuthenticationService } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { callService } from '../../src/transport.ts'
import { createApp, createAppWithUser, decode, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

/** A service whose only strategy returns what it is told to. */
function createWithResult(result: object, settings: { [option: string]: unknown } = {}) {
  return createApp({ strategies: { test: { authenticate: async () => result } }, settings })
}

describe('create', () => {
  it('returns a token, the entity and what the token says', async () => {
    const { service, user } = await createAppWithUser()
    const result = await service.create(LOGIN)

    expect(result).toEqual({
      accessToken: expect.any(String),
      user,
      authentication: { strategy: 'local', payload: decode(result.accessToken).payload }
    })
    expect(result.authentication.payload).toMatchObject({ sub: String(user.id), iss: 'feathers' })
    expect(await service.verifyAccessToken(result.accessToken)).toEqual(result.authentication.payload)
  })

  it('fails without strategies', async () => {
    const { service } = await createAppWithUser({ settings: { authStrategies: [] } })
    const message = 'No authentication strategies allowed for creating a JWT (`authStrategies`)'

    await expect(service.create(LOGIN)).rejects.toMatchObject({ name: 'NotAuthenticated', message })
    await expect(service.create(LOGIN, { authStrategies: [] })).rejects.toMatchObject({ message })
  })

  it('uses the strategies of the params instead of those of the configuration', async () => {
    const { service } = await createAppWithUser({ settings: { authStrategies: ['jwt'] } })
    const reason = 'Invalid authentication information (strategy not allowed in authStrategies)'

    await expect(service.create(LOGIN)).rejects.toThrow(reason)
    expect(await service.create(LOGIN, { authStrategies: ['local'] })).toHaveProperty('accessToken')
    await expect(service.create({ strategy: 'jwt' }, { authStrategies: ['local'] })).rejects.toThrow(reason)
  })

  it('returns a result that has a token already as it is', async () => {
    const result = { accessToken: 'mine', authentication: { strategy: 'test' }, user: { id: 1 } }
    const service = createWithResult(result).service('authentication')

    expect(await service.create({ strategy: 'test' })).toBe(result)
  })

  it('puts payload, jwtOptions and secret of the params into the token', async () => {
    const { service } = await createAppWithUser()
    const params = {
      payload: { role: 'admin' },
      jwtOptions: { issuer: 'us', audience: 'you' },
      jwt: { audience: 'them' },
      secret: OTHER_SECRET
    }
    const { accessToken, authentication } = await service.create(LOGIN, params)

    expect(authentication.payload).toMatchObject({ role: 'admin', iss: 'us', aud: 'them' })
    expect(jsonwebtoken.verify(accessToken, OTHER_SECRET)).toEqual(authentication.payload)
  })

  it('takes a subject that is given for that of the entity', async () => {
    const { service } = await createAppWithUser()
    const { authentication } = await service.create(LOGIN, { jwtOptions: { subject: 'someone' } })

    expect(authentication.payload.sub).toBe('someone')
  })

  it('makes the subject of the id that the configuration names', async () => {
    const user = { id: 1, key: 'wren' }
    const app = createWithResult({ user }, { entityId: 'key' })
    const { authentication } = await app.service('authentication').create({ strategy: 'test' })

    expect(authentication.payload.sub).toBe('wren')
  })

  it('leaves the subject out without an entity', async () => {
    const app = createWithResult({ some: 'result' }, { entity: null, service: undefined })
    const result = await app.service('authentication').create({ strategy: 'test' })

    expect(result.some).toBe('result')
    expect(result.authentication.payload).not.toHaveProperty('sub')
  })

  it('fails when the entity has no id', async () => {
    for (const user of [{ name: 'Wren' }, { id: undefined }, { id: null }]) {
      const service = createWithResult({ user }).service('authentication')

      await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'Can not set subject from user.id'
      })
    }
  })

  it('uses what a subclass says of payload, options and claims', async () => {
    class Custom extends AuthenticationService {
      override async getPayload(result: any) {
        return { greeting: result.greeting }
      }

      override async getTokenOptions(result: any, params: any) {
        return { ...(await super.getTokenOptions(result, params)), issuer: 'a subclass' }
      }
    }

    const app: any = alula()
    const auth = new Custom(app, 'authentication', { secret: SECRET, entity: null, authStrategies: ['test'] })

    auth.register('test', {
      authenticate: async () => ({ greeting: 'Hello' }),
      getClaims: async () => ({ claimed: true })
    })
    app.use('authentication', auth)

    const { authentication } = await app.service('authentication').create({ strategy: 'test' })

    expect(authentication.payload).toMatchObject({ greeting: 'Hello', iss: 'a subclass', claimed: true })
  })
})

describe('remove', () => {
  it('returns what the strategy returns, without an id and with the token as the id', async () => {
    const { service, user } = await createAppWithUser()

    for (const toId of [() => null, (token: string) => token]) {
      const { accessToken } = await service.create(LOGIN)
      const authentication = { strategy: 'jwt', accessToken }
      const result = await service.remove(toId(accessToken), { authentication })

      expect(result).toMatchObject({ accessToken, user, authentication })
    }
  })

  it('refuses an id that is another token', async () => {
    const { service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const authentication = { strategy: 'jwt', accessToken }

    for (const params of [{ authentication }, {}, undefined]) {
      await expect(service.remove('another', params)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'Invalid access token'
      })
    }

    expect(await service.create(authentication)).toHaveProperty('user')
  })

  it('refuses a call that is not authenticated', async () => {
    const { service } = await createAppWithUser()

    await expect(service.remove(null)).rejects.toMatchObject({ name: 'NotAuthenticated' })
    await expect(
      service.remove(null, { authentication: { strategy: 'jwt', accessToken: 'nonsense' } })
    ).rejects.toThrow('Invalid access token')
  })

  it('allows the strategies of the configuration only', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['local'] })

    await expect(
      service.remove(null, { authentication: { strategy: 'jwt', accessToken }, authStrategies: ['jwt'] })
    ).rejects.toThrow('strategy not allowed in authStrategies')
  })

  it('returns the result of a strategy that goes by no token', async () => {
    const result = { authentication: { strategy: 'test' }, user: { id: 1 } }
    const service = createWithResult(result).service('authentication')

    expect(await service.remove(null, { authentication: { strategy: 'test' } })).toBe(result)
  })
})

describe('an answer', () => {
  const DISPATCH = Symbol.for('@feathersjs/schema/dispatch')

  it('has the entity as clients may see it', async () => {
    const user = { id: 1, email: 'wren@example.org', password: 'a hash' }

    Object.defineProperty(user, DISPATCH, { value: { id: 1 } })

    const service = createWithResult({ user, authentication: { strategy: 'test' } }).service('authentication')

    for (const call of [
      { method: 'create', data: { strategy: 'test' }, params: { provider: 'rest' } },
      { method: 'remove', id: null, params: { provider: 'rest', authentication: { strategy: 'test' } } }
    ]) {
      const { result, dispatch } = await callService(service, call)

      expect(result.user).toBe(user)
      expect(dispatch).toEqual({ ...result, user: { id: 1 } })
    }
  })

  it('has everything when nothing is hidden', async () => {
    const { service } = await createAppWithUser()
    const { result, dispatch } = await callService(service, { method: 'create', data: LOGIN, params: {} })

    expect(dispatch).toEqual(result)
    expect(dispatch).toMatchObject({ accessToken: expect.any(String) })
  })

  it('of hooks of the service is kept', async () => {
    const { app, service } = await createAppWithUser()

    app.service('authentication').hooks({
      after: { create: [(context: any) => void Object.assign(context, { dispatch: { shown: true } })] }
    })

    const { dispatch } = await callService(service, { method: 'create', data: LOGIN, params: {} })

    expect(dispatch).toEqual({ shown: true })
  })

  it('over HTTP must not be stored, and keeps its other headers', async () => {
    const { service } = await createAppWithUser()
    const context = service.create.createContext({ http: { headers: { 'X-Mine': 'yes' } } })

    await service.create(LOGIN, { provider: 'rest' }, context)
    expect(context.http.headers).toEqual({ 'X-Mine': 'yes', 'Cache-Control': 'no-store' })

    const authentication = { strategy: 'jwt', accessToken: context.result.accessToken }
    const logout = service.remove.createContext({ http: {} })

    await service.remove(null, { provider: 'rest', authentication }, logout)
    expect(logout.http.headers).toEqual({ 'Cache-Control': 'no-store' })
  })
})
