import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { MemoryStorage } from '../../src/client/storage.ts'
import { events } from '../../src/client.ts'
import {
  Forbidden,
  MethodNotAllowed,
  NotAuthenticated,
  TooManyRequests,
  Unavailable
} from '../../src/errors.ts'
import { MINUTE, WREN } from '../sessions/app.ts'
import { defer } from '../support/deferred.ts'
import { failure } from './servers.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// A renewal never makes a client another user, and touches no login but its own.

const OWL = { email: 'owl@example.org', password: 'other horse' }

const OTHER = { strategy: 'local', ...OWL }

const LOGGED_OUT = { name: 'NotAuthenticated', data: { reason: 'logout' } }

describe.each(['REST', 'sockets'] as const)('a renewal, over %s', (kind) => {
  async function start() {
    const { app, clock, calls, createClient } = await startSessions(kind)
    /** What the server does before a renewal and after it. */
    const server = { refuse: (): void => undefined, renewed: (): unknown => undefined }

    await app.service('users').create(OWL)
    app.use(
      'drafts',
      { create: async (_data: unknown, { user }: any) => user.email },
      { methods: ['create'] }
    )
    app.service('drafts').hooks({ before: { create: [authenticate('jwt')] } })
    app.service('authentication').hooks({
      before: { create: [({ data }: any) => void (data.strategy === 'refresh' && server.refuse())] },
      after: {
        create: [async ({ data }: any) => void (data.strategy === 'refresh' && (await server.renewed()))]
      }
    })

    /** A tab, the names of its events, and what writes as its user. */
    function openTab(storage = new MemoryStorage()) {
      const { client } = createClient(storage)
      const names: string[] = []

      client.on('session:ended', ({ cause }: any) => names.push(`ended ${cause}`))
      for (const name of ['login', 'logout']) client.on(name, () => names.push(name))

      return {
        client,
        names,
        storage,
        write: (): Promise<string> => client.service('drafts').create({}),
        getUser: async () => (await client.get('authentication'))?.user.email
      }
    }

    /** A tab whose call waits for a renewal that the server has made. */
    async function openRenewing() {
      const begun = defer()
      const answer = defer()
      const tab = openTab()

      await tab.client.authenticate(CREDENTIALS)
      clock.advance(14 * MINUTE)
      server.renewed = () => {
        server.renewed = () => undefined
        begun.resolve()

        return answer.promise
      }

      const call = failure(tab.write())

      await begun.promise

      return { ...tab, answer, call }
    }

    return {
      app,
      clock,
      server,
      openTab,
      openRenewing,
      count: () => calls.filter((name) => name === 'refresh').length
    }
  }

  it('ends the session of a tab when another user has logged in in another tab', async () => {
    const { clock, openTab } = await start()
    const one = openTab()
    const other = openTab(one.storage)

    await one.client.authenticate(CREDENTIALS)
    await other.client.reAuthenticate()
    await one.client.authenticate(OTHER)
    expect(await other.write()).toBe(WREN.email)
    clock.advance(14 * MINUTE)
    expect(await failure(other.write())).toMatchObject(LOGGED_OUT)
    expect(other.names).toEqual(['login', 'ended logout', 'logout'])
    expect(await other.getUser()).toBeUndefined()
    expect(await failure(other.write())).toMatchObject({ code: 401 })
    // The other tab goes on.
    expect(await one.write()).toBe(OWL.email)
    clock.advance(20 * MINUTE)
    expect(await one.write()).toBe(OWL.email)
    expect(await other.client.reAuthenticate()).toMatchObject({ user: { email: OWL.email } })
  })

  it('ends the session of a tab when the user has logged out in another tab, and another one in', async () => {
    const { openTab } = await start()
    const one = openTab()
    const other = openTab(one.storage)

    await one.client.authenticate(CREDENTIALS)
    await other.client.reAuthenticate()

    const left = new Promise((resolve) => other.client.once('logout', resolve))

    await one.client.logout()
    await one.client.authenticate(OTHER)
    // Over a socket the connection may close first.
    expect(await failure(other.write())).toMatchObject({ code: expect.toBeOneOf([401, 503]) })
    await left
    expect(await failure(other.write())).toMatchObject({ code: 401 })
    expect(other.names.filter((name) => !name.startsWith('ended'))).toEqual(['login', 'logout'])
    expect(await one.write()).toBe(OWL.email)
  })

  it.runIf(kind === 'sockets')('is no login after a lost connection as the user of another tab', async () => {
    const { openTab } = await start()
    const one = openTab()
    const other = openTab(one.storage)

    await one.client.authenticate(CREDENTIALS)
    await other.client.reAuthenticate()
    await one.client.authenticate(OTHER)

    const lost = new Promise((resolve) => other.client.io.once('disconnect', resolve))

    other.client.io.io.engine.close()
    await lost
    expect(await failure(other.write())).toMatchObject(LOGGED_OUT)
    expect(other.names).toEqual(['login', 'ended logout', 'logout'])
    expect(await failure(other.write())).toMatchObject({ code: 401 })
    expect(await one.write()).toBe(OWL.email)
  })

  it('keeps no tokens of another user, which a cookie may bring', async () => {
    const { clock, openTab } = await start()
    const one = openTab()
    const other = openTab()

    await one.client.authenticate(CREDENTIALS)
    await other.client.authenticate(OTHER)

    const [accessToken, refreshToken] = [
      await one.storage.getItem('feathers-jwt'),
      await other.storage.getItem('feathers-jwt-refresh')
    ]

    await one.storage.setItem('feathers-jwt-refresh', refreshToken)
    clock.advance(14 * MINUTE)
    expect(await failure(one.write())).toMatchObject(LOGGED_OUT)
    expect(one.names).toEqual(['login', 'ended logout', 'logout'])
    expect(await one.storage.getItem('feathers-jwt')).toBe(accessToken)
    expect(await failure(one.write())).toMatchObject({ code: 401 })
    // The renewal has logged a socket in, too, which logs out then.
    if (kind === 'sockets') return
    // It has not got the response, and goes on.
    clock.advance(20 * MINUTE)
    expect(await other.write()).toBe(OWL.email)
  })

  it.runIf(kind === 'sockets')('does not wait for a connection that does not come back', async () => {
    const { openTab } = await start()
    const { client, write } = openTab()

    await client.authenticate(CREDENTIALS)
    client.io.io.reconnection(false)
    client.hooks([
      async () => {
        const lost = new Promise((resolve) => client.io.once('disconnect', resolve))

        client.io.io.engine.close()
        await lost
        // As the server says it of a token that was revoked.
        throw new NotAuthenticated('jwt revoked')
      }
    ])
    expect(await failure(write())).toMatchObject({ name: 'Unavailable' })
  })

  it('that takes long does not replace a newer login', async () => {
    const { clock, openTab, openRenewing } = await start()
    const { answer, call, client, names, storage, write, getUser } = await openRenewing()
    const login = client.authenticate(OTHER)

    // Over a socket the login is sent after the response.
    if (kind === 'REST') await login
    answer.resolve()
    expect(await call).toMatchObject(LOGGED_OUT)
    await login
    expect(await write()).toBe(OWL.email)
    expect([await getUser(), names]).toEqual([OWL.email, ['login', 'login']])
    expect(await openTab(storage).client.reAuthenticate()).toMatchObject({ user: { email: OWL.email } })
    clock.advance(20 * MINUTE)
    expect(await write()).toBe(OWL.email)
  })

  it('that takes long is not for a user who logs in again: the call goes on with the new login', async () => {
    const { clock, openRenewing } = await start()
    const { answer, call, client, write } = await openRenewing()
    const login = client.authenticate(CREDENTIALS)

    if (kind === 'REST') await login
    answer.resolve()
    await expect(call).rejects.toThrow('It was to fail')
    await login
    clock.advance(20 * MINUTE)
    expect(await write()).toBe(WREN.email)
  })

  it('that takes long does not end the login after a logout', async () => {
    const { openRenewing } = await start()
    const { answer, call, client, names, write } = await openRenewing()

    const logout = client.logout()

    // Over a socket the logout is handled after the renewal.
    if (kind === 'REST') await logout

    const login = client.authenticate(OTHER)

    if (kind === 'REST') await login
    answer.resolve()
    expect(await call).toMatchObject({ code: 401 })
    await login
    expect(await write()).toBe(OWL.email)
    expect(names.filter((name) => name !== 'logout')).toEqual(['login', 'login'])
  })

  it('that takes longer than a logout leaves nothing', async () => {
    const { openRenewing } = await start()
    const { answer, call, client, names, storage } = await openRenewing()

    const logout = client.logout()

    if (kind === 'REST') await logout
    answer.resolve()
    expect(await call).toMatchObject({ code: 401 })
    await logout
    expect(names).toEqual(['login', 'logout'])
    expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
  })

  it('that ends during a logout does not keep the user logged in', async () => {
    const { app, openRenewing } = await start()
    const { answer, call, client, getUser, names, storage } = await openRenewing()
    const [removing, removed] = [defer(), defer()]

    app.service('authentication').hooks({
      before: {
        remove: [
          async () => {
            removing.resolve()
            await removed.promise
          }
        ]
      }
    })

    const logout = client.logout()

    if (kind === 'REST') await removing.promise
    answer.resolve()
    if (kind === 'REST') await call.catch(() => undefined)
    removed.resolve()
    await Promise.allSettled([call, logout])
    expect([await getUser(), names]).toEqual([undefined, ['login', 'logout']])
    expect(await storage.getItem('feathers-jwt')).toBeUndefined()
  })

  it.each([
    ['the store is away', new Unavailable('away')],
    ['a hook refuses it', new NotAuthenticated('away')],
    ['a limiter refuses it', new TooManyRequests('away', { reason: 'limit' })]
  ])('is tried again when %s, and the token serves until it expires', async (_what, error) => {
    const { clock, count, openTab, server } = await start()
    const { client, names, storage, write } = openTab()

    server.refuse = () => {
      throw error
    }
    await client.authenticate(CREDENTIALS)

    const kept = await storage.getItem('feathers-jwt-refresh')

    clock.advance(14 * MINUTE)
    expect(await Promise.all([write(), write()])).toEqual([WREN.email, WREN.email])
    expect(await write()).toBe(WREN.email)
    expect(count()).toBe(1)
    clock.advance(MINUTE / 2)
    expect(await write()).toBe(WREN.email)
    expect(count()).toBe(2)
    clock.advance(MINUTE)
    for (let calls = 3; calls < 5; calls++) {
      expect(await failure(write())).toMatchObject({ code: error.code, message: 'away' })
      expect(count()).toBe(calls)
    }
    expect(names).toEqual(['login'])
    expect(await storage.getItem('feathers-jwt-refresh')).toBe(kept)
    server.refuse = () => undefined
    expect(await write()).toBe(WREN.email)
    expect(await storage.getItem('feathers-jwt-refresh')).not.toBe(kept)
  })

  it.each([new NotAuthenticated('No'), new Forbidden('No'), new MethodNotAllowed('No')])(
    'that is a $code without a reason keeps the session when the page is loaded again',
    async (error) => {
      const { clock, openTab, server } = await start()
      const { client, storage } = openTab()

      await client.authenticate(CREDENTIALS)
      clock.advance(20 * MINUTE)
      server.refuse = () => {
        throw error
      }

      const reloaded = openTab(storage)

      expect(await failure(reloaded.client.reAuthenticate())).toMatchObject({
        code: error.code,
        message: 'No'
      })
      expect(await storage.getItem('feathers-jwt-refresh')).toEqual(expect.any(String))
      server.refuse = () => undefined
      await reloaded.client.reAuthenticate()
      expect(await reloaded.write()).toBe(WREN.email)
      expect(reloaded.names).toEqual(['login'])
    }
  )

  it.runIf(kind === 'sockets')(
    'that is refused without a reason after a lost connection is tried again with the next one',
    async () => {
      const { clock, openTab, server } = await start()
      const { client, names, write } = openTab()

      /** Loses the connection, and waits for an event of the client. */
      async function lose(event: string) {
        const emitted = new Promise((resolve) => client.once(event, resolve))

        client.io.io.engine.close()
        await emitted
      }

      await client.authenticate(CREDENTIALS)
      clock.advance(20 * MINUTE)
      server.refuse = () => {
        throw new NotAuthenticated('No')
      }
      await lose('error')
      server.refuse = () => undefined
      await lose('login')
      expect(await write()).toBe(WREN.email)
      expect(names).toEqual(['login', 'login'])
    }
  )

  it.runIf(kind === 'REST')('that fails keeps no stream of events from opening', async () => {
    const { app, clock, openTab, server } = await start()
    const { client } = openTab()

    server.refuse = () => {
      throw new Unavailable('away')
    }
    client.configure(events())
    onTestFinished(async () => void (await client.teardown()))
    await client.authenticate(CREDENTIALS)
    clock.advance(14 * MINUTE)

    const joined = once(app, 'connection')

    client.service('notes').on('created', () => undefined)
    expect((await joined)[0]).toMatchObject({ user: { email: WREN.email } })
  })
})
