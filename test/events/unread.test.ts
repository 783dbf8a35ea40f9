import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { events } from '../../src/events.ts'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { startServer } from '../../src/node/listen.ts'
import { toListener } from '../../src/node.ts'

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
    const closers: (() => Promise<void>)[] = []

    setUp(app)

    const server = await startServer(app, createServer(toListener(app)), [0, '127.0.0.1'], closers)

    return { app, server, close: () => (closers.pop() as () => Promise<void>)() }
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
    app.use('things', memory())
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
