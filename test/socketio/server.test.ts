import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { serve, toUrl } from '../support/server.ts'
import { call, connect, createClient, hear } from '../support/socketio.ts'

const things = { find: async () => ['one'] }

/** The URL of the server that the transport has made for itself. */
const ownUrl = (app: any): string => toUrl(app.io.httpServer)

/** Somebody's own server, which listens. */
async function listen(server: HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  return toUrl(server)
}

/** A port on which nothing listens any more. */
async function findPort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listen(server))

  server.close()
  await once(server, 'close')

  return Number(port)
}

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

it('the function runs in each setup before the services are set up, with the application as this', async () => {
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
  expect(steps.slice(3)).toEqual([app, app.io, 'things'])
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

describe('listen of an application without Express', () => {
  it('starts a server that is there for sockets alone', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const steps: string[] = []

    app.use('late', { ...things, setup: async () => void steps.push('set up') })

    const server = await app.listen(0, '127.0.0.1', () => steps.push('listening'))

    onTestFinished(() => app.teardown())
    expect(server.listening).toBe(true)
    expect(steps).toEqual(['set up', 'listening'])
    expect((await fetch(`${toUrl(server)}/things`)).status).toBe(404)
    expect(await call(await connect(toUrl(server)), 'find', 'things')).toEqual(['one'])
  })

  it('may be called for several servers at once, which share what is there', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const servers = await Promise.all([app.listen(0, '127.0.0.1'), app.listen(0, '127.0.0.1')])

    onTestFinished(() => app.teardown())
    expect(app.listenerCount('publish')).toBe(1)
    for (const server of servers) {
      expect(await call(await connect(toUrl(server)), 'find', 'things')).toEqual(['one'])
    }
    expect(app.io.sockets.sockets.size).toBe(2)
  })

  it('rejects on a taken port, and what was set up is torn down', async () => {
    const app: any = alula().configure(socketio())
    const steps: string[] = []
    const taken = createServer()
    const { port } = new URL(await listen(taken))

    app.use('things', { ...things, teardown: async () => void steps.push('torn down') })

    await expect(app.listen(Number(port), '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(steps).toEqual(['torn down'])
    expect(app.listenerCount('publish')).toBe(0)
  })

  it('stays what it is where there is one', () => {
    const app: any = alula()
    const own = () => undefined

    app.listen = own
    app.configure(socketio())
    expect(app.listen).toBe(own)
  })
})

describe('with Express', () => {
  it.each([
    ['before', (configure: any) => express(alula().configure(configure))],
    ['after', (configure: any) => express(alula()).configure(configure)]
  ])('configured %s it, REST and sockets share one server, and its end', async (_title, create) => {
    const app: any = create(socketio())
    const connections: unknown[] = []

    app.configure(rest())
    app.on('connection', (connection: any) => {
      connections.push(connection)
      app.channel('all').join(connection)
    })
    app.publish(() => app.channel('all'))
    app.use('things', memory({ startId: 1 }))

    const server = await app.listen(0, '127.0.0.1')
    const socket = await connect(toUrl(server))
    const created = hear(socket, 'things created')
    const response = await fetch(`${toUrl(server)}/things`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: '{"text":"by REST"}'
    })

    expect(response.status).toBe(201)
    expect(await created).toEqual([{ text: 'by REST', id: 1 }])
    expect(await call(socket, 'get', 'things', 1)).toEqual({ text: 'by REST', id: 1 })
    expect(connections).toHaveLength(1)

    const closed = hear(socket, 'disconnect')
    const wasListening: boolean[] = []

    // Sockets first: a server that waits for them would have to cut them off.
    app.on('disconnect', () => wasListening.push(server.listening))
    await app.teardown()
    expect(wasListening).toEqual([true])
    expect((await closed)[0]).toBe('transport close')
    expect(server.listening).toBe(false)
    expect(app.listenerCount('publish')).toBe(0)
  })
})

describe('a port', () => {
  it('is for a server of its own, besides the one of REST', async () => {
    const app: any = express(alula()).configure(rest()).configure(socketio(0))

    app.use('things', things)

    const server = await app.listen(0, '127.0.0.1')
    const url = toUrl(server)
    const other = ownUrl(app)

    expect(other).not.toBe(url)
    expect(await (await fetch(`${url}/things`, { headers: { Connection: 'close' } })).json()).toEqual(['one'])
    expect((await fetch(`${url}/socket.io/`, { headers: { Connection: 'close' } })).status).toBe(404)
    expect((await fetch(`${other}/things`, { headers: { Connection: 'close' } })).status).toBe(404)
    expect(await call(await connect(other), 'find', 'things')).toEqual(['one'])

    const { httpServer } = app.io

    await app.teardown()
    expect(httpServer.listening).toBe(false)
  })

  it('is listened to once, however many servers of the application are set up', async () => {
    const port = await findPort()
    const app: any = alula().configure(socketio(port)).use('things', things)

    onTestFinished(() => app.teardown())
    await app.setup()
    await app.setup(createServer())
    expect(await call(await connect(`http://127.0.0.1:${port}`), 'find', 'things')).toEqual(['one'])
  })

  it('that is taken rejects', async () => {
    const port = Number(new URL(await listen(createServer())).port)
    const app: any = alula().configure(socketio(port))

    await expect(app.listen(0)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('somebody’s own server', () => {
  it('is used by setup, and goes on to answer what it answers', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const server = createServer((_request, response) => response.end('mine'))
    const url = await listen(server)

    await app.setup(server)
    onTestFinished(() => app.teardown())

    expect(await (await fetch(url, { headers: { Connection: 'close' } })).text()).toBe('mine')
    expect(await call(await connect(url), 'find', 'things')).toEqual(['one'])
  })

  it('is left open by teardown, and connections of sockets are refused there', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const server = createServer((_request, response) => response.end('mine'))
    const url = await listen(server)

    await app.setup(server)

    const gone = hear(await connect(url, { reconnection: false }), 'disconnect')

    await app.teardown()
    await gone
    expect(server.listening).toBe(true)
    expect(await (await fetch(url, { headers: { Connection: 'close' } })).text()).toBe('mine')
    await hear(createClient(url, { reconnection: false }), 'connect_error')
  })
})

describe('a service that is registered after clients are connected', () => {
  it('is called by them, with methods that were not there before, and they hear its events', async () => {
    const app: any = alula().configure(socketio()).use('things', things)

    app.on('connection', (connection: any) => app.channel('all').join(connection))
    app.publish(() => app.channel('all'))

    const socket = await connect(await serve(app))
    let wasCalled = false

    socket.emit('shout', 'late', {}, () => {
      wasCalled = true
    })
    // Sent after the other, and so answered after it.
    await call(socket, 'find', 'things')
    expect(wasCalled).toBe(false)

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
