import { Worker } from 'node:worker_threads'
import bcrypt from 'bcryptjs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect } from '../support/socketio.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { until } from '../support/until.ts'

/** One hash takes about 60 ms. */
const COST = 10
const ABORTED = 50
const ANN = { email: 'ann', password: 'one' }
const LOGIN = JSON.stringify({ strategy: 'local', ...ANN })

/** Counts the logins that have found their user: they wait for the hash. */
function configure(app: any): { found: number } {
  const counts = { found: 0 }

  configureLogin(app, { settings: { local: { hashSize: COST } } })
  app.service('users').hooks({ after: { find: [() => void counts.found++] } })

  return counts
}

/** Counts the passwords that threads get to hash or to compare while something happens. */
async function countHashed(work: () => Promise<unknown>): Promise<number> {
  const post = vi.spyOn(Worker.prototype, 'postMessage')

  onTestFinished(() => post.mockRestore())
  await work()

  return post.mock.calls.length
}

describeHttpTransports('over HTTP', (open) => {
  it('logins whose clients have gone do not delay the next one', async () => {
    let counts = { found: 0 }
    let app: any
    const { request } = await open((configured) => {
      app = configured
      counts = configure(configured)
    })
    const logIn = (signal?: AbortSignal) =>
      request('/authentication', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: LOGIN,
        ...(signal && { signal })
      })

    await app.service('users').create(ANN)

    const gone = new AbortController()
    const aborted = Array.from({ length: ABORTED }, () => logIn(gone.signal).catch(() => undefined))

    await until(() => expect(counts.found).toBe(ABORTED))
    gone.abort()

    const hashed = await countHashed(async () => expect((await logIn()).status).toBe(201))

    // Its own, and those that began before the server noticed.
    expect(hashed).toBeGreaterThan(0)
    expect(hashed).toBeLessThan(ABORTED / 2)
    await Promise.all(aborted)
  })
})

describeHttpTransports('over HTTP', (open) => {
  it('sign-ups whose clients have gone are not hashed, and create nothing', async () => {
    let app: any
    const waiting: string[] = []
    const { request } = await open((configured) => {
      app = configured
      configureLogin(configured, { settings: { local: { hashSize: COST } } })
      configured.service('users').hooks({
        around: {
          create: [
            async ({ data }: any, next: () => Promise<void>) => {
              waiting.push(data.email)
              await next()
            }
          ]
        }
      })
    })
    const signUp = (email: string, signal?: AbortSignal) =>
      request('/users', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'one' }),
        ...(signal && { signal })
      })
    const gone = new AbortController()
    const aborted = Array.from({ length: ABORTED }, (_, count) =>
      signUp(`${count}`, gone.signal).catch(() => undefined)
    )

    await until(() => expect(waiting).toHaveLength(ABORTED))
    gone.abort()
    await Promise.all(aborted)

    expect((await signUp('ann')).status).toBe(201)
    expect((await app.service('users').find({ query: {} })).length).toBeLessThan(ABORTED / 2)
  })
})

it('new passwords that wait delay a login by no more than one of them, and refuse none', async () => {
  const hasher = new BcryptHasher(4)
  const stored = bcrypt.hashSync(ANN.password, 4)
  let hashed = 0

  // More than logins may wait.
  const hashes = Array.from({ length: 1100 }, () => hasher.hash('two').then(() => hashed++))

  for (let count = 1; count <= 10; count++) {
    const before = hashed

    expect(await hasher.compare(ANN.password, stored)).toBe(true)
    expect(hashed - before).toBeLessThan(10)
  }

  await Promise.all(hashes)
  await hasher.close()
})

it('logins that wait delay a new password by no more than one of them', async () => {
  const hasher = new BcryptHasher(4)
  const stored = bcrypt.hashSync(ANN.password, 4)
  let compared = 0

  const comparisons = Array.from({ length: 200 }, () =>
    hasher.compare(ANN.password, stored).then(() => compared++)
  )

  await hasher.hash('two')
  expect(compared).toBeLessThan(20)
  await Promise.all(comparisons)
  await hasher.close()
})

it('logins of sockets that have closed do not delay the next one', async () => {
  const app: any = alula().configure(socketio({ logger: false }))
  const counts = configure(app)
  const url = await serve(app)
  const logIn = (socket: any) =>
    call(socket, 'create', 'authentication', { strategy: 'local', ...ANN }, {}).catch(() => undefined)

  await app.service('users').create(ANN)

  const staying = await connect(url)
  const sockets = await Promise.all(Array.from({ length: ABORTED }, () => connect(url)))

  for (const socket of sockets) void logIn(socket)
  await until(() => expect(counts.found).toBe(ABORTED))
  for (const socket of sockets) socket.close()
  await until(() => expect(app.io.engine.clientsCount).toBe(1))

  const hashed = await countHashed(async () =>
    expect(await logIn(staying)).toMatchObject({ user: { email: ANN.email } })
  )

  expect(hashed).toBeGreaterThan(0)
  expect(hashed).toBeLessThan(ABORTED / 2)
})

it('a thousand of them leave room for the next one', async () => {
  const hasher = new BcryptHasher(4)
  const hash = bcrypt.hashSync(ANN.password, 4)
  let isAborted = false

  onTestFinished(() => hasher.close())

  const aborted = Array.from({ length: 1001 }, () => hasher.compare(ANN.password, hash, () => isAborted))
  const results = Promise.allSettled(aborted)

  isAborted = true
  expect(await hasher.compare(ANN.password, hash)).toBe(true)

  const refused = (await results).filter(({ status }) => status === 'rejected')

  expect(refused.length).toBeGreaterThan(990)
  for (const { reason } of refused as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ name: 'BadRequest', message: 'The request was aborted' })
  }
})
