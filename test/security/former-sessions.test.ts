import { describe, expect, it } from 'vitest'
import { MemoryStorage, type Storage } from '../../src/client/storage.ts'
import { failure } from '../client/servers.ts'
import { CREDENTIALS, startSessions } from '../client/session-clients.ts'
import { MINUTE, WREN } from '../sessions/app.ts'

// A logout of the client ended a former session with the refresh token of that, and the token in use stayed valid.

const ADA = { email: 'ada@example.org', password: 'other horse' }

const USERS = { wren: WREN, ada: ADA }

const KEYS = ['feathers-jwt', 'feathers-jwt-refresh']

describe.each(['REST', 'sockets'] as const)('a logout after a former session, over %s', (kind) => {
  async function start(refresh?: object) {
    const started = await startSessions(kind, refresh)
    const { app, createClient } = started
    const storage = new MemoryStorage()

    await app.service('users').create(ADA)
    await createClient(storage).client.authenticate(CREDENTIALS)

    return {
      ...started,
      storage,
      getStored: () => Promise.all(KEYS.map((key) => storage.getItem(key))),
      /** Opens a page with the stored login, and logs in as a user, with a session or without. */
      async logIn(user: 'wren' | 'ada', options: object = {}) {
        const { client, find } = createClient(storage)

        await client.reAuthenticate()

        return {
          client,
          find,
          login: await client.authenticate({ strategy: 'local', ...USERS[user], ...options })
        }
      },
      use: (accessToken: string) =>
        app
          .asClient({ authentication: { strategy: 'jwt', accessToken } })
          .service('notes')
          .find(),
      renew: (refreshToken: string) =>
        app.asClient({}).service('authentication').create({ strategy: 'refresh', refreshToken }),
      reload: (from: Storage = storage) => createClient(from).client
    }
  }

  it.each(['wren', 'ada'] as const)(
    'of %s, who has logged in without a session, ends the token in use',
    async (user) => {
      const { getStored, logIn, use } = await start()
      const { client, login } = await logIn(user, { refresh: false })

      const stored = await getStored()

      expect(await use(login.accessToken)).toEqual(['a note'])
      expect(await client.logout()).toMatchObject({ user: { email: USERS[user].email } })
      expect(await failure(use(login.accessToken))).toMatchObject({ message: 'jwt revoked' })
      expect(stored).toEqual([login.accessToken, undefined])
      expect(await getStored()).toEqual([undefined, undefined])
    }
  )

  it('of a user who has logged in after sessions were switched off ends the token in use', async () => {
    const { app, logIn, reload, use } = await start()
    const { refresh: _, ...settings } = app.get('authentication')

    app.set('authentication', settings)

    const { login } = await logIn('wren')
    const client = reload()

    await client.reAuthenticate()
    expect(await client.logout()).toMatchObject({ user: { email: WREN.email } })
    expect(await failure(use(login.accessToken))).toMatchObject({ message: 'jwt revoked' })
  })

  it('with the token of another session, which the server has made, ends that session', async () => {
    const { app, reload, renew, storage } = await start()
    const other = await app.service('authentication').issueToken({ user: { id: 2 } }, { refresh: true })
    const [, former] = await Promise.all(KEYS.map((key) => storage.getItem(key)))
    const client = reload()

    await client.reAuthenticate()
    await client.authenticate({ strategy: 'jwt', accessToken: other.accessToken })
    await client.logout()
    expect(await failure(renew(other.refreshToken))).toMatchObject({ data: { reason: 'ended' } })
    expect(await renew(former)).toMatchObject({ user: { email: WREN.email } })
  })

  it('ends the session that another tab of the user has begun meanwhile', async () => {
    const { clock, createClient, reload, renew, storage } = await start()
    const { client, find } = createClient(storage)

    await client.reAuthenticate()
    await reload().authenticate(CREDENTIALS)
    clock.advance(14 * MINUTE)
    await find()

    const newest = await storage.getItem('feathers-jwt-refresh')

    await client.logout()
    expect(await failure(renew(newest))).toMatchObject({ data: { reason: 'ended' } })
  })
})

it('a tab goes on with the token of its user that another tab has got without a session', async () => {
  const { clock, createClient, calls } = await startSessions('REST')
  const { client, events, find, storage } = createClient()
  const other = createClient(storage)

  await client.authenticate(CREDENTIALS)
  await other.client.authenticate({ ...CREDENTIALS, refresh: false })
  clock.advance(14 * MINUTE)
  expect(await find()).toEqual(['a note'])
  expect([calls, events]).toEqual([['local', 'local', 'jwt'], []])
})

it('a login whose refresh token is in a cookie forgets that of a former session, and logs out', async () => {
  const { app, createClient } = await startSessions('REST')
  const { client, events, find, storage } = createClient()

  await client.authenticate(CREDENTIALS)
  app.set('authentication', { ...app.get('authentication'), refresh: { cookie: { secure: false } } })

  const { accessToken } = await client.authenticate(CREDENTIALS)

  expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
  expect(await find()).toEqual(['a note'])
  await client.logout()
  expect(
    await failure(
      app
        .asClient({ authentication: { strategy: 'jwt', accessToken } })
        .service('notes')
        .find()
    )
  ).toMatchObject({ message: 'jwt revoked' })
  expect(events).toEqual([])
})
