import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { type Process, payloads, startProcess } from './app.ts'
import { connectTo, drained, fill, hears, numbers, quiet, send } from './sending.ts'

/** Has a Redis become a copy of another one. */
async function follow(client: Awaited<ReturnType<typeof connectTo>>, url: string): Promise<void> {
  const { hostname, port } = new URL(url)

  await client.sendCommand(['REPLICAOF', hostname, port])
  await until(async () => expect(await client.info('replication')).toContain('master_link_status:up'))
}

describeOwnRedis('when Redis is away', () => {
  it.each([
    ['keeps its data', true],
    ['forgets everything', false]
  ])('and %s, it is said, and everything arrives once it is back', async (_title, isPersistent) => {
    const redis = await startRedis({ isPersistent })
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })

    send(one, 0, 100)
    await hears(other, numbers(0, 100))
    send(one, 100, 110)
    await redis.kill()
    await until(() => expect([one.statuses, other.statuses]).toEqual([['away'], ['away']]))
    send(one, 110, 200)
    send(other, 1000, 1100)
    await redis.start()
    await hears(other, [...numbers(0, 100), ...payloads(other).slice(100)])
    await until(() => expect(one.heard).toHaveLength(300))
    await until(() => expect(other.heard).toHaveLength(300))

    expect(payloads(other).filter((n) => n < 1000)).toEqual(numbers(0, 200))
    expect(payloads(one).filter((n) => n >= 1000)).toEqual(numbers(1000, 1100))
    await until(() =>
      expect([one.statuses, other.statuses]).toEqual([
        ['away', 'back'],
        ['away', 'back']
      ])
    )
    expect([...one.gaps, ...other.gaps]).toEqual([])
    expect(one.errors.map(({ message }) => message)).toEqual([
      'Redis is away: events wait, and do not reach other processes'
    ])
  })

  it('again and again, everything arrives', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })

    for (const round of numbers(0, 4)) {
      send(one, round * 100, round * 100 + 50)
      await redis.kill()
      send(one, round * 100 + 50, round * 100 + 100)
      await redis.start()
    }

    await hears(other, numbers(0, 400))
    expect(other.gaps).toEqual([])
  })

  it('what it had and one process had not read arrives, though it forgets everything', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const one = await startProcess({ redis: redis.url, prefix: 'alula' })
    const slow = await startProcess({ redis: proxy.url, prefix: 'alula' })
    const client = await connectTo(redis.url)

    send(one, 0, 50)
    await hears(slow, numbers(0, 50))
    proxy.mute()
    send(one, 50, 100)
    await until(async () => expect(await client.xLen('alula:events')).toBeGreaterThanOrEqual(100))
    await redis.kill()
    await until(() => expect(one.statuses).toEqual(['away']))
    await redis.start()
    proxy.mend()

    await hears(slow, numbers(0, 100))
    expect(slow.gaps).toEqual([])
  })

  it('what it had arrives also when it forgets everything and is full before the sender is back', async () => {
    const redis = await startRedis()
    const [lateProxy, slowProxy] = [await startProxy(redis.url), await startProxy(redis.url)]
    const late = await startProcess({ redis: lateProxy.url, maxLength: 100 })
    const slow = await startProcess({ redis: slowProxy.url, maxLength: 100 })

    send(late, 0, 20)
    await hears(slow, numbers(0, 20))
    slowProxy.mute()
    send(late, 20, 25)
    await until(async () => expect(payloads(late)).toHaveLength(25))
    await drained(redis.url, 'alula', 24)
    lateProxy.cut()
    await redis.kill()
    await redis.start()

    await fill(await connectTo(redis.url), 'alula:events')
    lateProxy.mend()
    slowProxy.mend()
    await hears(slow, numbers(0, 25))
    // What fills the stream may have been trimmed away before it was read: a gap, but of nobody who is known.
    expect(slow.gaps.filter(({ origin }) => origin !== undefined)).toEqual([])
  })

  it('who is back later than others misses nothing, though they have much to send', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const late = await startProcess({ redis: proxy.url, maxLength: 100 })
    const others = await Promise.all(
      numbers(0, 4).map(() => startProcess({ redis: redis.url, maxLength: 100 }))
    )

    // So that all know how far all are.
    for (const [index, process] of [late, ...others].entries())
      send(process, 1000 + index * 10, 1010 + index * 10)
    await until(() =>
      expect([late, ...others].map(({ heard }) => heard.length)).toEqual([50, 50, 50, 50, 50])
    )
    await quiet(redis.url, 'alula')
    proxy.cut()
    await redis.kill()
    await until(() => expect(others.map(({ statuses }) => statuses)).toEqual(others.map(() => ['away'])))
    for (const [index, process] of others.entries()) send(process, index * 100, index * 100 + 100)
    await redis.start()
    await until(() => expect(others.map(({ statuses }) => statuses.length)).toEqual([2, 2, 2, 2]))
    await quiet(redis.url, 'alula')
    proxy.mend()

    await until(() => expect(late.heard).toHaveLength(450))
    expect(
      payloads(late)
        .filter((n) => n < 1000)
        .sort((a, b) => a - b)
    ).toEqual(numbers(0, 400))
    expect(late.gaps).toEqual([])
  })

  it('all processes together send no more again than the stream holds', async () => {
    const redis = await startRedis()
    const processes = await Promise.all([1, 2].map(() => startProcess({ redis: redis.url, maxLength: 200 })))
    const [one, other] = processes as [Process, Process]
    const count = 300

    // In turns, so that half of the stream is of each.
    for (const n of numbers(0, count)) {
      send(one, n, n + 1)
      send(other, n, n + 1)
      await until(() => expect([one.heard.length, other.heard.length]).toEqual([2 * n + 2, 2 * n + 2]))
    }
    await redis.kill()
    await until(() => expect([one.statuses, other.statuses]).toEqual([['away'], ['away']]))
    await redis.start()
    await until(() =>
      expect([one.statuses, other.statuses]).toEqual([
        ['away', 'back'],
        ['away', 'back']
      ])
    )
    send(one, count, count + 1)
    await until(() => expect(other.heard).toHaveLength(2 * count + 1))

    const client = await connectTo(redis.url)

    expect((await client.xInfoStream('alula:events'))['entries-added']).toBeLessThan(240)
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('for longer than processes can keep, what is missing is said on both sides', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url, maxLength: 100 })
    const other = await startProcess({ redis: redis.url, maxLength: 100 })

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    await redis.kill()
    await until(() => expect(one.statuses).toEqual(['away']))
    // In turns: the connection that writes may be the last one to notice, and until then more is kept.
    for (const n of numbers(10, 260)) {
      send(one, n, n + 1)
      await setImmediate()
    }
    await redis.start()

    await hears(other, [...numbers(0, 10), ...numbers(160, 260)])
    await until(() => expect(one.gaps).toHaveLength(1))
    expect(one.gaps).toEqual([{ origin: expect.any(String), missed: 150 }])
    expect(other.gaps).toEqual(one.gaps)
    expect(one.errors.at(-1).message).toBe(
      '150 events of this process did not reach others: Redis was away for too long, or they were too large'
    )
    expect(other.errors.at(-1).message).toContain('150 events of other processes did not reach this one')
  })

  it('it is noticed also when it hangs', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })

    redis.pause()
    send(one, 0, 100)
    await until(() => expect([one.statuses, other.statuses]).toEqual([['away'], ['away']]))
    send(one, 100, 200)
    redis.resume()
    await hears(other, numbers(0, 200))
    await until(() =>
      expect([one.statuses, other.statuses]).toEqual([
        ['away', 'back'],
        ['away', 'back']
      ])
    )
  })

  it('or hangs for a moment only, nothing is lost and nothing said', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })

    redis.pause()
    send(one, 0, 100)
    redis.resume()
    await hears(other, numbers(0, 100))
    expect([...one.statuses, ...other.statuses]).toEqual([])
  })

  it('or refuses to write, events wait', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })
    const client = await connectTo(redis.url)

    await client.configSet('maxmemory', '1')
    send(one, 0, 100)
    await until(() => expect(one.statuses).toEqual(['away']))
    expect(one.errors[0].cause.message).toContain('OOM')
    send(one, 100, 200)
    await client.configSet('maxmemory', '0')
    await hears(other, numbers(0, 200))
    expect(other.gaps).toEqual([])
    await until(() => expect(one.statuses).toEqual(['away', 'back']))
  })

  it('or another server takes over and the former one refuses to write, everything arrives', async () => {
    const [former, next] = [await startRedis(), await startRedis()]
    const proxy = await startProxy(former.url)
    const one = await startProcess({ redis: proxy.url })
    const other = await startProcess({ redis: proxy.url })
    const [formerClient, nextClient] = [await connectTo(former.url), await connectTo(next.url)]

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    await follow(nextClient, former.url)
    await nextClient.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    // Its connections stay.
    await follow(formerClient, next.url)
    proxy.lead(next.url)
    send(one, 10, 20)
    await hears(other, numbers(0, 20))
    await until(() => expect(one.statuses).toEqual(['away', 'back']))
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('the application ends all the same, in time, and says what was not sent', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })

    await redis.kill()
    await until(() => expect(one.statuses).toEqual(['away']))
    send(one, 0, 3)

    const begin = performance.now()

    await one.app.teardown()
    expect(performance.now() - begin).toBeLessThan(15_000)
    expect(one.gaps).toEqual([{ origin: expect.any(String), missed: 3 }])
  })

  it('and was emptied by somebody, events go on', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })
    const client = await connectTo(redis.url)

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    await client.flushAll()
    send(one, 10, 20)
    await hears(other, numbers(0, 20))
    send(other, 0, 10)
    await until(() => expect(one.heard).toHaveLength(30))
  })

  it('and was emptied by somebody, what not all have read is written again', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const one = await startProcess({ redis: redis.url })
    const slow = await startProcess({ redis: proxy.url })
    const client = await connectTo(redis.url)

    send(one, 0, 10)
    await hears(slow, numbers(0, 10))
    proxy.mute()
    send(one, 10, 20)
    await drained(redis.url, 'alula', 19)
    await client.flushAll()
    await drained(redis.url, 'alula', 19)
    proxy.mend()
    await hears(slow, numbers(0, 20))
    expect(slow.gaps).toEqual([])
  })

  it('begins with ids that are lower than before, events go on', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const proxy = await startProxy(redis.url)
    const other = await startProcess({ redis: proxy.url })
    const client = await connectTo(redis.url)
    const future = `${Date.now() + 1_000_000}-0`

    // As if the clock of the first Redis was ahead.
    await client.xAdd('alula:events', future, {
      origin: randomUUID(),
      kind: 'hello',
      sequence: '0',
      text: ''
    })
    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    proxy.cut()
    await redis.kill()
    await until(() => expect(one.statuses).toEqual(['away']))
    await redis.start()
    send(one, 10, 20)
    await until(() => expect(one.statuses).toEqual(['away', 'back']))
    // Not before there is something to read.
    proxy.mend()
    await hears(other, numbers(0, 20))
    expect(other.gaps).toEqual([])
  })
})
