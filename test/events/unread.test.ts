import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { events } from '../../src/events.ts'
import express, { rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { startServer } from '../../src/node/listen.ts'
import { type Closers, closeAll } from '../../src/node/shutdown.ts'
import { toListener } from '../../src/node.ts'
import { readEvents, type SentEvent } from '../support/event-stream.ts'
import { toUrl } from '../support/server.ts'
import { until } from '../support/until.ts'

interface Served {
  readonly app: any
  readonly server: Server
  close(): Promise<unknown>
}

const SERVERS: { readonly [name: string]: (setUp: (app: any) => void) => Promise<Served> } = {
  async Express(setUp) {
    const app: any = express(alula()).configure(rest())

    setUp(app)

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async Koa(setUp) {
    const app: any = koa(alula()).configure(koaRest())

    setUp(app)

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async 'a server of Node'(setUp) {
    const app: any = alula()
    const closers: Closers = new Set()

    setUp(app)

    const server = await startServer(app, createServer(toListener(app)), [0, '127.0.0.1'], closers)

    return { app, server, close: () => closeAll(closers) }
  }
}

/** A client that reads the head of a stream, and then nothing. */
async function openUnread(server: Server): Promise<Socket> {
  const { port } = server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')

  onTestFinished(() => void socket.destroy())
  socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  socket.pause()

  return socket
}

/** Publishes an event of some bytes, and lets the server send it. */
async function publish(app: any, bytes: number): Promise<void> {
  await app.service('things').create({ text: 'x'.repeat(bytes) })
  await new Promise(setImmediate)
}

/** Starts a server whose streams hold little. */
function startStreams(name: string): Promise<Served> {
  return (SERVERS[name] as (typeof SERVERS)[string])((app) => {
    app.use('things', memory({ multi: true }))
    app.on('connection', (connection: any) => app.channel('all').join(connection))
    app.publish(() => app.channel('all'))
    app.configure(events({ maxUnsentBytes: 100_000 }))
  })
}

it.each(Object.keys(SERVERS))(
  '%s: a client that does not read its events is disconnected when too many wait',
  async (name) => {
    const { app, server, close } = await startStreams(name)
    const connection = once(server, 'connection')

    await openUnread(server)

    const [socket] = (await connection) as [Socket]

    // The operating system takes some megabytes.
    while (!socket.destroyed) await publish(app, 1_000_000)
    await close()
  }
)

it('a client that does not read its events does not hold up the end', async () => {
  const { app, server, close } = await startStreams('a server of Node')
  const connection = once(server, 'connection')

  await openUnread(server)

  const [socket] = (await connection) as [Socket]

  while (socket.writableLength === 0) await publish(app, 50_000)
  await close()
  expect(socket.destroyed).toBe(true)
}, 15_000)

/** Starts a server with forty events of 20 kB, the last ten of one call, and a client that has missed these. */
async function startMissed() {
  const served = await startStreams('a server of Node')
  const url = `${toUrl(served.server)}/events`
  const first = readEvents(await fetch(url))
  const toThing = () => ({ text: 'x'.repeat(20_000) })

  await served.app.service('things').create({})

  const { id = '' } = (await first.find('event')) as SentEvent

  await first.cancel()
  for (let n = 0; n < 30; n++) await served.app.service('things').create(toThing())
  await served.app.service('things').create(Array.from({ length: 10 }, toThing))

  return { ...served, position: id, resume: () => fetch(url, { headers: { 'Last-Event-ID': id } }) }
}

/** The ids of the records of all events up to a number, which the client reads as they come. */
async function readIds(response: Response, count: number): Promise<number[]> {
  const { find, cancel } = readEvents(response)
  const ids: number[] = []

  for (let event = await find('event'); event; event = await find('event')) {
    ids.push(JSON.parse(event.data as string).id)
    if (ids.length === count) break
  }

  await cancel()

  return ids
}

const MISSED = Array.from({ length: 40 }, (_, index) => index + 1)

it('a client that reads gets all that it missed in one stream, though that is more than may wait', async () => {
  const { resume, close } = await startMissed()

  expect(await readIds(await resume(), 40)).toEqual(MISSED)
  await close()
})

it('clients that do not read what they missed hold up no other, and get it once they read', async () => {
  const { app, resume, position, close } = await startMissed()
  const handle = createHandler(app)
  // More than may get what they missed at a time.
  const unread = await Promise.all(
    Array.from({ length: 20 }, () =>
      handle(new Request('http://localhost/events', { headers: { 'Last-Event-ID': position } }))
    )
  )

  expect(await readIds(await resume(), 40)).toEqual(MISSED)
  expect(await readIds(unread[0] as Response, 40)).toEqual(MISSED)
  await until(() => expect(app.channel('all').length).toBe(19))
  await unread[1]?.body?.cancel()
  expect(app.channel('all').length).toBe(18)
  await close()
  expect(app.channel('all').length).toBe(0)
  expect((await readIds(unread[2] as Response, 40)).length).toBeLessThan(10)
})

it('a sign of life does not close a stream in which bytes wait', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })

  const { app, position, close } = await startMissed()
  const headers = { 'Last-Event-ID': position }
  const response = await createHandler(app)(new Request('http://localhost/events', { headers }))

  // By then as much waits as may.
  await new Promise(setImmediate)
  vi.advanceTimersByTime(60_000)
  expect(await readIds(response, 40)).toEqual(MISSED)
  await close()
})
