import { AuthenticationService, authenticate, JWTStrategy } from '../../../src/authentication.ts'
import {
  BadRequest,
  Conflict,
  FeathersError,
  NotAuthenticated,
  NotFound,
  PreconditionFailed
} from '../../../src/errors.ts'
import { memory } from '../../../src/memory.ts'
import { SECRET } from '../../support/login.ts'

const CYCLE: { self?: object } = {}

CYCLE.self = CYCLE

/** Results of a service, and what its hooks do to the response. */
export const REPLIES: {
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
    result: CYCLE,
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
export async function reset(app: any): Promise<void> {
  await app.unuse('things')
  app.use('things', memory({ multi: true }))
  await app.service('things').create([0, 1, 2].map((id) => ({ id, name: `thing ${id}` })))
}

export function configure(app: any): void {
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
