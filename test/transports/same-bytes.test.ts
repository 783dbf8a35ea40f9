import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import original from 'express'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import {
  BadRequest,
  Conflict,
  FeathersError,
  NotAuthenticated,
  NotFound,
  PreconditionFailed
} from '../../src/errors.ts'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { SECRET } from '../support/login.ts'
import { sendRaw } from '../support/raw.ts'
import { scaled } from '../support/scale.ts'

// A client cannot tell from a response what an application runs on.

const HOST = 'api.example.org'
const LIMIT = 100 * 1024

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | undefined
}

interface Seen {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

type Ask = (sent: Sent) => Promise<Seen>

interface Opened {
  readonly app: any
  readonly ask: Ask
}

/** Requests that are not sent to a transport, and one of them, which shows why. */
interface Difference {
  readonly covers: (sent: Sent) => boolean
  readonly example: Partial<Sent> & { readonly target: string }
}

const DIFFERENCES: { readonly [name: string]: readonly Difference[] } = {
  Express: [],
  'toMiddleware of a plain Express server': [],
  // Koa sends bytes as they are.
  Koa: [
    { covers: ({ target }) => target.includes('reply=bytes'), example: { target: '/replies?reply=bytes' } }
  ],
  Fetch: [
    // A `Request` cannot be made with these.
    {
      covers: ({ method, body }) => ['GET', 'HEAD'].includes(method) && body !== undefined,
      example: { target: '/things', body: Buffer.from('{}') }
    },
    {
      covers: ({ method }) => ['TRACE', 'CONNECT'].includes(method),
      example: { method: 'TRACE', target: '/' }
    },
    // URLs resolve dots and backslashes, cut what follows '#', and escape what Node takes as it is.
    {
      covers: ({ target }) => /\\|#|(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(target),
      example: { target: '/things/../echoes' }
    },
    {
      covers: ({ target }) => new URL(`http://${HOST}${target}`).href !== `http://${HOST}${target}`,
      example: { target: '/things/{}/1' }
    },
    // Node writes head and body in one piece, as UTF-8.
    {
      covers: ({ target }) => target.includes('a%20header%20in%20Latin-1'),
      example: { target: '/replies?reply=a%20header%20in%20Latin-1' }
    },
    // The web platform has no Brotli.
    {
      covers: ({ headers, body }) =>
        body !== undefined && /\bbr\b|x-gzip|secret/.test(headers['Content-Encoding'] ?? ''),
      example: {
        method: 'POST',
        target: '/echoes',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'br' },
        body: brotliCompressSync('{}')
      }
    }
  ]
}

/** Results of a service, and what its hooks do to the response. */
const REPLIES: {
  readonly [name: string]: { result?: unknown; error?: unknown; http?: any; dispatch?: unknown }
} = {
  object: { result: { a: 1, ü: '€' } },
  empty: { result: [] },
  nothing: {},
  null: { result: null },
  zero: { result: 0 },
  false: { result: false },
  string: { result: 'text' },
  'no text': { result: '' },
  bytes: { result: Buffer.from('abc') },
  date: { result: new Date(0) },
  'a function': { result: () => 1 },
  'a big number': { result: { a: 1n } },
  dispatch: { result: { secret: 1 }, dispatch: { shown: 1 } },
  'dispatch of nothing': { result: { secret: 1 }, dispatch: null },
  ...Object.fromEntries(
    [200, 201, 202, 204, 205, 206, 299, 300, 303, 304, 400, 404, 418, 500, 503, 599].map((status) => [
      `status ${status}`,
      { result: { status }, http: { status } }
    ])
  ),
  ...Object.fromEntries(
    [0, 1, 99, 100, 101, 102, 199, 600, 999, 1000, -1, 200.5, '200', 'abc', Number.NaN, {}, true].flatMap(
      (status) => [
        [
          `invalid status ${String(status)} ${typeof status}`,
          { result: { a: 1 }, http: { status, headers: { 'X-A': '1' } } }
        ],
        [`invalid status ${String(status)} ${typeof status} of nothing`, { http: { status } }]
      ]
    )
  ),
  headers: {
    result: 1,
    http: { headers: { 'X-One': 'one', 'x-two': 2, 'X-Many': ['a', 'b'], 'X-None': undefined } }
  },
  cookies: { result: 1, http: { headers: { 'Set-Cookie': ['a=1; Path=/', 'b=2'] } } },
  'a type': { result: { html: '<p>' }, http: { headers: { 'content-type': 'text/html' } } },
  'a type of no JSON': {
    result: { a: 1n },
    http: { headers: { 'Content-Type': 'text/html', 'Cache-Control': 'public' } }
  },
  'a tag': { result: 1, http: { headers: { etag: '"own"' } } },
  'a weak tag': { result: 1, http: { headers: { ETAG: 'W/"own"' } } },
  framing: {
    result: { a: 1 },
    http: {
      headers: { 'Content-Length': '3', 'transfer-encoding': 'chunked', CONNECTION: 'upgrade', Upgrade: 'x' }
    }
  },
  'framing of nothing': { http: { headers: { 'Content-Length': '3', 'Transfer-Encoding': 'chunked' } } },
  location: { result: { a: 1 }, http: { location: '/a b\r\nX-Evil: 1' } },
  'location and status': { http: { location: 'https://example.org/ü', status: 301 } },
  'a line break in a header': { result: 1, http: { headers: { 'X-A': 'a\r\nX-Evil: 1' } } },
  'a line break in a header of nothing': { http: { headers: { 'X-A': 'a\nb' } } },
  'a space in the name of a header': { result: 1, http: { headers: { 'X-B': '1', 'X A': 'a' } } },
  'an empty name of a header': { result: 1, http: { headers: { '': 'a' } } },
  'a header that is not Latin-1': { result: 1, http: { headers: { 'X-A': '€' } } },
  'a header in Latin-1': { result: 1, http: { headers: { 'X-A': 'é' } } },
  'an error': { error: new Error('boom') },
  'an error that is a string': { error: 'boom' },
  'an error that is undefined': { error: undefined },
  'an error that is null': { error: null },
  'an error that is a number': { error: 42 },
  'an error that is a route': { error: 'route' },
  'an error without a prototype': { error: Object.create(null) },
  'an error of zlib': { error: Object.assign(new Error('zlib'), { code: 'Z_DATA_ERROR' }) },
  'an error of a parser': {
    error: Object.assign(new Error('parser'), { type: 'entity.too.large', status: 413 })
  },
  'an error that may be shown': { error: Object.assign(new Error('shown'), { expose: true, status: 422 }) },
  'an error of a path': { error: Object.assign(new URIError('path'), { status: 400 }) },
  'not found': { error: new NotFound('No such thing', { id: 1 }) },
  'bad request': { error: new BadRequest('Wrong', { errors: [{ path: 'a' }] }) },
  conflict: { error: new Conflict('Taken') },
  'not authenticated': { error: new NotAuthenticated('Who?') },
  'precondition with a tag': { error: new PreconditionFailed('Changed', { etag: '"a"' }) },
  'precondition with a line break': {
    error: new PreconditionFailed('Changed', { etag: '"a"\r\nX-Evil: 1' })
  },
  'an error that is no JSON': { error: new BadRequest('Wrong', { big: 1n }) },
  'an error with an odd status': { error: new FeathersError('odd', 'Odd', 99, 'odd', {}) },
  'an error with a status of success': { error: new FeathersError('odd', 'Odd', 200, 'odd', {}) }
}

/** Every request meets the same records: some requests are not sent to every transport. */
async function reset(app: any): Promise<void> {
  await app.unuse('things')
  app.use('things', memory({ multi: true }))
  await app.service('things').create([0, 1, 2].map((id) => ({ id, name: `thing ${id}` })))
}

function configure(app: any): void {
  app.set('authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: ['jwt'],
    jwt: { cookie: 'token' }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  app.use('authentication', auth)

  const echo = async (...args: any[]) => {
    const { query, route, provider, authentication } = args.at(-1)

    return { args: args.slice(0, -1), query, route, provider, authentication }
  }
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'echo']
  const all = Object.fromEntries(methods.map((name) => [name, echo]))

  app.use('echoes', { ...all }, { methods })
  app.use('echoes/:echoId/echoes', { ...all }, { methods })
  app.use('forms', { create: echo, patch: echo, echo }, { methods: ['create', 'patch', 'echo'], forms: true })
  app.use('few', { create: echo, remove: echo }, { methods: ['create', 'remove'] })
  app.use('private', { ...all }, { methods })
  app.service('private').hooks({ before: { all: [authenticate('jwt')] } })

  const reply = async ({ query }: any) => {
    const chosen = REPLIES[query.reply] ?? {}

    if ('error' in chosen) throw chosen.error

    return chosen.result
  }

  app.use('replies', {
    find: reply,
    get: (_id: any, params: any) => reply(params),
    create: (_data: any, params: any) => reply(params),
    remove: (_id: any, params: any) => reply(params)
  })
  app.service('replies').hooks({
    after: {
      all: [
        (context: any) => {
          const { http, dispatch } = REPLIES[context.params.query.reply] ?? {}

          context.http = { ...context.http, ...http }
          if (dispatch !== undefined) context.dispatch = dispatch
        }
      ]
    }
  })

  app.mount('/docs', async (request: Request, { params, authentication }: any) => {
    const { pathname, search } = new URL(request.url)

    return Response.json(
      {
        pathname,
        search,
        method: request.method,
        body: await request.text(),
        provider: params.provider,
        authentication
      },
      {
        status: 202,
        headers: [
          ['X-Docs', 'yes'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2']
        ]
      }
    )
  })
}

async function listen(listener: RequestListener): Promise<Ask> {
  const server = createServer(listener)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())

  const { port } = server.address() as AddressInfo

  return async ({ method, target, headers, body }) => {
    const lines = Object.entries({
      Host: HOST,
      ...headers,
      ...(body && { 'Content-Length': String(body.length) }),
      Connection: 'close'
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    const response = await sendRaw(port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, body ?? '')

    return { ...response, headers: toComparable(response.headers) }
  }
}

const openers: { readonly [name: string]: () => Promise<Opened> } = {
  'a server of Node': async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    return { app, ask: await listen(toListener(app, { logger: false })) }
  },

  Express: async () => {
    const app: any = express(alula())

    app.configure(rest({ logger: false }))
    configure(app)
    app.use(notFound(), errorHandler({ logger: false }))
    await app.setup()

    return { app, ask: await listen(app) }
  },

  Koa: async () => {
    const app: any = koa(alula())

    app.use(koaErrorHandler({ logger: false }))
    app.configure(koaRest({ logger: false }))
    configure(app)
    app.use(({ req }: any) => {
      throw new NotFound('Page not found', { url: req.url.replace(/^([^?]*)\?$/, '$1') })
    })
    await app.setup()

    return { app, ask: await listen(app.callback()) }
  },

  'toMiddleware of a plain Express server': async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    const server = original()
      .disable('x-powered-by')
      .use(toMiddleware(app, { logger: false }))
      .use(notFound(), errorHandler({ logger: false }))

    return { app, ask: await listen(server) }
  },

  Fetch: async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    const handle = createHandler(app, { logger: false })

    const ask: Ask = async ({ method, target, headers, body }) => {
      const request = new Request(`http://${HOST}${target}`, {
        method,
        headers: { ...headers, ...(body && { 'Content-Length': String(body.length) }) },
        ...(body && { body: body as any })
      })
      const response = await handle(request)

      return {
        status: response.status,
        headers: toComparable([...response.headers]),
        body: await response.text()
      }
    }

    return { app, ask }
  }
}

/** Headers about the connection and not about the response. */
const OF_CONNECTION = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/** Values of one header are joined, as every client does; cookies are not. */
function toComparable(headers: readonly (readonly [string, string])[]): string[] {
  const values = new Map<string, string[]>()

  for (const [name, value] of headers) {
    const key = name.toLowerCase()

    if (!OF_CONNECTION.includes(key)) values.set(key, [...(values.get(key) ?? []), value])
  }

  return [...values]
    .map(([name, list]) => `${name}: ${list.join(name === 'set-cookie' ? ' + ' : ', ')}`)
    .sort()
}

const NAMES = ['things', 'echoes', 'forms', 'few', 'private', 'replies', 'authentication', 'docs']
const ODD = [
  '',
  '%',
  '%zz',
  '%2F',
  '%2f',
  '%00',
  '%ff',
  'ä',
  '~',
  ';a=1',
  '..',
  '.',
  '%2e%2e',
  '__proto__',
  '0',
  '1',
  'x',
  'echo',
  'create',
  'find',
  'echoes',
  '%65cho',
  'a+b',
  '"',
  '{}',
  '\\',
  ':id'
]
const KEYS = [
  'a',
  'a[b]',
  '$limit',
  '$sort[name]',
  '$select[]',
  '$where',
  '$or[0][id]',
  '__proto__',
  'id',
  '',
  'a[]',
  'a[b',
  '%',
  '+'
]
const VALUES = ['1', '0', 'x', '%', '%ff', '%E2%82%AC', '+', '', '-1', '#', '"', '?', '&&', '[', 'a=b']

const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES).map((name) => `/${name}`) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...ODD), { maxLength: 3 }))
      .map(([name, rest]) => `/${[name, ...rest].join('/')}`)
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...ODD), { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
  }
)
const search = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 3 })
      .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`)
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`?a${'[b]'.repeat(17)}=1`, `?${'a=1&'.repeat(1001)}`, '?', '??', '?a[501]=1')
  }
)
const reply = fc
  .tuple(fc.constantFrom('/replies', '/replies/1'), fc.constantFrom(...Object.keys(REPLIES)))
  .map(([name, chosen]) => `${name}?reply=${encodeURIComponent(chosen)}`)
const target = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(path, search).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: reply }
)

const TEXTS = [
  '{}',
  '{"a":1}',
  '{"name":"ä€"}',
  '[{"a":1},{"b":2}]',
  '[1]',
  '[]',
  'null',
  '1',
  '"a"',
  '{',
  '\ufeff{"a":1}',
  '{"__proto__":{"a":1}}',
  '{"_placeholder":true}',
  `{"a":"${'x'.repeat(LIMIT)}"}`,
  `{"a":"${'x'.repeat(LIMIT - 8)}"}`,
  `${'['.repeat(200)}${']'.repeat(200)}`,
  'a=1&b[c]=%C3%A9',
  'a=%zz',
  'text',
  ' ',
  '{"accessToken":"x","strategy":"jwt"}'
]
const body = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(Buffer.from([0xff, 0xfe]), Buffer.from('{"a":"\xe9"}', 'latin1')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(gzipSync, deflateSync, brotliCompressSync), fc.constantFrom(...TEXTS))
      .map(([compress, text]) => compress(text))
  }
)

const TOKENS = ['Bearer x', 'Basic YTpi', 'x', '', 'Bearer']
const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON ; CHARSET="UTF-8"',
      'application/json; charset=utf-7',
      'application/json;charset=utf-16le',
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded; charset=latin1',
      'text/plain',
      'multipart/form-data',
      'application/merge-patch+json',
      ';'
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'GZIP', 'secret'),
    'X-Service-Method': fc.constantFrom('echo', 'create', 'find', 'unknown', '__proto__', '', 'ECHO'),
    'If-None-Match': fc.constantFrom('*', '"own"', 'W/"own"', '"x", "own"', 'x', ''),
    'If-Match': fc.constantFrom('*', '"own"', 'W/"x"', 'x', ''),
    'Cache-Control': fc.constantFrom('no-cache', 'max-age=0'),
    Accept: fc.constantFrom('application/json', '*/*'),
    Authorization: fc.constantFrom(...TOKENS),
    Cookie: fc.constantFrom('token=x', 'a=1', 'token=', 'token=x; token=y', ';;'),
    Origin: fc.constantFrom(`http://${HOST}`, `https://${HOST}`, 'https://evil.example', 'null'),
    'Sec-Fetch-Site': fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none'),
    'Sec-Fetch-Mode': fc.constantFrom('cors', 'navigate', 'no-cors'),
    'Access-Control-Request-Method': fc.constantFrom('PUT')
  },
  { requiredKeys: [] }
)
const method = fc.constantFrom(
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
  'M-SEARCH'
)

const requests: fc.Arbitrary<Sent> = fc
  .record({ method, target, headers, body: fc.option(body, { nil: undefined, freq: 2 }) })
  // Without one, headers about a body would describe an empty one.
  .map((sent) => ({ ...sent, target: Buffer.from(sent.target).toString('latin1') }))

it('the same request gets the same response through every transport', async () => {
  const open = await Promise.all(
    Object.entries(openers).map(async ([name, start]) => [name, await start()] as const)
  )

  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const asked = open.filter(([name]) => !DIFFERENCES[name]?.some(({ covers }) => covers(sent)))
      const [[, expected] = [], ...others] = await Promise.all(
        asked.map(async ([name, { app, ask }]) => {
          await reset(app)

          return [name, await ask(sent)] as const
        })
      )

      for (const [name, seen] of others) expect({ name, ...seen }).toEqual({ name, ...expected })
    }),
    { numRuns: scaled(2000) }
  )
}, 300_000)

const differences = Object.entries(DIFFERENCES).flatMap(([name, listed]) =>
  listed.map((difference) => [name, difference.example.target, difference] as const)
)

it.each(differences)(
  '%s responds otherwise to %s, or not at all',
  async (name, _target, { covers, example }) => {
    const sent = { method: 'GET', headers: {}, body: undefined, ...example }
    const [expected, other] = await Promise.all(
      ['a server of Node', name].map(async (one) => {
        const { ask } = await (openers[one] as () => Promise<Opened>)()

        return await ask(sent).catch(({ name: thrown }) => thrown)
      })
    )

    expect(covers(sent)).toBe(true)
    expect(other).not.toEqual(expected)
  }
)
