import { describe, expect, it } from 'vitest'
import { LocalStrategy } from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import {
  BCRYPT,
  createApp,
  createAppWithUser,
  createLocalStrategy,
  getLocal,
  INVALID_LOGIN,
  LOCAL,
  LOGIN,
  WREN
} from './app.ts'

describe('the configuration of the local strategy', () => {
  it('inherits the entity from the service and has defaults', () => {
    const { configuration } = createLocalStrategy({ usernameField: 'email', passwordField: 'secret' })

    expect(configuration).toEqual({
      hashSize: 10,
      service: 'users',
      entity: 'user',
      entityId: undefined,
      errorMessage: 'Invalid login',
      usernameField: 'email',
      passwordField: 'secret',
      entityUsernameField: 'email',
      entityPasswordField: 'secret'
    })
  })

  it('takes values of its own', () => {
    const own = {
      usernameField: 'login.name',
      passwordField: 'login.password',
      entityUsernameField: 'email',
      entityPasswordField: 'hash',
      hashSize: 12,
      errorMessage: 'No',
      service: 'people',
      entity: 'person',
      entityId: 'key'
    }

    expect(createLocalStrategy(own).configuration).toEqual(own)
  })

  it('takes undefined for what was left out, also where it is set later', async () => {
    const { app, service } = await createAppWithUser()
    const { local, ...settings } = app.get('authentication')

    app.set('authentication', {
      ...settings,
      local: {
        ...local,
        entityUsernameField: undefined,
        entityPasswordField: undefined,
        errorMessage: undefined
      }
    })

    expect((await service.create(LOGIN)).user.email).toBe(WREN.email)
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(INVALID_LOGIN)
  })

  it.each(['usernameField', 'passwordField'])('needs %s', (option) => {
    for (const value of [undefined, null, 5]) {
      expect(() => createLocalStrategy({ ...LOCAL, [option]: value })).toThrow(
        `'local' authentication strategy requires a '${option}' setting`
      )
    }

    expect(() => createLocalStrategy({ ...LOCAL, [option]: undefined }, 'mine')).toThrow(
      `'mine' authentication strategy`
    )
  })

  it('refuses a cost that bcrypt does not know', () => {
    for (const hashSize of [3, 32, 10.5, '10', null]) {
      expect(() => createLocalStrategy({ ...LOCAL, hashSize })).toThrow(
        "Invalid option 'hashSize' of the 'local' strategy: expected an integer from 4 to 31"
      )
    }
    for (const hashSize of [4, 31]) expect(() => createLocalStrategy({ ...LOCAL, hashSize })).not.toThrow()
  })

  it('refuses a hasher that can not hash or compare', () => {
    for (const hasher of [null, 'bcrypt', {}, { hash: () => '' }, { compare: () => true }]) {
      expect(() => createLocalStrategy({ ...LOCAL, hasher })).toThrow(
        "Invalid option 'hasher' of the 'local' strategy: expected an object with 'hash' and 'compare'"
      )
    }
  })
})

describe('a login', () => {
  it('returns the entity and the name of the strategy', async () => {
    const app = createApp({ strategies: { password: new LocalStrategy() }, settings: { password: LOCAL } })
    const [strategy] = app.service('authentication').getStrategies('password')
    const { email, password } = WREN
    const stored = await app
      .service('users')
      ._create({ email, password: await strategy.hashPassword(password) })

    expect(await strategy.authenticate({ strategy: 'password', email, password }, {})).toEqual({
      authentication: { strategy: 'password' },
      user: stored
    })
  })

  it('with anything wrong is refused with the same words', async () => {
    const { app, service } = await createAppWithUser({ settings: BCRYPT })

    await app.service('users')._create({ email: 'no-password@example.org' })
    await app.service('users')._create({ email: 'null@example.org', password: null })
    await app.service('users')._create({ email: 'empty@example.org', password: '' })
    await app.service('users')._create({ email: 'number@example.org', password: 5 })
    await app.service('users')._create({ email: 'plain@example.org', password: WREN.password })

    for (const change of [
      { password: 'wrong' },
      { password: `${WREN.password} ` },
      { password: '' },
      { password: undefined },
      { email: 'nobody@example.org' },
      { email: '' },
      { email: undefined },
      { email: 'no-password@example.org' },
      { email: 'null@example.org' },
      { email: 'empty@example.org' },
      { email: 'number@example.org', password: '5' },
      { email: 'plain@example.org' }
    ]) {
      for (const params of [{}, { provider: 'rest' }]) {
        await expect(
          service.create({ ...LOGIN, ...change }, params),
          JSON.stringify(change)
        ).rejects.toMatchObject(INVALID_LOGIN)
      }
    }
  })

  it('with a username or password that is no text is refused before any query', async () => {
    const { app, service } = await createAppWithUser()
    const queries: unknown[] = []

    app.service('users').hooks({ before: { find: [({ params }: any) => void queries.push(params.query)] } })

    for (const value of [
      { $ne: null },
      { $gt: '' },
      ['wren@example.org'],
      5,
      true,
      null,
      'x'.repeat(5000),
      'a\0b'
    ]) {
      await expect(service.create({ ...LOGIN, email: value })).rejects.toMatchObject(INVALID_LOGIN)
      await expect(service.create({ ...LOGIN, password: value })).rejects.toMatchObject(INVALID_LOGIN)
    }

    expect(queries).toEqual([])
  })

  it('with a password that begins like a longer one is refused', async () => {
    const { app, service } = await createAppWithUser()
    const password = 'x'.repeat(72)

    await app.service('users').create({ email: 'long@example.org', password })

    const login = { strategy: 'local', email: 'long@example.org' }

    expect(await service.create({ ...login, password })).toHaveProperty('accessToken')
    await expect(service.create({ ...login, password: `${password}x` })).rejects.toMatchObject(INVALID_LOGIN)
    await expect(service.create({ ...login, password: `${password}\0` })).rejects.toMatchObject(INVALID_LOGIN)
  })

  it('that fails is answered with the message of the configuration', async () => {
    const { service } = await createAppWithUser({
      settings: { local: { ...LOCAL, errorMessage: 'Try again' } }
    })

    for (const change of [{ password: 'wrong' }, { email: 'nobody@example.org' }, { email: 5 }]) {
      await expect(service.create({ ...LOGIN, ...change })).rejects.toThrow(/^Try again$/)
    }
  })

  it('finds its fields by dotted names, in the request, the query and the entity', async () => {
    const { app } = await createAppWithUser({
      settings: {
        local: {
          usernameField: 'login.name',
          passwordField: 'login.password',
          entityUsernameField: 'contact.email',
          entityPasswordField: 'credentials.hash',
          hashSize: 4
        }
      }
    })
    const users = app.service('users')
    const hash = await getLocal(app).hashPassword('a password')
    const jay = await users._create({ contact: { email: 'jay@example.org' }, credentials: { hash } })
    const service = app.service('authentication')
    const login = (name: string, password: string) =>
      service.create({ strategy: 'local', login: { name, password } })

    expect((await login('jay@example.org', 'a password')).user).toEqual(jay)
    await expect(login('jay@example.org', 'wrong')).rejects.toMatchObject(INVALID_LOGIN)
    await expect(
      service.create({ strategy: 'local', 'login.name': 'jay@example.org', 'login.password': 'a password' })
    ).rejects.toMatchObject(INVALID_LOGIN)
  })

  it('takes other fields of the entity than of the request', async () => {
    const { app } = await createAppWithUser({
      settings: { local: { ...LOCAL, entityUsernameField: 'name', entityPasswordField: 'hash' } }
    })
    const hash = await getLocal(app).hashPassword('a password')
    const jay = await app.service('users')._create({ name: 'jay', hash })
    const result = await app
      .service('authentication')
      .create({ strategy: 'local', email: 'jay', password: 'a password' })

    expect(result.user).toEqual(jay)
  })

  it('can not be without an entity service', async () => {
    const app = createApp({ settings: { service: undefined } })

    await expect(app.service('authentication').create(LOGIN)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Could not find entity service'
    })
  })

  it('of an entity that the option isActive does not let in is refused like any other', async () => {
    const seen: unknown[] = []
    const isActive = async (user: any) => {
      seen.push(user.email)

      return !user.banned
    }
    const { app, user, service } = await createAppWithUser({ settings: { isActive } })

    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
    await app.service('users')._patch(user.id, { banned: true })
    await expect(service.create(LOGIN)).rejects.toMatchObject(INVALID_LOGIN)

    // A wrong password does not tell whether somebody is active.
    seen.length = 0
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(INVALID_LOGIN)
    expect(seen).toEqual([])
  })
})

describe('findEntity', () => {
  it('asks for one entity, with the params but without a provider', async () => {
    const { app, user } = await createAppWithUser()
    const seen: any[] = []

    app.service('users').hooks({ before: { find: [({ params }: any) => void seen.push(params)] } })

    const params = { provider: 'rest', query: { name: 'not for users' }, mine: true }

    expect(await getLocal(app).findEntity(WREN.email, params)).toEqual(user)
    expect(seen).toEqual([{ query: { $limit: 1, email: WREN.email }, mine: true }])
  })

  it.each([
    ['a list', (users: unknown[]) => users],
    ['a page', (users: unknown[]) => ({ total: users.length, limit: 1, skip: 0, data: users })]
  ])('reads %s', async (_title, toResult) => {
    const jay = { id: 1, email: 'jay@example.org' }
    const users = {
      id: 'id',
      find: async ({ query }: any) => toResult(query.email === jay.email ? [jay, { id: 2 }] : []),
      create: async () => ({})
    }
    const strategy = getLocal(createApp({ users }))

    expect(await strategy.findEntity('jay@example.org', {})).toBe(jay)
    await expect(strategy.findEntity('nobody@example.org', {})).rejects.toMatchObject(INVALID_LOGIN)
  })

  it('does not ask without a username', async () => {
    const { app } = await createAppWithUser()

    for (const username of ['', undefined, null] as any[]) {
      await expect(getLocal(app).findEntity(username, {})).rejects.toMatchObject(INVALID_LOGIN)
    }
  })

  it('asks what a subclass says', async () => {
    class Custom extends LocalStrategy {
      override async getEntityQuery(query: any, params: any) {
        return { ...(await super.getEntityQuery(query, params)), tenant: params.tenant }
      }
    }

    const { app, service } = await createAppWithUser({ strategies: { local: new Custom() } })
    const password = await getLocal(app).hashPassword('a password')
    const other = await app.service('users')._create({ ...WREN, password, tenant: 'b' })

    expect((await service.create({ ...LOGIN, password: 'a password' }, { tenant: 'b' })).user).toEqual(other)
    await expect(service.create(LOGIN, { tenant: 'b' })).rejects.toMatchObject(INVALID_LOGIN)
  })
})

describe('getEntity', () => {
  it('returns the entity to a call from inside', async () => {
    const { app, user } = await createAppWithUser()

    expect(await getLocal(app).getEntity(user, { query: { name: 'not for users' } })).toBe(user)
  })

  it('loads it for a call from outside as the caller, with its query', async () => {
    const { app, user } = await createAppWithUser()
    const seen: any[] = []

    app.service('users').hooks({
      before: { get: [({ id, params }: any) => void seen.push({ id, params })] },
      after: { get: [({ params, result }: any) => void (params.provider && delete result.password)] }
    })

    const params = { provider: 'rest', query: { $select: ['email', 'password'] } }

    expect(await getLocal(app).getEntity(user, params)).toEqual({ id: user.id, email: user.email })
    expect(seen).toMatchObject([{ id: user.id, params: { ...params, user } }])
  })

  it('needs the id that the configuration names', async () => {
    const { app } = await createAppWithUser({ settings: { entityId: 'key' } })
    const message = { name: 'NotAuthenticated', message: 'Could not get local entity' }

    for (const params of [{}, { provider: 'rest' }]) {
      await expect(getLocal(app).getEntity({ id: 1 }, params)).rejects.toMatchObject(message)
    }
    expect(await getLocal(app).getEntity({ key: 1 }, {})).toEqual({ key: 1 })
  })

  it('needs the id of the service', async () => {
    const { app } = await createAppWithUser({ users: memory({ id: 'key' }) })

    await expect(getLocal(app).getEntity({ id: 1 }, {})).rejects.toThrow('Could not get local entity')
    expect(await getLocal(app).getEntity({ key: 0 }, {})).toEqual({ key: 0 })
  })
})
