import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { io } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { alula as createClient, socketio as toServer } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { startProxy } from '../support/proxy.ts'
import { scaled } from '../support/scale.ts'
import { toUrl } from '../support/server.ts'
import { until } from '../support/until.ts'

interface Started {
  readonly app: any
  readonly url: string
  /** The numbers of the calls that have run. */
  readonly ran: number[]
}

/** An application whose calls take some turns, or as long as the test says. */
async function start(get: () => Promise<unknown> = async () => 'done'): Promise<Started> {
  const app: any = alula().configure(socketio({ logger: false }))
  const server: Server = createServer()
  const ran: number[] = []

  app.use('things', {
    get,
    async create({ n }: { n: number }) {
      ran.push(n)
      await new Promise(setImmediate)

      return { n }
    }
  })
  await app.setup(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await app.teardown()
    server.closeAllConnections()
    server.close()
  })

  return { app, url: toUrl(server), ran }
}

function connect(url: string, options = {}) {
  const socket = io(url, { transports: ['websocket'], forceNew: true, reconnectionDelay: 20, ...options })
  const client = createClient().configure(toServer(socket))

  onTestFinished(() => void socket.disconnect())

  return { socket, client }
}

it('no call is lost or runs twice while its server closes, and another one goes on', async () => {
  for (let round = 0; round < scaled(10); round++) {
    const [first, second] = [await start(), await start()]
    const proxy = await startProxy(first.url)
    const clients = Array.from({ length: 5 }, () => connect(proxy.url))
    const replies: number[] = []
    let count = 0
    let isOver = false

    const calls = clients.flatMap(({ client }) =>
      Array.from({ length: 4 }, async () => {
        while (!isOver) replies.push((await client.service('things').create({ n: count++ })).n)
      })
    )

    await until(() => expect(first.ran.length).toBeGreaterThan(100 + round))
    proxy.lead(second.url)
    await first.app.teardown()
    await until(() => expect(second.ran.length).toBeGreaterThan(100))
    isOver = true
    await Promise.all(calls)

    const sent = Array.from({ length: count }, (_, n) => n)

    expect(replies.sort((a, b) => a - b)).toEqual(sent)
    expect([...first.ran, ...second.ran].sort((a, b) => a - b)).toEqual(sent)
  }
})

it('a call that takes long gets its reply first, and calls after it wait for the next server', async () => {
  const done = defer<string>()
  const begun = defer()
  const first = await start(() => {
    begun.resolve()

    return done.promise
  })
  const second = await start()
  const proxy = await startProxy(first.url)
  const { client, socket } = connect(proxy.url)
  const things = client.service('things')

  await once(socket as any, 'connect')
  const slow = things.get(1)

  await begun.promise

  const told = new Promise((resolve) => socket.once('$closing', resolve))
  const closing = first.app.teardown()

  await told
  proxy.lead(second.url)

  const later = things.create({ n: 7 })

  done.resolve('slow')
  expect(await slow).toBe('slow')
  expect(await later).toEqual({ n: 7 })
  await closing
  expect(first.ran).toEqual([])
})

it('a call that cannot be sent does not keep a client', async () => {
  const [first, second] = [await start(), await start()]
  const proxy = await startProxy(first.url)
  const { client, socket } = connect(proxy.url)
  const things = client.service('things')

  await things.create({ n: 1 })
  await expect(things.create({ n: 10n })).rejects.toThrow('BigInt')

  const reasons: string[] = []

  socket.on('disconnect', (reason) => reasons.push(reason))
  proxy.lead(second.url)
  await first.app.teardown()
  expect(await things.create({ n: 2 })).toEqual({ n: 2 })
  expect(reasons).toEqual(['forced close'])
})
