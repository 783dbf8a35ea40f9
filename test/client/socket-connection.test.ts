import { io } from 'socket.io-client'
import { describe, expect, it } from 'vitest'
import { alula, authentication, rest, SocketService, socketio } from '../../src/client.ts'
import { alula as ourAlula } from '../../src/index.ts'
import { socketio as ourSocketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { createSocket, hear } from './servers.ts'

it('a connection needs a socket', () => {
  expect(() => (socketio as any)()).toThrow('Socket.io connection needs to be provided')
})

it('an application has one connection', () => {
  const socket = io('http://127.0.0.1:59998', { autoConnect: false })
  const app = alula().configure(socketio(socket))
  const other = alula().configure(rest('').fetch(fetch))

  expect(app.io).toBe(socket)
  for (const again of [socketio(socket), rest('').fetch(fetch)]) {
    expect(() => app.configure(again)).toThrow('Only one default client provider can be configured')
    expect(() => other.configure(again)).toThrow('Only one default client provider can be configured')
  }
})

it('services of a socket can be had without an application', () => {
  const socket = io('http://127.0.0.1:59998', { autoConnect: false })
  const connection = socketio(socket)
  const things = connection.service('/things/')

  expect(connection.Service).toBe(SocketService)
  expect(things).toBeInstanceOf(SocketService)
  expect(things).toMatchObject({
    path: 'things',
    connection: socket,
    events: ['created', 'updated', 'patched', 'removed']
  })
})

it('what the socket does not have is an error, by its name', () => {
  const things: any = socketio(io('http://127.0.0.1:59998', { autoConnect: false })).service('things')

  for (const method of ['addListener', 'eventNames', 'getMaxListeners', 'listenerCount', 'prependListener']) {
    expect(() => things[method]('created')).toThrow(
      `Can not call '${method}' on the client service connection`
    )
  }
})

it('a service of a socket publishes nothing', () => {
  const app = alula().configure(socketio(io('http://127.0.0.1:59998', { autoConnect: false })))

  expect(() => app.service('things').publish(() => null)).toThrow('A client service publishes nothing')
  expect(() => app.service('other').hooks({})).not.toThrow()
})

describe('a socket that was refused for good', () => {
  it('rejects calls with the reason, also those that come later and those with a time limit', async () => {
    const app: any = ourAlula().configure(
      ourSocketio({ logger: false }, (server) => server.use((_socket, next) => next(new Error('Not today'))))
    )

    app.use('things', { find: async () => [] })

    const url = await serve(app)
    const socket = createSocket(url)
    const patient = alula().configure(socketio(socket)).service('things')

    await expect(patient.find()).rejects.toMatchObject({ name: 'Unavailable', message: 'Not today' })
    await expect(patient.find()).rejects.toThrow('Not today')

    const hasty = alula()
      .configure(socketio(socket, { timeout: 5000 }))
      .service('things')

    socket.connect()
    await hear(socket, 'connect_error')
    await expect(hasty.find()).rejects.toThrow('Not today')
  })
})

it.each([
  ['a URL', () => socketio('http://localhost' as any), 'Socket.io connection needs to be provided'],
  ['a time limit that is none', () => socketio({ emit() {} } as any, { timeout: '5s' as any }), "'timeout'"],
  ['a URL that is none', () => rest(3030 as any), 'rest expects the URL of a server, got a number'],
  [
    'a storage that is none',
    () => authentication({ storage: 'localStorage' as any }),
    "Invalid option 'storage'"
  ]
])('%s is refused with a sentence', (_title, use, message) => {
  expect(use).toThrow(message)
})
