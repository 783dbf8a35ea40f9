import { describe, expect, it } from 'vitest'
import { call, connect, createClient, open } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { createRecorder, openRecorder } from './recorder.ts'

describe('the way to a service', () => {
  it.each([
    ['find', [], []],
    ['get', [1], [1]],
    ['create', [{ a: 1 }], [{ a: 1 }]],
    ['update', ['b', { a: 1 }], ['b', { a: 1 }]],
    ['patch', [null, { a: 1 }], [null, { a: 1 }]],
    ['remove', [null], [null]],
    ['custom', [{ a: 1 }], [{ a: 1 }]]
  ])('%s has its arguments, and the query where it has params', async (method, args, expected) => {
    const { calls, socket } = await openRecorder()

    expect(await call(socket, method, 'things', ...args, { q: '1' })).toBe('done')
    expect(await call(socket, method, 'things', ...args)).toBe('done')
    expect(await call(socket, method, '/things/', ...args, null)).toBe('done')
    expect(calls.map(([name, ...rest]) => [name, ...rest.slice(0, -1)])).toEqual(
      Array(3).fill([method, ...expected])
    )
    expect(calls.map((values) => values.at(-1).query)).toEqual([{ q: '1' }, {}, {}])
  })

  it('a call without a callback runs', async () => {
    const { calls, socket } = await openRecorder()

    socket.emit('create', 'things', { a: 1 })
    socket.emit('create', 'things', 'no data')
    await until(() => expect(calls).toHaveLength(1))
    expect(await call(socket, 'find', 'things')).toBe('done')
  })

  it('a placeholder in the path is in params.route', async () => {
    const { socket } = await openRecorder((app) => {
      app.use('users/:userId/things', { find: async ({ route }: any) => route })
    })

    expect(await call(socket, 'find', 'users/5/things')).toEqual({ userId: '5' })
  })

  it.each([
    [undefined],
    [null],
    [1],
    [true],
    [{}],
    [[]],
    [['things']],
    [{ toString: 'things' }],
    [Buffer.from('things')]
  ])('a path that is %o is none', async (path) => {
    const { calls, socket } = await openRecorder()

    await expect(call(socket, 'find', path)).rejects.toEqual({
      name: 'NotFound',
      message: 'Invalid service path',
      code: 404,
      className: 'not-found'
    })
    expect(calls).toEqual([])
  })

  it.each([
    '',
    '/',
    'thing',
    'Things',
    'things/1',
    'things/1/2',
    '//things',
    'things//',
    'things/..',
    'things?a=1',
    'things%2f',
    ' things',
    'things\u0000',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'x'.repeat(100)
  ])('the path %j leads nowhere', async (path) => {
    const { calls, socket } = await openRecorder()

    await expect(call(socket, 'find', path)).rejects.toEqual({
      name: 'NotFound',
      message: `Service '${path}' not found`,
      code: 404,
      className: 'not-found'
    })
    expect(calls).toEqual([])
  })
})

it('messages name at most 100 characters of a path and of a method', async () => {
  const { socket } = await openRecorder((app) => app.use(':place', { find: async () => [] }))
  const [long, cut] = ['x'.repeat(50_000), `${'x'.repeat(100)}…`]

  await expect(call(socket, 'find', `${long}/a`)).rejects.toMatchObject({
    message: `Service '${cut}' not found`
  })
  await expect(call(socket, 'get', long, 1)).rejects.toMatchObject({
    message: `Method 'get' not allowed on service '${cut}'`
  })
  await expect(call(socket, long, 'things')).rejects.toMatchObject({
    message: `Method '${cut}' not allowed on service 'things'`
  })
})

describe('a method', () => {
  it('that another service has is not one of every service', async () => {
    const { service, calls } = createRecorder()
    const { socket } = await openRecorder((app) => {
      app.use('closed', service, { methods: ['get'] })
      app.use('empty', { setup: async () => undefined, find: async () => [] }, { methods: [] })
    })

    for (const method of ['find', 'create', 'update', 'patch', 'remove', 'absent']) {
      await expect(call(socket, method, 'closed')).rejects.toEqual({
        name: 'MethodNotAllowed',
        message: `Method '${method}' not allowed on service 'closed'`,
        code: 405,
        className: 'method-not-allowed'
      })
    }

    await expect(call(socket, 'custom', 'closed')).rejects.toMatchObject({
      code: 405,
      message:
        "Method 'custom' not allowed on service 'closed': the service has 'custom', but its option 'methods' does not list it"
    })
    await expect(call(socket, 7 as never, 'closed')).rejects.toMatchObject({ code: 405 })
    await expect(call(socket, 'find', 'empty')).rejects.toMatchObject({ code: 405 })
    expect(calls).toEqual([])
    expect(await call(socket, 'get', 'closed', 1)).toBe('done')
  })

  it('that is none, and that somebody else answers, is left to him', async () => {
    const { url } = await open((app) => app.use('things', { find: async () => 'done' }))
    const { url: other } = await open((app) => {
      app.use('things', { find: async () => 'done' })
      app.hooks({
        setup: async (_context, next) => {
          await next()
          app.io.on('connection', (socket: any) => {
            socket.on('greet', (_path: string, reply: (text: string) => void) => reply('named'))
            socket.onAny((event: string, ...args: any[]) => event === 'wave' && args.at(-1)('any'))
          })
        }
      })
    })

    expect(await (await connect(url)).emitWithAck('greet', 'things')).toMatchObject({ code: 405 })
    expect(await (await connect(other)).emitWithAck('greet', 'things')).toBe('named')
    expect(await (await connect(other)).emitWithAck('wave', 'things')).toBe('any')
  })

  it.each([
    '_find',
    '_create',
    'secret',
    'setup',
    'teardown',
    'hooks',
    'publish',
    'on',
    'emit',
    'error',
    'removeAllListeners',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'FIND',
    'find ',
    '',
    'things created'
  ])('%j is no method: nothing is called, and the answer says so', async (method) => {
    const { service, calls } = createRecorder(['_find', '_create', 'secret', 'setup', 'teardown', 'find'])
    const { app, url } = await open((app) => app.use('things', service, { methods: ['find'] }))
    const socket = await connect(url)
    const answers: unknown[] = []

    calls.length = 0
    socket.emit(method, 'things', {}, {}, (...answer: unknown[]) => answers.push(answer))
    // Sent after the other, and so answered after it.
    expect(await call(socket, 'find', 'things')).toBe('done')
    // `error` is a message to which Socket.IO listens.
    expect(answers).toEqual(
      method === 'error' ? [] : [[expect.objectContaining({ name: 'MethodNotAllowed', code: 405 })]]
    )
    expect(calls).toHaveLength(1)
    expect(socket.connected).toBe(true)
    expect(app.listenerCount('disconnect')).toBe(1)
  })

  it('that has the name of an event of Socket.IO is not called by it', async () => {
    const { calls, service, methods } = createRecorder(['find', 'connect', 'disconnecting', 'disconnect'])
    // Socket.IO calls its listeners with the reason.
    const path = 'client namespace disconnect'
    const { app, url } = await open((app) => app.use(path, service, { methods }))
    const ended = new Promise((resolve) => app.on('disconnect', resolve))
    const socket = await connect(url)

    socket.disconnect()
    await ended
    expect(await call(await connect(url), 'find', path)).toBe('done')
    expect(calls.map(([name]) => name)).toEqual(['find'])
  })

  it('newListener does not keep a client from connecting', async () => {
    const { service, methods } = createRecorder(['find', 'newListener', 'custom'])
    const { url } = await open((app) => app.use('things', service, { methods }))
    const socket = await connect(url)

    expect(await call(socket, 'custom', 'things')).toBe('done')
  })

  it('takes no more arguments than it has', async () => {
    const { calls, socket } = await openRecorder()
    const tooMany = {
      find: [{}, {}],
      get: [1, {}, {}],
      create: [{}, {}, {}],
      update: [1, {}, {}, {}],
      patch: [1, {}, {}, null],
      remove: [1, {}, { provider: undefined }],
      custom: [{}, {}, {}]
    }

    for (const [method, args] of Object.entries(tooMany)) {
      await expect(call(socket, method, 'things', ...args)).rejects.toEqual({
        name: 'BadRequest',
        message: `Too many arguments for '${method}' method`,
        code: 400,
        className: 'bad-request'
      })
    }

    expect(calls).toEqual([])
  })
})

describe('the params of a call', () => {
  it('are the query, the route, the connection and all that is on it', async () => {
    const connections: unknown[] = []
    const { calls, url } = await openRecorder((app) =>
      app.on('connection', (connection: unknown) => connections.push(connection))
    )
    const socket = await connect(url, { extraHeaders: { 'X-Custom': 'yes' } })

    await call(socket, 'find', 'things', { a: '1' })

    const [, params] = calls[0] as any[]

    expect(Object.keys(params).sort()).toEqual(['connection', 'headers', 'provider', 'query', 'route'])
    expect(params).toMatchObject({ provider: 'socketio', query: { a: '1' }, route: {} })
    expect(params.headers).toMatchObject({ 'x-custom': 'yes' })
    expect(params.connection).toBe(connections[1])
    expect(params).not.toBe(params.connection)
  })

  it('have nothing else that a client sends', async () => {
    const { calls, socket } = await openRecorder()
    const own = {
      provider: '',
      authenticated: true,
      user: { id: 1 },
      connection: { user: 1 },
      headers: {},
      route: { userId: 1 },
      query: {},
      authentication: {}
    }

    await call(socket, 'create', 'things', own, own)
    await call(socket, 'find', 'things', own)

    for (const values of calls) {
      const params = values.at(-1)

      expect(params.provider).toBe('socketio')
      expect(params.authenticated).toBeUndefined()
      expect(params.authentication).toBeUndefined()
      expect(params.user).toBeUndefined()
      expect(params.connection.user).toBeUndefined()
      expect(params.headers).toHaveProperty('host')
      expect(params.route).toEqual({})
      expect(params.query).toEqual(own)
    }
  })

  it('of the handshake are nothing either: neither its query nor its auth', async () => {
    const { calls, url } = await openRecorder()
    const forged = { provider: 'none', user: 'admin', authenticated: 'true' }

    await call(await connect(url, { query: forged, auth: forged }), 'find', 'things')

    const [, params] = calls[0] as any[]

    expect(params).toMatchObject({ provider: 'socketio', query: {} })
    expect(Object.keys(params).sort()).toEqual(['connection', 'headers', 'provider', 'query', 'route'])
  })

  it('are another object for each call', async () => {
    const { calls, socket } = await openRecorder((app) => {
      app.hooks({
        before: { all: [async ({ params }: any) => Object.assign(params, { user: 'from a hook' })] }
      })
    })

    await call(socket, 'find', 'things')
    await call(socket, 'find', 'things')

    const [[, first], [, second]] = calls as any

    expect(first).not.toBe(second)
    expect(first.query).not.toBe(second.query)
    expect(second.connection.user).toBeUndefined()
  })
})

it('a method that no service offers is answered, also for a path without a service', async () => {
  const { socket } = await openRecorder()

  await expect(call(socket, 'pong', 'things', {})).rejects.toMatchObject({ code: 405 })
  await expect(call(socket, 'pong', 'nowhere', {})).rejects.toMatchObject({ code: 404 })
})

it('middleware of a socket runs before its calls, and can refuse them', async () => {
  const { calls, service, methods } = createRecorder()
  const steps: unknown[] = []
  const { app, url } = await open((app) => app.use('things', service, { methods }))

  app.io.on('connection', (socket: any) =>
    socket.use(([event, path, ...rest]: any[], next: (error?: Error) => void) => {
      steps.push([event, path, calls.length])
      if (rest[0]?.refused) rest.at(-1)({ message: 'refused by middleware' })
      else next()
    })
  )

  const socket = await connect(url)

  await expect(call(socket, 'find', 'things', { refused: true })).rejects.toEqual({
    message: 'refused by middleware'
  })
  expect(await call(socket, 'find', 'things')).toBe('done')
  expect(steps).toEqual([
    ['find', 'things', 0],
    ['find', 'things', 0]
  ])
  expect(calls).toHaveLength(1)
})

it('an error of middleware of a socket is no end of the process', async () => {
  const { app, url, calls } = await openRecorder()

  app.io.on('connection', (socket: any) => {
    socket.use((_packet: unknown, next: (error: Error) => void) => next(new Error('refused')))
    socket.on('error', () => socket.disconnect())
  })

  const socket = createClient(url, { reconnection: false })
  const gone = new Promise((resolve) => socket.once('disconnect', resolve))

  socket.emit('find', 'things')
  expect(await gone).toBe('io server disconnect')
  expect(calls).toEqual([])
})
