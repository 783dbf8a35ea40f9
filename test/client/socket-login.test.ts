import { Manager, type Socket } from 'socket.io-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { alula, authentication, MemoryStorage, socketio } from '../../src/client.ts'
import { GeneralError, NotAuthenticated } from '../../src/errors.ts'
import { OTHER, serverNames, start } from './login.ts'
import { createSocket, EMAIL, failure, hear, LOGIN } from './servers.ts'

describe.each(serverNames)('a client over a socket with %s', (name) => {
  async function connect(options: { socket?: any; login?: boolean } = {}) {
    const started = await start(name, 'sockets')
    const socket = createSocket(started.url, options.socket)
    const app = alula()
      .configure(socketio(socket))
      .configure(authentication({ storage: new MemoryStorage() }))
    const rejections: unknown[] = []
    const listener = (reason: unknown) => rejections.push(reason)

    process.on('unhandledRejection', listener)
    onTestFinished(() => {
      process.off('unhandledRejection', listener)
      expect(rejections).toEqual([])
    })

    if (options.login ?? true) await app.authenticate(LOGIN)

    return { ...started, socket, app }
  }

  /** From now on, time goes on as always, and can be let pass. */
  function takeClock() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
  }

  /** The only socket of a server, once it is there. */
  const getServerSocket = (server: any): any => [...server.io.sockets.sockets.values()][0]

  it('is logged in as long as it is connected, and sends no header', async () => {
    const { app } = await connect()
    const seen: unknown[] = []

    app.service('notes').hooks({ before: { find: [async ({ params }) => void seen.push(params.headers)] } })

    expect(await app.service('notes').find()).toEqual({ owner: EMAIL, header: null })
    expect(seen).toEqual([undefined])
    expect(await app.logout()).toMatchObject({ user: { email: EMAIL } })
    expect(await failure(app.service('notes').find())).toBeInstanceOf(NotAuthenticated)
  })

  it('logs in again when the connection was lost, and calls wait for it', async () => {
    const { app, server, socket } = await connect()
    const logins: string[] = []
    const before = socket.id

    app.on('login', ({ user }) => logins.push(user.email))

    const lost = hear(socket, 'disconnect')

    getServerSocket(server).conn.close()
    await lost

    const notes = await Promise.all([app.service('notes').find(), app.service('notes').find()])

    expect(notes).toEqual([
      { owner: EMAIL, header: null },
      { owner: EMAIL, header: null }
    ])
    expect(socket.id).not.toBe(before)
    expect(logins).toEqual([EMAIL])
    expect(app.authentication.authenticated).toBe(true)
  })

  it('logs in again by the method of a class of your own', async () => {
    const { app, server, socket } = await connect()
    const authenticate = vi.spyOn(app.authentication, 'authenticate')
    const lost = hear(socket, 'disconnect')

    getServerSocket(server).conn.close()
    await lost

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(authenticate.mock.calls).toEqual([
      [{ strategy: 'jwt', accessToken: expect.any(String) }, undefined]
    ])
  })

  it('logs in again as often as the connection is lost meanwhile', async () => {
    const { app, server, socket } = await connect()
    let losses = 2

    server.service('authentication').hooks({
      before: {
        create: [
          async ({ params }: any) => {
            if (params.provider && losses-- > 0) getServerSocket(server).conn.close()
          }
        ]
      }
    })

    const lost = hear(socket, 'disconnect')

    getServerSocket(server).conn.close()
    await lost

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(losses).toBeLessThanOrEqual(0)
  })

  it('comes back when the server has ended the connection', async () => {
    const { app, server, socket } = await connect()
    const lost = hear(socket, 'disconnect')

    getServerSocket(server).disconnect()

    expect((await lost)[0]).toBe('io server disconnect')
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('does not come back when nobody is logged in', async () => {
    const { app, server, socket } = await connect({ login: false })

    await app.service('public').find()

    const lost = hear(socket, 'disconnect')

    getServerSocket(server).disconnect()
    await lost

    expect(socket.active).toBe(false)
  })

  it('tells of a logout when its token has expired', async () => {
    takeClock()

    const { app, socket, createToken } = await connect({ login: false })
    const heard: unknown[] = []

    app.on('logout', (result) => heard.push(result))

    const ended = hear(socket, 'disconnect')
    const logout = hear(app, 'logout')

    await app.authenticate({ strategy: 'jwt', accessToken: await createToken({ expiresIn: '10s' }) })
    await vi.advanceTimersByTimeAsync(10_000)

    expect((await ended)[0]).toBe('io server disconnect')
    await logout

    expect(heard).toEqual([null])
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.authentication.getAccessToken()).toBeNull()
    // The page can go on, and somebody can log in.
    expect(await app.service('public').find()).toEqual({ user: null })
    expect(await app.authenticate(OTHER)).toMatchObject({ user: { email: OTHER.email } })
  })

  it('keeps the token when the server fails, and tries again with the next connection', async () => {
    const { app, server, socket } = await connect()
    const accessToken = await app.authentication.getAccessToken()
    let isBroken = true

    server.service('authentication').hooks({
      before: {
        create: [
          async () => {
            if (isBroken) throw new GeneralError('The database is away')
          }
        ]
      }
    })

    const logouts: unknown[] = []
    const reported = hear(app, 'error')

    app.on('logout', (result) => logouts.push(result))
    getServerSocket(server).conn.close()

    expect((await reported)[0]).toMatchObject({ name: 'GeneralError' })
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.service('public').find()).toEqual({ user: null })
    expect(logouts).toEqual([])

    isBroken = false

    const login = hear(app, 'login')

    await hearDisconnect(socket, () => getServerSocket(server).conn.close())
    await login

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('tells once of a login that fails after several losses', async () => {
    const { app, server } = await connect()
    const reported: any[] = []
    let losses = 2

    server.service('authentication').hooks({
      before: {
        create: [
          async () => {
            if (losses-- > 0) getServerSocket(server).conn.close()
            throw new GeneralError('The database is away')
          }
        ]
      }
    })
    app.on('error', (error) => reported.push(error.message))

    const heard = hear(app, 'error')

    getServerSocket(server).conn.close()
    await heard
    expect(await app.service('public').find()).toEqual({ user: null })

    expect(reported).toEqual(['The database is away'])
  })

  it('has no time limit for the connection to come back, but calls that wait for it have theirs', async () => {
    takeClock()

    const started = await start(name, 'sockets')
    const socket = createSocket(started.url, { reconnectionDelay: 60_000, randomizationFactor: 0 })
    const app = alula()
      .configure(socketio(socket, { timeout: 2000 }))
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.authenticate(LOGIN)
    await hearDisconnect(socket, () => getServerSocket(started.server).conn.close())

    const found = failure(app.service('notes').find())

    await vi.advanceTimersByTimeAsync(2000)
    expect(await found).toMatchObject({ name: 'Timeout' })

    const login = hear(app, 'login')

    await vi.advanceTimersByTimeAsync(58_000)
    await login
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('goes with a page that connects again itself', async () => {
    const { url, server } = await start(name, 'sockets')
    const manager = new Manager(url, { transports: ['websocket'] })
    const [socket, other] = [manager.socket('/'), manager.socket('/other')]
    const refused: unknown[] = []

    onTestFinished(() => void [socket, other].map((each) => each.close()))
    server.io.of('/other')
    socket.on('connect_error', (error) => refused.push(error))
    socket.on('disconnect', () => socket.connect())

    const app = alula()
      .configure(socketio(socket))
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.authenticate(LOGIN)
    await hearDisconnect(socket, () => getServerSocket(server).disconnect())

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(refused).toEqual([])
    expect(server.io.sockets.sockets.size).toBe(1)
  })

  it('does not go in circles with a server that ends every connection', async () => {
    const { app, server, socket } = await connect({ socket: { reconnectionDelayMax: 300 } })
    const times: number[] = []

    server.on('login', (_result: unknown, { connection }: any) => {
      times.push(Date.now())
      if (times.length < 4) server.emit('disconnect', connection)
    })

    getServerSocket(server).disconnect()
    while (times.length < 4) await hear(server, 'login')

    const [first, , , fourth] = times as [number, number, number, number]

    expect(fourth - first).toBeGreaterThan(600)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(socket.connected).toBe(true)
  })

  it('is nobody after a logout, whatever becomes of the connection', async () => {
    const { app, server, socket } = await connect()
    const logins: unknown[] = []

    await app.logout()
    app.on('login', (result) => logins.push(result))
    await hearDisconnect(socket, () => getServerSocket(server).conn.close())

    expect(await app.service('public').find()).toEqual({ user: null })
    expect(logins).toEqual([])
  })

  it('waits with calls, and with nothing else, when the page closes the socket and opens it at once', async () => {
    const { app, socket } = await connect()

    socket.disconnect()

    const notes = app.service('notes').find()

    expect(socket.sendBuffer).toEqual([])
    socket.connect()
    expect(await notes).toMatchObject({ owner: EMAIL })
  })

  it('who logs in while the connection is lost is who is logged in', async () => {
    const { app, server, socket } = await connect()

    const logins: string[] = []

    server.on('login', ({ user }: any) => logins.push(user.email))
    await hearDisconnect(socket, () => getServerSocket(server).conn.close())
    expect(await app.authenticate(OTHER)).toMatchObject({ user: { email: OTHER.email } })

    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
    expect(app.authentication.authenticated).toBe(true)
    expect(logins).toEqual([OTHER.email])
  })

  it.each([OTHER, LOGIN])(
    'who logs in before the loss is noticed is who is logged in: $email',
    async (login) => {
      const { app, socket } = await connect()
      const logins: string[] = []

      app.on('login', ({ user }) => logins.push(user.email))
      expireConnection(socket)
      expect(await app.authenticate(login)).toMatchObject({ user: { email: login.email } })
      expect(await app.service('notes').find()).toMatchObject({ owner: login.email })
      expect(logins).toEqual([login.email])
    }
  )

  it('a login that was not sent before the loss, and is refused then, leaves the user logged in', async () => {
    const { app, socket } = await connect()

    expireConnection(socket)
    expect(await failure(app.authenticate({ ...OTHER, password: 'wrong' }))).toBeInstanceOf(NotAuthenticated)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(await app.get('authentication')).toMatchObject({ user: { email: EMAIL } })
  })
})

/** As if the server had not been heard of in time, which the socket does not know yet. */
function expireConnection(socket: Socket): void {
  Object.assign(socket.io.engine, { _pingTimeoutTime: 1 })
}

it('a client is told when its token is revoked elsewhere', async () => {
  const { url } = await start('our server', 'sockets')
  const connect = () =>
    alula()
      .configure(socketio(createSocket(url)))
      .configure(authentication({ storage: new MemoryStorage() }))
  const [one, other] = [connect(), connect()]
  const { accessToken } = await one.authenticate(LOGIN)
  const told = hear(one, 'logout')

  await other.authenticate({ strategy: 'jwt', accessToken })
  await other.logout()

  expect(await told).toEqual([null])
  expect(one.authentication.authenticated).toBe(false)
  expect(await one.authentication.getAccessToken()).toBeNull()
  expect(await failure(one.service('notes').find())).toBeInstanceOf(NotAuthenticated)
})

it.each([
  ['our server', { name: 'NotAuthenticated', code: 401, message: 'Invalid access token' }],
  ['a server of Feathers v5', { name: 'Unavailable', message: 'jwt malformed' }]
])('calls fail with the reason for which %s refuses the connection', async (name, expected) => {
  const { url } = await start(name, 'sockets')
  const socket = createSocket(url, { extraHeaders: { Authorization: 'Bearer nonsense' } })

  expect(await failure(alula().configure(socketio(socket)).service('public').find())).toMatchObject(expected)
})

/** Does what ends the connection, and waits until it has ended. */
async function hearDisconnect(socket: Socket, end: () => void): Promise<void> {
  const lost = hear(socket, 'disconnect')

  end()
  await lost
}
