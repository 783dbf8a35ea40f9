import { describe, expect, it, vi } from 'vitest'
import { alula, socketio } from '../../src/client.ts'
import { BadRequest, Conflict, FeathersError, NotFound, Timeout, Unavailable } from '../../src/errors.ts'
import { createEcho, createSocket, failure, hear, type Serve, socketServers } from './servers.ts'

// Our client over Socket.IO against our server and one of Feathers v5.

/** Shows what only the server can know. */
const echo = createEcho(({ query, provider, token, route }) => ({
  query,
  provider,
  token: token ?? null,
  route
}))

/** Services for all to call, whose events all hear; `slow` never answers. */
function configureServices(app: any): void {
  app.use('things', echo, { methods: Object.keys(echo), events: ['alarm'] })
  app.use('users/:userId/things', echo)
  app.use('slow', { get: () => new Promise(() => {}) })
  app.use('failing', {
    get: async () => {
      throw new NotFound('No such thing', { hint: 'look elsewhere' })
    },
    create: async () => {
      throw new Conflict('Taken', { errors: { id: 'taken' } })
    }
  })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.publish(() => app.channel('all'))
  app.service('things').publish(() => app.channel('all'))
}

async function connect(serve: Serve, options?: any) {
  const { app: server, url } = await serve(configureServices)
  const socket = createSocket(url)
  const connection = socketio(socket, options)

  return { server, url, socket, connection, app: alula().configure(connection) }
}

/** Timers that the test moves on; until then they go on by themselves. */
function useClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
}

/** Ends the connections of a server as a network that breaks down does. */
function breakDown(server: any): void {
  for (const socket of server.io.sockets.sockets.values()) socket.conn.close()
}

describe.each(Object.entries(socketServers))('a client of Socket.IO with %s', (_name, serve) => {
  it('reaches a service at the root, and gets its events', async () => {
    const { app, server } = await connect(serve)

    server.use('/', echo)

    const created = hear(app.service('/'), 'created')

    expect(await app.service('/').get(1)).toMatchObject({ method: 'get', id: 1 })

    await server.service('/').create({ text: 'Hello' })
    expect((await created)[0]).toMatchObject({ method: 'create' })
  })

  it('calls all six methods, and sends no params but the query', async () => {
    const { app } = await connect(serve)
    const things = app.service('things')
    const query = { a: { $in: [1, 2] }, done: true }
    const params = { query, provider: 'mine', token: 'mine', headers: { a: 'b' } } as any
    const common = { query, provider: 'socketio', token: null, route: {} }

    expect(await things.find(params)).toEqual({ method: 'find', ...common })
    expect(await things.get(1, params)).toEqual({ method: 'get', id: 1, ...common })
    expect(await things.create({ a: 1 }, params)).toEqual({ method: 'create', data: { a: 1 }, ...common })
    expect(await things.update('x', { a: 2 }, params)).toMatchObject({
      method: 'update',
      id: 'x',
      data: { a: 2 }
    })
    expect(await things.patch(null, { a: 3 }, params)).toMatchObject({ method: 'patch', id: null, query })
    expect(await things.remove(0, params)).toMatchObject({ method: 'remove', id: 0 })
    expect(await things.find()).toMatchObject({ query: {} })
    expect(await things.create([{ a: 1 }])).toMatchObject({ data: [{ a: 1 }] })
  })

  it('calls methods with an underscore, and custom ones once they are listed', async () => {
    const { app, connection } = await connect(serve)
    const heard: string[] = []

    app.use('things', connection.service('things') as any, { methods: ['find', 'shout'] })
    app.service('things').hooks({ before: { all: [async ({ method }) => void heard.push(method)] } })

    const things = app.service('things')

    expect(await things.shout({ a: 1 }, { query: { b: 2 } })).toMatchObject({
      data: { a: 1 },
      query: { b: 2 }
    })
    expect(await things._shout({ a: 1 })).toMatchObject({ method: 'shout', query: {} })
    expect(await things._get(1)).toMatchObject({ method: 'get' })
    expect(await things._patch(1, {})).toMatchObject({ method: 'patch' })
    expect(heard).toEqual(['shout'])
  })

  it('puts values in place of placeholders, and none that lead elsewhere', async () => {
    const { app } = await connect(serve)
    const things = app.service('users/:userId/things')

    expect(await things.get(1, { route: { userId: 'a b' } })).toMatchObject({
      id: 1,
      route: { userId: 'a b' }
    })
    expect(await failure(things.get(1))).toMatchObject({
      name: 'BadRequest',
      message: "Missing value for ':userId' in params.route"
    })
    expect(await failure(things.get(1, { route: { userId: 'a/../b' } }))).toBeInstanceOf(BadRequest)
  })

  it('revives errors', async () => {
    const { app } = await connect(serve)
    const missing = await failure(app.service('failing').get(1))

    expect(missing).toBeInstanceOf(NotFound)
    expect(missing).toBeInstanceOf(FeathersError)
    expect(missing).toMatchObject({ code: 404, message: 'No such thing', data: { hint: 'look elsewhere' } })
    expect(await failure(app.service('failing').create({}))).toMatchObject({
      name: 'Conflict',
      errors: { id: 'taken' }
    })
    expect(await failure(app.service('nothing').find())).toMatchObject({
      name: 'NotFound',
      message: "Service 'nothing' not found"
    })
  })

  it('hears the events of the server, and emits none of its own', async () => {
    const { app, url, server } = await connect(serve)
    const other = alula().configure(socketio(createSocket(url)))
    const heard: unknown[] = []

    await other.service('things').find()
    app.service('things').on('created', (item: any) => heard.push(item.data))

    const alarm = hear(other.service('things'), 'alarm')
    const removed = hear(other.service('things'), 'removed')

    await app.service('things').create({ a: 1 })
    await app.service('things').create([{ a: 2 }])
    server.service('things').emit('alarm', { loud: true })
    await app.service('things').remove(1)

    expect((await alarm)[0]).toEqual({ loud: true })
    expect((await removed)[0]).toMatchObject({ id: 1 })
    expect(heard).toEqual([{ a: 1 }, [{ a: 2 }]])
  })

  it('hears no more once a listener is removed', async () => {
    const { app, socket } = await connect(serve)
    const things: any = app.service('things')
    const heard: string[] = []
    const [one, other] = [() => heard.push('one'), () => heard.push('other')]

    expect(things.on('created', one)).toBe(things)
    expect(things.addEventListener('created', other)).toBe(things)
    expect(things.listeners('created')).toEqual([one, other])
    expect(socket.listeners('things created')).toEqual([one, other])

    await things.create({})
    expect(things.off('created', one)).toBe(things)
    await things.create({})
    things.removeListener('created', other)
    things.once('created', one)
    await things.create({})
    await things.create({})
    things.on('created', one).on('created', other).removeAllListeners('created')
    things.on('created', one).off('created')
    await things.create({})

    expect(heard).toEqual(['one', 'other', 'other', 'one'])
  })

  it('rejects calls whose connection is lost', async () => {
    const { app, server, socket } = await connect(serve)

    await app.service('things').find()

    const pending = [failure(app.service('slow').get(1)), failure(app.service('slow').get(2))]

    await app.service('things').find()
    breakDown(server)

    for (const error of await Promise.all(pending)) {
      expect(error).toBeInstanceOf(Unavailable)
      expect(error).toMatchObject({
        message: 'socket has been disconnected',
        data: { method: 'get', path: 'slow' }
      })
      expect(error.cause).toBeInstanceOf(Error)
    }

    const ended = failure(app.service('slow').get(3))

    await app.service('things').find()
    socket.disconnect()

    expect(await ended).toBeInstanceOf(Unavailable)
  })

  it('keeps calls until it is connected, and after a loss until it is connected again', async () => {
    const { app, server, socket } = await connect(serve)

    expect(socket.connected).toBe(false)
    expect(await Promise.all([app.service('things').get(1), app.service('things').get(2)])).toMatchObject([
      { id: 1 },
      { id: 2 }
    ])

    const lost = hear(socket, 'disconnect')
    const order: unknown[] = []

    breakDown(server)
    await lost

    const calls = [1, 2, 3].map((id) => app.service('things').create({ id }))

    app.service('things').on('created', ({ data }: any) => order.push(data.id))

    expect(await Promise.all(calls)).toMatchObject([
      { data: { id: 1 } },
      { data: { id: 2 } },
      { data: { id: 3 } }
    ])
    expect(order).toEqual([1, 2, 3])
  })

  it('waits with calls for a server that is not there yet', async () => {
    const { url, close } = await serve(configureServices)

    await close()

    const socket = createSocket(url)
    const pending = alula().configure(socketio(socket)).service('things').get(1)

    await hear(socket, 'connect_error')
    await serve(configureServices, Number(new URL(url).port))

    expect(await pending).toMatchObject({ id: 1 })
  })

  it('rejects calls that take longer than they may', async () => {
    const { app, url } = await connect(serve, { timeout: 30 })
    const error = await failure(app.service('slow').get(1))

    expect(error).toBeInstanceOf(Timeout)
    expect(error).toMatchObject({
      code: 408,
      message: 'operation has timed out',
      data: { method: 'get', path: 'slow' }
    })

    const quick = alula().configure(socketio(createSocket(url), { timeout: 20_000 }))

    expect(await quick.service('things').get(1)).toMatchObject({ id: 1 })

    const patient = createSocket(url, { ackTimeout: 30 })

    expect(await failure(alula().configure(socketio(patient)).service('slow').get(1))).toBeInstanceOf(Timeout)

    const never = createSocket('http://127.0.0.1:59998')

    // Also while there is no connection.
    expect(
      await failure(
        alula()
          .configure(socketio(never, { timeout: 30 }))
          .service('things')
          .get(1)
      )
    ).toBeInstanceOf(Timeout)
  })

  it('gives a call 30 seconds where nobody says how many, also without a connection', async () => {
    useClock()

    const { app, socket } = await connect(serve)
    const closed = alula().configure(socketio(createSocket('http://127.0.0.1:59998')))

    await app.service('things').get(1)

    const sent = vi.spyOn(socket, 'emit')
    const ends: string[] = []
    const call = async (app: any) => {
      const { name } = await failure(app.service('slow').get(1))

      ends.push(name)
    }
    const calls = [call(app), call(closed)]

    await vi.advanceTimersByTimeAsync(29_000)
    expect([ends, sent.mock.calls.length]).toEqual([[], 1])
    await vi.advanceTimersByTimeAsync(1000)
    await Promise.all(calls)
    expect(ends).toEqual(['Timeout', 'Timeout'])
  })

  it('waits without limit where the time limit is infinite', async () => {
    useClock()

    const { app, socket } = await connect(serve, { timeout: Number.POSITIVE_INFINITY })

    await app.service('things').get(1)

    const call = failure(app.service('slow').get(1))

    await vi.advanceTimersByTimeAsync(60_000)
    socket.disconnect()
    expect(await call).toBeInstanceOf(Unavailable)
  })

  it('sends an id that JSON cannot hold as a URL has it', async () => {
    const { app } = await connect(serve)

    expect((await app.service('things').get(10n as any)).id).toBe('10')
  })

  it('rejects calls that no message can hold, also while there is no connection', async () => {
    const { url } = await connect(serve)
    const circular: any = {}

    circular.circular = circular

    for (const data of [{ amount: 1n }, circular]) {
      const things: any = alula()
        .configure(socketio(createSocket(url), { timeout: 5000 }))
        .service('things')

      expect(await failure(things.create(data))).toBeInstanceOf(TypeError)
      expect(await things.get(1)).toMatchObject({ id: 1 })
    }
  })

  it('takes the time limit that the socket has for the next message', async () => {
    const { app, connection, socket } = await connect(serve)

    await app.service('things').find()
    socket.timeout(30)

    expect(await failure((connection.service('slow') as any).get(1))).toBeInstanceOf(Timeout)
  })

  it('works with a socket that repeats its messages', async () => {
    const { url } = await connect(serve)
    const app = alula().configure(socketio(createSocket(url, { retries: 2, ackTimeout: 1000 })))

    expect(await Promise.all([1, 2].map((id) => app.service('things').get(id)))).toMatchObject([
      { id: 1 },
      { id: 2 }
    ])
    expect(await failure(app.service('failing').get(1))).toBeInstanceOf(NotFound)
  })

  it('works without time limits on the side of the socket', async () => {
    const { url } = await connect(serve)
    const socket = Object.assign(createSocket(url), { timeout: undefined })
    const app = alula().configure(socketio(socket as any))

    expect(await app.service('things').get(1)).toMatchObject({ id: 1 })
    expect(await failure(app.service('failing').get(1))).toBeInstanceOf(NotFound)
  })

  it('rejects calls that wait for a connection which the server refuses', async () => {
    const { app: server, url } = await serve(configureServices)

    server.io.use((_socket: any, next: any) => next(Object.assign(new Error('Full'), { data: { seats: 0 } })))

    const app = alula().configure(socketio(createSocket(url)))

    expect(await failure(app.service('things').get(1))).toMatchObject({
      name: 'Unavailable',
      message: 'Full',
      data: { seats: 0 }
    })
  })

  it('works with the transports that Socket.IO begins with', async () => {
    const { url } = await connect(serve)
    const socket = createSocket(url, { transports: ['polling', 'websocket'] })
    const app = alula().configure(socketio(socket))
    const created = hear(app.service('things'), 'created')

    expect(await app.service('things').create({ a: 1 })).toMatchObject({ data: { a: 1 } })
    expect((await created)[0]).toMatchObject({ data: { a: 1 } })
  })
})
