import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, vi } from 'vitest'
import { AuthenticationService, MemoryRevocationStore } from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import { createApp, createAppWithUser, decode, LOGIN, REVOKED, SECRET, useToken } from './app.ts'

function logOut(app: any, accessToken: string, params: object = {}): Promise<any> {
  return app
    .service('authentication')
    .remove(null, { ...params, authentication: { strategy: 'jwt', accessToken } })
}

describe('a token', () => {
  it('is good for nothing after its logout', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await useToken(app, accessToken)
    await logOut(app, accessToken)

    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(logOut(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(service.verifyAccessToken(accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('outlives the logout of another one', async () => {
    const { app, service } = await createAppWithUser()
    const [first, second] = [await service.create(LOGIN), await service.create(LOGIN)]

    await logOut(app, first.accessToken)

    await expect(useToken(app, first.accessToken)).rejects.toMatchObject(REVOKED)
    expect(await useToken(app, second.accessToken)).toHaveProperty('user')
  })

  it('outlives a logout that is refused', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await expect(
      service.remove('another', { authentication: { strategy: 'jwt', accessToken } })
    ).rejects.toThrow('Invalid access token')
    expect(await useToken(app, accessToken)).toHaveProperty('user')
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

    await expect(useToken(app, first)).rejects.toMatchObject(REVOKED)
    expect(await useToken(app, second)).toHaveProperty('user')
  })

  it('that was revoked by the service is refused', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await service.revokeAccessToken(accessToken)

    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
    await expect(service.revokeAccessToken('nonsense')).rejects.toThrow('Invalid access token')
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
    const jwtOptions = { header: { typ: 'access' }, expiresIn: 'never' }
    const { app, service } = await createAppWithUser({ settings: { revocation, jwtOptions } })
    const { accessToken } = await service.create(LOGIN)

    await logOut(app, accessToken)

    expect(seen).toEqual([Number.POSITIVE_INFINITY])
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stays good after its logout when there is no revocation', async () => {
    const { app, service } = await createAppWithUser({ settings: { revocation: false } })
    const { accessToken } = await service.create(LOGIN)

    await logOut(app, accessToken)

    expect(await useToken(app, accessToken)).toHaveProperty('user')
    await service.revokeAccessToken(accessToken)
    expect(await useToken(app, accessToken)).toHaveProperty('user')
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

    await expect(useToken(one.app, first.accessToken)).rejects.toMatchObject(REVOKED)
    expect(await useToken(other.app, second.accessToken)).toHaveProperty('user')
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

    await useToken(app, accessToken)
    expect(asked).toEqual([jti])

    await logOut(app, accessToken)
    expect([...revoked]).toEqual([[jti, exp * 1000]])
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('is shared by those who use it', async () => {
    const users = memory()
    const revocation = new MemoryRevocationStore()
    const { app, service } = await createAppWithUser({ users, settings: { revocation } })
    const other = createApp({ users, settings: { revocation } })
    const { accessToken } = await service.create(LOGIN)

    await useToken(other, accessToken)
    await logOut(app, accessToken)

    await expect(useToken(other, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('that fails lets nobody in', async () => {
    const error = new Error('The store is gone')
    const revocation = { revoke: () => Promise.reject(error), isRevoked: () => Promise.reject(error) }
    const { app, service } = await createAppWithUser({ settings: { revocation } })
    const { accessToken } = await service.create(LOGIN)

    await expect(useToken(app, accessToken)).rejects.toBe(error)
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

it('an id that is used once has one use until it expires, and none after that', async () => {
  const { service } = await createAppWithUser()
  const soon = Date.now() + 60_000

  expect(await Promise.all([1, 2].map(() => service.useOnce('a', soon)))).toEqual([true, false])
  expect(await Promise.all([1, 2].map(() => service.useOnce('b', Date.now() - 1)))).toEqual([false, false])
})
