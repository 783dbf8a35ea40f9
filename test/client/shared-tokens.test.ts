import { describe, expect, it } from 'vitest'
import { Forbidden, NotAuthenticated } from '../../src/errors.ts'
import { MINUTE, WREN } from '../sessions/app.ts'
import { failure } from './servers.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// A tab removes the tokens of its own user from a storage that it shares, and those of nobody else.

const OWL = { email: 'owl@example.org', password: 'other horse' }

describe.each(['REST', 'sockets'] as const)('a tab of a storage with another user, over %s', (kind) => {
  /** A tab of one user, and a newer one of another user. */
  async function start() {
    const { app, clock, createClient } = await startSessions(kind)
    const one = createClient()
    const other = createClient(one.storage)

    await app.service('users').create(OWL)
    await one.client.authenticate(CREDENTIALS)
    await other.client.authenticate({ strategy: 'local', ...OWL })

    return {
      app,
      clock,
      one,
      other,
      getStored: () =>
        Promise.all(['feathers-jwt', 'feathers-jwt-refresh'].map((key) => one.storage.getItem(key))),
      /** Whether the other tab can renew its token. */
      async expectRenewal() {
        clock.advance(20 * MINUTE)
        expect(await other.find()).toEqual(['a note'])
        expect(other.events).toEqual([])
      }
    }
  }

  it('leaves the tokens of that user when it logs out', async () => {
    const { one, expectRenewal, getStored } = await start()
    const stored = await getStored()

    expect(await one.client.logout()).toMatchObject({ user: { email: WREN.email } })
    expect(await getStored()).toEqual(stored)
    await expectRenewal()
  })

  it('leaves them when it logs out after its session has ended', async () => {
    const { clock, one, expectRenewal, getStored } = await start()
    const stored = await getStored()

    clock.advance(14 * MINUTE)
    expect(await failure(one.find())).toMatchObject({ data: { reason: 'logout' } })
    expect(await one.client.logout()).toBeNull()
    expect(await getStored()).toEqual(stored)
    await expectRenewal()
  })

  it('leaves them when a login in it is refused', async () => {
    const { one, expectRenewal } = await start()

    expect(await failure(one.client.authenticate({ ...CREDENTIALS, password: 'wrong' }))).toMatchObject({
      code: 401
    })
    await expectRenewal()
  })

  it.each([
    ['ended their session', (app: any) => app.service('authentication').endSessions(2)],
    [
      'refused them',
      (app: any) =>
        app.service('authentication').hooks({
          before: {
            create: [
              ({ data }: any) => {
                if (data.strategy === 'jwt') throw new Forbidden('No')
              }
            ]
          }
        })
    ]
  ])('removes them when it has tried to log in with them, and the server has %s', async (_what, refuse) => {
    const { app, one, getStored } = await start()

    await refuse(app)
    expect(await failure(one.client.reAuthenticate(true))).toMatchObject({
      code: expect.toBeOneOf([401, 403])
    })
    expect(await getStored()).toEqual([undefined, undefined])
  })
})

it.each(['REST', 'sockets'] as const)(
  'a server that ends a session with the reason of a logout ends it in the storage, too, over %s',
  async (kind) => {
    const { app, clock, createClient } = await startSessions(kind)
    const { client, events, find, storage } = createClient()

    app.service('authentication').hooks({
      before: {
        create: [
          ({ data }: any) => {
            if (data.strategy === 'refresh') throw new NotAuthenticated('Bye', { reason: 'logout' })
          }
        ]
      }
    })
    await client.authenticate(CREDENTIALS)
    clock.advance(14 * MINUTE)
    expect(await failure(find())).toMatchObject({ message: 'Bye' })
    expect(events).toEqual([{ cause: 'logout' }])
    expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    expect(await storage.getItem('feathers-jwt-refresh')).toBeUndefined()
  }
)
