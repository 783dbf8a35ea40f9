import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Timeout } from '../../src/errors.ts'
import { MINUTE } from '../sessions/app.ts'
import { defer } from '../support/deferred.ts'
import { failure } from './servers.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// The response to a renewal does not come, or comes when the client no longer waits for it.

const OWL = { email: 'owl@example.org', password: 'other horse' }

const OTHER = { strategy: 'local', ...OWL }

afterEach(() => {
  vi.unstubAllGlobals()
})

/** One function at a time for each name, as the locks of a browser. */
function createLocks() {
  let last: Promise<unknown> = Promise.resolve()

  return {
    request(_name: string, run: () => Promise<unknown>) {
      const result = last.then(run)

      last = result.catch(() => undefined)

      return result
    }
  }
}

async function start(kind: 'REST' | 'sockets' = 'REST') {
  const started = await startSessions(kind)
  const { app, createClient } = started
  const one = createClient()
  /** For each renewal whose response is held: what sends it. */
  const held: (() => void)[] = []
  let isHolding = false
  let onHold = (): void => undefined

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_800_000_000_000 })
  app.service('authentication').hooks({
    after: {
      create: [
        async ({ data }: any) => {
          if (data.strategy !== 'refresh' || !isHolding) return

          const response = defer()

          held.push(response.resolve)
          onHold()
          await response.promise
        }
      ]
    }
  })
  onTestFinished(() => {
    for (const send of held) send()
  })
  await one.client.authenticate(CREDENTIALS)

  return {
    ...started,
    ...one,
    held,
    /** From now on, the server holds responses to renewals. Resolves with the first one. */
    hold: () => {
      isHolding = true

      return new Promise<void>((resolve) => {
        onHold = resolve
      })
    },
    recover: () => {
      isHolding = false
    },
    pass: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
  }
}

describe('a renewal without a response', () => {
  it('holds up no calls for longer than 10 seconds, while the token is valid', async () => {
    const { calls, events, find, hold, pass, recover } = await start()
    const begun = hold()

    await pass(14 * MINUTE)

    const waiting = Promise.all([find(), find()])

    await begun
    await pass(10_000)
    expect(await waiting).toEqual([['a note'], ['a note']])
    expect(await find()).toEqual(['a note'])
    expect(calls).toEqual(['local', 'refresh'])
    recover()
    await pass(10_000)
    expect(await find()).toEqual(['a note'])
    expect(calls).toEqual(['local', 'refresh', 'refresh'])
    await pass(14 * MINUTE)
    expect(await find()).toEqual(['a note'])
    expect(calls).toEqual(['local', 'refresh', 'refresh', 'refresh'])
    expect(events).toEqual([])
  })

  it('holds up no calls over a socket for longer than that', async () => {
    const { find, hold, pass } = await start('sockets')
    const begun = hold()

    await pass(14 * MINUTE)

    const waiting = find()

    await begun
    await pass(10_000)
    expect(await waiting).toEqual(['a note'])
    expect(await find()).toEqual(['a note'])
  }, 5000)

  it('is an error of the calls after 30 seconds, when the token has expired, and is tried again', async () => {
    const { events, find, hold, pass, recover } = await start()
    const begun = hold()

    await pass(20 * MINUTE)

    const error = failure(find())

    await begun
    await pass(30_000)
    expect(await error).toBeInstanceOf(Timeout)
    recover()
    expect(await find()).toEqual(['a note'])
    expect(events).toEqual([])
  })

  it('leaves the tokens of a newer renewal when its response comes late', async () => {
    const { client, events, find, held, hold, pass, recover, storage } = await start()
    const begun = hold()
    const getStored = () =>
      Promise.all(['feathers-jwt', 'feathers-jwt-refresh'].map((key) => storage.getItem(key)))
    const responses: Promise<void>[] = []

    client.service('authentication').hooks([
      async (_context: unknown, next: () => Promise<void>) => {
        const response = next()

        responses.push(response)
        await response
      }
    ])

    await pass(14 * MINUTE)

    const waiting = find()

    await begun
    await pass(10_000)
    await waiting
    recover()

    for (const wait of [10_000, 14 * MINUTE]) {
      await pass(wait)
      await find()
    }

    const stored = await getStored()

    expect(stored[1]).toMatch(/\.3\./)
    for (const send of held) send()
    await responses[0]
    await find()
    expect(await getStored()).toEqual(stored)
    await pass(14 * MINUTE)
    expect(await find()).toEqual(['a note'])
    expect(events).toEqual([])
  })

  it.each<[string, number, (client: any) => unknown]>([
    ['logs out, while the token is valid', 14, (client) => client.logout()],
    ['logs out, after the token has expired', 20, (client) => client.logout()],
    ['logs in as another one, while the token is valid', 14, (client) => client.authenticate(OTHER)],
    ['logs in as another one, after the token has expired', 20, (client) => client.authenticate(OTHER)]
  ])('is a 401 of the calls that wait when the user %s', async (_what, minutes, change) => {
    const { app, client, events, find, hold, pass } = await start()
    const begun = hold()

    await app.service('users').create(OWL)
    await pass(minutes * MINUTE)

    const waiting = failure(find())

    await begun
    await change(client)
    await pass(30_000)
    expect(await waiting).toMatchObject({ name: 'NotAuthenticated', data: { reason: 'logout' } })
    expect(events).toEqual([])
  })

  it('is none of the next login of the user: calls that wait go on with that, and its token serves its time', async () => {
    const { calls, client, find, hold, pass } = await start()
    const begun = hold()
    const tokens: unknown[] = []

    client.service('notes').hooks({
      before: { find: [async ({ params }: any) => void tokens.push(params.accessToken)] }
    })
    await pass(14 * MINUTE)

    const waiting = find()

    await begun

    const { accessToken } = await client.authenticate(CREDENTIALS)

    await pass(10_000)
    expect(await waiting).toEqual(['a note'])
    await pass(10_000)
    expect(await find()).toEqual(['a note'])
    expect(tokens).toEqual([accessToken, accessToken])
    expect(calls).toEqual(['local', 'refresh', 'local'])
  })

  it('holds up no other tab, and does not keep its lock', async () => {
    vi.stubGlobal('navigator', { locks: createLocks() })

    const { createClient, events, find, hold, pass, recover, storage } = await start()
    const other = createClient(storage)

    await other.client.reAuthenticate()

    const begun = hold()

    await pass(14 * MINUTE)

    const waiting = Promise.all([find(), other.find()])

    await begun
    await pass(10_000)
    expect(await waiting).toEqual([['a note'], ['a note']])
    recover()
    await pass(10_000)
    expect(await Promise.all([find(), other.find()])).toEqual([['a note'], ['a note']])
    expect(await storage.getItem('feathers-jwt-refresh')).toMatch(/\.2\./)
    expect([...events, ...other.events]).toEqual([])
  })
})
