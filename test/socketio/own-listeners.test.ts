// What applications do with the server of Socket.IO, in the function that they pass to `socketio()`.
import type { Server } from 'socket.io'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { call, connect, hear } from '../support/socketio.ts'

/** An application whose connections join a channel by their `room`. */
async function open(configure: (io: Server) => void): Promise<{ app: any; url: string }> {
  const app: any = alula()

  app.configure(socketio({ logger: false }, configure))
  app.use('rooms', {
    find: async ({ room, provider, headers }: any) => ({ room, provider, agent: headers['x-agent'] }),
    create: async (data: object) => data
  })
  app.service('rooms').publish(() => app.channel('a'))
  app.on('connection', (connection: any) => connection.room && app.channel(connection.room).join(connection))

  return { app, url: await serve(app) }
}

it.each<[string, (io: Server) => void]>([
  [
    'middleware that replaces the connection',
    (io) => {
      io.use((socket: any, next) => {
        socket.feathers = { ...socket.feathers, room: 'a' }
        next()
      })
    }
  ],
  [
    'middleware that puts params alone in its place',
    (io) => {
      io.use((socket: any, next) => {
        socket.feathers = { room: 'a' }
        next()
      })
    }
  ],
  [
    'a listener for sockets',
    (io) => {
      io.on('connection', (socket: any) => {
        socket.feathers.room = 'a'
      })
    }
  ]
])(
  '%s sets params of calls, which are there when the connection joins its channels',
  async (_name, configure) => {
    const { app, url } = await open(configure)
    const socket = await connect(url, { extraHeaders: { 'X-Agent': 'one' } })
    const created = hear(socket, 'rooms created')

    expect(await call(socket, 'find', 'rooms')).toEqual({ room: 'a', provider: 'socketio', agent: 'one' })
    await app.service('rooms').create({ text: 'hello' })
    expect(await created).toEqual([{ text: 'hello' }])
    socket.disconnect()
    await new Promise((resolve) => app.once('disconnect', resolve))
    expect(app.channels).toEqual([])
  }
)

it('middleware that puts an object without the login in the place of a connection takes the login away', async () => {
  const { app, url } = await open((io) => {
    io.use((socket: any, next) => {
      socket.feathers.user = { id: 1 }
      next()
    })
    io.use((socket: any, next) => {
      socket.feathers = { provider: 'socketio', headers: {} }
      next()
    })
    io.on('connection', (socket: any) => app.channel('a').join(socket.feathers))
  })
  const joined: any[] = []

  app.on('connection', (connection: any) => joined.push(connection))

  const socket = await connect(url)

  await call(socket, 'find', 'rooms')
  expect(app.channel('a').connections).toEqual(joined)
  expect(Object.keys(joined[0]).sort()).toEqual(['headers', 'provider'])
})

it('a socket that a listener turns away is in no channel', async () => {
  const connected: unknown[] = []
  const { app, url } = await open((io) => {
    io.use((socket: any, next) => {
      socket.feathers.room = 'a'
      next()
    })
    io.on('connection', (socket) => socket.disconnect())
  })

  app.on('connection', (connection: unknown) => connected.push(connection))

  const ended = new Promise((resolve) => app.once('disconnect', resolve))

  await connect(url)
  await ended
  expect(connected).toEqual([])
  expect(app.channels).toEqual([])
})
