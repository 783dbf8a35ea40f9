import { gzipSync } from 'node:zlib'
import original from 'express'
import { describe, expect, it } from 'vitest'
import { NotAuthenticated, NotFound } from '../../src/errors.ts'
import express, {
  errorHandler,
  formatter,
  type MiddlewareOptions,
  rest,
  toMiddleware
} from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'
import { mount } from './mount.ts'

const app = alula()

app.use('things', {
  find: async ({ query }: any) => query,
  create: async (data: any, { headers }: any) => ({ ...data, headers: Object.keys(headers).length > 0 })
})

it('services stand under a prefix, beside what the server has', async () => {
  const url = await mount((server) => {
    server.use('/api/v2', toMiddleware(app, { logger: false }))
    server.get('/api/v2/plain', (_request, response) => void response.json('plain'))
  })

  expect(await (await fetch(`${url}/api/v2/things?a[$lt]=5`)).json()).toEqual({ a: { $lt: '5' } })
  expect(await (await fetch(`${url}/api/v2/plain`)).json()).toBe('plain')
  expect((await fetch(`${url}/things`)).status).toBe(404)
})

it('a body that the server has parsed is taken as it is', async () => {
  for (const middleware of [original.json(), (_request: any, _response: any, next: any) => next()]) {
    const url = await mount((server) => server.use(middleware, toMiddleware(app, { logger: false })))
    const response = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}'
    })

    expect([response.status, await response.json()]).toEqual([201, { a: 1, headers: true }])
  }
})

it('a log that fails does not keep the answer back', async () => {
  const failing = alula().use('things', {
    find: async () => {
      throw Object.create(null)
    }
  })
  const error = () => {
    throw new Error('no log')
  }

  for (const logger of [{ error }, { error: () => undefined }]) {
    const url = await mount((server) => server.use(toMiddleware(failing, { logger })))

    expect((await fetch(`${url}/things`)).status).toBe(500)
  }
})

it('errors are answered without the help of the server', async () => {
  const lines: string[] = []
  const failing = alula().use('things', {
    find: async () => {
      throw new Error('broken')
    }
  })
  const url = await mount((server) => {
    server.use(toMiddleware(failing, { logger: { error: (line) => lines.push(`${line.split('\n')[0]}`) } }))
  })
  const response = await fetch(`${url}/things`, { headers: { Accept: 'text/html' } })

  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ name: 'GeneralError', message: 'broken' })
  expect(lines).toEqual(['Error: broken'])
})

const cycle: { self?: unknown } = {}

cycle.self = cycle

describe('a service behind the server', () => {
  const pass = (_request: any, _response: any, next: any) => next()

  function createApp(express?: object) {
    const app = alula().use(
      'things',
      {
        find: async ({ query, provider, user = null }: any) => ({ query, provider, user, text: 'ü€' }),
        get: async (id: any) => {
          if (id === 'nothing') return null
          if (id === 'away') throw new NotAuthenticated('Who are you?')
          if (id === 'broken') throw new Error('broken')
          if (id === 'cycle') return cycle

          throw new NotFound(`No thing '${id}'`, { id })
        },
        create: async (data: any) => data
      } as any,
      { ...(express && { express }) }
    )

    app.service('things').hooks({
      after: {
        create: [
          (context: any) => {
            context.http = { ...context.http, headers: { 'X-Own': ['a', 'b'], 'cache-control': 'no-store' } }
            if (context.result.location) context.http.location = context.result.location
          }
        ]
      }
    })

    return app
  }

  const ways: [string, object | undefined, MiddlewareOptions][] = [
    ['on the short way', undefined, {}],
    ['with middleware before it', { before: [pass] }, {}],
    ['with middleware after it', { after: [pass] }, {}],
    ['with a formatter', undefined, { formatter }]
  ]

  const post = (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {}
  ): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body
  })
  const requests: { [title: string]: [string, RequestInit?] } = {
    find: ['/things?a[$in][]=1&a[$in][]=2'],
    'a slash at the end': ['/things/'],
    'a malformed query': ['/things?a=%zz'],
    'a malformed id': ['/things/%zz'],
    'a result that is null': ['/things/nothing'],
    'a 404': ['/things/1'],
    'a 401': ['/things/away'],
    'a 500': ['/things/broken'],
    'a result that is no JSON': ['/things/cycle'],
    HEAD: ['/things', { method: 'HEAD' }],
    'a tag that fits': ['/things', { headers: { 'If-None-Match': '*' } }],
    'a tag that does not': ['/things', { headers: { 'If-None-Match': '"x"' } }],
    create: ['/things', post('{"a":"ü"}')],
    'create with a location': ['/things', post('{"location":"/things/ü"}')],
    'create without a body': ['/things', { method: 'POST' }],
    'a list': ['/things', post('[{"a":1}]')],
    'malformed JSON': ['/things', post('{"a"')],
    'a scalar': ['/things', post('5')],
    'another type': ['/things', post('a=1', { 'Content-Type': 'text/plain' })],
    'a body over the limit': ['/things', post(JSON.stringify({ a: 'x'.repeat(2000) }))],
    'an unknown verb': ['/things', { method: 'PURGE' }],
    'a verb that is not there': ['/things/1', { method: 'DELETE' }],
    'an unknown method': ['/things', post('{}', { 'X-Service-Method': 'unknown' })]
  }

  const HEADERS = [
    ...['allow', 'cache-control', 'content-length', 'content-type', 'location'],
    ...['www-authenticate', 'x-own', 'x-powered-by']
  ]

  async function look(url: string, [path, init = {}]: [string, RequestInit?]) {
    const response = await fetch(url + path, {
      ...init,
      redirect: 'manual',
      headers: { 'Cache-Control': 'max-age=0', ...init.headers, Connection: 'close' }
    })

    // Express puts a tag on errors too, which no client has a use for.
    const names = response.ok ? [...HEADERS, 'etag'] : HEADERS

    return {
      status: response.status,
      headers: Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
      text: await response.text()
    }
  }

  const open = (express: object | undefined, options: MiddlewareOptions) =>
    mount((server) => {
      server.use((request, _response, next) => {
        request.feathers = { provider: 'rest', user: 'ada' }
        next()
      })
      server.use('/api', toMiddleware(createApp(express), { logger: false, bodyLimit: 1000, ...options }))
    })

  it.each(ways.slice(1))('gives the same answers %s as without', async (_title, express, options) => {
    const [short, long] = [await open(undefined, {}), await open(express, options)]

    for (const [title, [path, init]] of Object.entries(requests)) {
      const [expected, answer] = [
        await look(short, [`/api${path}`, init]),
        await look(long, [`/api${path}`, init])
      ]

      expect(answer, title).toEqual(expected)
    }
  })

  it('has its middleware and the formatter run, whatever the way', async () => {
    const ran: string[] = []
    const trace = (step: string) => (_request: any, _response: any, next: any) => {
      ran.push(step)
      next()
    }
    const app = createApp({ before: [trace('before')], after: [trace('after')] })
    const url = await mount((server) => {
      server.use('/own', toMiddleware(createApp(), { formatter: (_, response) => void response.send('own') }))
      server.use('/api', toMiddleware(app))
    })

    await look(url, ['/api/things'])
    expect(ran).toEqual(['before', 'after'])
    expect((await look(url, ['/own/things'])).text).toBe('own')
  })

  it.each(ways)('gets params from request.feathers %s', async (_title, express, options) => {
    const url = await open(express, options)

    expect(JSON.parse((await look(url, ['/api/things'])).text)).toMatchObject({
      provider: 'rest',
      user: 'ada'
    })
  })

  it.each(ways)('reads a compressed body %s', async (_title, express, options) => {
    const url = await open(express, options)
    const body = gzipSync('{"a":"ü"}')

    expect(await look(url, ['/api/things', post(body, { 'Content-Encoding': 'gzip' })])).toEqual(
      await look(url, ['/api/things', post('{"a":"ü"}')])
    )
  })

  it.each(ways)('uses a body that express.json() has parsed %s', async (_title, express, options) => {
    const url = await mount((server) => {
      server.use(original.json({ reviver: (_name, value) => (value === 1 ? 'one' : value) }))
      server.use('/api', toMiddleware(createApp(express), { logger: false, ...options }))
    })

    expect((await look(url, ['/api/things', post('{"a":1}')])).text).toBe('{"a":"one"}')
  })
})

it('middleware of the arguments runs outside that of the options, which does not replace it', async () => {
  const ran: string[] = []
  const trace =
    (step: string): original.RequestHandler =>
    (_request, _response, next) => {
      ran.push(step)
      next()
    }
  const refuse: original.RequestHandler = (_request, _response, next) => next(new NotAuthenticated('Who?'))
  const own = express(alula()).configure(rest())
  const service = { find: async () => ran.push('find') }

  own.use('things', trace('first'), service, trace('last'), {
    methods: ['find'],
    express: { before: [trace('second')], after: [trace('third')] }
  })
  own.use('safe', refuse, service, { express: { after: [trace('log')] } })
  own.use(errorHandler({ logger: false }))

  const url = await serve(own)

  expect((await fetch(`${url}/things`)).status).toBe(200)
  expect(ran).toEqual(['first', 'second', 'find', 'third', 'last'])
  expect((await fetch(`${url}/safe`)).status).toBe(401)
  expect(ran).toHaveLength(5)
})

it('middleware of a service that is no function is refused, also in nested lists', () => {
  const guard = (_request: unknown, _response: unknown, next: () => void) => next()
  const use = (middleware: object) =>
    express(alula()).use('things', { find: async () => [] }, { express: middleware } as any)

  for (const name of ['before', 'after']) {
    for (const list of [[undefined], [guard, [guard, 'guard']]]) {
      expect(() => use({ [name]: list })).toThrow(
        `Invalid option 'express.${name}' of service 'things': expected an array of functions, got array`
      )
    }

    use({ [name]: [guard, [guard]] })
  }
})

it('an option that is no list is refused beside middleware of the arguments too', () => {
  const guard = (_request: unknown, _response: unknown, next: () => void) => next()

  for (const option of [5, { before: guard }, { befor: [guard] }] as any[]) {
    expect(() =>
      express(alula()).use('things', guard, { find: async () => [] }, { express: option } as any)
    ).toThrow(/^(?:Invalid|Unknown) option/)
  }
})

it('a path that is no service goes on to what stands behind it, with its body', async () => {
  const url = await mount((server) => {
    server.use(toMiddleware(app, { logger: false }))
    server.post('/other', original.json(), (request, response) => void response.json(request.body))
  })
  const response = await fetch(`${url}/other`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: '{"a":1}'
  })

  expect(await response.json()).toEqual({ a: 1 })
})

it.each(['router', null] as const)(
  'next(%j) of middleware leaves the service for what stands behind it',
  async (value) => {
    const leave = (_request: unknown, _response: unknown, next: (value: any) => void) => next(value)
    const own = alula().use('things', { find: async () => [] }, {
      express: value === null ? { after: [leave] } : { before: [leave] }
    } as any)
    const url = await mount((server) => {
      server.use(
        toMiddleware(own, { logger: false, formatter: (_request, _response, next) => next(value as any) })
      )
      server.use((_request, response) => void response.send('behind'))
    })
    const response = await fetch(`${url}/things`, { headers: { Connection: 'close' } })

    expect([response.status, await response.text()]).toEqual([200, 'behind'])
  }
)
