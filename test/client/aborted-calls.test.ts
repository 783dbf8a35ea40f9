import { expect, it } from 'vitest'
import { MINUTE } from '../sessions/app.ts'
import { defer } from '../support/deferred.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// A call that waits for a login or a renewal can be aborted, as one that is sent.

async function start(strategy: string) {
  const { app, url, clock, createClient } = await startSessions('REST')
  const { client } = createClient()
  const begun = defer()
  const answer = defer()
  const settled: string[] = []

  app.service('authentication').hooks({
    before: {
      create: [
        async ({ data }: any) => {
          if (data.strategy !== strategy) return

          begun.resolve()
          await answer.promise
        }
      ]
    }
  })

  /** Aborts a call during the login, and returns its error once that is over. */
  async function abort(call: Promise<unknown>, login: Promise<unknown>, controller: AbortController) {
    const error = call.catch((reason) => {
      settled.push('call')

      return reason
    })

    void login.then(() => settled.push('login'))
    await begun.promise
    controller.abort(new Error('The page has gone'))
    // Time that the call does not need.
    await fetch(`${url}/notes`)
    settled.push('answer')
    answer.resolve()
    await login

    return error
  }

  return { client, clock, settled, abort }
}

const find = (client: any, signal?: AbortSignal): Promise<unknown> =>
  client.service('notes').find({ connection: { signal } })

it('a call that waits for a login rejects with the reason of its signal', async () => {
  const { client, settled, abort } = await start('local')
  const controller = new AbortController()
  const login = client.authenticate(CREDENTIALS)

  expect(await abort(find(client, controller.signal), login, controller)).toEqual(
    new Error('The page has gone')
  )
  expect(settled).toEqual(['call', 'answer', 'login'])
  expect(await find(client, new AbortController().signal)).toEqual(['a note'])
  await expect(find(client, controller.signal)).rejects.toThrow('The page has gone')
})

it.each([14, 20])('a call that waits for a renewal after %s minutes does so, too', async (minutes) => {
  const { client, clock, settled, abort } = await start('refresh')
  const controller = new AbortController()

  await client.authenticate(CREDENTIALS)
  clock.advance(minutes * MINUTE)

  const call = find(client, controller.signal)

  expect(await abort(call, find(client), controller)).toEqual(new Error('The page has gone'))
  expect(settled).toEqual(['call', 'answer', 'login'])
})

it('so does one that the server has refused, and that waits for a new token', async () => {
  const { client, settled, abort } = await start('refresh')
  const controller = new AbortController()

  await client.authenticate(CREDENTIALS)
  await client.service('users').patch(1, { password: 'battery staple' })

  const call = find(client, controller.signal)

  expect(await abort(call, find(client), controller)).toEqual(new Error('The page has gone'))
  expect(settled).toEqual(['call', 'answer', 'login'])
})
