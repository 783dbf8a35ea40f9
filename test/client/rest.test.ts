import { describe, expect, it } from 'vitest'
import { alula, type RestRequest, rest } from '../../src/client.ts'
import { BadRequest, FeathersError, NotFound, Unavailable } from '../../src/errors.ts'
import { configureEcho } from './echo.ts'
import { failure, libraries, restConnections, restServers } from './servers.ts'

// Our REST client, with each library that it knows, against our server and one of Feathers v5.

describe.each(restConnections)('a client with %s', (_name, serve, connect) => {
  it('calls all six methods', async () => {
    const { url } = await serve(configureEcho)
    const things = alula().configure(connect(url)).service('things')
    const query = { a: { $in: ['1', '2'] }, $sort: { b: '-1' } }

    expect(await things.find({ query })).toMatchObject({ method: 'find', query })
    const got = await things.get('a b/c', { query: { $select: ['x'] } })

    expect(got).toMatchObject({ method: 'get', query: { $select: ['x'] } })
    // See docs/compatibility.md#encoded-ids.
    expect(decodeURIComponent(got.id)).toBe('a b/c')
    expect(await things.get(0)).toMatchObject({ method: 'get', id: '0', query: {} })
    expect(await things.create({ a: 1 }, { query })).toMatchObject({
      method: 'create',
      data: { a: 1 },
      query
    })
    expect(await things.create([{ a: 1 }, { a: 2 }])).toMatchObject({ data: [{ a: 1 }, { a: 2 }] })
    expect(await things.update(1, { a: 2 })).toMatchObject({ method: 'update', id: '1', data: { a: 2 } })
    expect(await things.patch(1, { a: 3 }, { query })).toMatchObject({ method: 'patch', id: '1', query })
    expect(await things.remove(1)).toMatchObject({ method: 'remove', id: '1' })
  })

  it('takes a query of null for none', async () => {
    const { url } = await serve(configureEcho)
    const things = alula().configure(connect(url)).service('things')

    for (const query of [null, undefined])
      expect(await things.find({ query } as any)).toMatchObject({ query: {} })
  })

  it('reaches the service at the root', async () => {
    const { url } = await serve((app: any) => app.use('/', { get: async (id: unknown) => ({ id }) }))

    expect(await alula().configure(connect(url)).service('/').get('x')).toEqual({ id: 'x' })
  })

  it('sends null as an id by leaving it out', async () => {
    const { url } = await serve(configureEcho)
    const things = alula().configure(connect(url)).service('things')
    const query = { done: 'true' }

    expect(await things.update(null, { a: 1 }, { query })).toMatchObject({ id: null, data: { a: 1 }, query })
    expect(await things.patch(null, { a: 1 }, { query })).toMatchObject({ id: null, data: { a: 1 }, query })
    expect(await things.remove(null, { query })).toMatchObject({ id: null, query })
  })

  it('calls custom methods once they are listed, with their hooks', async () => {
    const { url } = await serve(configureEcho)
    const connection = connect(url)
    const app = alula().configure(connection)

    app.use('things', connection.service('things') as any, { methods: ['find', 'shout'] })
    app.service('things').hooks({
      before: { shout: [async ({ data }) => ({ data: { ...data, hooked: true } }) as any] }
    })

    const things = app.service('things')

    expect(await things.shout({ a: 1 }, { query: { b: '2' } })).toMatchObject({
      method: 'shout',
      data: { a: 1, hooked: true },
      query: { b: '2' }
    })
    expect(await things._shout({ a: 1 })).toMatchObject({ method: 'shout', data: { a: 1 }, query: {} })
    expect(await things.shout()).toMatchObject({ method: 'shout', data: { hooked: true } })
  })

  it('calls a method with an underscore without hooks and events', async () => {
    const { url } = await serve(configureEcho)
    const things = alula().configure(connect(url)).service('things')
    const heard: string[] = []

    things.hooks({ before: { all: [async (context) => void heard.push(context.method)] } })
    things.on('created', () => heard.push('created'))

    await things._find()
    await things._get(1)
    await things._create({})
    await things._update(1, {})
    await things._patch(1, {})
    await things._remove(1)
    expect(heard).toEqual([])

    await things.create({})
    expect(heard).toEqual(['create', 'created'])
  })

  it('emits events of calls that have succeeded', async () => {
    const { url } = await serve(configureEcho)
    const app = alula().configure(connect(url))
    const heard: string[] = []

    for (const event of ['created', 'updated', 'patched', 'removed']) {
      app.service('things').on(event, (item: any, context: any) => {
        heard.push(`${event} ${item.method} ${context.path}`)
      })
    }

    await app.service('things').create({})
    await app.service('things').update(1, {})
    await app.service('things').patch(1, {})
    await app.service('things').remove(1)
    await failure(app.service('things').remove(undefined as any))

    expect(heard).toEqual([
      'created create things',
      'updated update things',
      'patched patch things',
      'removed remove things'
    ])
  })

  it('puts headers of the call over those of the connection, whatever their case', async () => {
    const { url } = await serve(configureEcho)
    const headers = { 'X-Trace': 'all', 'Accept-Language': 'en' }
    const things = alula().configure(connect(url, { headers })).service('things')

    expect((await things.find()).headers).toEqual({
      accept: 'application/json',
      trace: 'all',
      language: 'en'
    })
    expect(
      (await things.create({}, { headers: { 'x-trace': 'one', 'ACCEPT-LANGUAGE': undefined } })).headers
    ).toEqual({ accept: 'application/json', trace: 'one', language: 'en' })
    expect((await things.get(1, { headers: { accept: 'text/html, */*' } })).headers.accept).toBe(
      'text/html, */*'
    )
  })

  it('puts values in place of placeholders', async () => {
    const { url } = await serve(configureEcho)
    const things = alula().configure(connect(url)).service('users/:userId/things')

    expect(await things.get(1, { route: { userId: 'wren' } })).toMatchObject({
      id: '1',
      route: { userId: 'wren' }
    })
    expect(await things.find({ route: { userId: 0, user: 'no part of it' } })).toMatchObject({
      route: { userId: '0' }
    })

    const route = { one: 'a', two: '1', three: 'b' }

    expect(await alula().configure(connect(url)).service(':one/:two/:three').find({ route })).toMatchObject({
      route
    })

    for (const route of [undefined, {}, { userId: '' }, { userId: null }, { user: 'wren' }]) {
      expect(await failure(things.find({ route } as any))).toMatchObject({
        name: 'BadRequest',
        message: "Missing value for ':userId' in params.route"
      })
    }
  })

  it('revives errors, with the answer that they came with', async () => {
    const { url } = await serve((app) =>
      app.use('things', {
        get: async () => {
          throw new NotFound('No such thing', { hint: 'look elsewhere', errors: { id: 'unknown' } })
        },
        create: async () => {
          throw new BadRequest('Not like this', [{ field: 'a' }])
        }
      })
    )
    const app = alula().configure(connect(url))
    const missing = await failure(app.service('things').get(1))

    expect(missing).toBeInstanceOf(NotFound)
    expect(missing).toBeInstanceOf(FeathersError)
    expect(missing.response.status).toBe(404)
    expect(JSON.parse(JSON.stringify(missing))).toEqual({
      name: 'NotFound',
      message: 'No such thing',
      code: 404,
      className: 'not-found',
      data: { hint: 'look elsewhere' },
      errors: { id: 'unknown' }
    })
    expect(await failure(app.service('things').create({}))).toMatchObject({
      name: 'BadRequest',
      data: [{ field: 'a' }]
    })
    expect(await failure(app.service('unknown').find())).toBeInstanceOf(NotFound)
    expect((await failure(app.service('things').remove(1))).name).toBe('MethodNotAllowed')
  })

  it('gets null for an empty answer', async () => {
    const { url } = await serve((app) => app.use('things', { remove: async () => null }))

    expect(await alula().configure(connect(url)).service('things').remove(1)).toBeNull()
  })

  it('knows an answer that is no JSON by its status', async () => {
    const { url } = await serve((app) => {
      for (const status of [404, 418, 503, 504]) {
        app.use(`/${status}`, (_request: any, response: any) =>
          response.status(status).send('<h1>Sorry</h1>')
        )
      }
    })
    const app = alula().configure(connect(url))
    const find = (path: string) => failure(app.service(path).find())

    expect(await find('404')).toBeInstanceOf(NotFound)
    expect(await find('503')).toBeInstanceOf(Unavailable)
    expect(await find('418')).toMatchObject({ name: 'BadRequest', message: 'JSON parsing error' })
    expect(await find('504')).toMatchObject({
      name: 'GeneralError',
      message: 'JSON parsing error',
      response: { status: 504 }
    })
  })

  it('knows an error that has no name by its status, and keeps what it has', async () => {
    const { url } = await serve((app) => {
      app.use('/things', (_request: any, response: any) =>
        response.status(403).json({ message: 'No entry', reason: 'closed' })
      )
      app.use('/text', (_request: any, response: any) => response.status(409).json('taken'))
      app.use('/named', (_request: any, response: any) => response.status(500).json({ name: 'Own', own: 1 }))
    })
    const app = alula().configure(connect(url))

    expect(await failure(app.service('things').find())).toMatchObject({
      name: 'Forbidden',
      code: 403,
      message: 'No entry',
      reason: 'closed'
    })
    expect((await failure(app.service('text').find())).name).toBe('Conflict')

    const named = await failure(app.service('named').find())

    expect(named).toBeInstanceOf(Error)
    expect(named.response.status).toBe(500)
    expect(JSON.parse(JSON.stringify(named))).toEqual({ name: 'Own', own: 1 })
  })
})

describe.each(Object.entries(libraries))('a client with %s', (library, connect) => {
  it('says that a server is not there, and why', async () => {
    // Nobody may listen there, and it is none of the ports that `fetch` refuses.
    const url = 'http://127.0.0.1:59998'
    const things = alula().configure(connect(url)).service('things')
    const error = await failure(
      things.create({ password: 'secret' }, { headers: { Authorization: 'Bearer token' } })
    )

    expect(error).toBeInstanceOf(Unavailable)
    expect(error.cause).toBeInstanceOf(Error)
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'Unavailable',
      message: 'connect ECONNREFUSED 127.0.0.1:59998',
      code: 503,
      className: 'unavailable',
      data: { code: 'ECONNREFUSED', address: '127.0.0.1', port: 59998, method: 'POST', url: `${url}/things` }
    })
  })

  it('says that a connection was lost', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) =>
      app.use('/things', (request: any) => request.socket.destroy())
    )

    expect(await failure(alula().configure(connect(url)).service('things').find())).toMatchObject({
      name: 'Unavailable',
      data: { method: 'GET', url: `${url}/things` }
    })
  })

  it('leaves mistakes of the caller what they are', async () => {
    const things = alula().configure(connect('http://127.0.0.1:59998')).service('things')
    const circle: any = {}

    circle.circle = circle

    expect(['TypeError', 'RangeError']).toContain((await failure(things.create(circle))).name)
  })

  it('refuses steps in a path, which would lead to another service', async () => {
    const things = alula().configure(connect('http://127.0.0.1:59998')).service('users/:userId/things')

    for (const id of ['.', '..']) {
      expect(await failure(things.remove(id, { route: { userId: 'wren' } }))).toBeInstanceOf(BadRequest)
      expect(await failure(things.remove(1, { route: { userId: id } }))).toBeInstanceOf(BadRequest)
    }

    expect((await failure(things.remove('...', { route: { userId: '.a' } }))).name).toBe('Unavailable')
  })

  it('needs the library', () => {
    expect(() => (rest('') as any)[library]()).toThrow(`${library} has to be provided to feathers-rest`)
  })

  it('can be the default connection once', () => {
    const app = alula().configure(connect('http://127.0.0.1:59998'))

    expect(() => app.configure(connect('http://127.0.0.1:59998'))).toThrow(
      'Only one default client provider can be configured'
    )
    expect(() => alula().set('x', 1).configure(connect(''))).not.toThrow()
  })

  it('takes a class of services in place of its own', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)

    for (const given of ['options', 'class']) {
      const requests: RestRequest[] = []
      const { Service } = connect(url)
      const Own = class extends Service {
        getQuery(query: any) {
          return super.getQuery({ ...query, own: 'yes' })
        }

        makeUrl(query: any, id: any, route: any) {
          return super.makeUrl(query, id === 'me' ? 1 : id, route)
        }

        request(options: RestRequest, params: any) {
          requests.push(options)

          return super.request(options, params)
        }
      } as any
      const connection = given === 'class' ? connect(url, Own) : connect(url, { headers: {} }, Own)
      const app = alula().configure(connection)

      expect(connection.Service).toBe(Own)
      expect(await app.service('things').get('me', { query: { a: '1' } })).toMatchObject({
        id: '1',
        query: { a: '1', own: 'yes' }
      })
      expect(requests).toEqual([{ url: `${url}/things/1?a=1&own=yes`, method: 'GET', headers: {} }])
    }
  })
})
