import { get } from 'node:http'
import { io, type Socket } from 'socket.io-client'
import { ask } from '../../support/sockets.ts'
import { all, create, everybody, keysOf, notes, published, type Script } from './script.ts'

export const connectionScripts: readonly Script[] = [
  {
    title: 'a service at the root',
    configure: (app) => {
      everybody(app)
      app.use('/', notes)
      app.publish(() => all(app))
    },
    act: async ({ send }) => {
      for (const path of ['', '/', 'other']) {
        await send(['find', path, {}])
        await send(['create', path, { n: 1 }, {}])
      }
    }
  },
  {
    title: 'a service in front of another path',
    configure: (app) => {
      app.use('a', { find: async () => 'a', get: async (id: any) => `a ${id}` })
      app.use('a/b', { find: async () => 'a/b', get: async (id: any) => `a/b ${id}` })
    },
    act: async ({ send }) => {
      await send(['find', 'a', {}])
      await send(['find', 'a/b', {}])
      await send(['get', 'a', 'b', {}])
      await send(['get', 'a/b', 'c', {}])
    }
  },
  {
    title: 'a sub-application',
    configure: (app, library) => {
      const sub = library.create()

      sub.use('notes', notes)
      app.use('sub', sub)
      everybody(app)
      app.publish(() => all(app))
    },
    act: ({ send }) => send(['create', 'sub/notes', { n: 1 }, {}])
  },
  {
    title: 'a connection',
    configure: (app) => app.use('notes', notes),
    act: ({ connections: [connection] }) => [
      connection.provider,
      typeof connection.headers.host,
      keysOf(connection)
    ]
  },
  {
    title: 'the connection is the same everywhere',
    configure: (app) => {
      app.use('notes', { find: async ({ connection }: any) => connection.mark })
    },
    act: async ({ app, connections: [connection], send }) => {
      connection.mark = 'marked'
      await send(['find', 'notes', {}])

      const [socket] = await app.io.fetchSockets()

      return [...app.io.sockets.sockets.values()][0].feathers === connection && socket.id.length > 0
    }
  },
  {
    title: 'what is on a connection is on the params',
    configure: (app) => {
      app.use('notes', {
        find: async ({ user, query, route, provider }: any) => ({ user, query, route, provider })
      })
    },
    act: async ({ connections: [connection], send }) => {
      Object.assign(connection, { user: { id: 1 }, query: { of: 'the connection' }, route: { a: 1 } })
      await send(['find', 'notes', { b: 2 }])
    }
  },
  {
    title: 'what middleware adds is on the params',
    configure: (app) => {
      app.use('notes', { find: async ({ lucky }: any) => ({ lucky }) })
    },
    configureIo: (io) =>
      io.use((socket: any, next: () => void) => {
        socket.feathers.lucky = socket.feathers.provider
        next()
      }),
    act: ({ send }) => send(['find', 'notes', {}])
  },
  {
    title: 'middleware that refuses',
    clients: 0,
    configureIo: (io) =>
      io.use((_socket: unknown, next: (error: Error) => void) =>
        next(Object.assign(new Error('Not you'), { data: { reason: 'you' } }))
      ),
    act: async ({ url, connections }) => {
      const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false })
      const error: any = await new Promise((resolve) => socket.once('connect_error', resolve))

      socket.close()

      return [error.message, error.data, connections.length]
    }
  },
  {
    title: 'listeners of the application’s own on a socket',
    configureIo: (io) =>
      io.on('connection', (socket: any) => {
        socket.on('mine', (value: unknown, answer: any) => answer('own', value))
        socket.emit('hello', { there: true })
      }),
    act: ({ send }) => send(['mine', 5])
  },
  {
    title: 'listeners of the application’s own for a method',
    configure: (app) => app.use('notes', notes),
    configureIo: (io) =>
      io.on('connection', (socket: any) => socket.on('find', () => socket.emit('seen', 'find'))),
    act: ({ send }) => send(['find', 'notes', {}])
  },
  {
    title: 'middleware of a socket changes a message',
    configure: (app) => app.use('notes', notes),
    configureIo: (io) =>
      io.on('connection', (socket: any) =>
        socket.use((packet: any[], next: () => void) => {
          if (packet[0] === 'get') packet[2] = 'changed'
          next()
        })
      ),
    act: ({ send }) => send(['get', 'notes', 1, {}])
  },
  {
    title: 'configuration comes before set-up, with the application as this',
    clients: 0,
    configure: (app) => {
      app.use('notes', {
        find: async () => [],
        setup: async function (this: any) {
          app.set('order', [...(app.get('order') ?? []), 'setup'])
        }
      })
      app.set('order', [])
    },
    configureIo: function (this: any, io: any) {
      this.set('order', [...this.get('order'), 'configure', this.io === io])
    } as any,
    act: ({ app }) => app.get('order')
  },
  {
    title: 'another path of Socket.IO',
    clients: 0,
    options: { path: '/elsewhere/' },
    configure: (app) => app.use('notes', notes),
    act: async ({ url }) => {
      const socket = io(url, { transports: ['websocket'], forceNew: true, path: '/elsewhere/' })

      await new Promise<void>((resolve) => socket.once('connect', resolve))
      socket.close()

      return 'connected'
    }
  },
  {
    title: 'a message of 200 kB',
    configure: (app) => app.use('notes', { create: async ({ text }: any) => text.length }),
    act: async ({ clients: [socket], send }) => {
      const closed = new Promise((resolve) => socket?.once('disconnect', () => resolve('closed')))
      const text = 'x'.repeat(200_000)
      const answered = send(['create', 'notes', { text }, {}]).then(() => 'answered')

      return Promise.race([answered, closed])
    }
  },
  {
    title: 'a message of 90 kB',
    configure: (app) => app.use('notes', { create: async ({ text }: any) => text.length }),
    act: ({ send }) => send(['create', 'notes', { text: 'x'.repeat(90_000) }, {}])
  },
  {
    title: 'a request that is none of Socket.IO',
    act: async ({ url, settle }) => {
      const request = get(url, { agent: false })
      const answered = new Promise((resolve) => {
        request.once('response', ({ statusCode }) => resolve(statusCode))
      })
      const status = await Promise.race([answered, settle().then(settle)])

      request.once('error', () => undefined).destroy()

      return status ?? 'no answer'
    }
  },
  {
    title: 'a service that comes after the connection, with methods that others have',
    act: async ({ app, send }) => {
      app.use('late', notes)
      await send(['find', 'late', {}])
    }
  },
  {
    title: 'a service that comes after the connection, with a method that no other has',
    act: ({ app, clients: [socket], settle }) => {
      app.use('late', { greet: async () => 'hello' }, { methods: ['greet'] })

      return Promise.race([
        ask(socket as Socket, 'greet', 'late', {}, {}).then(([, result]) => result),
        settle().then(() => 'no answer')
      ])
    }
  },
  {
    title: 'a service that is removed after the connection',
    configure: (app) => app.use('notes', notes),
    act: async ({ app, send }) => {
      await app.unuse('notes')
      await send(['find', 'notes', {}])
    }
  },
  {
    title: 'the end of a connection by the client',
    clients: 2,
    configure: everybody,
    act: async ({ app, clients: [first, second], connections, settle }) => {
      const heard: unknown[] = []
      const ended = new Promise((resolve) => app.once('disconnect', resolve))

      app.on('disconnect', (connection: any) => heard.push(connections.indexOf(connection)))
      first?.close()
      await ended
      await settle()

      return [heard, app.channel('all').length, second?.connected]
    }
  },
  {
    title: 'the end of all connections, and the names of channels',
    configure: (app) => {
      everybody(app)
      app.on('connection', (connection: any) => app.channel('one', 'two').join(connection))
    },
    act: async ({ app, clients: [socket] }) => {
      const before = app.channels
      const ended = new Promise((resolve) => app.once('disconnect', resolve))

      socket?.close()
      await ended

      return [before, app.channels]
    }
  },
  {
    title: 'the end of a connection by the application',
    clients: 2,
    configure: everybody,
    act: async ({ app, clients: [first, second], connections: [connection], settle }) => {
      const reason = new Promise((resolve) => first?.once('disconnect', resolve))
      const heard: unknown[] = []

      app.on('disconnect', (ended: any) => heard.push(ended === connection))
      app.emit('disconnect', connection)

      const shown = await reason

      await settle()

      return [shown, heard, app.channel('all').length, second?.connected]
    }
  },
  {
    title: 'an event for a connection whose end the application has announced',
    clients: 2,
    ...published((app) => app.publish(() => all(app))),
    act: async ({ app, connections: [connection], send }) => {
      app.emit('disconnect', connection)
      await send(create, 1)
    }
  },
  {
    title: 'a logout leaves all channels',
    clients: 2,
    ...published((app) => app.publish(() => app.channel('all', 'others'))),
    act: async ({ app, connections: [connection], clients: [socket], send }) => {
      app.channel('others').join(connection)
      await send(create, 1)
      app.emit('logout', {}, { connection })
      await send(create, 1)

      return [socket?.connected, app.channels, app.channel('all').length]
    }
  },
  {
    title: 'a logout without a connection',
    ...published((app) => app.publish(() => all(app))),
    act: async ({ app, send }) => {
      app.emit('logout', {}, {})
      await send(create)
    }
  }
]
