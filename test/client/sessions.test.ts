import officialAuthentication from '@feathersjs/authentication-client'
import { feathers as officialClient } from '@feathersjs/feathers'
import officialRest from '@feathersjs/rest-client'
import officialSocketio from '@feathersjs/socketio-client'
import { describe, expect, it, vi } from 'vitest'
import { MemoryStorage } from '../../src/client/storage.ts'
import { DAY, MINUTE, WREN } from '../sessions/app.ts'
import { connectSocket } from '../support/sockets.ts'
import { CREDENTIALS, startSessions as start } from './session-clients.ts'

function toCounter(refreshToken: string): number {
  return Number(refreshToken.split('.')[1])
}

/** A storage that takes its time to write, as a disk does. */
class SlowStorage extends MemoryStorage {
  override async setItem(key: string, value: unknown): Promise<unknown> {
    await new Promise((resolve) => void setTimeout(resolve, 50))

    return super.setItem(key, value)
  }
}

describe.each(['REST', 'sockets'] as const)('a client with a session, over %s', (kind) => {
  /** With the causes of the ends of sessions. */
  async function startEnding() {
    const { app, createClient } = await start(kind)
    const ended: string[] = []
    const verify = (token: string) => app.service('authentication').verifyAccessToken(token)

    app.on('session:ended', ({ cause }: any) => ended.push(cause))

    return { app, ...createClient(), ended, verify }
  }

  it('renews the access token once for all calls that wait, before it expires', async () => {
    const { calls, clock, createClient } = await start(kind)
    const { client, find } = createClient()

    await client.authenticate(CREDENTIALS)
    await find()
    clock.advance(14 * MINUTE)
    expect(await Promise.all([find(), find(), find()])).toEqual([['a note'], ['a note'], ['a note']])
    expect(calls.filter((strategy) => strategy === 'refresh')).toHaveLength(1)
    clock.advance(DAY)
    await find()
    expect(calls.filter((strategy) => strategy === 'refresh')).toHaveLength(2)
    expect((await client.get('authentication')).user).toMatchObject({ email: WREN.email })
  })

  it('logs in again after a reload, with an access token that has expired', async () => {
    const { clock, createClient } = await start(kind)
    const { client, storage } = createClient()

    await client.authenticate(CREDENTIALS)
    clock.advance(DAY)

    const reloaded = createClient(storage)

    expect(await reloaded.client.reAuthenticate()).toMatchObject({ user: { email: WREN.email } })
    await reloaded.find()
  })

  it('shares what one tab has renewed', async () => {
    const { clock, createClient } = await start(kind)
    const one = createClient()
    const other = createClient(one.storage)

    await one.client.authenticate(CREDENTIALS)
    await other.client.reAuthenticate()
    clock.advance(20 * MINUTE)
    await Promise.all([one.find(), other.find()])
    clock.advance(20 * MINUTE)
    await one.find()
    clock.advance(MINUTE)
    await other.find()
    expect(toCounter(await one.storage.getItem('feathers-jwt-refresh'))).toBe(3)
  })

  it('is told when the session is over, and logs in again', async () => {
    const { app, clock, createClient } = await start(kind)
    const { client, events, find, storage } = createClient()

    await client.authenticate(CREDENTIALS)
    await app.service('authentication').endSessions(1)
    // Over a socket the connection may close first.
    await expect(find()).rejects.toMatchObject({ code: kind === 'REST' ? 401 : 503 })
    await vi.waitUntil(() => events.length > 0)
    expect(events).toEqual([{ cause: 'ended' }])
    expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
    await client.authenticate(CREDENTIALS)
    clock.advance(DAY)
    await find()
  })

  it('is told when another tab has logged out', async () => {
    const { clock, createClient } = await start(kind)
    const one = createClient()
    const { client, events, find } = createClient(one.storage)
    const names: string[] = []

    await one.client.authenticate(CREDENTIALS)
    await client.reAuthenticate()
    for (const name of ['session:ended', 'logout', 'error']) client.on(name, () => names.push(name))

    // The server closes the connection.
    const lost = kind === 'sockets' && new Promise((resolve) => client.io.once('disconnect', resolve))

    await one.client.logout()
    await lost
    clock.advance(14 * MINUTE)
    await expect(find()).rejects.toMatchObject({ code: 401, data: { reason: 'logout' } })
    expect(events).toEqual([{ cause: 'logout' }])
    expect(names).toEqual(['session:ended', 'logout'])
    expect(await client.get('authentication')).toBeNull()
    expect(await client.authenticate(CREDENTIALS)).toMatchObject({ user: { email: WREN.email } })
    expect(await find()).toEqual(['a note'])
  })

  it('goes on after a new password that it has set itself', async () => {
    const { createClient } = await start(kind)
    const { client, find } = createClient()

    await client.authenticate(CREDENTIALS)

    const closed = kind === 'sockets' && new Promise((resolve) => client.io.once('disconnect', resolve))

    await client.service('users').patch(1, { password: 'battery staple' })
    await closed
    expect(await find()).toEqual(['a note'])
  })

  it('logs out when its access token has expired', async () => {
    const { clock, createClient } = await start(kind)
    const { client, storage } = createClient()

    await client.authenticate(CREDENTIALS)

    const token = await storage.getItem('feathers-jwt-refresh')

    clock.advance(DAY)
    expect(await client.logout()).toMatchObject({ user: { email: WREN.email } })
    await expect(
      client.service('authentication').create({ strategy: 'refresh', refreshToken: token })
    ).rejects.toMatchObject({ data: { reason: 'ended' } })
  })

  it.each<[string, { refresh?: boolean }, string[]]>([
    ['with a session', {}, ['replaced', 'logout']],
    ['without a session', { refresh: false }, ['replaced']]
  ])('a logout during a second login ends that login, %s', async (_what, options, causes) => {
    const { client, find, storage, ended, verify } = await startEnding()

    await client.authenticate(CREDENTIALS)

    const login = client.authenticate({ ...CREDENTIALS, ...options })

    expect(await client.logout()).toMatchObject({ user: { email: WREN.email } })
    expect(ended).toEqual(causes)
    await expect(verify((await login).accessToken)).rejects.toThrow('jwt revoked')
    await expect(find()).rejects.toMatchObject({ code: 401 })
    expect(await client.get('authentication')).toBeNull()
    expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
  })

  it('a logout by a listener of a second login ends that login', async () => {
    const { client, find, ended } = await startEnding()

    await client.authenticate(CREDENTIALS)

    const logout = new Promise((resolve) => client.once('login', () => resolve(client.logout())))

    await client.authenticate(CREDENTIALS)
    expect(await logout).toMatchObject({ user: { email: WREN.email } })
    expect(ended).toEqual(['replaced', 'logout'])
    await expect(find()).rejects.toMatchObject({ code: 401 })
  })

  it.each([true, false])(
    'a login that begins while a logout waits for the one before stays, refresh: %s',
    async (refresh) => {
      const { app, client, find } = await startEnding()
      const owl = { email: 'owl@example.org', password: 'other horse' }

      await app.service('users').create(owl)
      await Promise.all([
        client.authenticate({ ...CREDENTIALS, refresh }),
        client.logout(),
        client.authenticate({ strategy: 'local', ...owl, refresh })
      ])
      expect(await client.get('authentication')).toMatchObject({ user: { email: owl.email } })
      expect(await find()).toEqual(['a note'])
    }
  )

  it('sends an old token along with its next login, when another client has gone on with the session', async () => {
    const { app, clock, createClient } = await start(kind)
    const { client, events, find, storage } = createClient()

    await client.authenticate(CREDENTIALS)

    const copy = new MemoryStorage()

    for (const key of ['feathers-jwt', 'feathers-jwt-refresh']) {
      await copy.setItem(key, await storage.getItem(key))
    }

    const thief = createClient(copy)

    clock.advance(20 * MINUTE)
    await thief.client.reAuthenticate()
    await thief.find()
    clock.advance(MINUTE)
    await expect(find()).rejects.toMatchObject({ data: { reason: 'behind' } })
    expect(events).toEqual([{ cause: 'behind' }])

    const ended = new Promise((resolve) => app.once('session:ended', resolve))

    await client.authenticate(CREDENTIALS)
    expect(await ended).toMatchObject({ cause: 'replaced' })
    await expect(thief.find()).rejects.toMatchObject({ code: kind === 'REST' ? 401 : 503 })
    await find()
  })
})

it('a login before the loss of the connection is noticed replaces the session, and ends nothing else', async () => {
  const { createClient } = await start('sockets')
  const { client, events, find } = createClient()

  await client.authenticate(CREDENTIALS)
  // The socket finds out when it sends the login.
  Object.assign(client.io.io.engine, { _pingTimeoutTime: 1 })
  await client.authenticate(CREDENTIALS)
  expect(await find()).toEqual(['a note'])
  expect(await client.get('authentication')).toMatchObject({ user: { email: WREN.email } })
  expect(events).toEqual([])
})

it('a logout in a reconnect ends the login that was not sent before the loss', async () => {
  const { app, createClient } = await start('sockets')
  const { client, find } = createClient()
  const owl = { email: 'owl@example.org', password: 'other horse' }
  const lost = new Promise((resolve) => client.io.once('disconnect', resolve))

  await app.service('users').create(owl)
  await client.authenticate(CREDENTIALS)
  Object.assign(client.io.io.engine, { _pingTimeoutTime: 1 })

  const login = client.authenticate({ strategy: 'local', ...owl })

  await lost
  await Promise.all([login, client.logout()])
  await expect(find()).rejects.toMatchObject({ code: 401 })
  expect(await client.get('authentication')).toBeNull()
})

it('a logout removes the refresh token, also where the client asks for no session and has loaded the page again', async () => {
  const { createClient } = await start('REST', { always: true })
  const { client, storage } = createClient(new MemoryStorage(), { refresh: false })

  await client.authenticate(CREDENTIALS)
  expect(await storage.getItem('feathers-jwt-refresh')).toEqual(expect.any(String))

  const reloaded = createClient(storage, { refresh: false })

  await reloaded.client.reAuthenticate()
  await reloaded.client.logout()
  expect(await storage.getItem('feathers-jwt')).toBeUndefined()
  expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
})

it('a call that is made again after a renewal emits its event once', async () => {
  const { calls, createClient } = await start('REST')
  const { client } = createClient()
  const events: unknown[] = []

  await client.authenticate(CREDENTIALS)
  await client.service('users').patch(1, { password: 'battery staple' })
  client.service('users').on('patched', ({ name }: any) => events.push(name))
  expect(await client.service('users').patch(1, { name: 'Wren' })).toMatchObject({ name: 'Wren' })
  expect(calls).toEqual(['local', 'refresh'])
  expect(events).toEqual(['Wren'])
  await client.service('users').patch(1, { name: 'Ada' })
  expect(events).toEqual(['Wren', 'Ada'])
})

it('calls wait for a server that cannot renew, and never go out without a login', async () => {
  const { app, clock, createClient } = await start('REST')
  const { client, find } = createClient()
  let isAway = true

  app.service('authentication').hooks({
    before: {
      create: [
        () => {
          if (isAway) throw Object.assign(new Error('away'), { code: 503 })
        }
      ]
    }
  })
  isAway = false
  await client.authenticate(CREDENTIALS)
  clock.advance(20 * MINUTE)
  isAway = true
  await expect(find()).rejects.toMatchObject({ code: 500 })
  isAway = false
  expect(await find()).toEqual(['a note'])
})

it('the response to a renewal is cut off, and the client goes on an hour later', async () => {
  const { app, clock, createClient } = await start('REST')
  const { client, events, find, storage } = createClient()
  let isCut = true

  await client.authenticate(CREDENTIALS)

  const first = await storage.getItem('feathers-jwt-refresh')

  // The session is stored by then.
  app.service('authentication').hooks({
    after: { create: [() => isCut && app.server.closeAllConnections()] }
  })
  clock.advance(20 * MINUTE)
  await expect(find()).rejects.toMatchObject({ name: 'Unavailable' })
  expect(await storage.getItem('feathers-jwt-refresh')).toBe(first)
  isCut = false
  clock.advance(60 * MINUTE)
  expect(await find()).toEqual(['a note'])
  expect(toCounter(await storage.getItem('feathers-jwt-refresh'))).toBe(2)
  clock.advance(60 * MINUTE)
  expect(await find()).toEqual(['a note'])
  expect(events).toEqual([])
})

it('new tokens are stored before they are used, and no older refresh token is sent again', async () => {
  const { app, clock, createClient } = await start('REST')
  const { client, find, storage } = createClient(new SlowStorage())
  const used: [token: number, stored: number][] = []
  const sent: number[] = []

  app.service('notes').hooks({
    before: {
      find: [
        async ({ params }: any) => {
          const stored = await storage.getItem('feathers-jwt-refresh')

          used.push([params.authentication.payload.session.counter, toCounter(stored)])
        }
      ]
    }
  })
  app.service('authentication').hooks({
    before: {
      create: [({ data }: any) => data.strategy === 'refresh' && sent.push(toCounter(data.refreshToken))]
    }
  })
  await client.authenticate(CREDENTIALS)

  for (let count = 0; count < 3; count++) {
    clock.advance(20 * MINUTE)
    await Promise.all([find(), find()])
  }

  expect(sent).toEqual([1, 2, 3])
  expect(used).toEqual([2, 2, 3, 3, 4, 4].map((counter) => [counter, counter]))
})

it.each(['REST', 'sockets'] as const)(
  'the official client of Feathers stays logged in, without a session, over %s',
  async (kind) => {
    const { clock, url } = await start(kind)
    const client: any = officialClient()

    if (kind === 'REST') client.configure((officialRest as any)(url).fetch(fetch))
    else client.configure((officialSocketio as any)(await connectSocket(url)))

    client.configure((officialAuthentication as any)())
    await client.authenticate(CREDENTIALS)
    clock.advance(60 * MINUTE)
    expect(await client.service('notes').find()).toEqual(['a note'])
  }
)
