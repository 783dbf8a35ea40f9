import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { serve, toUrl } from '../support/server.ts'
import { call, connect, hear } from '../support/socketio.ts'
import { findPort, listen, ownUrl, things } from './server.ts'

describe('the arguments of socketio', () => {
  const port = 0
  const options = { path: '/elsewhere' }

  it.each([
    [{}],
    [{ port }],
    [{ options }],
    [{ port, options }],
    [{ configure: true }],
    [{ port, configure: true }],
    [{ options, configure: true }],
    [{ port, options, configure: true }]
  ])('are %o: all of them optional, in this order', async (given: any) => {
    const seen: unknown[] = []
    const configure = (io: Server) => seen.push(io)
    const args = [given.port, given.options, given.configure && configure].filter(
      (value) => value !== undefined
    )
    const app: any = alula()
      .configure(socketio(...(args as any)))
      .use('things', things)
    const url = await serve(app)
    const socket = await connect('port' in given ? ownUrl(app) : url, given.options)

    expect(await call(socket, 'find', 'things')).toEqual(['one'])
    expect(seen).toEqual(given.configure ? [app.io] : [])
  })

  it.each([
    ['a text', ['3030']],
    ['nothing that is written out', [null]],
    ['a port behind the options', [{}, 3030]],
    ['two ports', [3030, 3031]],
    ['options behind the function', [() => undefined, {}]],
    ['two functions', [() => undefined, () => undefined]],
    ['a text instead of the function', [3030, {}, 'configure']],
    ['one too many', [3030, {}, () => undefined, {}]]
  ])('are not %s', (_title, args: any) => {
    expect(() => (socketio as any)(...args)).toThrow(
      createTypeError(
        'ALULA_INVALID_ARGUMENT',
        'Invalid arguments of socketio: expected a port, options and a function, in this order'
      )
    )
  })
})

it('app.io is the server of Socket.IO from setup on, and a new one after teardown', async () => {
  const app: any = alula().configure(socketio())

  expect(app.io).toBeUndefined()
  await app.setup()

  const { io } = app

  expect(io).toBeInstanceOf(Server)
  expect(io.sockets.getMaxListeners()).toBe(64)
  await app.setup()
  expect(app.io).toBe(io)
  await app.teardown()
  await app.setup()
  expect(app.io).toBeInstanceOf(Server)
  expect(app.io).not.toBe(io)
  await app.teardown()
})

it('the function runs once until teardown, before the services are set up, with the application as this', async () => {
  const app: any = alula()
  const steps: unknown[] = []

  app.configure(
    socketio(function (this: unknown, io) {
      steps.push(this, io)
    })
  )
  app.use('things', { ...things, setup: async () => void steps.push('things') })
  await app.setup()
  expect(steps).toEqual([app, app.io, 'things'])
  await app.setup()
  expect(steps).toHaveLength(3)
  await app.teardown()
  await app.setup()
  expect(steps.slice(3)).toEqual([app, app.io, 'things'])
  await app.teardown()
})

it('the function runs again after it has failed', async () => {
  const steps: string[] = []
  const app: any = alula().configure(
    socketio(() => {
      if (steps.push('configure') === 1) throw new Error('broken')
    })
  )

  await expect(app.setup()).rejects.toThrow('broken')
  await app.setup()
  expect(steps).toEqual(['configure', 'configure'])
  await app.teardown()
})

it('a function that throws fails the start, and nothing of it stays', async () => {
  const app: any = alula()

  app.configure(
    socketio(() => {
      throw new Error('broken')
    })
  )

  await expect(app.listen(0)).rejects.toThrow('broken')
  expect(app.listenerCount('publish')).toBe(0)
})

it('what middleware adds to the connection is on the params of every call', async () => {
  const app: any = alula().configure(
    socketio((io) => {
      io.use((socket: any, next) => {
        socket.feathers.tenant = socket.handshake.auth.tenant
        next()
      })
    })
  )

  app.use('things', { find: async ({ tenant, connection }: any) => [tenant, connection.tenant] })

  const socket = await connect(await serve(app), { auth: { tenant: 'one' } })

  expect(await call(socket, 'find', 'things')).toEqual(['one', 'one'])
})

describe('a service that is registered after clients are connected', () => {
  it('is called by them, with methods that were not there before, and they hear its events', async () => {
    const app: any = alula().configure(socketio()).use('things', things)

    app.on('connection', (connection: any) => app.channel('all').join(connection))
    app.publish(() => app.channel('all'))

    const socket = await connect(await serve(app))

    await expect(call(socket, 'shout', 'late', {})).rejects.toMatchObject({ code: 404 })

    app.use(
      'late',
      { create: async (data: unknown) => data, shout: async ({ text }: any) => text.toUpperCase() },
      { methods: ['create', 'shout'] }
    )

    const created = hear(socket, 'late created')

    expect(await call(socket, 'shout', 'late', { text: 'a' })).toBe('A')
    expect(await call(socket, 'create', 'late', { text: 'b' })).toEqual({ text: 'b' })
    expect(await created).toEqual([{ text: 'b' }])

    // Once, however many services have a method of that name.
    let calls = 0

    app.use('later', { shout: async () => ++calls }, { methods: ['shout'] })
    expect(await call(socket, 'shout', 'later', {})).toBe(1)
    expect(await call(socket, 'shout', 'later', {})).toBe(2)
  })
})

describe('a second setup after teardown', () => {
  it('serves again, once for each call and each event', async () => {
    const app: any = alula().configure(socketio())

    app.use('things', memory({ startId: 1 }))
    app.on('connection', (connection: any) => app.channel('all').join(connection))
    app.publish(() => app.channel('all'))

    for (const id of [1, 2, 3]) {
      const server = await app.listen(0, '127.0.0.1')
      const socket = await connect(toUrl(server))
      const events: unknown[] = []

      socket.on('things created', (item) => events.push(item))
      expect(await call(socket, 'create', 'things', { text: 'a' })).toEqual({ id, text: 'a' })
      expect(await call(socket, 'find', 'things')).toHaveLength(id)
      expect(events).toEqual([{ id, text: 'a' }])
      expect(app.listenerCount('publish')).toBe(1)
      await app.teardown()
      socket.close()
    }
  })

  it('serves again on somebody’s own server, which keeps what it had', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const server = createServer((_request, response) => response.end('mine'))
    const url = await listen(server)
    const count = () =>
      Object.fromEntries(server.eventNames().map((event) => [event, server.listenerCount(event)]))
    const before = count()

    for (let round = 0; round < 3; round++) {
      await app.setup(server)

      for (const transports of [['websocket'], ['polling']]) {
        const socket = await connect(url, { transports, reconnection: false })

        expect(await call(socket, 'find', 'things')).toEqual(['one'])
      }

      await app.teardown()
      expect(count()).toEqual(before)
      expect(await (await fetch(url, { headers: { Connection: 'close' } })).text()).toBe('mine')
    }
  })

  it('closes a server of its own, and makes another', async () => {
    const port = await findPort()
    const app: any = alula().configure(socketio(port)).use('things', things)

    for (let round = 0; round < 3; round++) {
      await app.setup()
      expect((app.io.httpServer.address() as AddressInfo).port).toBe(port)
      expect(await call(await connect(`http://127.0.0.1:${port}`), 'find', 'things')).toEqual(['one'])
      await app.teardown()
    }
  })
})

it.each([
  [
    'the application itself',
    (app: any) => app.configure(socketio),
    'Call socketio: app.configure(socketio())'
  ],
  ['a list', () => socketio([] as any), 'Invalid arguments of socketio'],
  [
    'a port that is none',
    () => socketio(-1),
    "Invalid option 'port' of socketio: expected an integer from 0 to 65535, got -1"
  ],
  [
    'a size that is none',
    () => socketio({ maxHttpBufferSize: '1mb' } as any),
    `Invalid option 'maxHttpBufferSize' of socketio: expected a number of bytes, got "1mb"`
  ]
])('%s is refused with a sentence', (_title, use, message) => {
  expect(() => use(alula())).toThrow(message)
})

it('is not configured when the application is set up already', async () => {
  const app = await alula().setup()

  expect(() => app.configure(socketio())).toThrow('has to be configured before the application is set up')
})

it('what the function for the server of Socket.IO rejects with ends the set-up', async () => {
  const app = alula().configure(socketio(async () => Promise.reject(new Error('No sockets today'))))

  await expect(app.setup()).rejects.toThrow('No sockets today')
})
