import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import {
  socketio as connectTo,
  alula as createClient,
  events as eventsOf,
  rest as restOf
} from '../../src/client.ts'
import { events } from '../../src/events.ts'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { getAdmission } from '../../src/transport/admission.ts'
import { Admission } from '../../src/utils/admission.ts'
import { readEvents } from '../support/event-stream.ts'
import { serve } from '../support/server.ts'
import { createRaw } from '../support/socketio.ts'
import { ask, createSocket } from '../support/sockets.ts'
import { until } from '../support/until.ts'

/** An application with sockets and streams; `begun` has the times at which connections began. */
async function start(connectionRate?: number, options = {}) {
  const app: any = express(alula())
    .configure(rest())
    .configure(socketio({ logger: false, ...options }))
    .configure(events())
  const begun: number[] = []

  app.set('connectionRate', connectionRate)
  app.use('notes', memory())
  app.publish(() => app.channel('all'))
  app.on('connection', (connection: object) => {
    begun.push(performance.now())
    app.channel('all').join(connection)
  })

  return { app, begun, url: await serve(app) }
}

/** So few that a second one has to wait, however long the test takes to ask. */
const SLOW_RATE = 1 / 40

const polling = { transports: ['polling', 'websocket'], reconnection: true, reconnectionDelay: 1 }

it('connections of both transports begin at a bounded rate, and their clients come back by themselves', async () => {
  const { app, begun, url } = await start(4)
  const sockets = Array.from({ length: 7 }, () => createSocket(url, polling))
  const heard: number[] = []
  const before = performance.now()

  for (const [index, socket] of sockets.entries()) {
    const client: any = createClient().configure(connectTo(socket))

    client.service('notes').on('created', () => heard.push(index))
    socket.connect()
  }
  for (let index = 7; index < 10; index++) {
    const client: any = createClient().configure(restOf(url).fetch(fetch)).configure(eventsOf())

    onTestFinished(async () => void (await client.teardown()))
    client.service('notes').on('created', () => heard.push(index))
    await client.setup()
  }

  await until(() => expect(begun).toHaveLength(10))

  // Four at once, and one more each quarter of a second. None begins earlier, however late it is noticed.
  for (const [index, time] of begun.entries()) {
    expect(time - before, `at ${index}`).toBeGreaterThanOrEqual((index - 3) * 250)
  }
  await app.service('notes').create({})
  await until(() => expect(heard.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
})

it('a handshake that has to wait is a 503 with Retry-After, over long-polling and WebSocket', async () => {
  const { url } = await start(SLOW_RATE)
  const path = `${url}/socket.io/?EIO=4&transport=`

  expect((await fetch(`${path}polling`)).status).toBe(200)

  const refused = await fetch(`${path}polling`)

  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(2)

  const socket = createSocket(url)
  const failed = new Promise<any>((resolve) => void socket.once('connect_error', resolve))

  socket.connect()
  expect((await failed).description.message).toContain('503')

  const [, response] = await once(createRaw(url).socket, 'unexpected-response')

  expect(response.statusCode).toBe(503)
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(2)
})

it('a stream that has to wait is told when to come back, and ends', async () => {
  const { begun, url } = await start(SLOW_RATE)
  const first = readEvents(await fetch(`${url}/events`))
  const response = await fetch(`${url}/events`)
  const { next } = readEvents(response)

  expect(response.status).toBe(200)
  expect(Number((await next())?.retry)).toBeGreaterThan(1000)
  expect(await next()).toBeUndefined()
  expect(begun).toHaveLength(1)
  await first.cancel()
})

it('a client obeys Retry-After, and goes by its own delay afterwards', async () => {
  let attempts = 0
  // The second one would have to wait for 600 ms, which is a second in Retry-After.
  const { app, begun, url } = await start(1.25, {
    allowRequest: (_request: unknown, decide: (error: null, isAllowed: boolean) => void) => {
      // Another connection begins right before it.
      if (++attempts === 1) getAdmission(app).take()
      decide(null, true)
    }
  })
  const socket = createSocket(url, polling)

  createClient().configure(connectTo(socket))
  socket.connect()
  await until(() => expect(begun).toHaveLength(1))
  expect(attempts).toBe(2)
  expect([socket.io.reconnectionDelay(), socket.io.reconnectionDelayMax()]).toEqual([1, 5000])
})

it('calls are answered while connections wait', async () => {
  const { app, url } = await start(1)

  await app.service('notes').create({ text: 'a' })

  const [socket, ...others] = Array.from({ length: 5 }, () => createSocket(url, polling))
  const connected = new Promise((resolve) => socket?.once('connect', () => resolve(undefined)))

  socket?.connect()
  await connected
  for (const other of others) other.connect()
  expect((await ask(socket as any, 'get', 'notes', 0, {}))[1]).toMatchObject({ text: 'a' })
  expect((await fetch(`${url}/notes`)).status).toBe(200)
})

it.each([0, -1, '100'])('%j is no rate', async (rate) => {
  const app: any = alula().configure(socketio())

  app.set('connectionRate', rate)
  await expect(app.setup()).rejects.toThrow("Invalid option 'connectionRate' of the settings")
  await app.teardown()
})

it('one that comes alone begins at once, whatever the time', () => {
  for (let now = 0; now < 1000; now += 0.37) expect(new Admission(1, () => now).take(), `at ${now}`).toBe(0)
})

it('those who wait are told different times, none of them longer than a minute', () => {
  let now = 0
  const admission = new Admission(10, () => now)
  const first = Array.from({ length: 30 }, () => admission.take())

  expect(first.slice(0, 10)).toEqual(Array(10).fill(0))
  expect(first.slice(10)).toEqual(Array.from({ length: 20 }, (_, index) => 100 + index * 100))

  for (let count = 0; count < 5000; count++) expect(admission.take()).toBeLessThanOrEqual(60_000)

  now = 100
  expect(admission.take()).toBe(0)
  expect(admission.take()).toBeGreaterThan(30_000)
})
