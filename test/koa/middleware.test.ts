import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type Application, bodyParser, type FeathersKoaContext, type Middleware } from '../../src/koa.ts'
import { serve } from '../support/server.ts'
import { create, getJson } from './support.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

const post = (body: string) => ({ method: 'POST', headers: JSON_HEADERS, body })

it('middleware sets params by ctx.feathers, and the query by ctx.query', async () => {
  const app = create((app) =>
    app.use(async (context, next) => {
      context.feathers = { ...context.feathers, user: { id: 1 } }
      context.query.added = context.query.a
      await next()
    })
  )

  app.use('things', { find: async ({ provider, user, query }: any) => ({ provider, user, query }) })

  expect(await getJson(`${await serve(app)}/things?a[$lt]=5`)).toEqual({
    provider: 'rest',
    user: { id: 1 },
    query: { a: { $lt: '5' }, added: { $lt: '5' } }
  })
})

it('a query that middleware replaces is what the service gets', async () => {
  const app = create((app) =>
    app.use((context, next) => {
      context.query = { other: { $in: ['1'] } } as any

      return next()
    })
  )

  app.use('things', { find: async ({ query }: any) => query })

  expect(await getJson(`${await serve(app)}/things?a=1`)).toEqual({ other: { $in: ['1'] } })
})

it('middleware around the services sees the result, and can change or replace it', async () => {
  const app = create((app) =>
    app.use(async (context, next) => {
      await next()

      const { method, path } = context.hook as any

      context.set('X-Seen', `${method} ${path} ${context.status}`)
      if (context.query.replace) context.body = { replaced: context.body }
      else (context.body as any).changed = true
    })
  )

  app.use('things', { find: async () => ({ a: 1 }) })

  const url = await serve(app)
  const response = await fetch(`${url}/things`)

  expect([response.headers.get('x-seen'), await response.json()]).toEqual([
    'find things 200',
    { a: 1, changed: true }
  ])
  expect(await getJson(`${url}/things?replace=1`)).toEqual({ replaced: { a: 1 } })
})

it('the middleware of a service runs before and after it, with its context', async () => {
  const order: string[] = []
  const log =
    (name: string): Middleware =>
    async (context, next) => {
      order.push(`${name} ${context.hook?.method} ${JSON.stringify(context.body)}`)
      await next()
    }
  const app = create(() => undefined)

  app.use(
    'things',
    {
      async find() {
        order.push('service')
        return ['thing']
      }
    },
    {
      koa: {
        before: [log('first'), log('second')],
        after: [log('third'), (context: FeathersKoaContext) => void context.set('X-After', 'yes')]
      }
    }
  )

  const response = await fetch(`${await serve(app)}/things`)

  expect(order).toEqual([
    'first undefined undefined',
    'second undefined undefined',
    'service',
    'third find ["thing"]'
  ])
  expect(response.headers.get('x-after')).toBe('yes')
  expect(await response.json()).toEqual(['thing'])
})

it('middleware before a service can respond instead', async () => {
  let calls = 0
  const app = create(() => undefined)

  app.use(
    'things',
    { find: async () => ++calls },
    {
      koa: {
        before: [
          (context: FeathersKoaContext) => {
            context.body = { cached: true }
          }
        ]
      }
    }
  )

  expect(await getJson(`${await serve(app)}/things`)).toEqual({ cached: true })
  expect(calls).toBe(0)
})

const fail = () => {
  throw new Error('after')
}

it.each<[string, Middleware, object]>([
  ['after it', (_context, next) => next(), { koa: { after: [fail] } }],
  ['around it', (_context, next) => next().then(fail), {}]
])('what a call has set is not sent with the error of middleware %s', async (_place, around, options) => {
  const app = create((app) => app.use(around))

  app.use('things', { find: async () => 'text' }, options)
  app.service('things').hooks({
    after: {
      find: [
        ({ http }: any) => {
          http.headers = { 'Cache-Control': 'public', 'Content-Type': 'text/csv', 'Set-Cookie': 'a=1' }
          http.location = '/elsewhere'
        }
      ]
    }
  })

  const response = await fetch(`${await serve(app)}/things`)

  expect(response.status).toBe(500)
  for (const name of ['cache-control', 'set-cookie', 'location'])
    expect(response.headers.get(name), name).toBe(null)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toMatchObject({ name: 'GeneralError', message: 'after' })
})

it('a formatter runs last, and makes another body', async () => {
  const format: Middleware = (context) => {
    context.type = 'text/csv'
    context.body = (context.body as any).join(';')
  }

  for (const options of [format, { formatter: format }]) {
    const app = create(() => undefined, options)

    app.use('things', { find: async () => ['a', 'b'] })

    const response = await fetch(`${await serve(app)}/things`)

    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(await response.text()).toBe('a;b')
  }
})

it('a formatter that goes on leads to the middleware after the services', async () => {
  const app = create(
    () => undefined,
    (_context, next) => next()
  )

  app.use((context) => {
    context.body = { wrapped: context.body }
  })
  app.use('things', { find: async () => ['a'] })

  expect(await getJson(`${await serve(app)}/things`)).toEqual({ wrapped: ['a'] })
})

it('bytes and streams go out as they are, strings as JSON', async () => {
  const app = create(() => undefined)

  app.use('files', {
    async get(id: any) {
      if (id === 'text') return 'text'

      return id === 'bytes' ? Buffer.from('some bytes') : Readable.from(['a ', 'stream'])
    }
  })
  app.service('files').hooks({
    after: {
      get: [
        (context: any) => {
          if (context.params.query.type) context.http.headers = { 'Content-Type': 'text/csv' }
        }
      ]
    }
  })

  const url = await serve(app)
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`)

    return [response.headers.get('content-type'), await response.text()]
  }

  expect(await read('/files/bytes')).toEqual(['application/octet-stream', 'some bytes'])
  expect(await read('/files/stream?type=csv')).toEqual(['text/csv', 'a stream'])
  expect(await read('/files/text')).toEqual(['application/json; charset=utf-8', '"text"'])
  expect(await read('/files/text?type=csv')).toEqual(['text/csv', 'text'])
})

it('a body that middleware has parsed is taken as it is, and without a parser it is read', async () => {
  for (const before of [(app: Application) => void app.use(bodyParser()), () => undefined]) {
    const app = create(before)

    app.use('things', { create: async (data: any) => data })

    const url = await serve(app)
    const response = await fetch(`${url}/things`, post('{"a":1}'))

    expect([response.status, await response.json()]).toEqual([201, { a: 1 }])
  }
})

it('a client that has the response already gets 304, also through middleware', async () => {
  const app = create((app) =>
    app.use(async (context, next) => {
      await next()
      ;(context.body as any).changed = true
    })
  )

  app.use('things', { find: async () => ({ a: 1 }) })

  const url = await serve(app)
  const first = await fetch(`${url}/things`)
  const tag = first.headers.get('etag') as string
  const second = await fetch(`${url}/things`, {
    headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' }
  })

  expect(await first.json()).toEqual({ a: 1, changed: true })
  expect([second.status, await second.text()]).toEqual([304, ''])
})

it('a response without a body has the reason of its status', async () => {
  const app = create(() => undefined)

  app.use('things', { find: async () => 'thing' })

  const response = await fetch(`${await serve(app)}/things`, {
    headers: { 'If-None-Match': '*', 'Cache-Control': 'max-age=0' }
  })

  expect([response.status, response.statusText]).toEqual([304, 'Not Modified'])
})

it('a mounted function responds, with the headers that middleware has set', async () => {
  const app = create((app) =>
    app.use((context, next) => {
      context.set('X-Before', 'yes')

      return next()
    })
  )

  app.mount('/docs', async (request) => Response.json({ path: new URL(request.url).pathname }))

  const response = await fetch(`${await serve(app)}/docs/a`)

  expect(response.headers.get('x-before')).toBe('yes')
  expect(await response.json()).toEqual({ path: '/docs/a' })
})

it.each([
  ['application/json', '{ "a": [1] }', '{"a":[1]}'],
  ['application/x-www-form-urlencoded', 'a=1&b=2', 'a=1&b=2'],
  ['text/plain', 'text', 'text'],
  ['application/octet-stream', 'bytes', 'bytes']
])('a mounted function gets a body of %s after bodyParser()', async (type, body, expected) => {
  const app = create((app) => app.use(bodyParser()))

  app.mount('/docs', async (request) => new Response(await request.text()))

  const response = await fetch(`${await serve(app)}/docs`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body
  })

  expect([response.status, await response.text()]).toEqual([200, expected])
})
