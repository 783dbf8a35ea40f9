import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { toListener } from '../../src/node.ts'
import { RedisLoginBudgetStore } from '../../src/sync.ts'
import { addUsers, logIn, logInTimes, PASSWORD } from '../login-budget/app.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { listen } from '../support/server.ts'
import { until } from '../support/until.ts'

const WREN = 'wren@example.org'
const DAY = 24 * 60 * 60_000

/** An application as if it were one of several processes. */
async function open(redis: string, prefix: string, budget: object = {}) {
  const store = new RedisLoginBudgetStore({ redis, prefix })

  await store.connect()
  onTestFinished(() => store.close())

  const app = addUsers(undefined, { store, ...budget })

  await app.setup()
  await app.service('users').create({ email: WREN, password: PASSWORD })
  onTestFinished(async () => void (await app.teardown()))

  return { store, url: await listen(createServer(toListener(app, { trustProxy: 1, logger: false }))) }
}

describeRedis('the budget for failed logins of two processes', () => {
  it('is one', async () => {
    const prefix = createPrefix()
    const [one, two] = [await open(REDIS_URL, prefix), await open(REDIS_URL, prefix)]

    expect(await logInTimes(6, one.url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(6).fill(401))
    expect(await logInTimes(20, one.url, WREN, PASSWORD, '192.0.2.1')).toEqual(Array(20).fill(201))
    expect(await logInTimes(4, two.url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(4).fill(401))

    for (const { url } of [one, two]) {
      const { status, headers } = await logIn(url, WREN, PASSWORD, '192.0.2.1')

      expect(status).toBe(429)
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(800)
    }
  })

  it('passes no more than ten of many attempts at one moment', async () => {
    const prefix = createPrefix()
    const processes = [await open(REDIS_URL, prefix), await open(REDIS_URL, prefix)]
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const { url } = processes[i % 2] as { url: string }

        return (await logIn(url, WREN, 'wrong', '192.0.2.1')).status
      })
    )

    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(190)
  })

  it('knows the addresses of an account in both', async () => {
    const prefix = createPrefix()
    const budget = { accountPoints: 5 }
    const [one, two] = [await open(REDIS_URL, prefix, budget), await open(REDIS_URL, prefix, budget)]

    expect((await logIn(one.url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)
    for (let i = 0; i < 6; i++) await logIn(one.url, WREN, 'wrong', `192.0.2.${i}`)

    expect((await logIn(two.url, WREN, PASSWORD, '203.0.113.1')).status).toBe(429)
    expect((await logIn(two.url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)
  })

  it('deletes a counter without points, and gives back none that is not taken', async () => {
    const { store } = await open(REDIS_URL, createPrefix())

    await store.take('wren', 900_000)
    await store.giveBack('wren', 900_000)
    await store.giveBack('wren', 900_000)

    const { count, resetIn } = await store.take('wren', 1000_000)

    expect(count).toBe(1)
    // A counter that is still there would end after 900 seconds.
    expect(resetIn).toBeGreaterThan(900_000)
  })

  it('keeps ten addresses', async () => {
    const { store } = await open(REDIS_URL, createPrefix())

    for (let i = 0; i < 11; i++) {
      await store.know('wren', `192.0.2.${i}`)
    }

    const known = await Promise.all(Array.from({ length: 11 }, (_, i) => store.knows('wren', `192.0.2.${i}`)))

    expect(known.filter(Boolean)).toHaveLength(10)
  })

  it('keeps those of an account whatever others have, for thirty days to the millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })

    const { store } = await open(REDIS_URL, createPrefix())
    const usedAt = Date.now()

    await store.know('wren', '192.0.2.1')
    vi.setSystemTime(usedAt + 1)
    for (let i = 0; i < 10; i++) await store.know('ada', `198.51.100.${i}`)
    vi.setSystemTime(usedAt + 30 * DAY - 1)
    expect(await store.knows('wren', '192.0.2.1')).toBe(true)
    expect(await store.knows('wren', '198.51.100.1')).toBe(false)
    expect(await store.knows('ada', '192.0.2.1')).toBe(false)
    vi.setSystemTime(usedAt + 30 * DAY)
    expect(await store.knows('wren', '192.0.2.1')).toBe(false)
  })

  it('keeps a point for the time that is asked for', async () => {
    const { store } = await open(REDIS_URL, createPrefix())

    for (const duration of [5000, 900_000]) {
      const { count, resetIn } = await store.take(`wren ${duration}`, duration)

      expect(count).toBe(1)
      expect(resetIn).toBeGreaterThan(0)
      expect(resetIn).toBeLessThanOrEqual(duration)
    }
  })
})

describeRedis('a Redis that is late', () => {
  /** Two stores of one budget, the first behind a proxy. */
  async function openLate() {
    const [proxy, prefix] = [await startProxy(REDIS_URL), createPrefix()]

    return { proxy, one: await open(proxy.url, prefix), other: await open(REDIS_URL, prefix) }
  }

  it('keeps no point of a login that was counted in memory meanwhile', async () => {
    const { proxy, one, other } = await openLate()

    proxy.hold()
    expect(await one.store.take('wren', 900_000)).toMatchObject({ count: 1 })
    proxy.mend()
    await one.store.giveBack('wren', 900_000)
    await until(async () => {
      const { count } = await other.store.take('wren', 900_000)

      await other.store.giveBack('wren', 900_000)
      expect(count).toBe(1)
    })
  })

  it('gets back a point that it has given, also right after it was late', async () => {
    const { proxy, one, other } = await openLate()

    await one.store.take('wren', 900_000)
    proxy.hold()
    await one.store.take('ada', 900_000)
    proxy.mend()
    await one.store.giveBack('wren', 900_000)
    expect(await other.store.take('wren', 900_000)).toMatchObject({ count: 1 })
  })
})

it('a store that is not connected counts in memory', async () => {
  const store = new RedisLoginBudgetStore({ redis: REDIS_URL })

  await store.take('wren', 900_000)
  expect(await store.take('wren', 900_000)).toMatchObject({ count: 2 })
  await store.giveBack('wren', 900_000)
  expect(await store.take('wren', 900_000)).toMatchObject({ count: 2 })
  await store.know('wren', '192.0.2.1')
  expect(await store.knows('wren', '192.0.2.1')).toBe(true)
  expect(await store.knows('wren', '192.0.2.2')).toBe(false)
})

describeOwnRedis('without Redis', () => {
  it.each(['kill', 'pause'] as const)('the memory of the process counts: %s', async (how) => {
    const redis = await startRedis()
    const { url, store } = await open(redis.url, 'alula-test')

    await store.know('wren', '192.0.2.9')
    await logInTimes(5, url, WREN, 'wrong', '192.0.2.1')
    await redis[how]()
    expect(await logInTimes(11, url, WREN, 'wrong', '192.0.2.1')).toEqual([...Array(10).fill(401), 429])
    expect((await logIn(url, WREN, PASSWORD, '192.0.2.2')).status).toBe(201)
    expect(await store.knows('wren', '192.0.2.9')).toBe(false)

    if (how === 'pause') redis.resume()
    else await redis.start()

    const other = await open(redis.url, 'alula-test')

    // It is asked again.
    await until(async () => {
      await store.know('wren', '192.0.2.8')
      expect(await other.store.knows('wren', '192.0.2.8')).toBe(true)
    })
  })
})

it('it fails to start without the server, and says what an option has to be', async () => {
  await expect(
    new RedisLoginBudgetStore({ redis: 'redis://127.0.0.1:1', connectTimeout: 200 }).connect()
  ).rejects.toThrow('Redis cannot be reached')
  expect(() => new RedisLoginBudgetStore({} as any)).toThrow("Invalid option 'redis'")
})
