import { memory as officialMemory } from '@feathersjs/memory'
import { Manager, type Socket } from 'socket.io-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  AuthenticationClient,
  alula,
  authentication,
  defaults,
  getDefaultStorage,
  hooks,
  MemoryStorage,
  rest,
  type Storage,
  StorageWrapper,
  socketio
} from '../../src/client.ts'
import { FeathersError, GeneralError, NotAuthenticated } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import {
  configureLogin,
  createSocket,
  EMAIL,
  failure,
  fetchOnce,
  hear,
  LOGIN,
  restServers,
  socketServers
} from './servers.ts'

// Login with our client, over HTTP and over sockets, on our server and one of Feathers v5.

const OTHER = { strategy: 'local', email: 'owl@example.org', password: 'other horse' }

/** Starts a server with two users. */
async function start(name: string, kind: 'rest' | 'sockets') {
  const isOurs = name === 'our server'
  const serve = (kind === 'rest' ? restServers : socketServers)[name] as NonNullable<
    (typeof restServers)[string]
  >
  let service: any
  const { app: server, url } = await serve((app) => {
    service = configureLogin(name, app, isOurs ? memory({ startId: 1 }) : officialMemory({ startId: 1 }))
  })

  for (const { email, password } of [LOGIN, OTHER]) await server.service('users').create({ email, password })

  const createToken = (options: object): Promise<string> =>
    service.createAccessToken({}, { subject: '1', ...options })

  return { server, url, createToken }
}

const names = Object.keys(restServers)

/** Runs code with a `window`, as a browser has it. */
function withWindow(members: object): void {
  vi.stubGlobal('window', members)
  onTestFinished(() => void vi.unstubAllGlobals())
}

describe.each(names)('a client over HTTP with %s', (name) => {
  const connect = async (options: any = {}) => {
    const { url, ...started } = await start(name, 'rest')
    const create = (more: any = {}) =>
      alula()
        .configure(rest(url).fetch(fetchOnce))
        .configure(authentication({ storage: new MemoryStorage(), ...options, ...more }))

    return { ...started, url, create, app: create() }
  }

  it('logs in, tells of it, and stores the token', async () => {
    const { app } = await connect()
    const heard: unknown[] = []

    app.on('login', (result) => heard.push('login', result))
    app.on('authenticated', (result) => heard.push('authenticated', result))

    const result = await app.authenticate(LOGIN)

    expect(result).toMatchObject({ accessToken: expect.any(String), user: { id: 1, email: EMAIL } })
    expect(heard).toEqual(['login', result, 'authenticated', result])
    expect(app.authentication).toBeInstanceOf(AuthenticationClient)
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.get('storage').getItem('feathers-jwt')).toBe(result.accessToken)
    expect(await app.get('authentication')).toBe(result)
    expect(await app.authenticate()).toBe(result)
    expect(await app.reAuthenticate()).toBe(result)
  })

  it('sends the token with calls, unless they have another', async () => {
    const { app } = await connect()
    const notes = app.service('notes')

    expect(await failure(notes.find())).toBeInstanceOf(NotAuthenticated)

    const { accessToken } = await app.authenticate(LOGIN)

    expect(await notes.find()).toEqual({ owner: EMAIL, header: `Bearer ${accessToken}` })

    const theirs = await app.authentication.service.create(OTHER)

    for (const header of ['Authorization', 'authorization', 'AUTHORIZATION']) {
      expect(await notes.find({ headers: { [header]: theirs.accessToken } })).toMatchObject({
        owner: OTHER.email
      })
    }
  })

  it('makes calls wait for a login that is on its way, and puts its result under their params', async () => {
    const { app } = await connect()
    const login = app.authenticate(LOGIN)
    const seen: any[] = []

    app
      .service('notes')
      .hooks({ before: { find: [async ({ params }) => void seen.push(params.user.email)] } })

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(seen).toEqual([EMAIL])
    await login
  })

  it('logs in again with what it has stored', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const app = create()
    const result = await app.reAuthenticate()

    expect(result).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(await app.reAuthenticate(true)).not.toBe(result)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('goes by what it has stored, and leaves no other token in the URL', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const location = { hash: '#/page?access_token=of.somebody.else&oauth_code=too' }

    withWindow({ location })

    expect(await create().reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(location.hash).toBe('#/page')
  })

  it('goes by the token of the URL when the stored one is good no more', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const location = { hash: `#access_token=${accessToken}` }
    const app = create()

    withWindow({ location })
    await app.authentication.setAccessToken('a.b.c')

    expect(await app.reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(location.hash).toBe('')
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('makes calls wait for the token of the URL, too, when the stored one is good no more', async () => {
    const storage = new MemoryStorage()
    const { create, server } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const tried = defer()
    const app = create()

    server.service('authentication').hooks({ before: { create: [async () => tried.resolve()] } })
    withWindow({ location: { hash: `#access_token=${accessToken}` } })
    await app.authentication.setAccessToken('a.b.c')

    const login = app.reAuthenticate()

    await tried.promise
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(await login).toMatchObject({ accessToken })
  })

  it('says what was wrong with a login of which the URL tells, when the stored token is good no more', async () => {
    const { app } = await connect()

    withWindow({ location: { hash: '#error=No%20entry' } })
    await app.authentication.setAccessToken('a.b.c')

    expect(await failure(app.reAuthenticate())).toMatchObject({ name: 'OauthError', message: 'No entry' })
  })

  it('has nothing to log in with before the first login', async () => {
    const { app } = await connect()

    expect(await failure(app.reAuthenticate())).toMatchObject({
      name: 'NotAuthenticated',
      message: 'No accessToken found in storage'
    })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('forgets a token that the server refuses, and keeps it when something else is wrong', async () => {
    const { app, server, createToken } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))
    await app.authentication.setAccessToken(await createToken({ expiresIn: -1 }))

    expect(await failure(app.reAuthenticate())).toMatchObject({
      name: 'NotAuthenticated',
      message: 'jwt expired'
    })
    expect(await app.authentication.getAccessToken()).toBeNull()
    // Nobody was logged in.
    expect(logouts).toEqual([])

    const { accessToken } = await app.authenticate(LOGIN)

    server.service('authentication').hooks({
      before: {
        create: [
          async () => {
            throw new GeneralError('The database is away')
          }
        ]
      }
    })

    expect((await failure(app.reAuthenticate(true))).name).toBe('GeneralError')
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(logouts).toEqual([])
  })

  it('tells of a session that has ended', async () => {
    const { app, createToken } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))
    await app.authenticate(LOGIN)
    await app.authentication.setAccessToken(await createToken({ expiresIn: -1 }))
    await failure(app.reAuthenticate(true))

    expect(logouts).toEqual([null])
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.authentication.getAccessToken()).toBeNull()
  })

  it('logs out', async () => {
    const { app } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))

    expect(await app.logout()).toBeNull()

    await app.authenticate(LOGIN)

    const result = await app.logout()

    expect(result).toMatchObject({ user: { email: EMAIL } })
    expect(logouts).toEqual([result])
    expect(app.authentication.authenticated).toBe(false)
    expect(app.get('authentication')).toBeNull()
    expect(await app.authentication.getAccessToken()).toBeNull()
    expect(await failure(app.service('notes').find())).toBeInstanceOf(NotAuthenticated)
  })

  it('logs out who is just being logged in again', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })

    await create().authenticate(LOGIN)

    const app = create()
    const login = app.reAuthenticate()

    expect(await app.logout()).toMatchObject({ user: { email: EMAIL } })
    await login
    expect(app.authentication.authenticated).toBe(false)
    expect(app.get('authentication')).toBeNull()
    expect(await app.authentication.getAccessToken()).toBeNull()
  })

  it('refuses a wrong password, and calls go on as those of nobody', async () => {
    const { app } = await connect()
    const login = app.authenticate({ ...LOGIN, password: 'wrong horse' })
    const waiting = failure(app.service('public').find())

    expect(await failure(login)).toMatchObject({ name: 'NotAuthenticated', message: 'Invalid login' })
    expect(await waiting).toMatchObject({ message: 'Invalid login' })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('is the user who has logged in last, whichever answer comes first', async () => {
    const { app, server } = await connect()
    const answer = defer()
    const users: string[] = []

    server.service('authentication').hooks({
      after: { create: [async ({ data }: any) => void (data.email === EMAIL && (await answer.promise))] }
    })
    app.on('login', ({ user }) => users.push(user.email))

    const first = app.authenticate(LOGIN)
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect(await first).toMatchObject({ user: { email: EMAIL } })
    expect(users).toEqual([OTHER.email])
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it('a login that fails late undoes none that has succeeded since', async () => {
    const { app, server } = await connect()
    const answer = defer()

    server.service('authentication').hooks({
      before: { create: [async ({ data }: any) => void (data.email === EMAIL && (await answer.promise))] }
    })

    const first = failure(app.authenticate({ ...LOGIN, password: 'wrong horse' }))
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect((await first).message).toBe('Invalid login')
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it.each([
    ['succeeds', null],
    ['fails', new GeneralError('The database is away')]
  ])('a logout that %s late undoes no login that came after it', async (_what, error) => {
    const { app, server } = await connect()
    const answer = defer()
    const events: string[] = []

    server.service('authentication').hooks({
      after: {
        remove: [
          async () => {
            await answer.promise
            if (error) throw error
          }
        ]
      }
    })
    await app.authenticate(LOGIN)
    app.on('login', ({ user }) => events.push(user.email))
    app.on('logout', () => events.push('logout'))

    const logout = app.logout().catch((thrown: unknown) => thrown)
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect(await logout).toMatchObject(error ? { name: 'GeneralError' } : { user: { email: EMAIL } })
    expect(events).toEqual([OTHER.email])
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it('a listener that fails is reported, and the login succeeds', async () => {
    const { app } = await connect()
    const reported: unknown[] = []
    const mistake = new Error('A mistake of the page')

    app.on('error', (error) => reported.push(error))
    app.on('login', () => {
      throw mistake
    })

    expect(await app.authenticate(LOGIN)).toMatchObject({ user: { email: EMAIL } })
    expect(reported).toEqual([mistake])
  })
})

describe.each(names)('a client over a socket with %s', (name) => {
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
    const { app, socket, createToken } = await connect({ login: false })
    const heard: unknown[] = []

    app.on('logout', (result) => heard.push(result))

    const ended = hear(socket, 'disconnect')
    const logout = hear(app, 'logout')

    await app.authenticate({ strategy: 'jwt', accessToken: await createToken({ expiresIn: '3s' }) })

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

  it('has no time limit for the connection to come back', async () => {
    const started = await start(name, 'sockets')
    const socket = createSocket(started.url, { reconnectionDelay: 3000, randomizationFactor: 0 })
    const app = alula()
      .configure(socketio(socket, { timeout: 2000 }))
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.authenticate(LOGIN)
    await hearDisconnect(socket, () => getServerSocket(started.server).conn.close())

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

  it('waits with calls, and with nothing else, when the page has ended the connection', async () => {
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
})

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
  ['our server', { name: 'NotAuthenticated', code: 401, message: 'jwt malformed' }],
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

describe('authentication()', () => {
  const create = (options: any = {}) =>
    alula()
      .configure(rest('http://127.0.0.1:59998').fetch(fetch))
      .configure(authentication({ storage: new MemoryStorage(), ...options }))

  it('has the defaults of Feathers v5, and those for codes', () => {
    expect(defaults).toEqual({
      header: 'Authorization',
      scheme: 'Bearer',
      storageKey: 'feathers-jwt',
      locationKey: 'access_token',
      locationErrorKey: 'error',
      locationCodeKey: 'oauth_code',
      oauthPath: 'oauth',
      jwtStrategy: 'jwt',
      path: '/authentication',
      Authentication: AuthenticationClient,
      storage: expect.any(MemoryStorage)
    })
    expect(Object.keys(hooks)).toEqual(['authentication', 'populateHeader'])
  })

  it('takes a class in place of its own, and a storage from the settings', async () => {
    class Own extends AuthenticationClient {
      override async getAccessToken() {
        return 'mine'
      }
    }

    const storage = new MemoryStorage()
    const app = alula().set('storage', storage).configure(rest('').fetch(fetch))

    app.configure(authentication({ Authentication: Own, storageKey: 'own' }))
    await app.authentication.setAccessToken('kept')

    expect(app.authentication).toBeInstanceOf(Own)
    expect(await app.authentication.getAccessToken()).toBe('mine')
    expect(await storage.getItem('own')).toBe('kept')
  })

  it('logs in again by the method of that class', async () => {
    const seen: unknown[] = []

    class Own extends AuthenticationClient {
      override authenticate(...args: Parameters<AuthenticationClient['authenticate']>) {
        seen.push(args[0])

        return super.authenticate(...args)
      }
    }

    const app = create({ Authentication: Own })

    await app.authentication.setAccessToken('token')
    await failure(app.reAuthenticate())
    expect(seen).toEqual([{ strategy: 'jwt', accessToken: 'token' }])
  })

  it('keeps everything when the server cannot be reached', async () => {
    const app = create()

    await app.authentication.setAccessToken('token')

    expect((await failure(app.reAuthenticate())).name).toBe('Unavailable')
    expect((await failure(app.logout())).name).toBe('Unavailable')
    expect(await app.authentication.getAccessToken()).toBe('token')
  })

  it.each([
    ['#access_token=abc', 'abc', ''],
    ['access_token=abc', 'abc', ''],
    ['#a=b&access_token=abc&c=d', 'abc', '#a=b&c=d'],
    ['#access_token=abc&c=d', 'abc', '#c=d'],
    ['#a=b&access_token=abc', 'abc', '#a=b'],
    ['#/login?access_token=abc', 'abc', '#/login'],
    ['#/login?access_token=abc&next=%2F', 'abc', '#/login?next=%2F'],
    ['#/login?next=%2F&access_token=abc', 'abc', '#/login?next=%2F'],
    ['#my_access_token=abc', null, '#my_access_token=abc'],
    ['#access-token=abc', null, '#access-token=abc'],
    ['#access_token', null, '#access_token'],
    ['', null, '']
  ])('takes a token out of %j', async (hash, token, left) => {
    const location = { hash }

    expect(await create().authentication.getFromLocation(location)).toBe(token)
    expect(location.hash).toBe(left)
  })

  it('takes an error out of the location', async () => {
    const location = { hash: '#error=No%20entry' }
    const error = await failure(create().authentication.getFromLocation(location))

    expect(error).toBeInstanceOf(FeathersError)
    expect(error).toMatchObject({
      name: 'OauthError',
      code: 401,
      className: 'oauth-error',
      message: 'No entry'
    })
    expect(location.hash).toBe('')
    expect((await failure(create().authentication.getFromLocation({ hash: '#error=100%' }))).message).toBe(
      '100%'
    )
  })

  it('leaves no token in the history of the browser', async () => {
    const replaced: unknown[] = []
    const location = { hash: '#/page?access_token=abc', pathname: '/app', search: '?a=b' }

    withWindow({
      location,
      history: { state: 'kept', replaceState: (...given: unknown[]) => replaced.push(given) }
    })

    expect(await create().authentication.getAccessToken()).toBe('abc')
    expect(replaced).toEqual([['kept', '', '/app?a=b#/page']])

    const other = { hash: '#access_token=def' }

    expect(await create().authentication.getFromLocation(other)).toBe('def')
    expect(other.hash).toBe('')
    expect(replaced).toHaveLength(1)
  })

  it('prefers the token of the storage to that of the location', async () => {
    const location = { hash: '#access_token=abc' }
    const app = create()

    withWindow({ location })
    await app.authentication.setAccessToken('stored')

    expect(await app.authentication.getAccessToken()).toBe('stored')
    expect(location.hash).toBe('#access_token=abc')
  })

  it('an error in the location fails the login, and not the calls after it', async () => {
    const { url } = await start('our server', 'rest')
    const app = alula()
      .configure(rest(url).fetch(fetchOnce))
      .configure(authentication({ storage: new MemoryStorage() }))

    withWindow({ location: { hash: '#error=No%20entry' } })

    expect((await failure(app.reAuthenticate())).name).toBe('OauthError')
    expect(await app.service('public').find()).toEqual({ user: null })
  })
})

describe('the storage', () => {
  it('is that of the browser where there is one', async () => {
    const values = new Map<string, string>()
    const localStorage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
      removeItem: (key: string) => void values.delete(key)
    }

    withWindow({ localStorage })

    const storage: any = getDefaultStorage()

    expect(storage).toBeInstanceOf(StorageWrapper)
    await storage.setItem('a', 'b')
    expect(values.get('a')).toBe('b')
    expect(await storage.getItem('a')).toBe('b')
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
  })

  it('is memory where there is none, or none may be used', () => {
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)

    withWindow({})
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)

    withWindow({
      get localStorage() {
        throw new Error('The operation is insecure')
      }
    })
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)
  })

  const refuse = () => {
    throw new Error('The operation is insecure')
  }

  it.each<[string, Storage | undefined]>([
    ['throws', { getItem: refuse, setItem: refuse, removeItem: refuse }],
    [
      'rejects',
      { getItem: async () => refuse(), setItem: async () => refuse(), removeItem: async () => refuse() }
    ],
    ['is full', { getItem: () => null, setItem: refuse, removeItem: () => undefined }],
    ['can only be read', { getItem: () => null }],
    ['is missing', undefined]
  ])('that %s is replaced by memory', async (_what, given) => {
    const storage = new StorageWrapper(given)

    await storage.setItem('a', 'b')
    expect(await storage.getItem('a')).toBe('b')
    expect(await storage.removeItem('a')).toBe('b')
    expect((await storage.getItem('a')) ?? null).toBeNull()
  })

  it('goes on when it works again', async () => {
    const values = new Map<string, string>()
    let isFull = true
    const storage = new StorageWrapper({
      getItem: (key) => values.get(key),
      setItem: (key, value) => (isFull ? refuse() : void values.set(key, value)),
      removeItem: (key) => values.delete(key)
    })

    await storage.setItem('a', 'b')
    isFull = false
    await storage.setItem('a', 'c')

    expect(await storage.getItem('a')).toBe('c')
    expect(values.get('a')).toBe('c')
    // As another page may do.
    values.set('a', 'd')
    expect(await storage.getItem('a')).toBe('d')
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeUndefined()
  })
})
