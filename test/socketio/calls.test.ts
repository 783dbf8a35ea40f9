import { afterEach, describe, expect, it, vi } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { call, connect, createClient, open, openRaw } from '../support/socketio.ts'

afterEach(() => void vi.unstubAllEnvs())

/** A service that remembers its calls, as the names of the methods with their arguments, and answers `done`. */
function createRecorder(methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'custom']) {
  const calls: any[][] = []
  const service: any = {}

  for (const name of methods) {
    service[name] = async (...args: unknown[]) => {
      calls.push([name, ...args])

      return 'done'
    }
  }

  return { calls, service, methods }
}

/** A connected client, and a recorder at `things`. */
async function openRecorder(configure: (app: any) => void = () => undefined) {
  const { calls, service, methods } = createRecorder()
  const { app, url } = await open((app) => {
    app.use('things', service, { methods })
    configure(app)
  })

  return { app, url, calls, socket: await connect(url) }
}

/** Objects in objects, so many that there are `depth` of them. */
function nested(depth: number): object {
  let outermost = {}

  for (let level = 1; level < depth; level++) outermost = { a: outermost }

  return outermost
}

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
    await vi.waitFor(() => expect(calls).toHaveLength(1))
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
    'x'.repeat(10_000)
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

describe('a method', () => {
  it('that another service has is not one of every service', async () => {
    const { service, calls } = createRecorder()
    const { socket } = await openRecorder((app) => {
      app.use('closed', service, { methods: ['get'] })
      app.use('empty', { setup: async () => undefined, find: async () => [] }, { methods: [] })
    })

    for (const method of ['find', 'create', 'update', 'patch', 'remove', 'custom']) {
      await expect(call(socket, method, 'closed')).rejects.toEqual({
        name: 'MethodNotAllowed',
        message: `Method '${method}' not allowed on service 'closed'`,
        code: 405,
        className: 'method-not-allowed'
      })
    }

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

describe('an id', () => {
  it.each([0, -1, 1.5, 'a', '0', '__proto__', 'constructor', ' ', '{}'])('%j is one', async (id) => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'remove']) await call(socket, method, 'things', id)
    for (const method of ['update', 'patch']) await call(socket, method, 'things', id, {})

    expect(calls.map((values) => values[1])).toEqual([id, id, id, id])
  })

  it.each([
    ['an object', {}, 'object'],
    ['a condition', { $ne: null }, 'object'],
    ['an object that looks like a text', { toString: 'a', length: 1 }, 'object'],
    ['an array', [1], 'object'],
    ['true', true, 'boolean'],
    ['false', false, 'boolean'],
    ['an empty text', '', 'an empty text'],
    ['bytes', Buffer.from('1'), 'object']
  ])('%s is none', async (_title, id, found) => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'update', 'patch', 'remove']) {
      const data = ['update', 'patch'].includes(method) ? [{}] : []

      await expect(call(socket, method, 'things', id, ...data)).rejects.toEqual({
        name: 'BadRequest',
        message: `Invalid id for '${method}': expected ${method === 'get' ? 'a text or a number' : 'a text, a number or null'}, got ${found}`,
        code: 400,
        className: 'bad-request'
      })
    }

    expect(calls).toEqual([])
  })

  it('has to be there, and may not be null for get', async () => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'update', 'patch', 'remove']) {
      await expect(call(socket, method, 'things')).rejects.toMatchObject({ code: 400 })
    }

    await expect(call(socket, 'get', 'things', null)).rejects.toMatchObject({
      code: 400,
      message: "Invalid id for 'get': expected a text or a number, got null"
    })
    expect(calls).toEqual([])
  })

  it.each(['1e999', '-1e999'])('%s is no number', async (id) => {
    const { calls, url } = await openRecorder()
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send(`421["get","things",${id}]`, `422["patch","things",${id},{}]`)
    expect(await raw.receive('431')).toContain('"code":400')
    expect(await raw.receive('432')).toContain('"code":400')
    expect(calls).toEqual([])
  })
})

describe('a query', () => {
  const long = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

  it.each([
    ['a text', 'a=1', 'expected an object'],
    ['a number', 1, 'expected an object'],
    ['true', true, 'expected an object'],
    ['an array', [], 'expected an object'],
    ['bytes', Buffer.from('a'), 'expected an object'],
    [
      'an object with bytes',
      { a: Buffer.from('a') },
      'expected texts, numbers, booleans, objects and arrays'
    ],
    ['too deep', nested(19), 'expected objects to nest at most 16 deep'],
    ['too deep by arrays', { a: JSON.parse('['.repeat(50) + ']'.repeat(50)) }, 'nest at most 16 deep'],
    ['an array that is too long', { a: Array(501).fill(1) }, 'expected at most 500 elements in an array'],
    ['too many parameters', long(1001), 'expected at most 1000 parameters'],
    [
      'too many parameters in arrays',
      { a: Array(500).fill(1), b: Array(500).fill(1), c: 1 },
      'expected at most 1000 parameters'
    ],
    ['with constructor', { constructor: 1 }, "'constructor' is not allowed as a name"],
    ['with __proto__', JSON.parse('{"__proto__":{"polluted":1}}'), "'__proto__' is not allowed as a name"],
    [
      'with __proto__ inside',
      JSON.parse('{"a":[{"b":{"__proto__":1}}]}'),
      "'__proto__' is not allowed as a name"
    ]
  ])('that is %s is refused', async (_title, query, message) => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['find'], ['get', 1], ['patch', 1, {}], ['custom', {}]]) {
      await expect(call(socket, method as string, 'things', ...args, query)).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400,
        message: expect.stringContaining(message)
      })
    }

    expect(calls).toEqual([])
    expect(({} as any).polluted).toBeUndefined()
  })

  it('may be as deep, as long and as many as a query string', async () => {
    const { calls, socket } = await openRecorder()
    const queries = [nested(17), { a: Array(500).fill(1) }, long(1000)]

    for (const query of queries) await call(socket, 'find', 'things', query)

    expect(calls.map(([, params]) => params.query)).toEqual(queries)
  })
})

describe('data', () => {
  it.each([
    ['a text', 'a', 'got string'],
    ['a number', 1, 'got number'],
    ['true', true, 'got boolean'],
    ['bytes', Buffer.from('a'), 'got bytes'],
    ['too deep', nested(101), 'nest at most 100 deep']
  ])('that is %s is refused', async (_title, data, message) => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['create'], ['update', 1], ['patch', 1], ['custom']]) {
      await expect(call(socket, method as string, 'things', ...args, data)).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400,
        message: expect.stringContaining(message)
      })
    }

    expect(calls).toEqual([])
  })

  it.each([[[1]], [['a']], [[null]], [[[]]], [[Buffer.from('a')]], [[{}, 1]]])(
    '%j is no list of objects',
    async (data) => {
      const { calls, socket } = await openRecorder()

      await expect(call(socket, 'create', 'things', data)).rejects.toMatchObject({
        code: 400,
        message: 'Invalid data: expected every element of the array to be an object'
      })
      expect(calls).toEqual([])
    }
  )

  it('that is null is refused, and for a custom method there is none', async () => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['create'], ['update', 1], ['patch', 1]]) {
      await expect(call(socket, method as string, 'things', ...args, null)).rejects.toMatchObject({
        code: 400,
        message: 'Invalid data: expected a JSON object or array, got null'
      })
    }

    expect(calls).toEqual([])
    // What a client leaves out in front of something is `null` on the wire.
    await call(socket, 'custom', 'things', undefined, { q: '1' })
    expect(calls).toEqual([['custom', {}, expect.objectContaining({ query: { q: '1' } })]])
  })

  it('is an empty object when there is none', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'create', 'things')
    await call(socket, 'custom', 'things')
    expect(calls.map((values) => values[1])).toEqual([{}, {}])
  })

  it('of a custom method may be any list', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'custom', 'things', [1, 'a', null])
    expect(calls[0]?.[1]).toEqual([1, 'a', null])
  })

  it('may be as deep as a body', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'create', 'things', nested(100))
    expect(calls[0]?.[1]).toEqual(nested(100))
  })

  it('keeps the bytes inside, on the way in and on the way out', async () => {
    const bytes = Buffer.from([0, 255, 1, 254])
    const seen: any[] = []
    const { socket } = await openRecorder((app) => {
      app.use('files', {
        create: async (data: any) => {
          seen.push(data)

          return { ...data, copies: [data.content] }
        }
      })
    })
    const result = await call(socket, 'create', 'files', { name: 'a', content: bytes })

    expect(Buffer.isBuffer(seen[0].content)).toBe(true)
    expect(seen).toEqual([{ name: 'a', content: bytes }])
    expect(result).toEqual({ name: 'a', content: bytes, copies: [bytes] })
  })

  it('changes no prototype, neither of objects nor of the record', async () => {
    const { url } = await openRecorder((app) => app.use('records', memory()))
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('421["create","records",{"__proto__":{"admin":true}}]')
    raw.send('422["create","records",{"constructor":{"prototype":{"admin":true}}}]')

    const [error] = JSON.parse((await raw.receive('431')).slice(3))
    const [, record] = JSON.parse((await raw.receive('432')).slice(3))

    expect(error.message).toBe("Invalid data: '__proto__' is not allowed as a name")
    expect(record.admin).toBeUndefined()
    expect(({} as any).admin).toBeUndefined()
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

describe('the answer', () => {
  it('is what may be shown of the result', async () => {
    const { socket } = await openRecorder((app) => {
      app.use('users', { get: async () => ({ id: 1, password: 'secret' }), find: async () => ['hidden'] })
      app.service('users').hooks({
        after: {
          get: [async (context: any) => Object.assign(context, { dispatch: { id: 1 } })],
          find: [async (context: any) => Object.assign(context, { dispatch: null })]
        }
      })
    })

    expect(await call(socket, 'get', 'users', 1)).toEqual({ id: 1 })
    expect(await call(socket, 'find', 'users')).toBeNull()
  })

  it.each([null, 0, '', false, [], {}])('is %j when the result is that', async (result) => {
    const { socket } = await openRecorder((app) => app.use('plain', { find: async () => result }))

    expect(await call(socket, 'find', 'plain')).toEqual(result)
  })

  it('is the error of a hook, as it is', async () => {
    const { socket } = await openRecorder((app) => {
      app.use('broken', {
        find: async () => {
          throw new BadRequest('No', { because: 'of this', errors: [{ path: 'a' }] })
        }
      })
    })

    await expect(call(socket, 'find', 'broken')).rejects.toEqual({
      name: 'BadRequest',
      message: 'No',
      code: 400,
      className: 'bad-request',
      data: { because: 'of this' },
      errors: [{ path: 'a' }]
    })
  })

  const cycle: { self?: unknown } = {}

  cycle.self = cycle

  it.each([
    ['a BigInt', () => ({ n: 1n })],
    ['a cycle', () => cycle],
    [
      'an object that throws',
      () => ({
        toJSON() {
          throw new Error('no JSON')
        }
      })
    ],
    ['too deep', () => nested(20_000)]
  ])('is one 500 for a result that is %s', async (_title, create: () => object) => {
    const { calls, url } = await openRecorder((app) => app.use('odd', { find: async () => create() }))
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('421["find","odd"]', '422["find","things"]')
    expect(JSON.parse((await raw.receive('431')).slice(3))).toMatchObject([
      { name: 'GeneralError', code: 500 }
    ])
    await raw.receive('432')
    expect(raw.received.filter((frame) => frame.includes('431'))).toHaveLength(1)
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['production', 'An unexpected error occurred on the server'],
    ['development', 'password of the database is hunter2']
  ])('in %s says of an unexpected error no more than: %s', async (environment, message) => {
    vi.stubEnv('NODE_ENV', environment)

    const failing = async () => {
      throw Object.assign(new Error('password of the database is hunter2'), {
        sql: 'select 1',
        code: 'ECONNREFUSED',
        hook: { secret: 1 }
      })
    }
    const { socket } = await openRecorder((app) => app.use('failing', { find: failing }))

    await expect(call(socket, 'find', 'failing')).rejects.toEqual({
      name: 'GeneralError',
      message,
      code: 500,
      className: 'general-error'
    })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['an object', { code: 200, message: { a: 1 } }],
    [
      'what throws when it is looked at',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('hidden')
          }
        }
      )
    ]
  ])('is a 500 when %s is thrown', async (_title, thrown) => {
    const { socket } = await openRecorder((app) => {
      app.use('failing', {
        find: async () => {
          throw thrown
        }
      })
    })

    await expect(call(socket, 'find', 'failing')).rejects.toMatchObject({ name: 'GeneralError', code: 500 })
    expect(await call(socket, 'find', 'things')).toBe('done')
  })
})

describe('the log', () => {
  const configure = (app: any) =>
    app.use('failing', {
      find: async () => {
        throw new Error('unexpected')
      },
      create: async () => {
        throw new BadRequest('expected')
      },
      get: async () => ({ n: 1n })
    })

  it('gets the stack of errors that clients see nothing of, and no others', async () => {
    const written: string[] = []
    const { url } = await open(configure, { logger: { error: (message) => void written.push(message) } })
    const socket = await connect(url)

    await expect(call(socket, 'create', 'failing', { password: 'hunter2' })).rejects.toMatchObject({
      code: 400
    })
    await expect(call(socket, 'find', 'nothing')).rejects.toMatchObject({ code: 404 })
    expect(written).toEqual([])
    await expect(call(socket, 'find', 'failing', { password: 'hunter2' })).rejects.toMatchObject({
      code: 500
    })
    await expect(call(socket, 'get', 'failing', 1)).rejects.toMatchObject({ code: 500 })
    expect(written).toEqual([
      expect.stringMatching(/^Error: unexpected\n +at /),
      expect.stringMatching(/BigInt/)
    ])
    expect(written.join()).not.toContain('hunter2')
  })

  it('that throws itself changes no answer', async () => {
    const { url } = await open(configure, {
      logger: {
        error: () => {
          throw new Error('disk full')
        }
      }
    })

    await expect(call(await connect(url), 'find', 'failing')).rejects.toMatchObject({ code: 500 })
  })

  it('is the console unless another is given', async () => {
    const written = vi.spyOn(console, 'error').mockReturnValue()
    const { url } = await open(configure, { logger: undefined as any })
    const socket = await connect(url)

    await expect(call(socket, 'find', 'failing')).rejects.toMatchObject({ code: 500 })
    expect(written).toHaveBeenCalledOnce()
    written.mockRestore()
  })
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
