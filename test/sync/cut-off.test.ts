import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { type Process, payloads, startProcess } from './app.ts'
import { connectTo, drained, fill, hears, numbers, quiet, send } from './sending.ts'

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
    expect(other.gaps).toEqual([])

    const client = await connectTo(REDIS_URL)

    expect(await client.xLen(`${prefix}:events`)).toBeGreaterThan(200)
  })

  it('for longer than the stream holds, the number of what is missing is right', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const options = { prefix, maxLength: 100 }
    const one = await startProcess({ redis: REDIS_URL, ...options })
    const another = await startProcess({ redis: REDIS_URL, ...options })

    // Before the other one began: it does not count.
    send(one, 0, 100)
    await drained(REDIS_URL, prefix, 99)

    const other = await startProcess({ redis: proxy.url, ...options })
    const client = await connectTo(REDIS_URL)

    // So far it has heard nothing of the first one but the answer to its greeting.
    await until(async () => {
      const entries = (await client.xRange(`${prefix}:events`, '-', '+')) ?? []

      expect(entries.map(({ message }) => message)).toContainEqual(
        expect.objectContaining({ kind: 'hello', sequence: '100' })
      )
    })
    send(another, 0, 1)
    await hears(other, [0])
    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(one, 100, 1100)
    await drained(REDIS_URL, prefix, 1099)
    proxy.mend()
    await until(() => expect(payloads(other).at(-1)).toBe(1099))

    const received = payloads(other).slice(1)

    expect(received).toEqual(numbers(1100 - received.length, 1100))
    // What processes say of themselves takes some room, too.
    expect(received.length).toBeGreaterThan(80)
    expect(other.gaps).toEqual([{ origin: expect.any(String), missed: 1000 - received.length }])
    expect(other.errors.at(-1).message).toContain('of other processes did not reach this one')
    expect(one.gaps).toEqual([])
  })

  it('before it has heard of those who sent what it missed, the number is right too', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const other = await startProcess({ redis: proxy.url, prefix, maxLength: 100 })

    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))

    const client = await connectTo(REDIS_URL)
    const one = await startProcess({ redis: REDIS_URL, prefix, maxLength: 100 })

    send(one, 0, 300)
    await drained(REDIS_URL, prefix, 299)
    // What is trimmed away shows by itself. Here only the numbers do.
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 50)
    await client.del(`${prefix}:events:identity`)
    proxy.mend()
    await until(() => expect(payloads(other).at(-1)).toBe(299))

    const missed = 300 - other.heard.length

    expect(other.gaps).toEqual([{ origin: expect.any(String), missed }])
  })

  it('and who sent what it missed is gone, that something is missing is said', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const options = { prefix, maxLength: 100 }
    const gone = await startProcess({ redis: REDIS_URL, ...options })
    const other = await startProcess({ redis: proxy.url, ...options })

    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(gone, 0, 50)
    await gone.app.teardown()

    const client = await connectTo(REDIS_URL)

    // Nothing of what the one who is gone has sent is left.
    await fill(client, `${prefix}:events`)
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 100)
    proxy.mend()
    await until(() => expect(other.gaps).toEqual([{}]))
    expect(other.errors.at(-1).message).toContain('Events of other processes did not reach this one')
  })
})

describeRedis('many events at once', () => {
  it('from several processes arrive, though they are more than the stream holds', async () => {
    const prefix = createPrefix()
    const processes = await Promise.all(
      numbers(0, 3).map(() => startProcess({ redis: REDIS_URL, prefix, maxLength: 1000 }))
    )

    for (const [index, process] of processes.entries()) send(process, index * 10_000, index * 10_000 + 5000)

    for (const process of processes) {
      await until(() => expect(process.heard).toHaveLength(15_000))
      for (const index of [0, 1, 2]) {
        const from = index * 10_000

        expect(payloads(process).filter((n) => n >= from && n < from + 5000)).toEqual(
          numbers(from, from + 5000)
        )
      }
      expect(process.gaps).toEqual([])
    }
  })

  it('that are more than a process can keep are missing at others, and both say how many', async () => {
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix, maxLength: 10 })
    const other = await startProcess({ redis: REDIS_URL, prefix, maxLength: 10 })

    send(one, 0, 150)
    await until(() => expect(payloads(other).at(-1)).toBe(149))

    const missed = 150 - other.heard.length

    // One tenth of a hundred and the first two are on their way already.
    expect(missed).toBe(48)
    expect(one.gaps).toEqual([{ origin: expect.any(String), missed }])
    expect(other.gaps).toEqual(one.gaps)
  })
})

describeRedis('processes that have nothing to send', () => {
  it('do not answer one another for ever', async () => {
    const prefix = createPrefix()
    const processes = await Promise.all(
      numbers(0, 3).map(() => startProcess({ redis: REDIS_URL, prefix, maxLength: 10 }))
    )
    const client = await connectTo(REDIS_URL)
    send(processes[0] as Process, 0, 10)
    await until(() => expect(processes.map(({ heard }) => heard.length)).toEqual([10, 10, 10]))

    await quiet(REDIS_URL, prefix)
    expect((await client.xInfoStream(`${prefix}:events`))['entries-added']).toBeLessThan(100)
  })
})
