import { describe, expect, it, vi } from 'vitest'
import { alula, authentication, MemoryStorage, socketio } from '../../src/client.ts'
import { GeneralError } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { OTHER, serverNames, start } from './login.ts'
import { createSocket, EMAIL, failure, hear, LOGIN } from './servers.ts'

describe.each(serverNames)('when a client loses its connection with %s', (name) => {
  async function connect(options: object = {}) {
    const { server, url } = await start(name, 'sockets')
    const socket = createSocket(url)
    const app = alula()
      .configure(socketio(socket, options))
      .configure(authentication({ storage: new MemoryStorage() }))

    app.on('error', () => undefined)
    await app.authenticate(LOGIN)

    return { server, app, socket }
  }

  /** From now on, time goes on as always, and can be let pass. */
  function takeClock() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
  }

  /** Ends a connection. What is still being written goes out first. */
  async function breakDown(socket: any): Promise<void> {
    const lost = hear(socket, 'disconnect')

    socket.io.engine.close()
    await lost
  }

  /** From now on, hooks of the client hold the calls of a service until the gate opens. */
  function holdCalls(app: any, path: string, method: string) {
    const gate = defer()
    const reached = defer()

    app.service(path).hooks({
      before: {
        [method]: [
          async () => {
            reached.resolve()
            await gate.promise
          }
        ]
      }
    })

    return {
      /** Ends a connection while a call is held, and lets the call go on. */
      async breakDown(socket: any): Promise<void> {
        await reached.promise
        await breakDown(socket)
        gate.resolve()
      },
      reached: reached.promise,
      open: gate.resolve
    }
  }

  /** From now on, the server answers no login until the gate opens. */
  function holdLogins(server: any) {
    const gate = defer()

    server.service('authentication').hooks({ before: { create: [() => gate.promise] } })

    return gate
  }

  /** A call that does not wait: when it is back, what was sent before it has reached the server. */
  async function passBy(app: any, socket: any, user: string | null = null): Promise<void> {
    if (!socket.connected) await hear(socket, 'connect')
    expect(await app.service('public')._find()).toEqual({ user })
  }

  it('a call that is in a hook of the client is sent after the login', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const found = app.service('public').find()

    await hook.breakDown(socket)
    await passBy(app, socket)
    login.resolve()
    expect(await found).toEqual({ user: EMAIL })
  })

  it('a call that leaves its hook during the login is sent after the login', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'notes', 'find')
    const login = holdLogins(server)
    const found = app.service('notes').find()

    await hook.reached
    await breakDown(socket)
    await passBy(app, socket)
    hook.open()
    await passBy(app, socket)
    login.resolve()
    expect(await found).toMatchObject({ owner: EMAIL })
  })

  it('calls that begin in the same tick are sent after the login, in their order', async () => {
    const { server, app, socket } = await connect()
    const order: number[] = []

    server.service('public').hooks({
      before: { find: [({ params }: any) => params.query.number && void order.push(params.query.number)] }
    })

    const find = (number: number) => app.service('public').find({ query: { number } })

    await passBy(app, socket, EMAIL)

    const before = [find(1), find(2)]

    void breakDown(socket)
    expect(socket.connected).toBe(false)

    const found = await Promise.all([...before, find(3)])

    expect(found).toEqual(Array(3).fill({ user: EMAIL }))
    expect(order).toEqual([1, 2, 3])
  })

  it('a call that finds a connection which has gone unnoticed is sent after the login', async () => {
    const { server, app, socket } = await connect()
    const login = holdLogins(server)

    // The computer slept. Socket.IO keeps messages then, and sends them before it tells of a new connection.
    ;(socket.io.engine as any)._pingTimeoutTime = 1

    const found = app.service('public').find()

    await hear(socket, 'connect')
    await passBy(app, socket)
    login.resolve()
    expect(await found).toEqual({ user: EMAIL })
  })

  it('a call waits also when the connection is lost again during the login', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'public', 'find')
    const found = app.service('public').find()
    let losses = 2

    server.service('authentication').hooks({
      before: { create: [async () => void (losses-- > 0 && socket.io.engine?.close())] }
    })
    await hook.breakDown(socket)
    expect(await found).toEqual({ user: EMAIL })
    expect(losses).toBeLessThan(1)
  })

  it('a call in a hook fails with the login, and later calls do not', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'public', 'find')
    const found = failure(app.service('public').find())

    server.service('authentication').hooks({
      before: {
        create: [
          () => {
            throw new GeneralError('The database is away')
          }
        ]
      }
    })
    await hook.breakDown(socket)
    expect(await found).toMatchObject({ name: 'GeneralError', message: 'The database is away' })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('a call in a hook is a 401 when the user logs out meanwhile', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const found = failure(app.service('public').find())

    await hook.breakDown(socket)
    await app.authentication.reset()
    login.resolve()
    expect(await found).toMatchObject({ code: 401, data: { reason: 'logout' } })
  })

  it('a logout that begins in the same tick ends the login of the next connection too', async () => {
    const { app, socket } = await connect()

    await passBy(app, socket, EMAIL)

    const left = app.logout()

    void breakDown(socket)
    expect(socket.connected).toBe(false)
    expect(await left).toMatchObject({ user: { email: EMAIL } })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('a call waits for a login no longer than its time limit', async () => {
    takeClock()

    const { server, app, socket } = await connect({ timeout: 20_000 })
    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const find = () => app.service('public').find()
    const first = failure(find())

    // The login begins later than the call waits for it.
    socket.io.reconnectionDelay(100)
    await hook.breakDown(socket)

    const end = Date.now() + 20_000

    await passBy(app, socket)
    // The login has some time left.
    await vi.advanceTimersByTimeAsync(end - Date.now())
    expect(await first).toMatchObject({ name: 'Timeout', data: { method: 'find', path: 'public' } })

    await breakDown(socket)
    login.resolve()
    expect(await find()).toEqual({ user: EMAIL })
  })

  it('the time of a call begins after the login that it waits for', async () => {
    takeClock()

    const { server, app, socket } = await connect({ timeout: 20_000 })
    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const answer = defer()
    const arrived = defer()
    const found = app.service('public').find({ query: { isSlow: true } })

    server.service('public').hooks({
      before: {
        find: [
          async ({ params }: any) => {
            if (!params.query.isSlow) return

            arrived.resolve()
            await answer.promise
          }
        ]
      }
    })
    await hook.breakDown(socket)
    await passBy(app, socket)
    await vi.advanceTimersByTimeAsync(15_000)
    login.resolve()
    await arrived.promise
    await vi.advanceTimersByTimeAsync(15_000)
    answer.resolve()
    expect(await found).toEqual({ user: EMAIL })
  })

  it('a call that waits for a login in its place can be aborted', async () => {
    const { server, app, socket } = await connect()
    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const controller = new AbortController()
    const found = failure(app.service('public').find({ connection: { signal: controller.signal } }))

    await hook.breakDown(socket)
    await passBy(app, socket)
    controller.abort(new Error('Not needed'))
    expect(await found).toMatchObject({ message: 'Not needed' })
    login.resolve()
  })

  it('a call without a user waits for no login', async () => {
    const { server, app, socket } = await connect()

    await app.logout()

    const hook = holdCalls(app, 'public', 'find')
    const login = holdLogins(server)
    const found = app.service('public').find()

    await hook.breakDown(socket)
    expect(await found).toEqual({ user: null })
    login.resolve()
  })

  it('a call of one user is a 401 when another one logs in meanwhile', async () => {
    const { app, socket } = await connect()
    const hook = holdCalls(app, 'notes', 'find')
    const found = failure(app.service('notes').find())

    await hook.reached
    await breakDown(socket)

    const next = app.authenticate(OTHER)

    hook.open()
    expect(await found).toMatchObject({ code: 401, data: { reason: 'logout' } })
    expect((await next).user).toMatchObject({ email: OTHER.email })
  })

  it('the login waits for no login, whatever params a hook of the client gives it', async () => {
    const { app, socket } = await connect()

    app.hooks({
      before: {
        all: [
          (context: any) => {
            context.params = { ...context.params, accessToken: 'token of a hook' }
          }
        ]
      }
    })
    await breakDown(socket)
    expect(await app.service('public').find()).toEqual({ user: EMAIL })
  })

  it('a call waits for the login that goes through a service of the application', async () => {
    const { url } = await start(name, 'sockets')
    const socket = createSocket(url)
    const connection = socketio(socket)
    const app: any = alula().configure(connection)
    const inner = (connection as any).service('authentication')

    app.use('authentication', {
      create: (data: object, params: object) => inner.create(data, params),
      remove: (id: null, params: object) => inner.remove(id, params)
    })
    app.configure(authentication({ storage: new MemoryStorage() }))
    app.on('error', () => undefined)
    await app.authenticate(LOGIN)

    const hook = holdCalls(app, 'public', 'find')
    const found = app.service('public').find()

    await hook.breakDown(socket)
    expect(await found).toEqual({ user: EMAIL })
  })
})
