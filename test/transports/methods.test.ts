import { expect, it } from 'vitest'
import { NotFound, Unprocessable } from '../../src/errors.ts'
import { describeRemoteTransports, describeTransports } from '../support/transports.ts'

// A service that says what it was called with.
const echo = {
  find: async ({ query }: any) => ({ method: 'find', query }),
  get: async (id: unknown, { query }: any) => ({ method: 'get', id: String(id), query }),
  create: async (data: unknown, { query }: any) => ({ method: 'create', data, query }),
  update: async (id: unknown, data: unknown, { query }: any) => ({ method: 'update', id, data, query }),
  patch: async (id: unknown, data: unknown, { query }: any) => ({ method: 'patch', id, data, query }),
  remove: async (id: unknown, { query }: any) => ({ method: 'remove', id, query }),
  greet: async (data: any, { query }: any) => ({ greeting: `Hello ${data.name}`, query })
}

describeTransports('service methods', (open) => {
  const openEcho = () =>
    open((app) => {
      app.use('things', echo, {
        methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'greet']
      })
    })

  it('find gets the query', async () => {
    const client = await openEcho()

    expect(await client.call('find', 'things', { query: 'a=1&b=two' })).toEqual({
      method: 'find',
      query: { a: '1', b: 'two' }
    })
  })

  it('the query nests', async () => {
    const client = await openEcho()
    const { query } = await client.call('find', 'things', {
      query: 'a[$gt]=1&b[$in][]=x&b[$in][]=y&$sort[c]=-1&$or[0][d]=1&$or[1][e.f]=2&g=one+two&toString=3'
    })

    expect(query).toEqual({
      a: { $gt: '1' },
      b: { $in: ['x', 'y'] },
      $sort: { c: '-1' },
      $or: [{ d: '1' }, { 'e.f': '2' }],
      g: 'one two',
      toString: '3'
    })
  })

  it('get gets the id, decoded once', async () => {
    const client = await openEcho()

    for (const id of ['1', 'a b', 'a/b', '100%', '%41', '__proto__', 'constructor', 'ü€😀']) {
      expect(await client.call('get', 'things', { id })).toEqual({ method: 'get', id, query: {} })
    }
  })

  it('create gets an object or an array of objects', async () => {
    const client = await openEcho()

    for (const data of [{ text: 'one' }, [{ text: 'one' }, { text: 'two' }], {}]) {
      expect(await client.call('create', 'things', { data })).toEqual({ method: 'create', data, query: {} })
    }
  })

  it.each(['update', 'patch'])('%s gets id, data and query', async (method) => {
    const client = await openEcho()

    expect(await client.call(method, 'things', { id: '5', data: { a: 1 }, query: 'b=2' })).toEqual({
      method,
      id: '5',
      data: { a: 1 },
      query: { b: '2' }
    })
  })

  it.each(['update', 'patch', 'remove'])('%s without an id gets null', async (method) => {
    const client = await openEcho()
    const data = method === 'remove' ? undefined : { a: 1 }

    expect(await client.call(method, 'things', { id: null, ...(data && { data }), query: 'b=2' })).toEqual({
      method,
      id: null,
      ...(data && { data }),
      query: { b: '2' }
    })
  })

  it('a custom method gets its data', async () => {
    const client = await openEcho()

    expect(await client.call('greet', 'things', { data: { name: 'Ada' } })).toEqual({
      greeting: 'Hello Ada',
      query: {}
    })
  })

  it('a result of nothing is nothing', async () => {
    const client = await open((app) => app.use('quiet', { remove: async () => undefined as any }))

    // The JSON of a message has no other word for it than null.
    expect(await client.call('remove', 'quiet', { id: 1 })).toBeOneOf([undefined, null])
  })

  it('hooks change data, result and dispatch', async () => {
    const client = await open((app) => {
      app.use('things', { create: async (data: any) => ({ ...data, secret: true }) })
      app.service('things').hooks({
        before: {
          create: [
            async (context: any) => {
              context.data = { ...context.data, hooked: true }
            }
          ]
        },
        after: {
          create: async (context: any) => {
            context.result = { ...context.result, after: true }
          }
        }
      })
    })

    expect(await client.call('create', 'things', { data: { a: 1 } })).toEqual({
      a: 1,
      hooked: true,
      secret: true,
      after: true
    })
  })

  it('an error keeps its class, message, data and errors', async () => {
    const client = await open((app) =>
      app.use('things', {
        get: async (id: any) => {
          throw new NotFound(`No thing '${id}'`, { id: String(id), errors: { id: 'unknown' } })
        }
      })
    )

    const error = await client.call('get', 'things', { id: 7 }).catch((error) => error)

    expect(error).toBeInstanceOf(NotFound)
    expect(error.toJSON()).toEqual({
      name: 'NotFound',
      message: "No thing '7'",
      code: 404,
      className: 'not-found',
      data: { id: '7' },
      errors: { id: 'unknown' }
    })
  })

  it('events are sent before the call resolves', async () => {
    const created: unknown[] = []
    const client = await open((app) => {
      app.use('things', { create: async (data: any) => data })
      app.service('things').on('created', (item: unknown) => created.push(item))
    })

    await client.call('create', 'things', { data: [{ n: 1 }, { n: 2 }] })

    expect(created).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('a listener that throws or rejects fails nothing', async () => {
    const heard: unknown[] = []
    const reported: string[] = []
    const client = await open((app) => {
      app.on('error', (error: Error) => reported.push(error.message))
      app.use('things', { create: async (data: any) => data })
      app
        .service('things')
        .on('created', () => {
          throw new Error('thrown')
        })
        .on('created', async () => {
          throw new Error('rejected')
        })
        .on('created', (item: unknown) => heard.push(item))
    })

    expect(await client.call('create', 'things', { data: { n: 1 } })).toEqual({ n: 1 })
    await new Promise(setImmediate)

    expect(heard).toEqual([{ n: 1 }])
    expect(reported).toEqual(['thrown', 'rejected'])
  })
})

describeRemoteTransports('service methods from outside', (open) => {
  it('placeholders of the path are filled into params.route', async () => {
    const client = await open((app) =>
      app.use(
        'users/:userId/messages',
        { get: async (id: any, { route }: any) => ({ id, route }) },
        { routeParams: { kind: 'mail' } }
      )
    )

    expect(await client.call('get', 'users/ann/messages', { id: 'x' })).toEqual({
      id: 'x',
      route: { kind: 'mail', userId: 'ann' }
    })
  })

  it('the params say where a call comes from', async () => {
    const client = await open((app) =>
      app.use('things', {
        find: async ({ provider, headers }: any) => ({ provider, custom: headers['x-custom'] })
      })
    )

    expect(await client.call('find', 'things', { headers: { 'X-Custom': 'yes' } })).toEqual({
      provider: client.provider,
      custom: 'yes'
    })
  })

  it('no part of a query becomes a param', async () => {
    const client = await open((app) =>
      app.use('things', {
        find: async ({ provider, user = null, authenticated = null, query }: any) => ({
          provider,
          user,
          authenticated,
          query
        })
      })
    )
    const query = { provider: '', user: { id: '1' }, authenticated: 'true' }

    expect(await client.call('find', 'things', { query })).toEqual({
      provider: client.provider,
      user: null,
      authenticated: null,
      query
    })
  })

  it('dispatch is sent instead of the result', async () => {
    const client = await open((app) => {
      app.use('users', { get: async (id: any) => ({ id, password: 'secret' }) })
      app.service('users').hooks({
        after: {
          get: async (context: any) => {
            context.dispatch = { id: context.result.id }
          }
        }
      })
    })

    expect(await client.call('get', 'users', { id: '1' })).toEqual({ id: '1' })
  })

  it('a service that is not there is a 404', async () => {
    const client = await open((app) => app.use('things', echo))

    expect(await client.fail('find', 'nothing')).toMatchObject({ name: 'NotFound', code: 404 })
    expect(await client.fail('get', 'nothing', { id: 1 })).toMatchObject({ name: 'NotFound', code: 404 })
  })

  it('a method that the service does not offer is a 405', async () => {
    const client = await open((app) => {
      app.use('full', echo, { methods: ['find', 'get', 'create', 'greet'] })
      app.use('custom', echo, { methods: ['greet'] })
      app.use('standard', echo)
    })

    for (const [method, path] of [
      ['find', 'custom'],
      ['create', 'custom'],
      ['greet', 'standard']
    ] as const) {
      expect(await client.fail(method, path, method === 'find' ? {} : { data: {} })).toMatchObject({
        name: 'MethodNotAllowed',
        code: 405,
        className: 'method-not-allowed'
      })
    }
  })

  it('a result that is no JSON is a 500', async () => {
    const cycle: any = {}

    cycle.cycle = cycle

    const client = await open((app) => {
      app.use('cycle', { find: async () => cycle })
    })

    expect(await client.fail('find', 'cycle')).toMatchObject({ name: 'GeneralError', code: 500 })
  })

  it('error details that are no JSON are left out', async () => {
    const client = await open((app) =>
      app.use('things', {
        find: async () => {
          throw new Unprocessable('Not today', { big: 1n })
        }
      })
    )

    expect(await client.fail('find', 'things')).toEqual({
      name: 'Unprocessable',
      message: 'Not today',
      code: 422,
      className: 'unprocessable'
    })
  })
})
