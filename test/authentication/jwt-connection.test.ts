import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { JWT_OPTIONS } from '../support/login.ts'
import { createApp, createAppWithUser, LOGIN } from './app.ts'

/** Time passes only where the test says so. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
}

/** The connections that end from now on. */
function listEnded(app: {
  on(event: 'disconnect', listener: (connection: unknown) => void): unknown
}): unknown[] {
  const ended: unknown[] = []

  app.on('disconnect', (connection) => ended.push(connection))

  return ended
}

describe('a connection', () => {
  it('ends by a store of revoked tokens that is set later', async () => {
    const { app, service } = await createAppWithUser()
    const ended = listEnded(app)
    const connection: any = {}
    const listeners = new Set<(id?: string) => void>()
    const revocation = {
      revoke: () => true,
      isRevoked: () => false,
      subscribe: (listener: (id?: string) => void) => {
        listeners.add(listener)

        return () => void listeners.delete(listener)
      }
    }

    await app.setup()
    app.set('authentication', { ...app.get('authentication'), revocation })
    app.set('authentication', { ...app.get('authentication'), revocation })
    expect(listeners.size).toBe(1)

    const { authentication } = await service.create(LOGIN, { connection })

    for (const tell of listeners) tell(authentication.payload.jti)
    expect(ended).toEqual([connection])
  })

  it('holds the token and the entity from login to logout', async () => {
    const { service, user } = await createAppWithUser()
    const connection: any = { mine: true }
    const { accessToken } = await service.create(LOGIN, { connection })
    const authentication = { strategy: 'jwt', accessToken }

    expect(connection).toEqual({ mine: true, authentication, user })

    await service.remove(null, { connection, authentication })
    expect(connection).toEqual({ mine: true })
  })

  it('holds what a login without a payload brings', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken, user } = await service.create(LOGIN)
    const connection: any = {}

    await app.service('authentication').handleConnection('login', connection, { accessToken, user })
    expect(connection).toEqual({ authentication: { strategy: 'jwt', accessToken }, user })

    await expect(
      app.service('authentication').handleConnection('login', {}, { accessToken: 'nonsense', user })
    ).rejects.toThrow('Invalid access token')
  })

  it('holds no entity when there is none', async () => {
    const app = createApp({ settings: { entity: null, service: undefined } })
    const service = app.service('authentication')
    const accessToken = await service.createAccessToken({})
    const connection: any = {}

    await service.handleConnection('login', connection, { accessToken })

    expect(connection).toEqual({ authentication: { strategy: 'jwt', accessToken } })
  })

  it('is left alone by a login without a token, and by the logout of another one', async () => {
    const { app, service, user } = await createAppWithUser()
    const connection: any = {}

    await service.handleConnection('login', connection, { user })
    expect(connection).toEqual({})

    await service.create(LOGIN, { connection })

    const before = { ...connection }
    const { accessToken } = await service.create(LOGIN)

    await service.remove(null, { connection, authentication: { strategy: 'jwt', accessToken } })
    await app.service('authentication').handleConnection('logout', connection)

    expect(connection).toEqual(before)
  })

  it('still says whose it was to those who hear of its end', async () => {
    const { app, service, user } = await createAppWithUser()
    const connection: any = {}
    let seen: unknown

    await service.create(LOGIN, { connection })
    app.on('disconnect', (ended: any) => {
      seen = { ...ended }
    })
    app.emit('disconnect', connection)
    await new Promise((resolve) => setImmediate(resolve))

    expect(seen).toEqual({ authentication: expect.any(Object), user })
    expect(connection).toEqual({})
  })

  it('ends when its token expires', async () => {
    const { app, service } = await createAppWithUser()
    const connection: any = {}
    const ended = once(app, 'disconnect')

    stopTime()

    await service.create(LOGIN, { connection, jwtOptions: { expiresIn: 100 } })

    const before = Date.now()

    vi.advanceTimersToNextTimer()

    expect((await ended)[0]).toBe(connection)
    expect(Date.now() - before).toBeGreaterThan(98_000)
    expect(Date.now() - before).toBeLessThanOrEqual(100_000)
  })

  it.each([
    ['the tolerance for clocks is over', { clockTolerance: 50 }, 150],
    ['its token is older than maxAge', { maxAge: '40s' }, 40],
    ['its token is older than maxAge, and the tolerance is over', { maxAge: 40, clockTolerance: 50 }, 90],
    ['its token is older than maxAge though it does not expire', { maxAge: 40, ignoreExpiration: true }, 40]
  ])('ends when %s', async (_title, options, seconds) => {
    const jwtOptions = { ...JWT_OPTIONS, expiresIn: 100, ...options }
    const { app, service } = await createAppWithUser({ settings: { jwtOptions } })
    const connection: any = {}
    const ended = listEnded(app)

    stopTime()

    await service.create(LOGIN, { connection })

    vi.advanceTimersByTime((seconds - 2) * 1000)
    expect(ended).toEqual([])

    vi.advanceTimersByTime(2000)
    expect(ended).toEqual([connection])
  })

  it('does not end when its token expires, where expiration is ignored', async () => {
    const jwtOptions = { ...JWT_OPTIONS, expiresIn: 100, ignoreExpiration: true }
    const { app, service } = await createAppWithUser({ settings: { jwtOptions } })
    const ended = listEnded(app)

    stopTime()

    await service.create(LOGIN, { connection: {} })
    vi.advanceTimersByTime(200_000)

    expect(ended).toEqual([])
  })

  it('ends when a token expires that is good for longer than a timer can wait', async () => {
    const { app, service } = await createAppWithUser()
    const connection: any = {}
    const ended = listEnded(app)

    stopTime()

    await service.create(LOGIN, { connection, jwtOptions: { expiresIn: '60d' } })

    vi.advanceTimersByTime(59.9 * 24 * 60 * 60 * 1000)
    expect(ended).toEqual([])

    vi.advanceTimersByTime(0.2 * 24 * 60 * 60 * 1000)
    expect(ended).toEqual([connection])
  })

  it('ends with its last token, and once', async () => {
    const { app, service } = await createAppWithUser()
    const connection: any = {}
    const ended = listEnded(app)

    stopTime()

    await service.create(LOGIN, { connection, jwtOptions: { expiresIn: 100 } })
    await service.create(LOGIN, { connection, jwtOptions: { expiresIn: 1000 } })

    vi.advanceTimersByTime(500_000)
    expect(ended).toEqual([])

    vi.advanceTimersByTime(600_000)
    expect(ended).toEqual([connection])
  })

  it.each(['logout', 'disconnect'] as const)('does not end a second time after a %s', async (event) => {
    const { app, service } = await createAppWithUser()
    const connection: any = {}

    stopTime()

    const result = await service.create(LOGIN, { connection, jwtOptions: { expiresIn: 100 } })

    await service.handleConnection(event, connection, result)

    const ended = listEnded(app)

    vi.advanceTimersByTime(200_000)

    expect(ended).toEqual([])
  })

  it('of a token that does not expire has no end', async () => {
    const { app, service } = await createAppWithUser({ settings: { jwtOptions: {} } })
    const connection: any = {}
    const ended = listEnded(app)

    stopTime()

    await service.create(LOGIN, { connection })
    vi.advanceTimersByTime(200_000)

    expect(connection).toHaveProperty('authentication')
    expect(ended).toEqual([])
  })
})
