import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLog } from '../../src/log/log.ts'
import { defer } from '../support/deferred.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { type Process, startProcess } from './app.ts'
import { connectTo, hears, numbers, send } from './sending.ts'

/** A transport of a process with one connection, which gets what it missed. */
function openTransport({ app }: Process) {
  const connection = {}
  const got: unknown[] = []
  const told: any[] = []
  const log = openLog(app, {
    connections: new Set([connection]),
    tellPosition: (position) => told.push(position),
    tellGap: (gap) => told.push(gap)
  })

  app.on('publish', (_event: string, { connections }: any, _context: unknown, data: unknown) => {
    if (connections.includes(connection)) got.push(data)
  })

  return {
    log,
    got,
    told,
    /** What the connection gets of what came after a position. */
    async replay(position: string) {
      app.channel('all').join(connection)
      await log.resume(connection, position)

      return [...got]
    }
  }
}

/** Two processes, of which the first one keeps next to nothing: what connections missed is in Redis. */
async function startForgetful() {
  const prefix = createPrefix()
  const options = { redis: REDIS_URL, prefix }
  const one = await startProcess(options, (app) => app.set('eventLog', { maxBytes: 400 }))
  const proxy = await startProxy(REDIS_URL)
  const other = await startProcess({ ...options, redis: proxy.url })

  return { prefix, one, other, proxy }
}

/** What a connection gets in place of events that are lost. */
const GAP = { services: ['things'], position: expect.any(String) }

/** An entry of a later version, which has another kind of value. */
const UNREADABLE = { tx: 'z-1', paths: '["things"]', count: '1', events: '[{"$alula":"later","value":1}]' }

/** More than an entry may have. */
const LARGE = 'x'.repeat(20_000)

/** Two processes, of which the first one has a connection and an event whose publisher has not decided. */
async function startWaiting() {
  const options = { redis: REDIS_URL, prefix: createPrefix(), maxBytes: 100_000 }
  const asked = defer()
  const waits = [new Promise(() => undefined)]
  const one = await startProcess(options, (app) => {
    app.use('slow', { create: async (data: unknown) => data })
    app.service('slow').publish(async () => {
      asked.resolve()
      // A replay does not wait.
      await waits.shift()

      return app.channel('all')
    })
  })
  const other = await startProcess(options)
  const transport = openTransport(one)
  const position = await toPosition(one, transport.log)

  await one.app.service('slow').create({ text: 'slow' })
  await asked.promise

  return { one, other, position, ...transport }
}

/** The position after a first event: of what comes before all it is not known whether something is missing. */
async function toPosition(process: Process, log: { readonly position: string }): Promise<string> {
  send(process, -1, 0)
  await hears(process, [-1])

  return log.position
}

describeRedis('a connection that comes back to a process that has forgotten', () => {
  it('gets what it missed from Redis, however many revocations are in between', async () => {
    const { one, prefix } = await startForgetful()
    const { log, replay, told } = openTransport(one)
    const position = await toPosition(one, log)
    const client = await connectTo(REDIS_URL)

    send(one, 0, 1)
    for (let n = 1; n <= 40; n++) await client.xAdd(`${prefix}:events`, '*', { tx: `z-${n}`, revoked: 'x' })
    send(one, 1, 50)
    await hears(one, [-1, ...numbers(0, 50)])
    expect(await replay(position)).toEqual(numbers(0, 50))
    expect(told).toEqual([log.position])
  })

  it('gets the rest of an entry in which it was cut', async () => {
    const { one } = await startForgetful()
    const { log, replay, told } = openTransport(one)

    await one.things.create([{ n: 0 }, { n: 1 }, { n: 2 }])
    await until(() => expect(one.heard).toHaveLength(3))

    const position = log.position.replace(/3$/, '1')

    send(one, 3, 10)
    await until(() => expect(one.heard).toHaveLength(10))
    expect(await replay(position)).toEqual([{ id: 1, n: 1 }, { id: 2, n: 2 }, ...numbers(3, 10)])
    expect(told).toEqual([log.position])
  })

  it('gets a gap, and no events, where Redis has forgotten its position', async () => {
    const { one, prefix } = await startForgetful()
    const { log, replay, told } = openTransport(one)
    const position = await toPosition(one, log)
    const client = await connectTo(REDIS_URL)

    send(one, 0, 20)
    await hears(one, numbers(-1, 20))
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 20)
    expect(await replay(position)).toEqual([])
    expect(told).toEqual([{ services: ['things'], position: log.position }])
  })

  it('gets once what was written twice, because the reply was lost', async () => {
    const { one, other, proxy, prefix } = await startForgetful()
    const { log, replay } = openTransport(one)
    const position = await toPosition(one, log)
    const client = await connectTo(REDIS_URL)

    await hears(other, [-1])
    proxy.mute()
    send(other, 0, 20)
    await hears(one, [-1, ...numbers(0, 20)])
    proxy.mend()
    await until(() => expect(other.statuses).toEqual(['away', 'back']))
    send(other, 20, 25)
    await hears(one, [-1, ...numbers(0, 25)])
    await until(async () => expect(await client.xLen(`${prefix}:events`)).toBe(26))
    expect(await replay(position)).toEqual(numbers(0, 25))
  })

  it('gets each event once, however far its process is behind the one that it comes from', async () => {
    const { one, other, proxy } = await startForgetful()
    const { log } = openTransport(one)
    const { replay, got, told } = openTransport(other)

    proxy.hold()
    send(one, 0, 20)
    await hears(one, numbers(0, 20))

    const { position } = log

    // What the process reads later is for its other connections.
    expect(await replay(position)).toEqual([])
    proxy.mend()
    send(one, 20, 21)
    await hears(other, numbers(0, 21))
    expect(got).toEqual([20])
    expect(told).toEqual([position])
  })

  it('does not wait for others whose clients have made up a position', async () => {
    const { one } = await startForgetful()
    const { log, replay } = openTransport(one)
    const position = await toPosition(one, log)
    const connections = new Set(Array.from({ length: 32 }, () => ({})))
    const others = openLog(one.app, { connections, tellPosition() {}, tellGap() {} })
    const resumed = [...connections].map((connection) =>
      others.resume(connection, position.replace(/-\d+-/, '-99999999999999-'))
    )

    send(one, 0, 20)
    await hears(one, numbers(-1, 20))
    expect(await replay(position)).toEqual(numbers(0, 20))
    await Promise.all(resumed)
  })
})

describeRedis('a connection that comes back', () => {
  it('gets a gap, and what comes next, where Redis goes away while what it missed is read', async () => {
    const proxy = await startProxy(REDIS_URL)
    const options = { redis: proxy.url, prefix: createPrefix() }
    const one = await startProcess(options, (app) => app.set('eventLog', { maxBytes: 400 }))
    const { log, replay, got, told } = openTransport(one)
    const position = await toPosition(one, log)

    send(one, 0, 20)
    await hears(one, numbers(-1, 20))
    proxy.mute()

    const replayed = replay(position)

    await setImmediate()
    proxy.cut()
    await expect(replayed).rejects.toThrow()
    expect(told).toEqual([{ services: ['things'], position: log.position }])
    proxy.mend()
    send(one, 20, 21)
    await until(() => expect(got).toEqual([20]))
  })

  it('gets a gap where Redis had forgotten what its process did not read, though that has what was before', async () => {
    const { one, other, proxy, prefix } = await startForgetful()
    const { log, replay, told } = openTransport(other)
    const position = await toPosition(other, log)
    const client = await connectTo(REDIS_URL)

    send(other, 0, 10)
    await hears(other, numbers(-1, 10))

    const end = log.position

    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(one, 10, 12)
    await hears(one, numbers(-1, 12))

    const lost = openTransport(one).log.position

    send(one, 12, 20)
    await hears(one, numbers(-1, 20))
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 5)
    proxy.mend()
    await hears(other, [...numbers(-1, 10), ...numbers(15, 20)])
    expect(told.splice(0)).toEqual([GAP])

    // The last one is of another process.
    for (const from of [position, end, lost]) {
      expect(await replay(from)).toEqual([])
      expect(told.splice(0)).toEqual([{ services: ['things'], position: log.position }])
    }
  })

  it('gets a gap where Redis had forgotten all, before anything comes after', async () => {
    const { one, other, proxy, prefix } = await startForgetful()
    const { log, replay, told } = openTransport(other)
    const { position } = log
    const client = await connectTo(REDIS_URL)

    await toPosition(other, log)

    const end = log.position

    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    send(one, 0, 10)
    await hears(one, numbers(-1, 10))
    await client.xTrim(`${prefix}:events`, 'MAXLEN', 0)
    proxy.mend()
    await until(() => expect(told).toEqual([GAP]))

    for (const from of [position, end]) {
      expect(await replay(from)).toEqual([])
      expect(told.at(-1)).toEqual({ services: ['things'], position: log.position })
    }

    expect(told).toHaveLength(3)
  })

  it('gets a gap for all services where its process began after its position, which Redis has forgotten', async () => {
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix })
    const position = await toPosition(one, openTransport(one).log)
    const client = await connectTo(REDIS_URL)

    send(one, 0, 10)
    await hears(one, numbers(-1, 10))

    const other = await startProcess({ redis: REDIS_URL, prefix })
    const { log, replay, told } = openTransport(other)

    await client.xTrim(`${prefix}:events`, 'MAXLEN', 5)
    expect(await replay(position)).toEqual([])
    expect(told).toEqual([{ services: ['things'], position: log.position }])
  })

  it('gets a gap for an entry that its process cannot read, and what comes next', async () => {
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix })
    const { log, replay, got, told } = openTransport(one)
    const position = await toPosition(one, log)
    const client = await connectTo(REDIS_URL)

    await client.xAdd(`${prefix}:events`, '*', UNREADABLE)
    // The connection is told, like all that are there.
    await until(() => expect(told).toEqual([GAP]))
    expect(one.gaps).toEqual([{ services: ['things'] }])
    await expect(replay(position)).rejects.toThrow('Unknown kind of value')
    expect(told).toEqual([GAP, { services: ['things'], position: log.position }])
    send(one, 0, 1)
    await until(() => expect(got).toEqual([0]))
  })

  it('gets a gap, like others, while events that it has got wait for their publishers', async () => {
    const { one, other, replay, told, position } = await startWaiting()

    expect(await replay(position)).toEqual([{ text: 'slow' }])
    told.length = 0
    other.things.emit('custom', LARGE)
    await until(() => expect(told).toEqual([GAP]))
    expect(one.gaps).toHaveLength(1)
  })

  it('to the position of a gap gets events that waited for their publishers at that time', async () => {
    const { other, replay, told } = await startWaiting()

    other.things.emit('custom', LARGE)
    await until(() => expect(told).toEqual([GAP]))
    expect(await replay(told[0].position)).toEqual([{ text: 'slow' }])
  })
})
