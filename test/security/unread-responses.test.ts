import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, readWords, toGets, toRange } from '../node/pipelines.ts'
import { choose } from '../support/choose.ts'
import { type RunningProgram, runProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

// What clients do not read is bounded in bytes, of each connection and of all: it cannot end a process with a small heap.

/** In megabytes; without the bounds, the responses below take more than a gigabyte. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=192' }

const MB = 1_000_000

/** A service with pages of a megabyte, and one that says that the process is there. */
const APP = `
  import { createServer } from 'node:http'
  import { alula } from 'alula'

  const rows = Array.from({ length: 1000 }, (_, id) => ({ id, text: 'x'.repeat(980) }))
  const print = (server) => console.log('port ' + server.address().port)
  const makeServices = (app) => app
    .use('alive', { find: async () => ({ alive: true }) })
    .use('pages', {
      async get(id) {
        await new Promise(setImmediate)
        const page = rows.map((row) => ({ ...row }))
        page[0].id = id

        return page
      }
    })
`

/** The servers, as programs that say on which port they listen. */
const SERVERS: { readonly [name: string]: string } = {
  'app.listen of Express': `
    import express, { rest } from 'alula/express'
    ${APP}
    print(await makeServices(express(alula()).configure(rest())).listen(0, '127.0.0.1'))
  `,
  'a server with the middleware of Express': `
    import express from 'express'
    import { toMiddleware } from 'alula/express'
    ${APP}
    const app = makeServices(alula())
    await app.setup()
    const server = express().use(toMiddleware(app)).listen(0, '127.0.0.1', () => print(server))
  `,
  'a server with the callback of Koa': `
    import { koa, rest } from 'alula/koa'
    ${APP}
    const app = makeServices(koa(alula()).configure(rest()))
    await app.setup()
    const server = createServer(app.callback()).listen(0, '127.0.0.1', () => print(server))
  `,
  'a server with a listener': `
    import { toListener } from 'alula/node'
    ${APP}
    const app = makeServices(alula())
    await app.setup()
    const server = createServer(toListener(app)).listen(0, '127.0.0.1', () => print(server))
  `
}

async function start(code: string): Promise<{ port: number; program: RunningProgram }> {
  const program = runProgram(code, HEAP)

  return { port: Number((await program.waitFor('port ')).split(' ')[1]), program }
}

/** Whether the process responds, many times: what it has to do for others goes on between them. */
async function expectAlive(port: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    const response = await fetch(`http://127.0.0.1:${port}/alive`)

    expect(await response.json()).toEqual({ alive: true })
  }
}

const toPages = (count: number) => toGets(count).replaceAll('GET /', 'GET /pages/')

it.each(choose(Object.entries(SERVERS), 2))(
  '24 connections that ask for 100 pages of 1 MB and read nothing, and one that reads: %s',
  async (_name, code) => {
    const { port } = await start(code)
    const clients = toRange(24).map(() => createClient(port, toPages(100)))

    await expectAlive(port)

    const words = await readWords(createClient(port, toPages(100)), 100)

    expect(words.map((word) => word.split(',')[0])).toEqual(toRange(100).map((id) => `[{"id":"${id}"`))
    await expectAlive(port)
    expect(clients.every((client) => !client.destroyed)).toBe(true)
  }
)

it('of connections with more than a quarter of the heap, those that wait longest are closed', async () => {
  const { port } = await start(
    (SERVERS['a server with a listener'] as string).replace("'x'.repeat(980)", "'x'.repeat(9980)")
  )
  const clients: Socket[] = []

  // More than the operating system takes, one after another so that the first ones wait longest.
  for (let n = 0; n < 40; n++) {
    clients.push(createClient(port, toPages(1)))
    await fetch(`http://127.0.0.1:${port}/alive`)
  }

  await expectAlive(port)
  expect(await readWords(clients.at(-1) as Socket, 1)).toHaveLength(1)
  // The part that had left is read, and then the end.
  await until(() => {
    clients[0]?.resume()
    expect(clients[0]?.destroyed).toBe(true)
  })
  expect(clients[0]?.bytesRead).toBeLessThan(10 * MB)
})

it('ten sockets that call 100 times for 1 MB and read nothing, and one that reads', async () => {
  const { port } = await start(`
    import { socketio } from 'alula/socketio'
    ${APP}
    import express, { rest } from 'alula/express'
    const app = makeServices(express(alula()).configure(rest()).configure(socketio()))
    print(await app.listen(0, '127.0.0.1'))
  `)
  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`)
    const replies: number[] = []

    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('40')
    await new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const start = (data as Buffer).toString('latin1', 0, 10)

        if (start.startsWith('40')) resolve()
        if (start.startsWith('43')) replies.push(Number.parseInt(start.slice(2), 10))
      })
    })

    return { socket, replies }
  }
  const ask = ({ socket }: { socket: WebSocket }) => {
    for (let id = 0; id < 100; id++) socket.send(`42${id}["get","pages",${id}]`)
  }

  const unread = await Promise.all(toRange(10).map(open))

  for (const client of unread) {
    client.socket.pause()
    ask(client)
  }

  await expectAlive(port)

  const reader = await open()

  ask(reader)
  await until(() => expect(reader.replies).toHaveLength(100))
  await expectAlive(port)

  const [late] = unread as [typeof reader]

  late.socket.resume()
  await until(() => expect(late.replies).toHaveLength(100))
  for (const { socket } of [...unread, reader]) socket.terminate()
})
