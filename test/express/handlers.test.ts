import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ErrorRequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { GeneralError, NotAuthenticated, NotFound, Unavailable } from '../../src/errors.ts'
import express, { type ErrorHandlerOptions, errorHandler, json, notFound, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { openConnection, sendRaw } from '../support/raw.ts'
import { serve, toPort } from '../support/server.ts'

const HTML = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

/** An application that fails with `error` at `/fail`, and inside a service at `/things`. */
async function failWith(error: unknown, options: ErrorHandlerOptions): Promise<string> {
  const app = express(alula())

  app.use(json())
  app.configure(rest())
  app.use('things', {
    find: async () => {
      throw error
    }
  })
  app.get('/fail', (_request: any, _response: any, next: any) => next(error))
  app.use(notFound(options.logger === null ? { verbose: true } : {}))
  app.use(errorHandler(options))

  return serve(app)
}

it('errors are JSON unless the request asks for HTML', async () => {
  const url = await failWith(new NotFound('Nothing'), { logger: false })
  const typeOf = async (headers: Record<string, string>) =>
    (await fetch(`${url}/fail`, { headers })).headers.get('content-type')

  expect(await typeOf({})).toBe('application/json; charset=utf-8')
  expect(await typeOf({ Accept: 'application/json' })).toBe('application/json; charset=utf-8')
  expect(await typeOf({ Accept: 'application/json, text/html' })).toBe('application/json; charset=utf-8')
  expect(await typeOf({ Accept: 'text/html' })).toBe('text/html; charset=utf-8')
})

it.each([
  ['a page', {}, 'text/html', 'X-Own, Accept'],
  ['JSON', {}, 'application/json', 'X-Own, Accept'],
  ['JSON without pages', { html: false }, 'text/html', 'X-Own'],
  [
    'text of a function',
    { html: (_error: any, _request: any, response: any) => response.send('text') },
    'text/html',
    'X-Own, Accept'
  ]
] as const)(
  'an error as %s says what its form depends on, and that its type is right',
  async (_title, options, accept, vary) => {
    const app = express(alula())

    app.use((_request: any, response: any, next: any) => {
      response.set('Vary', 'X-Own')
      next()
    })
    app.use(notFound(), errorHandler({ logger: false, ...options }))

    const { headers } = await fetch(await serve(app), { headers: { Accept: accept } })

    expect(headers.get('vary')).toBe(vary)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
)

it('the page of an error keeps the X-Content-Type-Options of earlier middleware', async () => {
  const app = express(alula())

  app.use((_request: any, response: any, next: any) => {
    response.set('X-Content-Type-Options', 'none')
    next()
  })
  app.use(notFound(), errorHandler({ logger: false }))

  expect((await fetch(await serve(app), HTML)).headers.get('x-content-type-options')).toBe('none')
})

it('errors that middleware means for clients keep their status and their headers', async () => {
  const headers = { 'WWW-Authenticate': 'Basic realm="nest"', 'Content-Length': 1000 }
  const url = await failWith(Object.assign(new Error('Why'), { expose: true, status: 401, headers }), {
    logger: false
  })

  for (const path of ['fail', 'things']) {
    const response = await fetch(`${url}/${path}`)

    expect(await response.json()).toMatchObject({ code: 401, message: 'Why' })
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="nest"')
  }
})

it('errors have no headers about the body that they replace, and all others', async () => {
  const app = express(alula())

  app.get('/file', (_request: any, response: any, next: any) => {
    response.set({ 'Content-Encoding': 'gzip', 'Content-Disposition': 'attachment', ETag: '"of the file"' })
    response.set({ 'Last-Modified': new Date().toUTCString(), 'X-Frame-Options': 'DENY' })
    response.type('html')
    next(new NotFound('Nothing'))
  })
  app.use(errorHandler({ logger: false }))

  const response = await fetch(`${await serve(app)}/file`)

  expect(await response.json()).toMatchObject({ message: 'Nothing' })
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  for (const name of ['content-encoding', 'content-disposition', 'etag', 'last-modified'])
    expect(response.headers.get(name), name).toBeNull()
})

it('a page shows status, name and message, escaped', async () => {
  const url = await failWith(new NotFound('<script>alert("1")</script> & more'), { logger: false })
  const response = await fetch(`${url}/fail`, HTML)
  const page = await response.text()

  expect(response.status).toBe(404)
  expect(page).toContain('<h1>404 NotFound</h1>')
  expect(page).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; more')
  expect(page).not.toContain('<script>')
})

it('pages of your own come from a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-'))

  onTestFinished(() => rm(folder, { recursive: true }))
  await Promise.all(
    ['401', '404', 'default'].map((name) => writeFile(join(folder, `${name}.html`), `page ${name}`))
  )

  const page = async (error: unknown) =>
    (await fetch(`${await failWith(error, { logger: false, public: folder })}/fail`, HTML)).text()

  expect(await page(new NotAuthenticated())).toBe('page 401')
  expect(await page(new NotFound())).toBe('page 404')
  expect(await page(new GeneralError())).toBe('page default')
})

it('functions answer by status and format', async () => {
  const answer = (name: string) => (error: any, _request: any, response: any) =>
    response.send(`${name} ${error.code}`)
  const text = async (error: unknown, options: ErrorHandlerOptions, init = {}) =>
    (await fetch(`${await failWith(error, { logger: false, ...options })}/fail`, init)).text()

  expect(await text(new NotFound(), { json: answer('all') })).toBe('all 404')
  expect(await text(new NotFound(), { json: { 404: answer('one'), default: answer('other') } })).toBe(
    'one 404'
  )
  expect(await text(new GeneralError(), { json: { 404: answer('one'), default: answer('other') } })).toBe(
    'other 500'
  )
  expect(await text(new NotFound(), { html: answer('page') }, HTML)).toBe('page 404')
  expect(await text(new NotFound(), { html: { default: answer('default') } }, HTML)).toBe('default 404')
  expect(JSON.parse(await text(new NotFound('x'), { html: false }, HTML))).toMatchObject({ message: 'x' })
})

it('the log gets what nobody expected, and client errors outside of services', async () => {
  const lines: string[] = []
  const logger = {
    error: (line: string) => lines.push(`error ${line.split('\n')[0]}`),
    info: (line: string) => lines.push(`info ${line}`)
  }
  const unexpected = await failWith(new Error('broken'), { logger })
  const expected = await failWith(new NotAuthenticated('Who?'), { logger })

  for (const path of ['/fail', '/things', '/unknown']) {
    await fetch(unexpected + path)
    await fetch(expected + path)
  }

  expect(lines).toEqual([
    'error Error: broken',
    'info NotAuthenticated: Who?',
    'error Error: broken',
    'info NotFound: Page not found',
    'info NotFound: Page not found'
  ])
})

it('the log says why, as far as errors have a cause', async () => {
  const lines: string[] = []
  const root: any = new Error('disk is full')
  const url = await failWith(new Unavailable('Try again'), { logger: { error: (line) => lines.push(line) } })
  const cause = new Error('a write has failed', { cause: root })
  const deep = await failWith(Object.assign(new Error('broken'), { cause }), {
    logger: { error: (line) => lines.push(line) }
  })

  // An error that is its own cause does not fill the log.
  root.cause = cause
  await fetch(`${url}/things`)
  await fetch(`${deep}/things`)

  const reasons = (line: string) => line.split('\n').filter((part) => /^(Caused by: )?\w+: /.test(part))

  expect(lines.map(reasons)).toEqual([
    ['Unavailable: Try again'],
    [
      'Error: broken',
      'Caused by: Error: a write has failed',
      'Caused by: Error: disk is full',
      'Caused by: Error: a write has failed',
      'Caused by: Error: disk is full'
    ]
  ])
})

it('the log holds nothing of a body', async () => {
  const lines: string[] = []
  const logger = { error: (line: string) => lines.push(line), info: (line: string) => lines.push(line) }
  const url = await failWith(null, { logger })

  await fetch(`${url}/things`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"password": sesame'
  })

  expect(lines).toEqual(['BadRequest: Invalid request body: expected valid JSON'])
})

it('notFound names the URL when asked to', async () => {
  const url = await failWith(null, { logger: null })

  expect(await (await fetch(`${url}/no/where?a=1`)).json()).toMatchObject({
    message: 'Page not found: /no/where?a=1',
    data: { url: '/no/where?a=1' }
  })
})

it('an error behind a finished answer ends the connection', async () => {
  const app = express(alula())

  app.get('/half', (_request: any, response: any, next: any) => {
    response.write('half')
    next(new Error('too late'))
  })
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const response = await fetch(`${url}/half`)

  await expect(response.text()).rejects.toThrow()
})

it.each(['http://', 'https://?$limit=1', 'x://', 'http://[::1/things'])(
  'a target without a path is not found, as other paths are: %s',
  async (target) => {
    const seen: string[] = []
    const app = express(alula())

    app.use((request, _response, next) => {
      seen.push(request.originalUrl)
      next()
    })
    app.configure(rest())
    app.use('/', { find: async () => ['found'] })
    app.use(':any', { find: async () => ['found'], get: async () => 'found' })
    app.get('/', (_request, response) => void response.json('found'))
    app.use(notFound(), errorHandler({ logger: false }))

    const { port } = new URL(await serve(app))
    const { status, body } = await sendRaw(
      port,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    )

    expect(status).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ name: 'NotFound', message: 'Page not found' })
    expect(seen).toEqual([target])
  }
)

it('a whole URL leads to the service that its path names', async () => {
  const app = express(alula())

  app.configure(rest())
  app.use('things', { find: async ({ query }: any) => query })

  const { port } = new URL(await serve(app))
  const { status, body } = await sendRaw(
    port,
    'GET http://localhost/things?a=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  )

  expect([status, JSON.parse(body)]).toEqual([200, { a: '1' }])
})

it.each([
  ['null', null, ''],
  ['undefined', undefined, ''],
  ['0', 0, ''],
  ["'route', which is a command of Express", 'route', 'route']
])('a service that throws %s has failed, and middleware gets an error', async (_title, thrown, message) => {
  const app = express(alula())
  const seen: unknown[] = []

  app.configure(rest())
  app.use('things', { find: () => Promise.reject(thrown) })
  app.use(((error, _request, response, _next) => {
    seen.push(error)
    response.status(500).end()
  }) as ErrorRequestHandler)
  app.use(notFound())

  expect((await fetch(`${await serve(app)}/things`)).status).toBe(500)
  expect(seen).toEqual([new Error(message)])
})

describe('an error that is sent before Node has seen the end of its request', () => {
  async function exchange(sent: string): Promise<string[]> {
    const app = express(alula())

    app.configure(rest())
    app.use('things', { create: async (data: any) => data })
    app.use(notFound(), errorHandler({ logger: false }))

    const socket = openConnection(toPort(await serve(app)))

    socket.write(sent)

    return (await text(socket)).split(/(?=HTTP\/1\.1 )/)
  }

  const POST = 'Host: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n'

  it('keeps the connection, and the requests behind it run', async () => {
    const responses = await exchange(
      `GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\nPOST /things HTTP/1.1\r\n${POST}Connection: close\r\n\r\n{"a":1}`
    )

    expect(responses.map((response) => response.split(' ')[1])).toEqual(['404', '201'])
    expect(responses[0]).not.toMatch(/^connection: close/im)
  })

  it('closes the connection after a body that was not read', async () => {
    const [response] = await exchange(`POST /nowhere HTTP/1.1\r\n${POST}\r\n`)

    expect(response).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\nConnection: close\r\n/)
  })
})
