// A client could block the server with one long string, because the time of an expression grew with the square of its length.
// The strings are so long that each test would take minutes.
import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { addUsers } from '../login-budget/app.ts'
import { configureOAuth, HTTPS_ORIGIN, NOWHERE } from '../oauth/app.ts'
import { BOTH } from './support/redirects.ts'

/** Sets an application up, and returns a function that sends it JSON. */
async function open(app: Application<any>) {
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const handle = createHandler(app, { logger: false, bodyLimit: 2_000_000 })

  return (path: string, data: object, headers: { [name: string]: string } = {}) =>
    handle(
      new Request(`${HTTPS_ORIGIN}/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(data)
      })
    )
}

it('a redirect after a login at a provider may have many hashes', async () => {
  const app: any = alula()

  configureOAuth(app, HTTPS_ORIGIN, { providers: { nest: NOWHERE }, oauth: BOTH })

  const send = await open(app)

  for (const hash of ['#', '%23']) {
    const response = await send('oauth/nest', { redirect: `#${hash.repeat(300_000)}` })

    expect(response.status).toBe(400)
  }
})

it('a stored response may have many beginnings of a token', async () => {
  const app: Application<any> = alula().configure(idempotency())

  app.use('notes', memory({ startId: 1 }), { methods: ['create'] })

  const send = await open(app)
  const text = 'eyJ-'.repeat(180_000)
  const headers = { 'Idempotency-Key': randomUUID() }

  for (let n = 0; n < 2; n++)
    expect(await (await send('notes', { text }, headers)).json()).toEqual({ id: 1, text })
})

it('the account that a code is for may have many marks', async () => {
  const app = addUsers()

  await app.setup()
  onTestFinished(() => app.teardown())

  // Unicode has the second kind of mark come first.
  const subject = `wren${'\u0301'.repeat(300_000)}${'\u0316'.repeat(300_000)}`
  const claim = { code: 'wrong', purpose: 'new-password', subject }

  await expect(
    app.service('authentication').redeemCode(claim, { provider: 'rest', query: {} })
  ).rejects.toMatchObject({ code: 401 })
})
