import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { call, connect, hear, openPolling } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import {
  createGate,
  MOST,
  openConnected,
  openServer,
  streamOf,
  toAnswered,
  toGets,
  toRange
} from './support/traffic.ts'

// However many calls a client sends at once, a hundred of them run, and the others wait for their turn.

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
  const cycle: Record<string, unknown> = {}

  cycle.self = cycle

  const { url } = await openServer((app) =>
    app.use('things', { find: async () => cycle, get: async (id: unknown) => id })
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
  await until(() => expect(frames.at(-1)).toMatch('439999[null,"here"'))
})

it('calls that wait are dropped when their connection ends, and those that run go on', async () => {
  const gate = createGate()
  const { app, url, getConns } = await openServer((app) => app.use('things', gate.service))
  const connected = new Promise((resolve) => app.once('connection', resolve))
  const raw = await openConnected(url)
  const [{ transport }] = getConns()

  raw.send(...toGets(0, 1250))
  await until(() => expect(transport.socket.isPaused).toBe(true))
  await until(() => expect(gate.begun).toHaveLength(MOST))
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
