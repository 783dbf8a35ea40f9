import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { payloads, startProcess } from './app.ts'
import { connectTo, hears, numbers, send } from './sending.ts'

describeRedis('when a process is cut off', () => {
  it('for as long as the stream holds what it did not read, everything arrives', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix })
    const other = await startProcess({ redis: proxy.url, prefix })

    proxy.cut()
    send(one, 0, 500)
    send(other, 1000, 1500)
    await until(() => expect(other.statuses).toEqual(['away']))
    proxy.mend()
    await until(() => expect([one.heard.length, other.heard.length]).toEqual([1000, 1000]))
    expect(payloads(other).filter((n) => n < 1000)).toEqual(numbers(0, 500))
    expect(payloads(one).filter((n) => n >= 1000)).toEqual(numbers(1000, 1500))
    expect([...one.gaps, ...other.gaps, ...one.errors]).toEqual([])
  })

  it('in the middle of writing, what it writes again arrives once', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const one = await startProcess({ redis: proxy.url, prefix })
    const other = await startProcess({ redis: REDIS_URL, prefix })

    proxy.mute()
    send(one, 0, 100)
    // Redis has them, and nobody told.
    await hears(other, numbers(0, 100))
    proxy.mend()
    await until(() => expect(one.statuses).toEqual(['away', 'back']))
    send(one, 100, 110)
    await hears(other, numbers(0, 110))
    await until(() => expect(one.heard).toHaveLength(110))
    expect([...one.gaps, ...other.gaps]).toEqual([])

    const client = await connectTo(REDIS_URL)

    // So that nobody gets it twice who comes back later.
    await until(async () => expect(await client.xLen(`${prefix}:events`)).toBe(110))
  })

  it('its own connections get its own events after a while, without a position, and once', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const one = await startProcess({ redis: proxy.url, prefix, maxDelay: 50 })
    const other = await startProcess({ redis: REDIS_URL, prefix })
    const stamps: any[] = []

    one.app.on('publish', (...values: unknown[]) => stamps.push(values[4]))
    proxy.cut()
    send(one, 0, 10)
    await hears(one, numbers(0, 10))
    expect(stamps[0]).toEqual({ tx: expect.any(String), index: 0 })
    expect(other.heard).toEqual([])
    proxy.mend()
    await hears(other, numbers(0, 10))
    send(other, 10, 11)
    await hears(one, numbers(0, 11))
    expect(stamps[10]).toEqual({ tx: expect.any(String), position: expect.any(String) })
  })
})

describeRedis('many events at once', () => {
  it('from several processes arrive in one order, the same in all', async () => {
    const prefix = createPrefix()
    const processes = await Promise.all(numbers(0, 3).map(() => startProcess({ redis: REDIS_URL, prefix })))

    for (const [index, process] of processes.entries()) send(process, index * 10_000, index * 10_000 + 5000)

    const [first] = processes as [(typeof processes)[number]]

    for (const process of processes) {
      await until(() => expect(process.heard).toHaveLength(15_000))
      expect(payloads(process)).toEqual(payloads(first))
      expect(process.gaps).toEqual([])
    }

    for (const from of [0, 10_000, 20_000]) {
      expect(payloads(first).filter((n) => n >= from && n < from + 5000)).toEqual(numbers(from, from + 5000))
    }
  })
})
