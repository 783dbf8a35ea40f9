import { createServer } from 'node:http'
import * as official from '@feathersjs/errors'
import { feathers } from '@feathersjs/feathers'
import { koa as officialKoa, rest as officialRest } from '@feathersjs/koa'
import { describe, expect, it } from 'vitest'
import { BadRequest, Conflict, MethodNotAllowed, NotFound } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { bodyParser, errorHandler, koa, rest } from '../../src/koa.ts'
import { defer } from '../support/deferred.ts'
import { openConnection, sendRaw } from '../support/raw.ts'
import { listen, serve } from '../support/server.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** What a service throws, by the id that is asked for. */
const THROWN: { readonly [name: string]: () => unknown } = {
  ours: () => new Conflict('Taken', { field: 'name' }),
  official: () => new official.Conflict('Taken', { field: 'name' }),
  plain: () => new Error('boom'),
  nothing: () => undefined,
  string: () => 'boom'
}

const things = {
  async get(id: any) {
    throw THROWN[id]?.()
  },
  create: async (data: any) => data
}

const SHOWN = {
  name: 'Conflict',
  message: 'Taken',
  code: 409,
  className: 'conflict',
  data: { field: 'name' }
}

async function show(url: string, init?: RequestInit): Promise<[number, any]> {
  const response = await fetch(url, init)

  return [response.status, await response.json()]
}

const applications: { readonly [name: string]: () => any } = {
  'alula/koa': () => {
    const app = koa(alula())

    app.use(errorHandler({ logger: false }))
    app.use(bodyParser())
    app.configure(rest())

    return app
  },
  '@feathersjs/koa on alula': () => {
    const app: any = officialKoa(alula() as any)

    app.use(errorHandler({ logger: false }))
    app.use(bodyParser())
    app.configure(officialRest())

    return app
  },
  '@feathersjs/koa on Feathers': () => {
    const app: any = officialKoa(feathers() as any)

    app.use(errorHandler({ logger: false }))
    app.use(bodyParser())
    app.configure(officialRest())

    return app
  }
}

/** The `listen` of `@feathersjs/koa` resolves before the server listens. */
async function open(app: any): Promise<string> {
  await app.setup()

  return listen(createServer(app.callback()))
}

describe.each(Object.entries(applications))('errorHandler in %s', (_name, create) => {
  it('errors of services go out with their status, whichever library made them', async () => {
    const url = await open(create().use('things', things))

    expect(await show(`${url}/things/ours`)).toEqual([409, SHOWN])
    expect(await show(`${url}/things/official`)).toEqual([409, SHOWN])
    expect(await show(`${url}/things/plain`)).toEqual([500, expect.objectContaining({ message: 'boom' })])
    expect(await show(`${url}/things/string`)).toEqual([500, expect.objectContaining({ message: 'boom' })])
  })

  it('a path that leads nowhere is not found', async () => {
    const url = await open(create())

    expect(await show(`${url}/nowhere`)).toEqual([
      404,
      { name: 'NotFound', message: 'Path /nowhere not found', code: 404, className: 'not-found' }
    ])
  })

  it('a method that the service lacks is refused, with those that it has', async () => {
    const url = await open(create().use('things', things))
    const response = await fetch(`${url}/things/1`, { method: 'DELETE' })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(await response.json()).toMatchObject({
      name: 'MethodNotAllowed',
      message: 'Method `remove` is not supported by this endpoint.'
    })
  })

  it.each([
    [422, 'Unprocessable'],
    [418, 'BadRequest']
  ])(
    'errors that middleware means for clients keep their status %i and their message',
    async (status, name) => {
      const app = create()

      app.use((context: any) => context.throw(status, 'Not like this'))

      expect(await show(await open(app))).toEqual([
        status,
        expect.objectContaining({ name, message: 'Not like this', code: status })
      ])
    }
  )

  it('errors that middleware means for clients keep their headers, but for those about the transfer', async () => {
    const app = create()
    const headers = { 'WWW-Authenticate': 'Basic realm="nest"', 'Retry-After': 60, 'Content-Length': 1000 }

    app.use((context: any) => context.throw(401, 'Who is there?', { headers }))

    const response = await fetch(await open(app))

    expect(await response.json()).toMatchObject({ message: 'Who is there?' })
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="nest"')
    expect(response.headers.get('retry-after')).toBe('60')
  })

  it('errors have no headers about the body that they replace, and all others', async () => {
    const app = create()

    app.use((context: any) => {
      context.set({ 'Content-Encoding': 'gzip', 'Content-Disposition': 'attachment', ETag: '"of the file"' })
      context.set({
        'Content-Length': '5',
        'Last-Modified': new Date().toUTCString(),
        'X-Frame-Options': 'DENY'
      })
      context.type = 'html'
      context.throw(409, 'Taken')
    })

    const response = await fetch(await open(app))

    expect(await response.json()).toMatchObject({ message: 'Taken' })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    for (const name of ['content-encoding', 'content-disposition', 'etag', 'last-modified'])
      expect(response.headers.get(name), name).toBeNull()
  })

  it('a body that cannot be parsed is the fault of the request', async () => {
    const url = await open(create().use('things', things))

    expect(await show(`${url}/things`, { method: 'POST', headers: JSON_HEADERS, body: '{' })).toEqual([
      400,
      expect.objectContaining({ message: 'Invalid request body: expected valid JSON' })
    ])
    expect(
      await show(`${url}/things`, {
        method: 'POST',
        headers: JSON_HEADERS,
        body: JSON.stringify({ a: 'x'.repeat(2_000_000) })
      })
    ).toEqual([413, expect.objectContaining({ name: 'PayloadTooLarge' })])
    expect(
      await show(`${url}/things`, {
        method: 'POST',
        headers: { ...JSON_HEADERS, 'Content-Encoding': 'compress' },
        body: '{}'
      })
    ).toEqual([415, expect.objectContaining({ message: 'Unsupported content encoding' })])
  })

  it('responses without a body that have a status stay as they are', async () => {
    const app = create()

    app.use((context: any) => {
      context.status = 202
    })

    expect((await fetch(await open(app))).status).toBe(202)
  })
})

it('a thrown nothing is an unexpected error', async () => {
  const [create] = Object.values(applications)
  const url = await serve(create?.().use('things', things))

  expect(await show(`${url}/things/nothing`)).toEqual([
    500,
    expect.objectContaining({ name: 'GeneralError' })
  ])
})

it('unexpected errors are logged, expected ones are not', async () => {
  const lines: string[] = []
  const app = koa(alula())

  app.use(errorHandler({ logger: { error: (line) => void lines.push(line) } }))
  app.configure(rest())
  app.use('things', things)

  const url = await serve(app)

  for (const id of ['ours', 'plain', 'official']) await show(`${url}/things/${id}`)

  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('Error: boom')
})

it('multipart forms that are wrong or cut off are the fault of the request', async () => {
  const lines: string[] = []
  const responded = defer()
  const app = koa(alula())

  app.silent = true
  app.use(async (context, next) => {
    await next()
    if (!context.req.complete) responded.resolve()
  })
  app.use(errorHandler({ logger: { error: (line) => void lines.push(line) } }))
  app.use(bodyParser({ multipart: true }))
  app.configure(rest())
  app.use('things', things)

  const url = await serve(app)
  const headers = { 'Content-Type': 'multipart/form-data; boundary=a' }
  const part = 'Content-Disposition: form-data; name="b"\r\nContent-Transfer-Encoding: c'
  const body = `--a\r\n${part}\r\n\r\nd\r\n--a--\r\n`
  const socket = openConnection(new URL(url).port)

  expect(await show(`${url}/things`, { method: 'POST', headers, body })).toEqual([
    400,
    expect.objectContaining({ message: 'Invalid request body: expected a valid multipart form' })
  ])

  socket.end(
    `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: ${headers['Content-Type']}\r\nContent-Length: 99\r\n\r\n--a`
  )
  await responded.promise
  expect(lines).toEqual([])
})

it('a result that is no JSON is an unexpected error, with nothing of the result', async () => {
  const cycle: { self?: object } = {}

  cycle.self = cycle

  const app = koa(alula())

  app.use(errorHandler({ logger: false }))
  app.configure(rest({ logger: false }))
  app.use('things', { find: async () => cycle })

  const response = await fetch(`${await serve(app)}/things`)

  expect([response.status, ((await response.json()) as any).name]).toEqual([500, 'GeneralError'])
})

it('middleware of your own can catch errors instead', async () => {
  const app = koa(alula())

  app.use(async (context, next) => {
    try {
      await next()
    } catch (error: any) {
      context.status = error.code
      context.body = { own: error.message, method: context.hook?.method }
    }
  })
  app.configure(rest())
  app.use('things', things)

  expect(await show(`${await serve(app)}/things/ours`)).toEqual([409, { own: 'Taken', method: 'get' }])
})

it('an error after the response has begun reaches the application', async () => {
  const app = koa(alula())
  const reported = new Promise<any>((resolve) => void app.on('error', resolve))

  app.use(errorHandler({ logger: false }))
  app.use((context) => {
    context.res.end('done')
    throw new Error('too late')
  })

  expect(await (await fetch(await serve(app))).text()).toBe('done')
  expect((await reported).message).toBe('too late')
})

it('functions that make middleware are none themselves', async () => {
  expect(() => (errorHandler as any)({ req: {} })).toThrow('errorHandler makes middleware and is none')
  expect(() => errorHandler({ loger: false } as any)).toThrow("Unknown option 'loger' of errorHandler")
  expect(() => errorHandler({ logger: {} as any })).toThrow("Invalid option 'logger'")
})

it('formatError decides on the body', async () => {
  const app = koa(alula())

  app.set('formatError', ({ message }: any) => ({ problem: message }))
  app.use(errorHandler({ logger: false }))
  app.configure(rest())
  app.use('things', {
    async get(id: any) {
      throw id === '1' ? new BadRequest('Wrong') : new NotFound('Missing')
    },
    async find() {
      throw new MethodNotAllowed('No list')
    }
  })

  const url = await serve(app)

  expect(await show(`${url}/things/1`)).toEqual([400, { problem: 'Wrong' }])
  expect(await show(`${url}/nowhere`)).toEqual([404, { problem: 'Path /nowhere not found' }])
})

it.each(['http://[::1/notes', 'http://'])('a target that is no URL is not found: %s', async (target) => {
  const app = koa(alula())

  app.use(errorHandler())
  app.configure(rest())

  const { port } = new URL(await serve(app))
  const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  const { status, body } = await sendRaw(port, request)

  expect(status).toBe(404)
  expect(JSON.parse(body)).toMatchObject({ name: 'NotFound', message: `Path ${target} not found` })
})
