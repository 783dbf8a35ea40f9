import { describe, expect, it } from 'vitest'
import { NotAuthenticated } from '../../src/errors.ts'
import { MINUTE } from '../sessions/app.ts'
import { withWindow } from './login.ts'
import { failure } from './servers.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// Sessions that end: those of a URL, and those that other tabs have begun.

const REFRESH_TOKEN = 'feathers-jwt-refresh'

/** What the token of a session that has ended is refused with. */
const OVER = { code: 401, data: { reason: expect.any(String) } }

/** A page with a code in its URL, which the server exchanges for a login with a session. */
async function open(kind: 'REST' | 'sockets') {
  const server = await startSessions(kind)
  const { app } = server
  const location = { hash: '' }

  app.use('oauth/code', {
    create: async ({ code, refresh }: any) => {
      if (code !== 'abc') throw new NotAuthenticated('Invalid code')

      return app
        .asClient()
        .service('authentication')
        .create({ ...CREDENTIALS, refresh })
    }
  })
  withWindow({ location })

  /** Tries to renew what is stored, or was. */
  const renew = (refreshToken: unknown) =>
    app.asClient().service('authentication').create({ strategy: 'refresh', refreshToken })

  return { ...server, location, renew }
}

describe.each(['REST', 'sockets'] as const)('over %s', (kind) => {
  it('a code logs in where the session of the stored token is over', async () => {
    const { app, clock, createClient, location } = await open(kind)
    const before = createClient()

    await before.client.authenticate(CREDENTIALS)
    await app.service('authentication').endSessions(1)
    clock.advance(20 * MINUTE)
    location.hash = '#oauth_code=abc'

    const { client, find } = createClient(before.storage)

    expect(await client.reAuthenticate()).toMatchObject({ user: { id: 1 } })
    expect(location.hash).toBe('')
    expect(await find()).toEqual(['a note'])
  })

  it('a logout ends the session of a code, also when its token has expired', async () => {
    const { clock, createClient, location, renew } = await open(kind)

    location.hash = '#oauth_code=abc'

    const { client, storage } = createClient()

    await storage.setItem?.('feathers-jwt', 'a.b.c')
    await client.reAuthenticate()

    const refreshToken = await storage.getItem(REFRESH_TOKEN)

    clock.advance(20 * MINUTE)
    await client.logout()
    expect(await failure(renew(refreshToken))).toMatchObject(OVER)
  })
})

// Over a socket, the server closes the connection of a session that a newer one replaces.
it.each([1, 20])(
  'a logout after %i minutes ends the newer session of another tab, whose tokens it removes',
  async (minutes) => {
    const { clock, createClient, renew } = await open('REST')
    const newer = createClient()
    const { client, storage } = createClient(newer.storage)

    await newer.client.authenticate(CREDENTIALS)
    await client.reAuthenticate()
    await newer.client.authenticate(CREDENTIALS)

    const refreshToken = await storage.getItem(REFRESH_TOKEN)

    clock.advance(minutes * MINUTE)
    await client.logout()
    expect(await storage.getItem(REFRESH_TOKEN)).toBeUndefined()
    expect(await failure(renew(refreshToken))).toMatchObject(OVER)
  }
)
