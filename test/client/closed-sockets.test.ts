import { Manager, type Socket } from 'socket.io-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alula, authentication, MemoryStorage, socketio } from '../../src/client.ts'
import { Unavailable } from '../../src/errors.ts'
import { serverNames, start } from './login.ts'
import { createSocket, EMAIL, failure, hear, LOGIN, socketServers } from './servers.ts'

const CLOSED = 'The socket is closed, and does not connect by itself: call its connect()'

/** A client with and without a time limit of its own. */
const limits = [undefined, 60_000]

function configureServices(app: any): void {
  app.use('things', { get: async (id: any) => ({ id }), find: () => new Promise(() => {}) })
}

function connect(socket: Socket, timeout?: number): any {
  return alula()
    .configure(socketio(socket, { timeout } as any))
    .service('things')
}

/** Ends the connections of a server as a network that breaks down does. */
function breakDown(server: any): void {
  for (const socket of server.io.sockets.sockets.values()) socket.conn.close()
}

describe.each(Object.entries(socketServers))('a call over a closed socket with %s', (_name, serve) => {
  it.each(limits)('is refused when the page has closed it, with a time limit of %s', async (timeout) => {
    const { url } = await serve(configureServices)
    const socket = createSocket(url)
    const things = connect(socket, timeout)

    expect(await things.get(1)).toEqual({ id: 1 })
    socket.disconnect()

    const error = await failure(things.get(1))

    expect(error).toBeInstanceOf(Unavailable)
    expect(error.message).toBe(CLOSED)

    socket.connect()
    expect(await things.get(1)).toEqual({ id: 1 })
  })

  it.each(limits)('is refused when the server has closed it, with a time limit of %s', async (timeout) => {
    const { app: server, url } = await serve(configureServices)
    const socket = createSocket(url)
    const things = connect(socket, timeout)

    await things.get(1)

    const lost = hear(socket, 'disconnect')

    server.io.disconnectSockets()
    await lost

    expect((await failure(things.get(1))).message).toBe(CLOSED)
  })

  it.each(limits)('is refused when it does not connect again, with a time limit of %s', async (timeout) => {
    const { app: server, url } = await serve(configureServices)
    const socket = createSocket(url, { reconnection: false })
    const things = connect(socket, timeout)

    await things.get(1)

    const lost = hear(socket, 'disconnect')

    breakDown(server)
    await lost

    expect((await failure(things.get(1))).message).toBe(CLOSED)
    socket.connect()
    expect(await things.get(1)).toEqual({ id: 1 })
  })

  it('waits for a connection that is lost, also from a listener of that', async () => {
    const { app: server, url } = await serve(configureServices)
    const socket = createSocket(url)
    const things = connect(socket)

    await things.get(1)

    const found = new Promise((resolve) => socket.once('disconnect', () => resolve(things.get(2))))

    breakDown(server)
    expect(await found).toEqual({ id: 2 })
  })

  it('waits for a socket that the page opens later', async () => {
    const { url } = await serve(configureServices)
    const socket = createSocket(url, { autoConnect: false })
    const pending = [connect(socket).get(1), connect(socket, 60_000).get(2)]

    socket.connect()

    expect(await Promise.all(pending)).toEqual([{ id: 1 }, { id: 2 }])
  })
})

describe('a call that waits for a connection', () => {
  const NOWHERE = 'http://127.0.0.1:59998'

  it('is refused when no further connection is tried', async () => {
    for (const options of [{ reconnection: false }, { reconnectionAttempts: 2, reconnectionDelay: 5 }]) {
      const socket = createSocket(NOWHERE, options)
      const things = connect(socket)
      const first = new Promise((resolve) =>
        socket.once('connect_error', () => resolve(failure(things.get(2))))
      )

      expect((await failure(things.get(1))).message).toBe(CLOSED)
      expect(await first).toBeInstanceOf(Unavailable)
      expect((await failure(things.get(3))).message).toBe(CLOSED)
    }
  })

  it('is refused when the page closes the socket', async () => {
    const socket = createSocket(NOWHERE)
    const pending = failure(connect(socket).get(1))

    await hear(socket, 'connect_error')
    socket.disconnect()

    expect((await pending).message).toBe(CLOSED)
    expect((await failure(connect(socket).get(1))).message).toBe(CLOSED)
  })

  it('is refused when the page closes one of several sockets', async () => {
    const { url } = await (socketServers['our server'] as any)(configureServices)
    const manager = new Manager(url, { transports: ['websocket'] })
    const [socket, other] = [manager.socket('/'), manager.socket('/other')]

    onTestFinished(() => void [socket, other].map((each) => each.close()))
    await connect(socket).get(1)
    socket.disconnect()

    expect((await failure(connect(socket).get(1))).message).toBe(CLOSED)
  })
})

describe.each(serverNames)('a client that is logged in, with %s', (name) => {
  async function logIn(options: any = {}) {
    const { server, url } = await start(name, 'sockets')
    const socket = createSocket(url, options)
    const app = alula()
      .configure(socketio(socket))
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.authenticate(LOGIN)

    return { app, server, socket }
  }

  it('refuses calls while the page has closed the socket, and logs in when it is opened again', async () => {
    const { app, socket } = await logIn()

    socket.disconnect()

    expect(await failure(app.service('notes').find())).toMatchObject({ name: 'Unavailable', message: CLOSED })
    expect(await failure(app.logout())).toMatchObject({ name: 'Unavailable', message: CLOSED })
    expect(socket.sendBuffer).toEqual([])

    socket.connect()
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('waits with calls while it delays the next connection to a server that closes it', async () => {
    const { app, server, socket } = await logIn({ reconnectionDelayMax: 300 })

    for (const _time of [1, 2]) {
      const lost = hear(socket, 'disconnect')

      server.io.disconnectSockets()
      await lost
      expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    }
  })

  it('refuses calls that wait for the connection when the page closes the socket', async () => {
    const { app, server, socket } = await logIn({ reconnectionDelay: 60_000, reconnectionDelayMax: 60_000 })
    const lost = hear(socket, 'disconnect')

    breakDown(server)
    await lost

    const pending = failure(app.service('notes').find())

    socket.disconnect()
    expect(await pending).toMatchObject({ name: 'Unavailable', message: CLOSED })

    socket.connect()
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })
})
