import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { defer } from '../support/deferred.ts'
import { call, connect, hear, open, openPolling, openRaw, type RawSocket } from '../support/socketio.ts'
import { until } from '../support/until.ts'

// A client that sends, or listens, and does not read what it is sent costs no more than a bounded part of the memory.

/** How many calls of a connection may be under way at once. */
const MOST = 100
const MB = 1_000_000

/** A service whose calls wait until the test lets them go on. */
function createGate() {
  const opened = defer()
  const begun: unknown[] = []
  const done: unknown[] = []

  return {
    begun,
    done,
    open: () => opened.resolve(),
    service: {
      get: async (id: unknown) => {
        begun.push(id)
        await opened.promise
        done.push(id)

        return id
      },
      find: async () => 'here'
    }
  }
}

/** Opens an application, and says what it is connected to. */
async function openServer(configure: (app: any) => void, options = {}) {
  const { app, url } = await open((app: any) => {
    app.on('connection', (connection: any) => app.channel('all').join(connection))
    configure(app)
  }, options)
  const getConns = (): any[] => Object.values(app.io.engine.clients)

  return { app: app as any, url, getConns }
}

/** A WebSocket that is connected to the services. */
async function openConnected(url: string): Promise<RawSocket> {
  const raw = await openRaw(url)

  raw.send('40')
  await raw.receive('40{')

  return raw
}

/** The stream under a WebSocket, to stop reading and to go on. */
const streamOf = ({ socket }: RawSocket) => (socket as any)._socket

const toGets = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, n) => `42${first + n}["get","things",${first + n}]`)

const toRange = (length: number) => Array.from({ length }, (_, n) => n)

/** The ids of the calls that are answered, in the order of the answers. */
const toAnswered = ({ received }: RawSocket) =>
  received.flatMap((frame) =>
    String(frame).startsWith('43') ? Number.parseInt(String(frame).slice(2), 10) : []
  )

it('a hundred calls of a connection run at once, and the others in the order in which they came', async () => {
  const gate = createGate()
  const { url, getConns } = await openServer((app) => app.use('things', gate.service))
  const raw = await openConnected(url)
  const [{ transport }] = getConns()

  raw.send(...toGets(0, 1250))
  await until(() => expect(transport.socket.isPaused).toBe(true))
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(gate.begun).toEqual(toRange(MOST))
  gate.open()
  await until(() => expect(toAnswered(raw)).toEqual(toRange(1250)))
  expect(gate.begun).toEqual(toRange(1250))
  expect(transport.socket.isPaused).toBe(false)
})

it('a client that does not read its answers gets nothing more done, and all of them when it reads', async () => {
  const calls = 250
  let begun = 0
  const { app, url, getConns } = await openServer((app) =>
    app.use('things', { get: async () => [begun++, 'x'.repeat(MB)], find: async () => 'here' })
  )
  const raw = await openConnected(url)
  const [conn] = getConns()
  let most = 0

  conn.on('packetCreate', () => {
    most = Math.max(most, conn.writeBuffer.length)
  })
  streamOf(raw).pause()
  raw.send(...toGets(0, calls))
  // What keeps a connection without anything being read.
  raw.send('3', '3', '3')

  const other = await connect(url)

  await until(() => expect(begun).toBeGreaterThanOrEqual(MOST))
  for (let round = 0; round < 100; round++) await call(other, 'find', 'things')

  // Besides the hundred those few that are in the buffers of the operating system.
  expect(begun).toBeLessThan(MOST + 30)
  expect(most).toBeLessThanOrEqual(MOST)
  expect(app.io.engine.clientsCount).toBe(2)
  streamOf(raw).resume()
  await until(() => expect(toAnswered(raw)).toHaveLength(calls))
  expect(toAnswered(raw)).toEqual(toRange(calls))
  expect(begun).toBe(calls)
})

it('a client that does not read gets no new places by leaving the services and coming back', async () => {
  const gate = createGate()
  const { app, url } = await openServer((app) => app.use('things', gate.service))
  const raw = await openConnected(url)

  const left = new Promise((resolve) => app.once('disconnect', resolve))

  raw.send(...toGets(0, MOST))
  await until(() => expect(gate.begun).toHaveLength(MOST))
  raw.send('41')
  await left

  const returned = new Promise((resolve) => app.once('connection', resolve))

  raw.send('40')
  await returned
  raw.send('42["get","things",1000]')
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(gate.begun).toEqual(toRange(MOST))
  gate.open()
  await until(() => expect(gate.begun.at(-1)).toBe(1000))
})

it('calls of methods that no service has wait for their turn too', async () => {
  const gate = createGate()
  const { url } = await openServer((app) => app.use('things', gate.service))
  const raw = await openConnected(url)

  raw.send(...toGets(0, MOST))
  await until(() => expect(gate.begun).toHaveLength(MOST))
  raw.send('42500["fly","things"]')
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(toAnswered(raw)).toEqual([])
  gate.open()
  expect(await raw.receive('43500')).toContain('"code":405')
  expect(toAnswered(raw)).toEqual([...toRange(MOST), 500])
})

it('calls without an answer take a place for as long as they run', async () => {
  const gate = createGate()
  const { url } = await openServer((app) => app.use('things', gate.service))
  const raw = await openConnected(url)

  raw.send(...toGets(0, 250).map((frame) => frame.replace(/^42\d+/, '42')))
  await until(() => expect(gate.begun).toHaveLength(MOST))
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(gate.begun).toHaveLength(MOST)
  gate.open()
  await until(() => expect(gate.done).toEqual(toRange(250)))
})

it('answers that cannot be sent leave their place', async () => {
  const { url } = await openServer((app) =>
    app.use('things', { find: async () => 10n, get: async (id: unknown) => id })
  )
  const socket = await connect(url)
  const errors = toRange(3 * MOST).map(() => call(socket, 'find', 'things').catch(({ code }) => code))

  expect(new Set(await Promise.all(errors))).toEqual(new Set([500]))
  expect(await call(socket, 'get', 'things', 1)).toBe(1)
})

it('five thousand calls at once are all answered', async () => {
  const { url } = await openServer((app) => app.use('things', { get: async (id: unknown) => id }))
  const socket = await connect(url)
  const answers: unknown[] = []

  await Promise.all(
    toRange(5000).map((id) => call(socket, 'get', 'things', id).then((answer) => answers.push(answer)))
  )
  expect(answers).toEqual(toRange(5000))
})

it('by long-polling ten thousand calls may wait, and one more closes the connection', async () => {
  const gate = createGate()
  const { app, url } = await openServer((app) => app.use('things', gate.service))
  const client = await openPolling(url)

  for (let first = 0; first < 10_000; first += 2500) {
    await client.post(toGets(first, first + 2500).join('\u001e'))
  }

  await client.post(toGets(10_000, 10_000 + MOST).join('\u001e'))
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(app.channel('all').length).toBe(2)
  await client.post('4220000["get","things",20000]')
  await until(() => expect(app.channel('all').length).toBe(1))
  expect(app.io.engine.clientsCount).toBe(1)
  gate.open()
  await until(() => expect(gate.done).toEqual(toRange(MOST)))
  expect(gate.begun).toEqual(toRange(MOST))
})

it('by long-polling a client that does not come back for its answers gets nothing more done', async () => {
  let begun = 0
  const { url } = await openServer((app) =>
    app.use('things', { get: async (id: unknown) => [begun++, id], find: async () => 'here' })
  )
  const client = await openPolling(url)

  await client.post(toGets(0, 300).join('\u001e'))
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(begun).toBe(MOST)

  const answers: string[] = []

  while (answers.length < 300) answers.push(...(await client.poll()).split('\u001e'))

  expect(answers).toEqual(toRange(300).map((id) => `43${id}[null,[${id},${id}]]`))
})

it('a connection that becomes a WebSocket while calls wait goes on', async () => {
  const gate = createGate()
  const { url, getConns } = await openServer((app) => app.use('things', gate.service))
  const address = `${url}/socket.io/?EIO=4&transport=polling`
  const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1))
  const post = (body: string) => fetch(`${address}&sid=${sid}`, { method: 'POST', body })

  await post('40')
  await fetch(`${address}&sid=${sid}`)
  await post(toGets(0, 150).join('\u001e'))
  await until(() => expect(gate.begun).toHaveLength(MOST))

  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&sid=${sid}`)
  const frames: string[] = []
  const opened = hear(socket as any, 'open')

  onTestFinished(() => socket.terminate())
  socket.on('message', (data) => frames.push(String(data)))
  await opened
  socket.send('2probe')
  await until(() => expect(frames).toEqual(['3probe']))
  socket.send('5')
  for (const frame of toGets(150, 1250)) socket.send(frame)
  await until(() => expect(getConns()[0].transport.socket?.isPaused).toBe(true))
  gate.open()
  await until(() => expect(frames.filter((frame) => frame.startsWith('43'))).toHaveLength(1250))
  socket.send('429999["find","things"]')
  await until(() => expect(frames.at(-1)).toBe('439999[null,"here"]'))
})

it('calls that wait are dropped when their connection ends, and those that run go on', async () => {
  const gate = createGate()
  const { app, url, getConns } = await openServer((app) => app.use('things', gate.service))
  const connected = new Promise((resolve) => app.once('connection', resolve))
  const raw = await openConnected(url)
  const [{ transport }] = getConns()

  raw.send(...toGets(0, 1250))
  await until(() => expect(transport.socket.isPaused).toBe(true))
  app.emit('disconnect', await connected)
  await raw.closed
  gate.open()
  await until(() => expect(gate.done).toEqual(toRange(MOST)))
  for (let turns = 0; turns < 10; turns++) await turn()
  expect(gate.begun).toEqual(toRange(MOST))

  const polling = await openPolling(url)

  gate.begun.length = 0
  await polling.post([...toGets(0, 150), '1'].join('\u001e'))
  await until(() => expect(app.channel('all').length).toBe(0))
  expect(gate.begun.length).toBeLessThanOrEqual(MOST)
})

it('a client that only waits is closed when it does not answer pings, and its calls are dropped', async () => {
  const gate = createGate()
  const { app, url } = await openServer((app) => app.use('things', gate.service), {
    pingInterval: 50,
    pingTimeout: 50
  })
  const raw = await openConnected(url)

  streamOf(raw).pause()
  raw.send(...toGets(0, 150))
  await until(() => expect(app.channel('all').length).toBe(0))
  gate.open()
  await until(() => expect(gate.done).toEqual(toRange(MOST)))
  expect(gate.begun).toEqual(toRange(MOST))
})

it('a listener that does not read is closed at 64 MB of events, and others get them all', async () => {
  const count = 200
  const { app, url } = await openServer((app) => {
    app.use('things', { create: async ({ n }: any) => ({ n, text: 'x'.repeat(MB) }) })
    app.service('things').publish(() => app.channel('all'))
  })
  const deaf = await openConnected(url)
  const socket = await connect(url)
  const heard: number[] = []
  let sent = 0
  let closedAfter = 0

  app.once('disconnect', () => {
    closedAfter = sent
  })
  socket.on('things created', ({ n }) => heard.push(n))
  streamOf(deaf).pause()

  for (; sent < count; sent++) {
    await app.service('things').create({ n: sent })
    await until(() => expect(heard).toHaveLength(sent + 1))
  }

  expect(heard).toEqual(toRange(count))
  expect(closedAfter).toBeGreaterThan(64)
  // One batch is with the WebSocket, and some are with the operating system.
  expect(closedAfter).toBeLessThan(100)
  expect(app.channel('all').length).toBe(1)
  expect(app.io.engine.clientsCount).toBe(1)
  streamOf(deaf).resume()
  await deaf.closed
})

it('a burst of 50 MB of events at once closes no client that reads', async () => {
  const { app, url } = await openServer((app) => {
    app.use('things', { create: async ({ n }: any) => ({ n, text: 'x'.repeat(MB) }) })
    app.service('things').publish(() => app.channel('all'))
  })
  const socket = await connect(url)
  const heard: number[] = []

  socket.on('things created', ({ n }) => heard.push(n))

  for (let burst = 1; burst <= 3; burst++) {
    await Promise.all(toRange(50).map((n) => app.service('things').create({ n })))
    await until(() => expect(heard).toHaveLength(50 * burst))
  }
})

it('answers are no events: many large ones close nothing', async () => {
  const { app, url, getConns } = await openServer((app) => {
    app.use('things', { get: async () => 'x'.repeat(2 * MB), create: async () => ({}) })
    app.service('things').publish(() => app.channel('all'))
  })
  const raw = await openConnected(url)

  streamOf(raw).pause()
  raw.send(...toGets(0, 90))
  await until(() => expect(getConns()[0].writeBuffer.length).toBeGreaterThan(40))
  await app.service('things').create({})
  await app.service('things').create({})
  streamOf(raw).resume()
  await until(() => expect(toAnswered(raw)).toHaveLength(90))
})

it('what Socket.IO itself answers is bounded, for a client that is connected to no services', async () => {
  const { app, url } = await openServer(() => undefined)
  const raw = await openRaw(url)
  const isOver = () => app.io.engine.clientsCount === 0

  streamOf(raw).pause()

  for (let sent = 0; sent < 1_000_000 && !isOver(); sent += 10_000) {
    for (let n = 0; n < 10_000; n++) raw.socket.send('40/x,')
    await until(() => expect(raw.socket.bufferedAmount === 0 || isOver()).toBe(true))
  }

  expect(isOver()).toBe(true)
}, 120_000)

it('what a WebSocket itself answers is bounded, for a client that sends pings of its protocol', async () => {
  const { app, url, getConns } = await openServer((app) =>
    app.use('things', { get: async () => 'x'.repeat(60 * MB) })
  )
  const raw = await openConnected(url)
  const [{ transport }] = getConns()
  const isOver = () => app.io.engine.clientsCount === 0
  const payload = Buffer.alloc(125)

  // Most of what may wait is a response already, so that few pings add the rest.
  streamOf(raw).pause()
  raw.send(...toGets(0, 1))
  await until(() => expect(transport.socket.bufferedAmount).toBeGreaterThan(40 * MB))
  expect(isOver()).toBe(false)

  for (let sent = 0; sent < 1_000_000 && !isOver(); sent += 10_000) {
    for (let n = 0; n < 10_000; n++) raw.socket.ping(payload)
    await until(() => expect(raw.socket.bufferedAmount === 0 || isOver()).toBe(true))
  }

  expect(isOver()).toBe(true)
}, 120_000)
