import { generateKeyPairSync } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  AuthenticationService,
  createStrategy,
  JWTStrategy,
  LocalStrategy,
  MemoryRevocationStore,
  protect
} from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import { createApp, createAppWithUser, decode, LOGIN, SECRET, WREN } from './app.ts'

const REVOKED = { name: 'NotAuthenticated', code: 401, message: 'jwt revoked' }
const CHANGED = {
  name: 'NotAuthenticated',
  code: 401,
  message: 'Invalid login'
}

/** Uses a token. */
function use(app: any, accessToken: string): Promise<any> {
  return app.service('authentication').create({ strategy: 'jwt', accessToken })
}

function logOut(app: any, accessToken: string, params: object = {}): Promise<any> {
  return app
    .service('authentication')
    .remove(null, { ...params, authentication: { strategy: 'jwt', accessToken } })
}

describe('a token', () => {
  it('is good for nothing after its logout', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await use(app, accessToken)
    await logOut(app, accessToken)

    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(logOut(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(service.verifyAccessToken(accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('outlives the logout of another one', async () => {
    const { app, service } = await createAppWithUser()
    const [first, second] = [await service.create(LOGIN), await service.create(LOGIN)]

    await logOut(app, first.accessToken)

    await expect(use(app, first.accessToken)).rejects.toMatchObject(REVOKED)
    expect(await use(app, second.accessToken)).toHaveProperty('user')
  })

  it('outlives a logout that is refused', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await expect(
      service.remove('another', { authentication: { strategy: 'jwt', accessToken } })
    ).rejects.toThrow('Invalid access token')
    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('without an id is revoked too, and no other with it', async () => {
    const { app, user } = await createAppWithUser()
    const sign = (name: string) =>
      jsonwebtoken.sign({ name }, SECRET, {
        subject: String(user.id),
        issuer: 'feathers',
        audience: 'https://yourdomain.com',
        header: { alg: 'HS256', typ: 'access' },
        expiresIn: '1d'
      })
    const [first, second] = [sign('first'), sign('second')]

    await logOut(app, first)

    await expect(use(app, first)).rejects.toMatchObject(REVOKED)
    expect(await use(app, second)).toHaveProperty('user')
  })

  it('that was revoked by the service is refused', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await service.revokeAccessToken(accessToken)

    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(service.revokeAccessToken('nonsense')).rejects.toThrow('jwt malformed')
  })

  it('that never expires is revoked for good', async () => {
    const store = new MemoryRevocationStore()
    const seen: unknown[] = []
    const revocation = {
      revoke: (id: string, expiresAt: number) => {
        seen.push(expiresAt)

        return store.revoke(id, expiresAt)
      },
      isRevoked: (id: string) => store.isRevoked(id)
    }
    const jwtOptions = { header: { typ: 'access' } }
    const { app, service } = await createAppWithUser({ settings: { revocation, jwtOptions } })
    const { accessToken } = await service.create(LOGIN)

    await logOut(app, accessToken)

    expect(seen).toEqual([Number.POSITIVE_INFINITY])
    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stays good after its logout when there is no revocation', async () => {
    const { app, service } = await createAppWithUser({ settings: { revocation: false } })
    const { accessToken } = await service.create(LOGIN)

    await logOut(app, accessToken)

    expect(await use(app, accessToken)).toHaveProperty('user')
    await service.revokeAccessToken(accessToken)
    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('that was revoked is another matter in each of several services', async () => {
    const one = await createAppWithUser()
    const other = await createAppWithUser()
    const jwtOptions = { jwtid: 'the same' }
    const params = { jwtOptions }
    const [first, second] = [
      await one.service.create(LOGIN, params),
      await other.service.create(LOGIN, params)
    ]

    await logOut(one.app, first.accessToken)

    await expect(use(one.app, first.accessToken)).rejects.toMatchObject(REVOKED)
    expect(await use(other.app, second.accessToken)).toHaveProperty('user')
  })
})

describe('a store of the application', () => {
  it('is used itself and not a copy of it, whether a setting or the constructor has it', async () => {
    const createStore = () => ({
      ids: [] as string[],
      count: 0,
      revoke(this: any, id: string) {
        this.count++
        this.ids.push(id)

        return true
      },
      isRevoked(this: any, id: string) {
        return this.ids.includes(id)
      }
    })
    const [first, second, third] = [createStore(), createStore(), createStore()]
    const { app } = await createAppWithUser({ settings: { revocation: first } })
    const given = new AuthenticationService(app, 'given', {
      secret: SECRET,
      entity: null,
      revocation: second
    })

    async function revokeOne(service: any): Promise<void> {
      const token = await service.createAccessToken({})

      await service.revokeAccessToken(token)
      await expect(service.verifyAccessToken(token)).rejects.toMatchObject(REVOKED)
    }

    await revokeOne(app.service('authentication'))
    await revokeOne(given)
    expect([first.count, second.count, third.count]).toEqual([1, 1, 0])
    expect(given.configuration.revocation).toBe(second)

    // What is set later is used itself as well, and what it leaves out stays.
    app.set('given', { secret: `${SECRET}!` })
    await revokeOne(given)
    app.set('given', { revocation: third })
    await revokeOne(given)
    app.set('authentication', { ...app.get('authentication'), entity: 'user' })
    await revokeOne(app.service('authentication'))
    expect([first.count, second.count, third.count]).toEqual([2, 2, 1])
  })

  it('hears the id and the end of a token, and is asked about the id', async () => {
    const revoked = new Map<string, number>()
    const asked: string[] = []
    const revocation = {
      revoke: async (id: string, expiresAt: number) => {
        const isNew = !revoked.has(id)

        revoked.set(id, expiresAt)

        return isNew
      },
      isRevoked: async (id: string) => {
        asked.push(id)

        return revoked.has(id)
      }
    }
    const { app, service } = await createAppWithUser({ settings: { revocation } })
    const { accessToken } = await service.create(LOGIN)
    const { jti, exp } = decode(accessToken).payload

    await use(app, accessToken)
    expect(asked).toEqual([jti])

    await logOut(app, accessToken)
    expect([...revoked]).toEqual([[jti, exp * 1000]])
    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('is shared by those who use it', async () => {
    const users = memory()
    const revocation = new MemoryRevocationStore()
    const { app, service } = await createAppWithUser({ users, settings: { revocation } })
    const other = createApp({ users, settings: { revocation } })
    const { accessToken } = await service.create(LOGIN)

    await use(other, accessToken)
    await logOut(app, accessToken)

    await expect(use(other, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('that fails lets nobody in', async () => {
    const error = new Error('The store is gone')
    const revocation = { revoke: () => Promise.reject(error), isRevoked: () => Promise.reject(error) }
    const { app, service } = await createAppWithUser({ settings: { revocation } })
    const { accessToken } = await service.create(LOGIN)

    await expect(use(app, accessToken)).rejects.toBe(error)
  })
})

describe('a store in memory', () => {
  it('knows what was revoked', () => {
    const store = new MemoryRevocationStore()

    expect(store.isRevoked('a')).toBe(false)
    store.revoke('a', Number.POSITIVE_INFINITY)

    expect(store.isRevoked('a')).toBe(true)
    expect(store.isRevoked('b')).toBe(false)
    expect(store.isRevoked('__proto__')).toBe(false)
  })

  it('lets one of several use up an id', () => {
    const store = new MemoryRevocationStore()
    const end = Date.now() + 60_000

    expect([1, 2, 3].map(() => store.revoke('once', end))).toEqual([true, false, false])
    expect(store.revoke('another', end)).toBe(true)
  })

  it('forgets an id when its time is over', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())

    const store = new MemoryRevocationStore()

    store.revoke('a', Date.now() + 1000)
    vi.advanceTimersByTime(999)
    expect(store.isRevoked('a')).toBe(true)

    vi.advanceTimersByTime(1)
    expect(store.isRevoked('a')).toBe(false)
    expect(store.revoke('a', Date.now() + 1000)).toBe(true)
  })

  it('does not grow with what is over', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())

    const store = new MemoryRevocationStore()

    store.revoke('for good', Number.POSITIVE_INFINITY)

    for (let n = 0; n < 20_000; n++) {
      store.revoke(String(n), Date.now() + 100)
      vi.advanceTimersByTime(1)
    }

    expect(store.size).toBeLessThan(2000)
    expect(store.isRevoked('for good')).toBe(true)
  })

  it('keeps all that is not over', () => {
    const store = new MemoryRevocationStore()
    const end = Date.now() + 60_000

    for (let n = 0; n < 5000; n++) store.revoke(String(n), end)

    expect(store.size).toBe(5000)
    expect(store.isRevoked('0')).toBe(true)
    expect(store.isRevoked('4999')).toBe(true)
  })
})

describe('the tokens of a user', () => {
  it('are void when the password was changed, the new ones are not', async () => {
    const { app, user, service } = await createAppWithUser()
    const before = [await service.create(LOGIN), await service.create(LOGIN)]

    await app.service('users').patch(user.id, { password: 'a new password' })

    for (const { accessToken } of before) await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)

    const { accessToken } = await service.create({ ...LOGIN, password: 'a new password' })

    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('are void when the same password was set again', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { password: WREN.password })

    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('are void when the password was taken away', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users')._patch(user.id, { password: null })

    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stay good when something else was changed', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { email: 'jay@example.org', name: 'Jay' })

    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('stay good when somebody else changed a password', async () => {
    const { app, service } = await createAppWithUser()
    const { id } = await app.service('users').create({ email: 'jay@example.org', password: 'a password' })
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(id, { password: 'a new password' })

    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('are good after a restart, unless the password was changed or the user was removed', async () => {
    const users = memory()
    const { app, user, service } = await createAppWithUser({ users })
    const { id } = await app.service('users').create({ email: 'jay@example.org', password: 'a password' })
    const wren = await service.create(LOGIN)
    const jay = await service.create({ strategy: 'local', email: 'jay@example.org', password: 'a password' })

    const second = createApp({ users })

    expect(await use(second, wren.accessToken)).toHaveProperty('user')
    expect(await use(second, jay.accessToken)).toHaveProperty('user')

    await second.service('users').patch(user.id, { password: 'a new password' })
    await second.service('users').remove(id)

    for (const restarted of [second, createApp({ users })]) {
      await expect(use(restarted, wren.accessToken)).rejects.toMatchObject(REVOKED)
      await expect(use(restarted, jay.accessToken)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401
      })
    }
  })

  it('are void for a user who has the id of one that was removed', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').remove(user.id)
    await app.service('users').create({ id: user.id, email: 'jay@example.org', password: WREN.password })

    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stay good after a change of the password when there is no revocation', async () => {
    const { app, user, service } = await createAppWithUser({ settings: { revocation: false } })
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { password: 'a new password' })

    expect(await use(app, accessToken)).toHaveProperty('user')
    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
  })

  it('tell nothing of the hash, and something else with each secret', async () => {
    const users = memory()
    const { user, service } = await createAppWithUser({ users })
    const other = createApp({ users, settings: { secret: `${SECRET} of another application` } })
    const [first, second, foreign] = await Promise.all(
      [service, service, other.service('authentication')].map(async (service) => {
        const { accessToken } = await service.create(LOGIN)

        return decode(accessToken).payload.fingerprint.local
      })
    )

    expect(first).toMatch(/^[\w-]{22}$/)
    expect(second).toBe(first)
    expect(foreign).toMatch(/^[\w-]{22}$/)
    expect(foreign).not.toBe(first)
    expect(user.password).not.toContain(first.slice(0, 8))
  })

  it('from an application without fingerprints are accepted', async () => {
    const users = memory()
    const { app, user } = await createAppWithUser({ users })
    const other = createApp({ users, settings: { revocation: false } })
    const { accessToken } = await other.service('authentication').create(LOGIN)

    expect((await use(app, accessToken)).user).toEqual(user)
  })

  it.each([
    ['without revocation', { settings: { revocation: false } }],
    ['that sees no password', { strategies: { jwt: new JWTStrategy() } }]
  ])('with a fingerprint are accepted by an application %s', async (_title, options) => {
    const users = memory()
    const { app, user, service } = await createAppWithUser({ users })
    const other = createApp({ users, ...options })
    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload).toHaveProperty('fingerprint.local')
    expect((await use(other, accessToken)).user.id).toBe(user.id)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
    expect((await use(other, accessToken)).user.id).toBe(user.id)
  })

  it('stay good when a strategy comes that goes by something else, which ties the next ones', async () => {
    const { app, user, service } = await createAppWithUser()
    const before = await service.create(LOGIN)

    await app.service('users')._patch(user.id, { key: 'a key' })
    service.register('key', { getCredential: ({ key }: any) => key })

    const after = await service.create(LOGIN)

    expect(await use(app, before.accessToken)).toHaveProperty('user')
    expect(Object.keys(decode(after.accessToken).payload.fingerprint)).toEqual(['local', 'key'])

    await app.service('users')._patch(user.id, { key: 'another key' })
    expect(await use(app, before.accessToken)).toHaveProperty('user')
    await expect(use(app, after.accessToken)).rejects.toMatchObject(REVOKED)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(use(app, before.accessToken)).rejects.toMatchObject(REVOKED)
  })

  it.each([
    ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  ])('are accepted by an application that has only the public key, with %s', async (algorithm, generate) => {
    const { publicKey, privateKey } = generate()
    const createSettings = (secret: string | Buffer) => ({
      secret: secret.toString(),
      jwtOptions: { algorithm, issuer: 'feathers', expiresIn: '1d' }
    })
    const users = memory()
    const issuer = createSettings(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const verifier = createSettings(publicKey.export({ type: 'spki', format: 'pem' }))
    const { app, user, service } = await createAppWithUser({ users, settings: issuer })
    const other = createApp({ users, settings: verifier })
    const { accessToken } = await service.create(LOGIN)

    await other.setup()
    expect(decode(accessToken).payload).toHaveProperty('fingerprint.local')
    expect((await use(other, accessToken)).user.id).toBe(user.id)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('of a user without a password are not tied to one', async () => {
    const test = { authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: 7 } }) }
    const { app } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['jwt', 'local', 'test'] })
    service.register('test', test)
    await app.service('users')._create({ id: 7, email: 'jay@example.org' })

    const { accessToken } = await service.create({ strategy: 'test' })

    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
    expect((await use(app, accessToken)).user.id).toBe(7)
  })

  it('are tied to the password by every strategy that finds the user', async () => {
    const { app, user } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['jwt', 'local', 'test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    const { accessToken } = await service.create({ strategy: 'test' })

    expect(await use(app, accessToken)).toHaveProperty('user')
    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(use(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('are not made for somebody who is not active, whichever strategy says so', async () => {
    const isActive = (entity: any) => !entity.banned
    const { app, user } = await createAppWithUser({ settings: { isActive } })
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    expect(await service.create({ strategy: 'test' })).toHaveProperty('accessToken')
    await app.service('users')._patch(user.id, { banned: true })
    await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      code: 401
    })
  })

  it.each([
    ['without isActive', {}],
    ['before isActive is asked', { isActive: () => true }]
  ])(
    'are not made for a user whom a strategy remembers and who was removed, %s',
    async (_title, settings) => {
      const { app, user } = await createAppWithUser({ settings })
      const service = app.service('authentication')
      const users: any[] = [{ id: user.id }, { name: 'without an id' }]

      for (const found of users) {
        service.register('test', {
          authenticate: async () => ({ authentication: { strategy: 'test' }, user: found })
        })
        await app
          .service('users')
          ._remove(user.id)
          .catch(() => undefined)

        await expect(
          service.create({ strategy: 'test' }, { authStrategies: ['test'] })
        ).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
      }
    }
  )

  it('are not made by a strategy that returns nothing', async () => {
    const { app, service } = await createAppWithUser()

    for (const nothing of [undefined, null, false]) {
      service.register('test', { authenticate: async () => nothing as any })

      await expect(
        app.service('authentication').create({ strategy: 'test' }, { authStrategies: ['test'] })
      ).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
    }
  })

  it('are not made for somebody who is gone, whichever strategy says so', async () => {
    const { app, user } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    await app.service('users').remove(user.id)
    await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      code: 401
    })
  })
})

describe('isActive', () => {
  it.each([
    ['a class or an object', (get: any) => ({ authenticate: get })],
    ['a function', (get: any) => createStrategy(() => ({ authenticate: get }))]
  ])('is asked about what clients do not see when the strategy is %s', async (_title, make) => {
    const isActive = (entity: any) => entity.banned === false
    const { app, user } = await createAppWithUser({ settings: { isActive } })
    const service = app.service('authentication')
    const call = () => service.authenticate({ strategy: 'test' }, { provider: 'rest' }, 'test')

    app.service('users').hooks({ after: { all: [protect('banned')] } })
    service.register(
      'test',
      make(async () => ({
        authentication: { strategy: 'test' },
        user: await app.service('users').get(user.id, { provider: 'rest' })
      }))
    )

    await app.service('users')._patch(user.id, { banned: false })
    expect((await call()).user).not.toHaveProperty('banned')

    await app.service('users')._patch(user.id, { banned: true })
    await expect(call()).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
  })
})

describe('a password that is changed during a login', () => {
  it('ends the login when it is changed after it was verified', async () => {
    let change: (() => Promise<unknown>) | undefined

    class Slow extends LocalStrategy {
      override async authenticate(data: any, params: any) {
        const result = await super.authenticate(data, params)

        await change?.()

        return result
      }
    }

    const { app, user, service } = await createAppWithUser({
      strategies: { jwt: new JWTStrategy(), local: new Slow() }
    })

    change = () => app.service('users').patch(user.id, { password: 'a new password' })

    for (const params of [{}, { provider: 'rest' }]) {
      await expect(service.create(LOGIN, params)).rejects.toMatchObject(CHANGED)
      await app.service('users').patch(user.id, { password: WREN.password })
    }

    change = undefined
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it.each([
    ['taken away', { password: null }],
    ['emptied', { password: '' }]
  ])('ends the login when it is %s after it was verified', async (_title, change) => {
    let take: (() => Promise<unknown>) | undefined

    class Slow extends LocalStrategy {
      override async authenticate(data: any, params: any) {
        const result = await super.authenticate(data, params)

        await take?.()

        return result
      }
    }

    const { app, user, service } = await createAppWithUser({
      strategies: { jwt: new JWTStrategy(), local: new Slow() }
    })

    take = () => app.service('users')._patch(user.id, change)

    for (const params of [{}, { provider: 'rest' }]) {
      await app.service('users').patch(user.id, { password: WREN.password })
      await expect(service.create(LOGIN, params)).rejects.toMatchObject(CHANGED)
    }
  })

  it('is not one that a hook hides from the service itself', async () => {
    const { app, service } = await createAppWithUser()

    app.service('users').hooks({
      after: {
        get: [
          ({ result }: any) => {
            delete result.password
          }
        ]
      }
    })

    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
    expect(await use(app, accessToken)).toHaveProperty('user')
  })

  it('leaves no token that is good, however many logins run', async () => {
    const { app, user, service } = await createAppWithUser()

    for (let round = 0; round < 5; round++) {
      const [before, after] = [`password ${round}`, `password ${round + 1}`]

      await app.service('users').patch(user.id, { password: before })

      const login = () =>
        service.create({ ...LOGIN, password: before }, round % 2 ? { provider: 'rest' } : {})
      const logins = Array.from({ length: 10 }, login)
      const change = app.service('users').patch(user.id, { password: after })

      logins.push(...Array.from({ length: 10 }, login))
      await change

      const finished = await Promise.allSettled(logins)

      for (const attempt of finished) {
        if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 401 })
        else await expect(use(app, attempt.value.accessToken)).rejects.toMatchObject(REVOKED)
      }

      expect(await service.create({ ...LOGIN, password: after })).toHaveProperty('accessToken')
    }
  })
})
