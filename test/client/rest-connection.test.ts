import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { alula, Base, FetchClient, type RestRequest, rest, SuperagentClient } from '../../src/client.ts'
import { errors, NotFound } from '../../src/errors.ts'
import { configureEcho } from './echo.ts'
import { failure, fetchOnce, libraries, restServers } from './servers.ts'

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
