import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, MemoryLoginBudgetStore } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { scaled } from '../support/scale.ts'
import { listen } from '../support/server.ts'
import { until } from '../support/until.ts'
import { addUsers, logIn, logInTimes, PASSWORD } from './app.ts'

const WREN = 'wren@example.org'

async function open(budget: any) {
  const app = addUsers(undefined, budget)
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))

  await app.setup()
  await app.service('users').create({ email: WREN, password: PASSWORD })
  onTestFinished(async () => void (await app.teardown()))

  return { app, url }
}

function watchWarnings(code: string): string[] {
  const messages: string[] = []
  const hear = (warning: any) => warning.code === code && messages.push(warning.message)

  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))

  return messages
}

it('outside of production logins are counted, and a warning says once what would be refused', async () => {
  const warnings = watchWarnings('ALULA_LOGIN_BUDGET')
  const { url } = await open({ enforce: undefined })

  expect(await logInTimes(13, url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(13).fill(401))
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(201)
  await until(() => expect(warnings).toHaveLength(1))
  expect(warnings[0]).toContain('with NODE_ENV=production the response would be a 429')
})

it('in production logins are refused without an option', async () => {
  const { NODE_ENV } = process.env

  process.env.NODE_ENV = 'production'
  onTestFinished(() => {
    process.env.NODE_ENV = NODE_ENV
  })

  const { url } = await open({ enforce: undefined })

  expect(await logInTimes(11, url, WREN, 'wrong', '192.0.2.1')).toEqual([...Array(10).fill(401), 429])
})

it('false switches it off', async () => {
  const { url } = await open(false)

  expect(await logInTimes(13, url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(13).fill(401))
})

it('options set the limits, also of a service that has been created', async () => {
  const { url, app } = await open({ points: 2 })

  expect(await logInTimes(3, url, WREN, 'wrong', '192.0.2.1')).toEqual([401, 401, 429])
  app.set('authentication', { ...app.get('authentication'), budget: { enforce: true, points: 4 } })
  expect(await logInTimes(3, url, WREN, 'wrong', '192.0.2.1')).toEqual([401, 401, 429])
})

it('two services of one application share what is counted by address', async () => {
  const { url, app } = await open({ addressPoints: 4 })

  app.set('staff', app.get('authentication'))

  const staff = new AuthenticationService(app, 'staff')

  staff.register('local', new (app.service('authentication').getStrategy('local').constructor as any)())
  app.use('staff', staff)
  await logInTimes(4, url, WREN, 'wrong', '192.0.2.1')

  const response = await fetch(`${url}/staff`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' },
    body: JSON.stringify({ strategy: 'local', email: WREN, password: PASSWORD })
  })

  expect(response.status).toBe(429)
})

it.each([
  [true, "Invalid option 'budget' of authentication: expected an object"],
  [{ points: 0 }, "Invalid option 'budget.points' of authentication: expected a positive integer, got 0"],
  [{ point: 5 }, "Unknown option 'budget.point' of authentication. Did you mean 'points'?"],
  [
    { duration: '15m' },
    "Invalid option 'budget.duration' of authentication: expected a whole number of seconds"
  ],
  [{ store: {} }, "Invalid option 'budget.store' of authentication: expected an object with 'take'"],
  [{ enforce: 'yes' }, "Invalid option 'budget.enforce' of authentication: expected true or false"]
])('%j is refused when it is set', (budget, message) => {
  const app: any = alula()

  app.set('authentication', { secret: 'secret', budget })
  expect(() => new AuthenticationService(app)).toThrow(message)
})

describe('the event login:failed', () => {
  it('says what failed, without the name and the password', async () => {
    const { url, app } = await open({ points: 2 })
    const events: any[] = []

    app.on('login:failed', (event: any) => events.push(event))
    await logInTimes(2, url, WREN, 'wrong', '192.0.2.1')
    await logIn(url, ` ${WREN.toUpperCase()}`, PASSWORD, '192.0.2.1')
    await logIn(url, 'nobody', PASSWORD, '192.0.2.1')

    const [first] = events

    expect(first).toEqual({
      strategy: 'local',
      cause: 'refused',
      account: expect.stringMatching(/^[\w-]{22}$/),
      address: '192.0.2.1',
      provider: 'rest'
    })
    expect(events).toEqual([
      first,
      first,
      { ...first, cause: 'limited' },
      { ...first, account: events[3].account }
    ])
    expect(events[3].account).not.toBe(first.account)
  })

  it('is emitted for tokens at the login, without a budget too, and a listener that throws changes nothing', async () => {
    const { url, app } = await open(false)
    const events: any[] = []
    const errors: any[] = []

    app.on('error', (error: any) => errors.push(error))
    app.on('login:failed', (event: any) => {
      events.push(event)
      throw new Error('of the listener')
    })

    const response = await fetch(`${url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ strategy: 'jwt', accessToken: 'none' })
    })

    expect(response.status).toBe(401)
    expect(events).toMatchObject([{ strategy: 'jwt', cause: 'refused', account: undefined }])
    expect(errors).toHaveLength(1)
  })
})

it('the memory holds no more than fifty thousand keys, and what is in use stays', () => {
  const store = new MemoryLoginBudgetStore()

  store.take('attacked', 1000_000)
  store.know('wren', '192.0.2.1')
  for (let i = 0; i < 120_000; i++) {
    store.take(`${i}`, 1000_000)
    if (i % 1000 === 0) store.take('attacked', 1000_000)
  }

  expect(store.size).toBeLessThanOrEqual(50_001)
  expect(store.take('attacked', 1000_000).count).toBe(122)
  expect(store.knows('wren', '192.0.2.1')).toBe(true)
})

it('a counter without points is deleted', () => {
  const store = new MemoryLoginBudgetStore()

  store.take('wren', 1000)
  store.take('wren', 1000)
  store.giveBack('wren')
  expect(store.size).toBe(1)
  store.giveBack('wren')
  expect(store.size).toBe(0)
})

it('a refused address leaves no counters of the names that it tries', async () => {
  const store = new MemoryLoginBudgetStore()
  const { url } = await open({ addressPoints: 1, store })

  await logIn(url, 'first', 'wrong', '192.0.2.1')

  const { size } = store

  for (let i = 0; i < 20; i++) expect((await logIn(url, `${i}`, 'wrong', '192.0.2.1')).status).toBe(429)
  expect(store.size).toBe(size)
})

it('the owner gets in while a thousand addresses guess, and other requests are not held up', async () => {
  const { url, app } = await open({})
  const isWhole = scaled(1000) === 1000
  const attempts = isWhole ? 100_000 : 500
  const store = new MemoryLoginBudgetStore()
  const times: number[] = []
  let isOver = false

  app.set('authentication', { ...app.get('authentication'), budget: { enforce: true, store } })
  app.use('open', { find: async () => [] })
  expect((await logIn(url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)

  const probing = (async () => {
    while (!isOver) {
      const start = performance.now()

      await (await fetch(`${url}/open`)).text()
      times.push(performance.now() - start)
      await new Promise(setImmediate)
    }
  })()
  let next = 0
  const guess = async () => {
    while (next < attempts) {
      const i = next++
      const address = `10.0.${Math.floor((i % 1000) / 250)}.${i % 250}`
      const { status } = await logIn(url, i % 2 ? WREN : `${i}@example.org`, 'wrong', address)

      expect([401, 429]).toContain(status)
      if (i % 500 === 0) expect((await logIn(url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)
    }
  }

  await Promise.all(Array.from({ length: 8 }, guess))
  isOver = true
  await probing
  expect((await logIn(url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)
  expect(store.size).toBeLessThanOrEqual(100_000)
  // Not the slowest of all: the client shares the thread, and in a run of all tests the machine has much else to do.
  expect(times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]).toBeLessThan(isWhole ? 250 : 1000)
})

it('a store that fails is a 500, and holds up no later login', async () => {
  let isAway = true
  const memory = new MemoryLoginBudgetStore()
  const store = {
    take: async (key: string, duration: number) => {
      if (isAway && key.startsWith('address')) throw new Error('The store is away')

      return memory.take(key, duration)
    },
    giveBack: async (key: string) => memory.giveBack(key),
    know: async () => {
      throw new Error('The store is full')
    },
    knows: async () => false
  }
  const { url, app } = await open({ store, points: 1 })
  const errors: any[] = []

  app.on('error', (error: Error) => errors.push(error.message))
  expect(await logInTimes(3, url, WREN, PASSWORD, '192.0.2.1')).toEqual([500, 500, 500])
  isAway = false
  expect(await logInTimes(3, url, WREN, PASSWORD, '192.0.2.1')).toEqual([201, 201, 201])
  await until(() => expect(errors).toEqual(Array(3).fill('The store is full')))
})
