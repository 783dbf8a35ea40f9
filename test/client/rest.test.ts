import { createRequire } from 'node:module'
import officialRest from '@feathersjs/rest-client'
import axios from 'axios'
import { describe, expect, it } from 'vitest'
import { alula, Base, FetchClient, type RestRequest, rest, SuperagentClient } from '../../src/client.ts'
import { BadRequest, errors, FeathersError, NotFound, Unavailable } from '../../src/errors.ts'
import { createEcho, failure, fetchOnce, libraries, restConnections, restServers } from './servers.ts'

// Our REST client, with each library that it knows, against our server and one of Feathers v5.

const echo = createEcho(({ query, headers, route }) => ({
  query,
  route,
  headers: { accept: headers.accept, language: headers['accept-language'], trace: headers['x-trace'] }
}))

const configureEcho = (app: any) => {
  app.use('things', echo, { methods: Object.keys(echo) })
  app.use('users/:userId/things', echo)
  app.use(':one/:two/:three', echo)
}

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

describe('the options of a call for the library', () => {
  it('go to fetch, an abort among them', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) => {
      configureEcho(app)
      app.use('slow', { find: () => new Promise(() => {}) })
    })
    const app = alula().configure(rest(url).fetch(fetchOnce))
    const controller = new AbortController()
    const pending = app.service('slow').find({ connection: { signal: controller.signal } })
    // As it could be of the connection, too.
    const reason = new TypeError('Enough')

    controller.abort(reason)

    expect(await failure(pending)).toBe(reason)
    expect(
      (await failure(app.service('slow').find({ connection: { signal: AbortSignal.timeout(1) } }))).name
    ).toBe('TimeoutError')
    expect(
      await app.service('things').create({ a: 1 }, { connection: { headers: { 'X-Trace': 'connection' } } })
    ).toMatchObject({ data: { a: 1 }, headers: { trace: 'connection', accept: 'application/json' } })
    expect(
      await app.service('things').find({ connection: { headers: new Headers({ 'x-trace': 'headers' }) } })
    ).toMatchObject({ headers: { trace: 'headers' } })
  })

  it('go to axios, an abort and a time limit among them', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) => {
      configureEcho(app)
      app.use('slow', { find: () => new Promise(() => {}) })
    })
    const app = alula().configure(rest(url).axios(axios))
    const controller = new AbortController()
    const pending = app.service('slow').find({ connection: { signal: controller.signal } })

    controller.abort()

    expect((await failure(pending)).name).toBe('CanceledError')
    expect(await failure(app.service('slow').find({ connection: { timeout: 1 } }))).toMatchObject({
      name: 'Timeout',
      code: 408
    })
    expect(
      await app.service('things').find({ connection: { headers: { 'X-Trace': 'connection' } } })
    ).toMatchObject({ headers: { trace: 'connection' } })
  })

  it('are headers for superagent', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    const things = alula()
      .configure((libraries.superagent as any)(url))
      .service('things')

    expect(await things.find({ connection: { 'X-Trace': 'connection' } })).toMatchObject({
      headers: { trace: 'connection' }
    })
    expect(
      await things.find({ connection: { 'X-Trace': 'connection' }, headers: { 'x-trace': 'call' } })
    ).toMatchObject({ headers: { trace: 'call' } })
  })
})

describe('queries', () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)

  it.each([
    ['our server', 500],
    ['a server of Feathers v5', 20]
  ])('reach %s whole, with %i values and clauses', async (name, count) => {
    const { url } = await (restServers[name] as any)((app: any) =>
      app.use('things', { find: async ({ query }: any) => query })
    )
    const things = alula().configure(rest(url).fetch(fetchOnce)).service('things')
    const clauses = values(count).map((value) => ({ a: value }))

    for (const query of [{ a: { $in: values(count) } }, { $or: clauses }]) {
      expect(await things.find({ query })).toEqual(query)
    }
  })

  it('past the limits of our server are an error, and never another query', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) =>
      app.use('things', { find: async ({ query }: any) => query })
    )
    const things = alula().configure(rest(url).fetch(fetchOnce)).service('things')

    expect(await failure(things.find({ query: { a: { $in: values(501) } } }))).toMatchObject({
      name: 'BadRequest',
      message: 'Invalid query string: expected at most 500 elements in an array'
    })
  })

  it('are written as by the client of Feathers v5', () => {
    const theirs = (officialRest as any)('http://localhost').fetch(fetch).service('things')
    const ours: any = rest('http://localhost').fetch(fetch).service('things')
    const queries = [
      {},
      { a: 'b c&d', $limit: 1, done: true },
      { a: null, b: undefined, c: [], d: {}, e: '' },
      { a: { $in: [] } },
      { a: { $in: [1, 2, 'x'] }, $sort: { b: -1 } },
      { a: [null, undefined, 1], b: [[1], [2, 3]] },
      { $or: [{ a: 1, b: { $gt: 2 } }, { c: new Date(0) }] },
      { 'ä€': '😀', 'a.b': '+%' }
    ]

    for (const query of queries) {
      for (const id of [undefined, null, 0, 'a b/c']) {
        // Theirs ends in a question mark where nothing of the query is left.
        expect(ours.makeUrl(query, id)).toBe(theirs.makeUrl(query, id).replace(/\?$/, ''))
      }
    }
  })
})

describe('a REST connection', () => {
  it('gives services without an application', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    const connection = rest(url).fetch(fetchOnce)
    const things: any = connection.service('/things/')

    expect(connection.Service).toBe(FetchClient)
    expect(things).toBeInstanceOf(Base)
    expect(things).toMatchObject({
      name: 'things',
      base: `${url}/things`,
      connection: fetchOnce,
      options: {}
    })
    expect(await things.find()).toMatchObject({ method: 'find', query: {} })
    expect(await things.methods('shout').shout({ a: 1 })).toMatchObject({ method: 'shout', data: { a: 1 } })
    expect(await things.methods('shout', 'find').find()).toMatchObject({ method: 'find' })
  })

  it('is on the application', () => {
    const app = alula().configure(rest('http://localhost').fetch(fetch))

    expect(app.rest).toBe(fetch)
    expect(app.defaultService('things')).toBeInstanceOf(FetchClient)
  })

  it('joins base and path with one slash', () => {
    const toBase = (base?: string) => (rest(base).fetch(fetch).service('things') as any).base

    expect(toBase('http://localhost/')).toBe('http://localhost/things')
    expect(toBase('/api//')).toBe('/api/things')
    expect(toBase()).toBe('/things')
  })

  it('has the class of all services, for libraries of your own', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    const { Base: Common, fetch: connect } = rest(url)

    class Own extends Common {
      async request({ url: address, method, body, headers }: RestRequest) {
        const response = await fetchOnce(address, { method, headers, body: body && JSON.stringify(body) })
        const result = await response.json()

        // As a library may: not an error, but what the server has sent.
        if (!response.ok) throw result

        return result
      }
    }

    const app = alula().configure(connect(fetch, Own))

    expect(await app.service('things').create({ a: 1 })).toMatchObject({ data: { a: 1 } })
    expect(await failure(app.service('nothing').get(1))).toBeInstanceOf(NotFound)
  })

  it('refuses custom methods that would take the place of its own', () => {
    const connection = rest('http://localhost').fetch(fetch)

    for (const name of ['request', 'makeUrl', 'base', 'sendCall', 'methods']) {
      expect(() =>
        alula()
          .configure(connection)
          .use('things', connection.service('things') as any, { methods: [name] })
      ).toThrow(`'${name}' is not allowed as a custom method name on a client service`)
    }

    const send: any = connection.service('things')

    expect(typeof send.methods('send').send).toBe('function')
  })

  it('publishes nothing', () => {
    const app = alula().configure(rest('http://localhost').fetch(fetch))

    expect(() => app.service('things').publish(() => app.channel('all'))).toThrow(
      'A client service publishes nothing: the server chooses who receives its events'
    )
  })

  it('says what is wrong when the server answers success with no JSON', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) =>
      app.use('/page', (_request: any, response: any) => response.send('<h1>Welcome</h1>'))
    )
    const error = await failure(alula().configure(rest(url).fetch(fetchOnce)).service('page').find())

    expect(error).toMatchObject({
      name: 'GeneralError',
      message: 'JSON parsing error',
      response: { status: 200 }
    })
  })

  it('calls fetch as a function, as browsers want it', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    let self: unknown = 'nothing'
    const connection = rest(url).fetch(function (this: unknown, address, init) {
      self = this

      return fetchOnce(address, init)
    })

    await alula().configure(connection).service('things').find()
    expect(self).toBeUndefined()
  })

  it('sends what is false, and nothing for null', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)

    for (const connect of Object.values(libraries)) {
      const things: any = connect(url).service('things')

      expect(await things.create(null)).toMatchObject({ data: {} })
      expect(await failure(things.create(0))).toMatchObject({ name: 'BadRequest' })
    }
  })
})

it('the errors of the client are those of alula/errors', () => {
  const { NotFound: Official } = createRequire(import.meta.url)('@feathersjs/errors')

  expect(errors.NotFound).toBe(NotFound)
  expect(new Official('x')).not.toBeInstanceOf(NotFound)
  expect(new SuperagentClient({ name: 'x', base: '', connection: null })).toBeInstanceOf(Base)
})
