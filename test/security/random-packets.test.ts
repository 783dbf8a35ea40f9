import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { memory } from '../../src/memory.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { call, connect, createRaw, open, type RawSocket } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { packet } from './support/packets.ts'

// Whatever a client sends over a socket, the answer is not the fault of the server, and nothing of the client stays.

const ANN = { email: 'ann', password: 'open sesame' }

/** Fails, and with that answers 500, when a service gets what a request by HTTP could not hold. */
async function assertShape({ id, data, params: { provider, query = {} } }: any): Promise<void> {
  if (!provider) return

  const isId = id === undefined || id === null || (typeof id === 'string' && id !== '') || Number.isFinite(id)
  const isData = data === undefined || (typeof data === 'object' && data !== null && !Buffer.isBuffer(data))
  const isQuery = Object.prototype.toString.call(query) === '[object Object]'
  const text = JSON.stringify(query, (_name, value) => (Buffer.isBuffer(value) ? { constructor: 1 } : value))

  if (!isId || !isData || !isQuery || /"(?:__proto__|constructor)":|"type":"Buffer"/.test(text)) {
    throw new Error(`Got ${JSON.stringify({ id, data, query })}`)
  }
}

/** Fills an application with something of everything. */
function configure(app: any): void {
  app.hooks({ before: { all: [assertShape] } })
  configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })
  app.use(
    'records',
    Object.assign(memory({ multi: true, paginate: { default: 10, max: 20 } }), {
      echo: async (data: unknown, { query }: any) => ({ data, query })
    }),
    { methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'echo'] }
  )
  app.use('rooms/:room/seats', {
    create: async (data: any, { route, connection }: any) => {
      app.channel(`room ${route.room}`).join(connection)

      return { seat: data }
    }
  })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.on('login', (_result: unknown, { connection }: any) => app.channel('users').join(connection))
  app.publish(() => app.channel('all'))
  app.service('records').publish(async () => [app.channel('users'), app.channel('all').send({ is: 'shown' })])
}

/** How many listeners there are to each event of the application and of its services. */
const countListeners = (app: any): object =>
  Object.entries({ app, ...app.services }).map(([name, emitter]: [string, any]) => [
    name,
    emitter.eventNames().map((event: string) => [event, emitter.listenerCount(event)])
  ])

/** How many connections are in each channel in which there are any. */
const countMembers = (app: any): object =>
  Object.fromEntries(
    app.channels
      .map((name: string) => [name, app.channel(name).length])
      .filter(([, length]: [string, number]) => length > 0)
  )

/** What the prototypes have that everything inherits from. */
const describePrototypes = (): object =>
  [Object, Array, Function, String, Map, Promise, Buffer].map(({ prototype }) => Reflect.ownKeys(prototype))

/** What nobody catches while the test runs. */
function collectUncaught(): unknown[] {
  const uncaught: unknown[] = []
  const collect = (error: unknown) => uncaught.push(error)

  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, collect)
    onTestFinished(() => void process.off(event, collect))
  }

  return uncaught
}

async function openConnected(url: string): Promise<RawSocket> {
  const raw = createRaw(url)

  await raw.receive('0{')
  raw.send('40')
  await raw.receive('40{')

  return raw
}

/** Counts the answers: all are results, or errors that name a mistake of the client. */
function checkAnswers(frames: readonly (string | Buffer)[]): number {
  let answers = 0

  for (const frame of frames) {
    const [, list] = /^4(?:3|6\d+-)(?:\d+|Infinity)(\[.*)$/s.exec(String(frame)) ?? []

    if (list === undefined) continue

    const [error, ...results] = JSON.parse(list)
    // Those of find and get have a position behind the result.
    const [, position, ...others] = results

    answers++
    expect(results.length > 0).toBe(error === null)
    expect(others).toEqual([])
    expect(['undefined', 'string']).toContain(typeof position)

    if (error !== null) {
      const { name, message, code, className, data, errors, ...unknown } = error

      expect([typeof name, typeof message, typeof className, unknown]).toEqual([
        'string',
        'string',
        'string',
        {}
      ])
      expect(code, list.slice(0, 1000)).toBeGreaterThanOrEqual(400)
      expect(code, list.slice(0, 1000)).toBeLessThan(500)
    }
  }

  return answers
}

it('random packets get answers below 500, or none, and harm nobody', async () => {
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const count = scaled(100_000)
  const uncaught = collectUncaught()
  const reported: unknown[] = []
  const { app, url } = await open((app) => {
    configure(app)
    app.on('error', (error) => reported.push(error))
  })
  const socket = await connect(url)
  const ends: unknown[] = []

  socket.on('disconnect', (reason) => ends.push(reason))
  onTestFailed(() => console.error(`TEST_SEED=${seed}`))
  await app.service('users').create({ id: 1, ...ANN })
  await call(socket, 'create', 'rooms/1/seats', {})

  const before = { listeners: countListeners(app), prototypes: describePrototypes() }
  let sent = 0
  let answers = 0
  let connections = 0

  async function attack(worker: number): Promise<void> {
    let raw: RawSocket | undefined

    for (let round = 0; sent < count; round++) {
      for (const frames of fc.sample(packet, { seed: seed + worker * 100_000 + round, numRuns: 100 })) {
        if (sent === count) break

        const last = `43${1_000_000 + sent++}`
        // Who has left the namespace gets no answer, and what is no packet ends the connection.
        const farewell = String(frames[0]).startsWith('41') ? ['4x'] : []

        if (!raw) {
          raw = await openConnected(url)
          connections++
        }

        raw.received.length = 0
        raw.send(...frames, `42${last.slice(2)}["find","records",{"$limit":0}]`, ...farewell)

        const isOpen = await raw.receive(last).then(
          () => true,
          () => false
        )

        // Without the last one, which is not random.
        answers += checkAnswers(raw.received) - Number(isOpen)
        if (!isOpen) raw = undefined
      }
    }

    raw?.socket.terminate()
  }

  await Promise.all(Array.from({ length: 8 }, (_, worker) => attack(worker)))
  // All but the client that has been there from the start, and is there still.
  await until(() => expect(app.io.engine.clientsCount).toBe(1))

  const data = { a: 1 }

  expect(await call(socket, 'echo', 'records', data, { b: '1' })).toEqual({ data, query: { b: '1' } })
  expect(ends).toEqual([])
  expect(describePrototypes()).toEqual(before.prototypes)
  expect(({} as any).polluted).toBeUndefined()
  expect(countListeners(app)).toEqual(before.listeners)
  expect(countMembers(app)).toEqual({ all: 1, 'room 1': 1 })
  expect(reported).toEqual([])
  expect(uncaught).toEqual([])
  // Packets have reached services, and connections have been ended for what is no packet.
  expect(answers).toBeGreaterThan(count / 2)
  expect(connections).toBeGreaterThan(count / 50)
}, 600_000)

it('connections that come and go, however they end, leave nothing', async () => {
  setFlagsFromString('--expose-gc')

  const collectGarbage: () => void = runInNewContext('gc')
  const half = scaled(5000)
  const uncaught = collectUncaught()
  const seen: WeakRef<object>[] = []
  const counts = { connection: 0, disconnect: 0, login: 0 }
  const { app, url } = await open((app) => {
    configure(app)
    app.on('connection', (connection) => seen.push(new WeakRef(connection)))
    app.on('connection', () => counts.connection++)
    app.on('disconnect', () => counts.disconnect++)
    app.on('login', () => counts.login++)
  })

  await app.service('users').create({ id: 1, ...ANN })

  const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...ANN })
  const headers = { Authorization: `Bearer ${accessToken}` }
  let started = 0

  async function comeAndGo(kind: number): Promise<void> {
    const raw = createRaw(url, '', kind % 3 === 0 ? headers : {})

    await once(raw.socket, 'open')
    raw.send('40')

    if (kind % 7 !== 0) {
      await raw.receive('40{')
      raw.send(
        '421["create","rooms/1/seats",{}]',
        '422["create","records",{}]',
        '423["remove","records",null]'
      )
      if (kind % 5 === 0)
        raw.send(`424["create","authentication",${JSON.stringify({ strategy: 'local', ...ANN })}]`)
      if (kind % 4 !== 0) await raw.receive('431')
    }

    if (kind % 2 === 0) raw.socket.terminate()
    else raw.socket.close()

    await raw.closed
  }

  async function comeAndGoManyTimes(end: number): Promise<void> {
    const worker = async () => {
      while (started < end) await comeAndGo(started++)
    }

    await Promise.all(Array.from({ length: 20 }, worker))
    await until(() => expect(app.io.engine.clientsCount).toBe(0))
    await until(() => expect(countMembers(app)).toEqual({}))
  }

  async function measure(): Promise<number> {
    // What waits for a turn of the event loop holds on to what it is about.
    for (let turns = 0; turns < 5; turns++) {
      await new Promise(setImmediate)
      collectGarbage()
    }

    return process.memoryUsage().heapUsed
  }

  await comeAndGoManyTimes(half)

  const listeners = countListeners(app)
  const warm = await measure()

  await comeAndGoManyTimes(2 * half)

  const grown = (await measure()) - warm

  expect(countListeners(app)).toEqual(listeners)
  expect(seen.length).toBeGreaterThan(half)
  expect(seen.filter((connection) => connection.deref()).length).toBeLessThan(30)
  expect(grown).toBeLessThan(8_000_000)
  // Of a connection that nobody has heard of, nobody hears that it ends.
  expect(counts.disconnect).toBeGreaterThanOrEqual(counts.connection)
  expect(counts.login).toBeGreaterThan(half / 4)

  const ended = counts.disconnect

  // Nobody lives by the token any more.
  await app.service('authentication').revokeAccessToken(accessToken)
  expect(counts.disconnect).toBe(ended)
  expect(uncaught).toEqual([])
  expect(await call(await connect(url), 'find', 'things')).toEqual({ open: true })
}, 600_000)
