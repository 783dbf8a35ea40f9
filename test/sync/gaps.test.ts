import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { type Process, payloads, startProcess, startTwo } from './app.ts'
import { connectTo, hears, numbers, openGaps, send } from './sending.ts'

describeRedis('a gap', () => {
  it('is said where Redis has forgotten what a process did not read, and what came after arrives', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix })
    const other = await startProcess({ redis: proxy.url, prefix })
    const client = await connectTo(REDIS_URL)

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(one, 10, 20)
    await until(() => expect(one.heard).toHaveLength(20))
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 5)
    proxy.mend()
    await hears(other, [...numbers(0, 10), ...numbers(15, 20)])
    expect(other.gaps).toEqual([{ services: undefined }])
    expect(one.gaps).toEqual([])
  })

  it('is said where Redis has forgotten all, before anything comes after', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix })
    const other = await startProcess({ redis: proxy.url, prefix })
    const client = await connectTo(REDIS_URL)

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(one, 10, 20)
    await until(() => expect(one.heard).toHaveLength(20))
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 0)
    proxy.mend()
    await until(() => expect(other.gaps).toEqual([{ services: undefined }]))
    send(one, 20, 30)
    await hears(other, [...numbers(0, 10), ...numbers(20, 30)])
    expect(other.gaps).toHaveLength(1)
  })

  it('stands for an entry over an eighth of the bytes, for its service, on both sides', async () => {
    const { one, other } = await startTwo(undefined, { maxBytes: 100_000 })
    const told = [openGaps(one), openGaps(other)]

    one.things.emit('custom', 'x'.repeat(20_000))
    one.things.emit('custom', 'small')
    await until(() => expect(payloads(other)).toEqual(['small']))
    await until(() => expect(payloads(one)).toEqual(['x'.repeat(20_000), 'small']))
    expect([...one.gaps, ...other.gaps]).toEqual([{ services: ['things'] }, { services: ['things'] }])
    // The connections of the process where it happened have it.
    expect(told).toEqual([[], [{ services: ['things'], position: expect.any(String) }]])
  })

  it('is said once to connections that had events before these were in the log', async () => {
    const proxy = await startProxy(REDIS_URL)
    const one = await startProcess({ redis: proxy.url, prefix: createPrefix(), maxDelay: 20 })
    const told = openGaps(one)

    proxy.cut()
    await until(() => expect(one.statuses).toEqual(['away']))
    send(one, 0, 3)
    await hears(one, numbers(0, 3))
    expect(told).toEqual([])
    proxy.mend()
    await until(() => expect(told).toEqual([{ services: ['things'], position: expect.any(String) }]))
    send(one, 3, 5)
    await hears(one, numbers(0, 5))
    expect(told).toHaveLength(1)
  })

  it('of a few bytes stands for all that had to make room while many events were sent at once', async () => {
    const { one, other } = await startTwo(undefined, { maxBytes: 20_000 })

    send(one, 0, 500)
    await until(() => expect(payloads(other).at(-1)).toBe(499))
    expect(payloads(one).sort((a, b) => a - b)).toEqual(numbers(0, 500))
    expect(other.heard.length).toBeLessThan(500)
    expect(payloads(other)).toEqual([...payloads(other)].sort((a, b) => a - b))
    expect(other.gaps.length).toBeGreaterThan(0)
  })
})

describeOwnRedis('the bytes of the stream', () => {
  it('are bounded, whatever the events', async () => {
    const redis = await startRedis()
    const maxBytes = 4_000_000
    const one = await startProcess({ redis: redis.url, maxBytes })
    const client = await connectTo(redis.url)
    const text = 'x'.repeat(90_000)

    for (let n = 0; n < 200; n++) {
      one.things.emit('custom', { n, text })
      await until(() => expect(one.heard).toHaveLength(n + 1))
    }

    expect(await client.memoryUsage('alula:events')).toBeLessThan(maxBytes * 1.5)
    expect(await client.memoryUsage('alula:events')).toBeGreaterThan(maxBytes / 2)
    expect(one.gaps).toEqual([])
  })

  it('make room for those of a process that begins, one after another', async () => {
    const redis = await startRedis()
    const maxBytes = 4_000_000
    const one = await startProcess({ redis: redis.url, maxBytes })
    const client = await connectTo(redis.url)
    const text = 'x'.repeat(90_000)

    async function fill(process: Process, from: number, to: number): Promise<void> {
      for (const n of numbers(from, to)) {
        process.things.emit('custom', text)
        await until(() => expect(one.heard).toHaveLength(n + 1))
      }
    }

    await fill(one, 0, 40)
    await fill(await startProcess({ redis: redis.url, maxBytes }), 40, 50)
    expect(await client.memoryUsage('alula:events')).toBeLessThan(maxBytes * 1.5)
    expect(await client.memoryUsage('alula:events')).toBeGreaterThan(maxBytes / 2)
  })
})
