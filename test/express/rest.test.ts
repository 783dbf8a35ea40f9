import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import express, { errorHandler, formatter, json, notFound, rest, urlencoded } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { defer } from '../support/deferred.ts'
import { serve } from '../support/server.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }
const getJson = async (url: string, init?: RequestInit): Promise<any> => (await fetch(url, init)).json()
const echo = { create: async (data: any) => data, find: async (params: any) => params.query }

it('rest needs an Express application', () => {
  expect(() => alula().configure(rest())).toThrow('alula/express rest needs an Express compatible app.')
})

it('services are served whether they are registered before rest() or after it, or while it listens', async () => {
  const app = express(alula())

  app.use('before', { find: async () => ['before'] })
  app.configure(rest())
  app.use('after', { find: async () => ['after'] })

  const url = await serve(app)

  app.use('later', { find: async () => ['later'] })

  expect(await getJson(`${url}/before`)).toEqual(['before'])
  expect(await getJson(`${url}/after`)).toEqual(['after'])
  expect(await getJson(`${url}/later`)).toEqual(['later'])
})

it('a path that was unused is not found', async () => {
  const app = express(alula())

  app.configure(rest())
  app.use('things', echo)
  app.use(notFound())
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  await app.unuse('things')

  expect((await fetch(`${url}/things`)).status).toBe(404)
})

it('middleware sets params by request.feathers', async () => {
  const app = express(alula())

  app.use((request, _response, next) => {
    request.feathers = { ...request.feathers, user: { id: 1 } }
    next()
  })
  app.configure(rest())
  app.use('things', { find: async ({ provider, user }: any) => ({ provider, user }) })

  expect(await getJson(`${await serve(app)}/things`)).toEqual({ provider: 'rest', user: { id: 1 } })
})

it('middleware and service see the same query', async () => {
  const app = express(alula())
  const seen: unknown[] = []

  app.use((request, _response, next) => {
    seen.push(request.query)
    next()
  })
  app.configure(rest())
  app.use('things', echo)

  const query = { a: { $gt: '1' }, b: ['x', 'y'] }

  expect(await getJson(`${await serve(app)}/things?a[$gt]=1&b=x&b=y`)).toEqual(query)
  expect(seen).toEqual([query])
})

it('middleware that replaces the URL replaces the query too, unless it keeps it', async () => {
  const app = express(alula())

  app.use((request, _response, next) => {
    const { path, query } = request

    if (path === '/kept') Object.defineProperty(request, 'query', { value: query })
    request.url = '/things'
    next()
  })
  app.configure(rest())
  app.use('things', echo)

  const url = await serve(app)

  expect(await getJson(`${url}/lost?a=1`)).toEqual({})
  expect(await getJson(`${url}/kept?a=1`)).toEqual({ a: '1' })
})

it('a query that middleware put in place is the one that counts', async () => {
  const app = express(alula())

  app.use((request, _response, next) => {
    Object.defineProperty(request, 'query', { value: { replaced: true } })
    next()
  })
  app.configure(rest())
  app.use('things', echo)

  expect(await getJson(`${await serve(app)}/things?a=1`)).toEqual({ replaced: true })
})

it('a body is read with json() and without it', async () => {
  for (const middleware of [[], [json()]]) {
    const app = express(alula())

    for (const handler of middleware) app.use(handler)
    app.configure(rest())
    app.use('things', echo)

    const url = await serve(app)
    const init = { method: 'POST', headers: JSON_HEADERS, body: '{"a":[1,{"b":2}]}' }

    expect(await getJson(`${url}/things`, init)).toEqual({ a: [1, { b: 2 }] })
  }
})

it('a compressed body is read, up to the limit of what it unpacks to', async () => {
  const app = express(alula())

  app.configure(rest({ bodyLimit: 2000 }))
  app.use('things', echo)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const send = (text: string) =>
    fetch(`${url}/things`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'Content-Encoding': 'gzip' },
      body: gzipSync(text)
    })

  expect(await (await send('{"a":1}')).json()).toEqual({ a: 1 })
  expect((await send(JSON.stringify({ a: 'x'.repeat(3000) }))).status).toBe(413)
  expect((await send('')).status).toBe(201)

  for (const body of [Buffer.from('{"a":1}'), gzipSync('{"a":1}').subarray(0, 15)]) {
    const headers = { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }
    const response = await fetch(`${url}/things`, { method: 'POST', headers, body })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message: 'Invalid request body: it cannot be decompressed'
    })
  }

  // For each of these Brotli has a code of its own.
  for (const body of ['hello', '{"name":"ct","title":"0.1234567890"}', '{"a":1}']) {
    const headers = { ...JSON_HEADERS, 'Content-Encoding': 'br' }
    const response = await fetch(`${url}/things`, { method: 'POST', headers, body })

    expect(await response.json(), body).toMatchObject({
      code: 400,
      message: 'Invalid request body: it cannot be decompressed'
    })
  }
})

it('a form is read where urlencoded() is used', async () => {
  const app = express(alula())

  app.use(urlencoded({ extended: true }))
  app.configure(rest())
  app.use('things', echo)

  const init = { method: 'POST', body: new URLSearchParams({ 'a[b]': '1' }) }

  expect(await getJson(`${await serve(app)}/things`, init)).toEqual({ a: { b: '1' } })
})

it('middleware of a service runs before and after it', async () => {
  const app = express(alula())
  const steps: unknown[] = []

  app.configure(rest())
  app.use(
    'things',
    (request: any, _response: any, next: any) => {
      steps.push(['before', request.lookup.params])
      next()
    },
    {
      get: async (id: any) => {
        steps.push('service')

        return { id }
      }
    },
    (_request: any, response: any, next: any) => {
      steps.push(['after', response.hook.method, response.hook.result, response.data, response.statusCode])
      response.data = { replaced: true }
      next()
    },
    { methods: ['get'] }
  )

  expect(await getJson(`${await serve(app)}/things/1`)).toEqual({ replaced: true })
  expect(steps).toEqual([
    ['before', { __id: '1' }],
    'service',
    ['after', 'get', { id: '1' }, { id: '1' }, 200]
  ])
})

it('a response has its call until it has left, and no longer', async () => {
  const app = express(alula())
  const seen: unknown[] = []
  const isClosed = defer<void>()

  app.use((_request: any, response: any, next: any) => {
    response.on('finish', () => {
      seen.push(response.hook.method)
      response.on('close', () => {
        seen.push(response.hook)
        isClosed.resolve()
      })
    })
    next()
  })
  app.configure(rest())
  app.use('things', { get: async (id: any) => ({ id }) })

  await getJson(`${await serve(app)}/things/1`)
  await isClosed.promise
  expect(seen).toEqual(['get', undefined])
})

it('middleware before a service may change the URL, and with it the query', async () => {
  const app = express(alula())
  const change = (request: any, _response: any, next: any) => {
    request.url = request.url.replace('old', 'new')
    next()
  }

  app.configure(rest())
  app.use('things', change, echo)

  expect(await getJson(`${await serve(app)}/things?old=1`)).toEqual({ new: '1' })
})

it('middleware before a service stays where an option without a value could replace it', async () => {
  const app = express(alula())
  const guard = (_request: any, response: any) => void response.status(403).end()

  app.configure(rest())
  app.use('things', guard, { find: async () => ['secret'] }, { methods: ['find'], express: undefined } as any)

  expect((await fetch(`${await serve(app)}/things`)).status).toBe(403)
})

it('middleware before a service may end the request', async () => {
  const app = express(alula())
  const called: unknown[] = []

  app.configure(rest())
  app.use('things', (_request: any, response: any) => response.status(403).json('no'), {
    find: async () => called.push('find')
  })

  const response = await fetch(`${await serve(app)}/things`)

  expect([response.status, await response.json(), called]).toEqual([403, 'no', []])
})

it('the context of a failed call is on the response', async () => {
  const app = express(alula())

  app.configure(rest())
  app.use('things', {
    get: async () => {
      throw new BadRequest('No')
    }
  })
  app.use((error: any, _request: any, response: any, _next: any) => {
    response.json({ message: error.message, method: response.hook.method, id: response.hook.id })
  })

  const response = await fetch(`${await serve(app)}/things/1`)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ message: 'No', method: 'get', id: '1' })
})

it('a formatter of your own sends the data', async () => {
  const send = (_request: any, response: any) => response.type('text').send(`data: ${response.data}`)

  for (const options of [send, { formatter: send }]) {
    const app = express(alula())

    app.configure(rest(options))
    app.use('things', { find: async () => 'text' as any })

    expect(await (await fetch(`${await serve(app)}/things`)).text()).toBe('data: text')
  }
})

it('the formatter goes on when there is nothing to send', async () => {
  const app = express(alula())

  app.use('/plain', formatter, (_request: any, response: any) => response.json('next'))

  expect(await getJson(`${await serve(app)}/plain`)).toBe('next')
})

it('a path in other middleware behind rest() is reached', async () => {
  const app = express(alula())

  app.configure(rest())
  app.use('things', echo)
  app.get('/other', (_request: any, response: any) => response.json('other'))

  expect(await getJson(`${await serve(app)}/other`)).toBe('other')
})

it('JSON is sent whatever the request accepts', async () => {
  const app = express(alula())

  app.configure(rest())
  app.use('things', echo)

  expect(await getJson(`${await serve(app)}/things?a=1`, { headers: { Accept: 'text/plain' } })).toEqual({
    a: '1'
  })
})

it('options of a service may be an empty object, as in Feathers v5', async () => {
  const app: any = express(alula())

  app.configure(rest())
  app.use('things', echo, {})

  expect(await getJson(`${await serve(app)}/things?a=1`)).toEqual({ a: '1' })
})
