import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { payloads, startProcess } from './app.ts'
import { connectTo, drained, hears, numbers, send } from './sending.ts'

/** A gap that may be of any service. */
const ANY = { services: undefined }

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
  ])(
    'and %s, it is said, events come once and in order, and what may be missing is a gap',
    async (_title, isPersistent) => {
      const redis = await startRedis({ isPersistent })
      const one = await startProcess({ redis: redis.url })
      const other = await startProcess({ redis: redis.url })

      send(one, 0, 110)
      await hears(other, numbers(0, 110))
      await redis.kill()
      await until(() => expect([one.statuses, other.statuses]).toEqual([['away'], ['away']]))
      send(one, 110, 200)
      send(other, 1000, 1100)
      await redis.start()
      await until(() => expect(one.heard).toHaveLength(300))
      await until(() => expect(other.heard).toHaveLength(300))

      for (const process of [one, other]) {
        expect(payloads(process).filter((n) => n < 1000)).toEqual(numbers(0, 200))
        expect(payloads(process).filter((n) => n >= 1000)).toEqual(numbers(1000, 1100))
        await until(() => expect(process.statuses).toEqual(['away', 'back']))
        expect(process.gaps).toEqual([ANY])
        expect(process.errors.map(({ message }) => message)).toEqual([
          'Redis is away: events wait, and do not reach other processes',
          'Redis has begun anew, and may have lost events'
        ])
      }
    }
  )

  it('again and again, events come once and in order, and what is missing is said', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: redis.url })

    for (const round of numbers(0, 4)) {
      send(one, round * 100, round * 100 + 50)
      await redis.kill()
      send(one, round * 100 + 50, round * 100 + 100)
      await redis.start()
    }

    await until(() => expect(payloads(other).at(-1)).toBe(399))
    await until(() => expect(one.heard).toHaveLength(400))
    expect(payloads(one)).toEqual(numbers(0, 400))
    expect(payloads(other)).toEqual([...new Set(payloads(other))].sort((a, b) => a - b))
    expect(other.gaps.length).toBeGreaterThan(0)
  })

  it('what it had and one process had not read is a gap, when it forgets everything', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const one = await startProcess({ redis: redis.url, prefix: 'alula' })
    const slow = await startProcess({ redis: proxy.url, prefix: 'alula' })

    send(one, 0, 50)
    await hears(slow, numbers(0, 50))
    proxy.mute()
    send(one, 50, 100)
    await until(() => expect(one.heard).toHaveLength(100))
    await drained(redis.url, 'alula', 99)
    await redis.kill()
    await redis.start()
    proxy.mend()
    await until(() => expect(slow.gaps).toEqual([ANY]))
    send(one, 100, 110)
    await until(() => expect(payloads(slow).slice(-10)).toEqual(numbers(100, 110)))
  })

  it('for longer than processes can keep, what is missing is said on both sides', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url, maxBytes: 30_000 })
    const other = await startProcess({ redis: redis.url, maxBytes: 30_000 })

    send(one, 0, 10)
    await hears(other, numbers(0, 10))
    await redis.kill()
    await until(() => expect(one.statuses).toEqual(['away']))
    // In turns: the connection that writes may be the last one to notice.
    for (const n of numbers(10, 260)) {
      send(one, n, n + 1)
      await setImmediate()
    }
    await redis.start()

    await until(() => expect(payloads(other).at(-1)).toBe(259))
    expect(payloads(other).length).toBeLessThan(260)
    expect(payloads(other)).toEqual([...payloads(other)].sort((a, b) => a - b))
    // Its own connections have them all.
    await until(() => expect(payloads(one).sort((a, b) => a - b)).toEqual(numbers(0, 260)))
    for (const { gaps } of [one, other]) expect(gaps).toContainEqual({ services: ['things'] })
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
  })

  it('or another server takes over without the last entries, nothing comes again from before a process', async () => {
    const redis = await startRedis()
    const former = await startProcess({ redis: redis.url })
    const proxy = await startProxy(redis.url)
    const client = await connectTo(redis.url)

    send(former, 0, 10)
    await hears(former, numbers(0, 10))
    await former.app.teardown()

    const one = await startProcess({ redis: redis.url })
    const other = await startProcess({ redis: proxy.url })

    send(one, 10, 13)
    await hears(other, numbers(10, 13))

    const [last] = (await client.xRevRange('alula:events', '+', '-', { COUNT: 1 })) ?? []

    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    await client.xDel('alula:events', last?.id as string)
    await client.del('alula:events:epoch')
    proxy.mend()
    await until(() => expect(other.gaps).toEqual([ANY]))
    send(one, 13, 14)
    await hears(other, numbers(10, 14))
  })

  it('or refuses to be read, connections of a process get its own events all the same', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url, maxDelay: 50 })
    const client = await connectTo(redis.url)

    await client.sendCommand(['ACL', 'SETUSER', 'default', '-xread'])
    send(one, 0, 1)
    await until(() => expect(one.statuses).toContain('away'))
    send(one, 1, 3)
    await hears(one, numbers(0, 3))
    await client.sendCommand(['ACL', 'SETUSER', 'default', '+xread'])
    send(one, 3, 5)
    await hears(one, numbers(0, 5))
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
    expect(one.gaps).toEqual([{ services: ['things'] }])
    expect(payloads(one)).toEqual([0, 1, 2])
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

  it('begins with ids that are lower than before, events go on', async () => {
    const redis = await startRedis()
    const one = await startProcess({ redis: redis.url })
    const proxy = await startProxy(redis.url)
    const other = await startProcess({ redis: proxy.url })
    const client = await connectTo(redis.url)
    const future = `${Date.now() + 1_000_000}-0`

    // As if the clock of the first Redis was ahead.
    await client.xAdd('alula:events', future, { text: 'of another program' })
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
    expect(other.gaps).toEqual([ANY])
  })
})
