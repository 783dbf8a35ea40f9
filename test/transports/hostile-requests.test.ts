import { afterEach, expect, it, vi } from 'vitest'
import { GeneralError, NotFound } from '../../src/errors.ts'
import { describeHttpTransports, describeRemoteTransports } from '../support/transports.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const repeat = (count: number, toPair: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => toPair(i)).join('&')

interface Case {
  path: string
  status: number
  method?: string
  body?: string
  headers?: Record<string, string>
}

const post = (body: string, status: number, headers: Record<string, string> = JSON_HEADERS): Case => ({
  path: '/things',
  method: 'POST',
  body,
  status,
  headers
})
const custom = (name: string): Case => post('{}', 405, { ...JSON_HEADERS, 'X-Service-Method': name })

/** Queries are here once for each kind; the parser's own tests have the others. */
const cases: { [title: string]: Case } = {
  'an empty segment': { path: '/things//1', status: 404 },
  'an empty segment in front': { path: '//things', status: 404 },
  'an empty segment at the end': { path: '/things//', status: 404 },
  'an encoded service name': { path: '/%74hings', status: 404 },
  'a malformed escape': { path: '/things/%zz', status: 400 },
  'an escape that is not UTF-8': { path: '/things/%ff', status: 400 },
  'half an escape': { path: '/things/%', status: 400 },
  'a malformed escape in the query': { path: '/things?a=%zz', status: 400 },
  '__proto__ in the query': { path: '/things?__proto__=1', status: 400 },
  '__proto__ inside a name': { path: '/things?a[__proto__][b]=1', status: 400 },
  'constructor at the head of a name': { path: '/things?constructor[prototype][a]=1', status: 400 },
  'a value without a name': { path: '/things?=1', status: 400 },
  'a query that nests too deep': { path: `/things?a${'[b]'.repeat(17)}=1`, status: 400 },
  'too many elements': { path: `/things?${repeat(501, () => 'a[]=1')}`, status: 400 },
  'an unknown verb': { path: '/things', method: 'PURGE', status: 405 },
  'a verb that the service lacks': { path: '/things/1', method: 'PUT', status: 405 },
  'malformed JSON': post('{"text": "sesame', 400),
  'a body that nests 10,000 deep': post(deep(10_000), 400),
  'an array that nests 10,000 deep': post(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400),
  'a body over the limit': post(`{"text":"${'x'.repeat(110_000)}"}`, 413),
  'a body of another type': post('text', 415, { 'Content-Type': 'text/plain' }),
  'a body that is XML': post('<a/>', 415, { 'Content-Type': 'application/xml' }),
  'a form': post('a=1', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }),
  'another charset': post('{}', 415, { 'Content-Type': 'application/json; charset=latin1' }),
  'another encoding': post('{}', 415, { ...JSON_HEADERS, 'Content-Encoding': 'secret' }),
  'an underscore method': custom('_find'),
  setup: custom('setup'),
  teardown: custom('teardown'),
  hooks: custom('hooks'),
  constructor: custom('constructor'),
  on: custom('on'),
  emit: custom('emit'),
  __proto__: custom('__proto__'),
  'a method that is not listed': custom('unlisted'),
  'a standard method by header': custom('find'),
  'a standard method by header, as it is': custom('create')
}

/** It has no other fields than an error of Feathers, and says something. */
function expectSentence(error: any, title: string): void {
  expect(
    Object.keys(error).filter((key) => key !== 'data'),
    title
  ).toEqual(['name', 'message', 'code', 'className'])
  expect(error.message, title).toMatch(/^\w.{8,}/)
}

describeHttpTransports('a hostile request is a 4xx with a sentence', (open) => {
  it('whatever is wrong with it', async () => {
    const created: unknown[] = []
    const client = await open((app) =>
      app.use(
        'things',
        {
          find: async ({ query }: any) => ({ query }),
          get: async (id: any) => {
            throw new NotFound(`No thing '${id}'`)
          },
          create: async (data: any) => created.push(data),
          unlisted: async () => 'secret',
          _find: async () => 'secret',
          setup: async () => undefined
        },
        { methods: ['find', 'get', 'create'] }
      )
    )

    for (const [title, { path, status, method = 'GET', body, headers }] of Object.entries(cases)) {
      const response = await client.request(path, {
        method,
        ...(body && { body }),
        ...(headers && { headers })
      })
      const error = (await response.json()) as any

      expect({ status: response.status, code: error.code }, title).toEqual({ status, code: status })
      expectSentence(error, title)
      expect(error.message).not.toContain('sesame')
    }

    expect(created).toEqual([])
    expect(({} as any).a).toBeUndefined()
  })
})

interface HostileCall {
  path?: string
  method: string
  id?: string
  data?: unknown
  query?: object
  code: number
}

const nested = (depth: number) => JSON.parse(deep(depth))

/** Queries and data are here once for each kind; the tests of their parsers have the others. */
const calls: { [title: string]: HostileCall } = {
  'an id that every object has': { method: 'get', id: 'toString', code: 404 },
  'the id __proto__': { method: 'get', id: '__proto__', code: 404 },
  'the id constructor': { method: 'get', id: 'constructor', code: 404 },
  'the path __proto__': { path: '__proto__', method: 'find', code: 404 },
  'the path constructor': { path: 'constructor', method: 'find', code: 404 },
  'the path toString': { path: 'toString', method: 'create', data: {}, code: 404 },
  'the path hasOwnProperty/valueOf': { path: 'hasOwnProperty/valueOf', method: 'find', code: 404 },
  'a path that is too long': { path: 'things/1/2/3', method: 'find', code: 404 },
  'an empty segment': { path: 'things//1', method: 'find', code: 404 },
  'an empty segment in front': { path: '//things', method: 'find', code: 404 },
  '__proto__ in the query': { method: 'find', query: JSON.parse('{"__proto__":{"a":1}}'), code: 400 },
  'a query that nests too deep': { method: 'find', query: nested(18), code: 400 },
  'data that are null': { method: 'create', data: null, code: 400 },
  'data that are a text': { method: 'create', data: 'text', code: 400 },
  'an array that holds null': { method: 'create', data: [null], code: 400 },
  'data that nest 101 deep': { method: 'create', data: nested(101), code: 400 },
  'a method that the service lacks': { method: 'update', id: '1', data: {}, code: 405 },
  'a method that is not listed': { method: 'unlisted', data: {}, code: 405 }
}

describeRemoteTransports('a hostile call is a 4xx with a sentence', (open) => {
  it('whatever is wrong with it', async () => {
    const created: unknown[] = []
    const client = await open((app) => {
      app.use(
        'things',
        {
          find: async ({ query }: any) => ({ query }),
          get: async (id: any) => {
            throw new NotFound(`No thing '${id}'`)
          },
          create: async (data: any) => created.push(data),
          update: async () => created.push('updated'),
          unlisted: async () => 'secret'
        },
        { methods: ['find', 'get', 'create'] }
      )
      // Somebody has these methods: Socket.IO hears of no other.
      app.use('others', { update: async () => 0, unlisted: async () => 0 } as any, {
        methods: ['update', 'unlisted']
      })
    })

    for (const [title, { path = 'things', method, code, ...options }] of Object.entries(calls)) {
      const error = await client.fail(method, path, options)

      expect(error.code, title).toBe(code)
      expectSentence(error, title)
    }

    expect(created).toEqual([])
    expect(({} as any).a).toBeUndefined()
  })

  it('where the name __proto__ is in the data, at any depth', async () => {
    const client = await open((app) => app.use('things', { create: async (data: any) => data }))

    for (const text of [
      '{"__proto__":{"admin":true}}',
      '{"a":[{"b":{"__proto__":null}}]}',
      '[{"__proto__":1}]'
    ]) {
      expect(await client.fail('create', 'things', { data: JSON.parse(text) }), text).toMatchObject({
        code: 400,
        message: expect.stringMatching(/^Invalid (request body|data): '__proto__' is not allowed as a name$/)
      })
    }
  })
})

describeRemoteTransports('an unexpected error', (open) => {
  afterEach(() => vi.unstubAllEnvs())

  const failing = (thrown: unknown) =>
    open((app) =>
      app.use('things', {
        find: async () => {
          throw thrown
        }
      })
    )

  const unexpected = Object.assign(new Error('select secret from users', { cause: 'secret' }), {
    code: 'ER_SECRET',
    sql: 'secret',
    errors: { secret: true },
    status: 404
  })

  it('shows nothing of itself in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')

    for (const thrown of [unexpected, 'secret', null, undefined, { secret: true }, 42]) {
      const client = await failing(thrown)

      expect(await client.fail('find', 'things')).toEqual({
        name: 'GeneralError',
        message: 'An unexpected error occurred on the server',
        code: 500,
        className: 'general-error'
      })
    }
  })

  it.each(['development', undefined])(
    'shows its message and nothing more when NODE_ENV is %s',
    async (env) => {
      vi.stubEnv('NODE_ENV', env)

      const client = await failing(unexpected)

      expect(await client.fail('find', 'things')).toEqual({
        name: 'GeneralError',
        message: 'select secret from users',
        code: 500,
        className: 'general-error'
      })
    }
  )

  it('that cannot be read is a 500 like others', async () => {
    const unreadable = Object.create(null, {
      message: {
        get() {
          throw new Error('no message')
        }
      }
    })

    for (const thrown of [Object.create(null), unreadable]) {
      const client = await failing(thrown)

      expect(await client.fail('find', 'things')).toMatchObject({
        message: 'An unexpected error occurred on the server',
        code: 500
      })
    }
  })

  it('never shows the stack or the cause of a Feathers error', async () => {
    const client = await failing(new GeneralError(new Error('boom', { cause: 'secret' })))

    expect(await client.fail('find', 'things')).toEqual({
      name: 'GeneralError',
      message: 'boom',
      code: 500,
      className: 'general-error',
      data: {}
    })
  })

  it('is recognised as a Feathers error by its brand', async () => {
    const client = await failing({
      type: 'FeathersError',
      name: 'Teapot',
      message: 'I am a teapot',
      code: 418,
      className: 'teapot',
      hook: 'secret',
      stack: 'secret'
    })

    expect(await client.fail('find', 'things')).toEqual({
      name: 'Teapot',
      message: 'I am a teapot',
      code: 418,
      className: 'teapot'
    })
  })
})
