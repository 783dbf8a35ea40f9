import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { createServer as createSecureServer, request as sendSecurely } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { AuthenticationService, type AuthenticationStrategy } from '../../src/authentication.ts'
import { type Application, alula } from '../../src/index.ts'
import { type ListenerOptions, toListener } from '../../src/node.ts'
import { certificate } from '../support/certificate.ts'
import { defer } from '../support/deferred.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** A server that listens until the test ends. */
async function open(app: Application, options: ListenerOptions = {}) {
  const server = createServer(toListener(app, { logger: false, ...options })).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  return {
    server,
    port,
    url,
    /**
     * Keeps no connection, for which the end of the test would have to wait. Without a `Cache-Control` of ours `fetch`
     * adds `no-cache` to every request that has a condition.
     */
    request: (path: string, init: RequestInit = {}) =>
      fetch(url + path, {
        ...init,
        headers: { 'Cache-Control': 'max-age=0', ...init.headers, Connection: 'close' }
      }),
    /** Sends a text as it is and returns all that comes until the server closes the connection. */
    exchange: (text: string) => readAll(writeTo(port, text))
  }
}

function writeTo(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1')

  onTestFinished(() => void socket.destroy())
  socket.write(text)

  return socket
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []

  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')

  return Buffer.concat(chunks).toString()
}

const lastGet = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))

/** A service whose `find` gives this, with these headers. */
function createApp(result: unknown, headers: { [name: string]: string } = {}, status?: number): Application {
  const app = alula().use('things', {
    find: async () => result,
    get: async () => result,
    create: async (data: any) => data
  } as any)

  app.service('things').hooks({
    after: {
      find: [
        (context: any) => {
          context.http = { ...context.http, headers, ...(status !== undefined && { status }) }
        }
      ]
    }
  })

  return app
}

const createEcho = () =>
  alula().use('things', {
    find: async ({ query }: any) => query,
    create: async (data: any) => data
  })

describe('the path of a request', () => {
  it.each(['/api', 'api/', 'api'])('has to begin with the prefix %s', async (prefix) => {
    const { request } = await open(createEcho(), { prefix })
    const statuses = await Promise.all(
      ['/api/things', '/api/things/', '/things', '/apithings', '/api', '/API/things'].map(
        async (path) => (await request(path)).status
      )
    )

    expect(statuses).toEqual([200, 200, 404, 404, 404, 404])
  })

  it('is followed by a query, which a prefix does not change', async () => {
    const { request } = await open(createEcho(), { prefix: 'api' })

    expect(await (await request('/api/things?a[$gt]=1&b=?')).json()).toEqual({ a: { $gt: '1' }, b: '?' })
    expect((await request('/things?x=/api/things')).status).toBe(404)
  })

  it.each(['/', ''])('has no prefix when that is %j', async (prefix) => {
    const { request } = await open(createEcho(), { prefix })

    expect((await request('/things')).status).toBe(200)
  })

  it('may stand in a whole URL, as clients of proxies send it', async () => {
    const { exchange } = await open(createEcho(), { prefix: 'api' })

    for (const origin of ['http://localhost', 'https://elsewhere.example:8080', 'http://user:secret@[::1]']) {
      const answer = await exchange(lastGet(`${origin}/api/things?a[b]=1`))

      expect(statusOf(answer), origin).toBe(200)
      expect(bodyOf(answer)).toEqual({ a: { b: '1' } })
      expect(statusOf(await exchange(lastGet(`${origin}/things`))), origin).toBe(404)
      expect(statusOf(await exchange(lastGet(origin))), origin).toBe(404)
    }
  })

  it('* is none, and is refused with a sentence', async () => {
    const { exchange } = await open(createEcho())
    const answer = await exchange(lastGet('*').replace('GET', 'OPTIONS'))

    expect(bodyOf(answer)).toEqual({
      name: 'BadRequest',
      code: 400,
      className: 'bad-request',
      message: 'Invalid request target: expected a path or a URL'
    })
  })
})

it('a limit that is no number is refused', () => {
  for (const bodyLimit of ['1mb', Number.NaN, -1, null] as any[]) {
    expect(() => toListener(alula(), { bodyLimit })).toThrow(
      "Invalid option 'bodyLimit' of toListener: expected a number of bytes"
    )
  }
})

describe('the option params', () => {
  afterEach(() => vi.unstubAllEnvs())

  const app = alula().use('things', {
    find: async ({ provider, address, caller }: any) => ({ provider, address, caller })
  })

  it('adds to the params of the call what it finds in the request', async () => {
    const { request } = await open(app, {
      params: ({ headers, socket }) => ({ caller: headers['x-caller'], address: socket.remoteAddress })
    })
    const response = await request('/things', { headers: { 'X-Caller': 'ada' } })

    expect(await response.json()).toEqual({ provider: 'rest', address: '127.0.0.1', caller: 'ada' })
  })

  it('is a 500 when it throws, which is logged, and of which clients see nothing in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')

    const lines: string[] = []
    const { request } = await open(app, {
      logger: { error: (line) => lines.push(`${line.split('\n')[0]}`) },
      params: () => {
        throw new Error('the password of the database')
      }
    })
    const response = await request('/things')

    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      name: 'GeneralError',
      message: 'An unexpected error occurred on the server',
      code: 500,
      className: 'general-error'
    })
    expect(lines).toEqual(['Error: the password of the database'])
  })

  it('answers what it throws, also when that is nothing', async () => {
    for (const thrown of [undefined, null, 'text', Object.create(null)]) {
      const { request } = await open(app, {
        params: () => {
          throw thrown
        }
      })

      expect((await request('/things')).status).toBe(500)
    }
  })

  it('is not asked about a path outside of the prefix', async () => {
    const asked: unknown[] = []
    const { request } = await open(app, {
      prefix: 'api',
      params: ({ url }) => {
        asked.push(url)

        return {}
      }
    })

    expect((await request('/things')).status).toBe(404)
    expect((await request('/api/things')).status).toBe(200)
    expect(asked).toEqual(['/api/things'])
  })
})

it('credentials are looked for by the service and the strategies of the option', async () => {
  const app: any = alula().use('things', {
    find: async ({ authentication = null }: any) => ({ authentication })
  })
  const byHeader = (name: string): AuthenticationStrategy => ({
    parse: async ({ headers }) => (headers[name] ? { strategy: name, key: headers[name] } : null)
  })

  for (const path of ['usual', 'staff']) {
    app.set(path, { parseStrategies: [`x-${path}`] })

    const service = new AuthenticationService(app, path)

    for (const name of [`x-${path}`, 'x-other']) service.register(name, byHeader(name))
    app.use(path, service)
  }

  const headers = { 'X-Usual': 'a', 'X-Staff': 'b', 'X-Other': 'c' }

  for (const [authentication, found] of [
    [undefined, { strategy: 'x-usual', key: 'a' }],
    [{ service: 'staff' }, { strategy: 'x-staff', key: 'b' }],
    [
      { service: 'staff', strategies: ['x-other', 'x-staff'] },
      { strategy: 'x-other', key: 'c' }
    ],
    [{ strategies: [] }, null]
  ] as const) {
    const { request } = await open(app, authentication && { authentication })

    expect(await (await request('/things', { headers })).json()).toEqual({ authentication: found })
  }
})

describe('an ETag', () => {
  const TAG = /^W\/"[\da-f]+-[\w+/]{27}"$/

  it('is on the answer to GET, and is another one for another answer', async () => {
    const tags = await Promise.all(
      [{ a: 1 }, { a: 2 }, { a: 1 }].map(async (result) => {
        const { request } = await open(createApp(result))

        return (await request('/things')).headers.get('etag')
      })
    )

    expect(tags[0]).toMatch(TAG)
    expect(tags[1]).toMatch(TAG)
    expect(tags[1]).not.toBe(tags[0])
    expect(tags[2]).toBe(tags[0])
  })

  it('that a client has is answered with a 304 without a body, and keeps the headers of hooks', async () => {
    const { request } = await open(createApp({ a: 1 }, { 'Cache-Control': 'max-age=5' }))
    const tag = (await request('/things')).headers.get('etag') as string
    const strong = tag.replace('W/', '')

    for (const header of [
      tag,
      strong,
      '*',
      ' * ',
      `"x", ${tag}`,
      `W/"x","y",${strong}`,
      `${tag}, "x"`,
      `  ${tag}  `
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await request('/things', { method, headers: { 'If-None-Match': header } })

        expect(response.status, header).toBe(304)
        expect(response.headers.get('etag')).toBe(tag)
        expect(response.headers.get('cache-control')).toBe('max-age=5')
        expect(response.headers.get('content-type')).toBeNull()
        expect(await response.text()).toBe('')
      }
    }
  })

  it('that is not the one of the answer changes nothing', async () => {
    const { request } = await open(createApp({ a: 1 }))
    const tag = (await request('/things')).headers.get('etag') as string

    for (const header of ['"x"', '', tag.slice(0, -1), tag.slice(3), `x${tag}`, '"*"', '**', ',,', 'W/']) {
      const response = await request('/things', { headers: { 'If-None-Match': header } })

      expect(response.status, header).toBe(200)
      expect(await response.json()).toEqual({ a: 1 })
    }
  })

  it('of a hook is kept and compared', async () => {
    const { request } = await open(createApp({ a: 1 }, { ETag: '"mine"' }))

    for (const header of ['"mine"', 'W/"mine"']) {
      const response = await request('/things', { headers: { 'If-None-Match': header } })

      expect([response.status, response.headers.get('etag')]).toEqual([304, '"mine"'])
    }

    const other = await request('/things', { headers: { 'If-None-Match': '"other"' } })

    expect([other.status, other.headers.get('etag')]).toEqual([200, '"mine"'])
  })

  it.each(['etag', 'ETAG', 'eTaG'])('of a hook is the only one when it is written %s', async (name) => {
    const { exchange } = await open(createApp({ a: 1 }, { [name]: '"mine"' }))

    for (const [header, status] of [
      ['"mine"', 304],
      ['"other"', 200]
    ] as const) {
      const answer = await exchange(lastGet('/things', `If-None-Match: ${header}\r\n`))

      expect(statusOf(answer)).toBe(status)
      expect(answer.match(/^etag: .*$/gim)).toEqual([`${name}: "mine"`])
    }
  })

  it.each(['no-cache', 'No-Cache', 'max-age=0, no-cache'])(
    'is not compared for who reloads, with Cache-Control: %s',
    async (cacheControl) => {
      const { request } = await open(createApp({ a: 1 }))
      const headers = { 'If-None-Match': '*', 'Cache-Control': cacheControl }

      expect((await request('/things', { headers })).status).toBe(200)
      expect((await request('/things', { headers: { ...headers, 'Cache-Control': 'x' } })).status).toBe(304)
    }
  )

  it('is on answers of 200 to GET and HEAD only', async () => {
    const { request } = await open(createApp({ a: 1 }, {}, 203))
    const headers = { ...JSON_HEADERS, 'If-None-Match': '*' }
    const posted = await request('/things', { method: 'POST', headers, body: '{"a":1}' })

    expect([posted.status, posted.headers.get('etag')]).toEqual([201, null])
    expect(await posted.json()).toEqual({ a: 1 })

    const found = await request('/things', { headers })

    expect([found.status, found.headers.get('etag')]).toEqual([203, null])

    const unknown = await request('/unknown', { headers })

    expect([unknown.status, unknown.headers.get('etag')]).toEqual([404, null])
    expect(await unknown.json()).toMatchObject({ name: 'NotFound' })
  })

  it('is left out when the option says so, and nothing is a 304 then', async () => {
    const { request } = await open(createApp({ a: 1 }), { etag: false })
    const response = await request('/things', { headers: { 'If-None-Match': '*' } })

    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
  })
})

describe('an answer', () => {
  it('says how many bytes it has, and not how many characters', async () => {
    const { request } = await open(createApp({ text: 'ü€😀' }))
    const response = await request('/things')

    expect(response.headers.get('content-length')).toBe(`${Buffer.byteLength('{"text":"ü€😀"}')}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ text: 'ü€😀' })
  })

  it('to HEAD says the same and has no body', async () => {
    const { request, exchange } = await open(createApp({ text: 'ü€😀' }))
    const { headers } = await request('/things')
    const answer = await exchange(lastGet('/things').replace('GET', 'HEAD'))

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')

    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(answer.toLowerCase()).toContain(`\r\n${name}: ${headers.get(name)?.toLowerCase()}\r\n`)
    }
  })

  it.each(['Content-Type', 'content-type', 'CONTENT-TYPE', 'cOnTeNt-TyPe'])(
    'has the type that a hook has set as %s, and no other beside it',
    async (name) => {
      const { exchange } = await open(createApp({ a: 1 }, { [name]: 'application/vnd.api+json' }))
      const types = (await exchange(lastGet('/things'))).match(/^content-type: .*$/gim)

      expect(types).toEqual([`${name}: application/vnd.api+json`])
    }
  )

  it('of 204 has neither body nor type nor length', async () => {
    for (const result of [null, undefined]) {
      const { exchange } = await open(createApp(result))
      const answer = await exchange(lastGet('/things'))

      expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
      expect(answer).not.toMatch(/^(content-|transfer-)/im)
      expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
    }
  })

  it('that a hook makes a 204 has no body, whatever the result', async () => {
    const { exchange } = await open(createApp({ a: 1 }, {}, 204))
    const answer = await exchange(lastGet('/things'))

    expect(answer).toMatch(/^HTTP\/1\.1 204 /)
    expect(answer).not.toMatch(/^content-/im)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
  })

  it('keeps the headers that the server has set', async () => {
    const app = createApp({ a: 1 })
    const listener = toListener(app, { logger: false })
    const server = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/problem+json')
      response.setHeader('X-Server', 'here')
      listener(request, response)
    }).listen(0, '127.0.0.1')

    await once(server, 'listening')
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo
    const { headers } = await fetch(`http://127.0.0.1:${port}/things`, { headers: { Connection: 'close' } })

    expect([headers.get('content-type'), headers.get('x-server')]).toEqual([
      'application/problem+json',
      'here'
    ])
  })
})

describe('what can not be sent', () => {
  const cycle: any = { name: 'cycle' }

  cycle.self = cycle

  it.each([
    ['a big integer', { big: 1n }],
    ['a cycle', cycle],
    [
      'a value that throws',
      {
        toJSON() {
          throw new Error('no JSON')
        }
      }
    ]
  ])('a result with %s is a 500, and the connection goes on', async (_title, result) => {
    const lines: string[] = []
    const { exchange } = await open(createApp(result), { logger: { error: (line) => lines.push(line) } })
    const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const answer = await exchange(get('/things') + lastGet('/unknown'))
    const [first, second] = answer.split(/(?=HTTP\/1\.1 )/)

    expect(statusOf(first as string)).toBe(500)
    expect(bodyOf(first as string)).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(first).not.toMatch(/^etag/im)
    expect(statusOf(second as string)).toBe(404)
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['a line break in a header', { 'X-Own': 'a\r\nSet-Cookie: stolen=1' }],
    ['a character beyond latin1 in a header', { 'X-Own': '€' }],
    ['a name that is none', { 'X Own': 'a' }],
    ['an empty name', { '': 'a' }]
  ])('%s of a hook is a 500, and nothing of it is sent', async (_title, headers) => {
    const lines: string[] = []
    const { exchange } = await open(createApp({ a: 1 }, headers), {
      logger: { error: (line) => lines.push(line) }
    })
    const answer = await exchange(lastGet('/things'))

    expect(statusOf(answer)).toBe(500)
    expect(bodyOf(answer)).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(answer).not.toMatch(/^(x.own|set-cookie)/im)
    expect(lines).toHaveLength(1)
  })

  it.each([99, 1000, 'abc', {}])('the status %j of a hook is a 500', async (status: any) => {
    const { request } = await open(createApp({ a: 1 }, {}, status))

    expect((await request('/things')).status).toBe(500)
  })
})

describe('a body', () => {
  it('past the limit is refused before it has come, and the connection is closed', async () => {
    const { exchange } = await open(createEcho(), { bodyLimit: 1000 })
    // Nothing follows the head, and the answer comes all the same.
    const answer = await exchange(
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n'
    )

    expect(statusOf(answer)).toBe(413)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(bodyOf(answer)).toMatchObject({
      name: 'PayloadTooLarge',
      message: 'The request body is larger than the server accepts'
    })
  })

  it('in chunks is read up to the limit and no further', async () => {
    const { exchange } = await open(createEcho(), { bodyLimit: 1000 })
    const chunk = `1f4\r\n${' '.repeat(500)}\r\n`
    // The last chunk never comes.
    const answer = await exchange(
      `POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`
    )

    expect(statusOf(answer)).toBe(413)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it('may be as long as the limit, and a byte longer it may not', async () => {
    const { request } = await open(createEcho(), { bodyLimit: 20 })
    const status = async (body: string) =>
      (await request('/things', { method: 'POST', headers: JSON_HEADERS, body })).status

    expect(await status(`{"a":"${'x'.repeat(12)}"}`)).toBe(201)
    expect(await status(`{"a":"${'x'.repeat(13)}"}`)).toBe(413)
    // Six bytes in three characters.
    expect(await status(`{"a":"${'x'.repeat(9)}üü"}`)).toBe(413)
  })

  it('that is not read is let through: the answer comes to a client that sends all of it first', async () => {
    const { port } = await open(createEcho(), { bodyLimit: 1000 })
    const length = 5_000_000
    const client = send({ port, method: 'POST', path: '/things', headers: { 'Content-Length': length } })
    const answered = once(client, 'response')

    // The server may have closed the connection by the time that the last byte leaves.
    client.on('error', () => undefined)
    client.end(Buffer.alloc(length))

    const [response] = await answered

    response.resume()
    expect(response.statusCode).toBe(413)
  })

  it('that belongs to an answer which did not wait for it ends the connection', async () => {
    const { exchange } = await open(createEcho())
    const answer = await exchange(
      'POST /unknown HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n'
    )

    expect(statusOf(answer)).toBe(404)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync]
  ])('in the encoding %s is decompressed, up to the limit', async (encoding, compress) => {
    const { request } = await open(createEcho(), { bodyLimit: 1000 })
    const send = (body: Uint8Array) =>
      request('/things', { method: 'POST', headers: { ...JSON_HEADERS, 'Content-Encoding': encoding }, body })
    const broken = await send(Buffer.from('{"a":1}'))

    expect(await (await send(compress('{"a":1}'))).json()).toEqual({ a: 1 })
    expect((await send(compress(JSON.stringify({ a: 'x'.repeat(2000) })))).status).toBe(413)
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ message: 'Invalid request body: it cannot be decompressed' })
  })

  it.each(['x', 'gzip, gzip', 'constructor'])('in the encoding %s is a 415', async (encoding) => {
    const { request } = await open(createEcho())
    const response = await request('/things', {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'Content-Encoding': encoding },
      body: gzipSync('{"a":1}')
    })

    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({
      message: "Unsupported content encoding: expected 'identity', 'gzip', 'deflate' or 'br'"
    })
  })

  it('may begin with a byte order mark, one of them', async () => {
    const { request } = await open(createEcho())
    const post = (body: string) => request('/things', { method: 'POST', headers: JSON_HEADERS, body })

    expect(await (await post('\ufeff{"a":1}')).json()).toEqual({ a: 1 })
    expect(await (await post('{"a":"\ufeff"}')).json()).toEqual({ a: '\ufeff' })
    expect((await post('\ufeff\ufeff{"a":1}')).status).toBe(400)
    expect(await (await post('\ufeff')).json()).toEqual({})
  })

  it('whose characters are split between chunks stays whole', async () => {
    const { port, server } = await open(createEcho())
    const bytes = Buffer.from('{"text":"ü€😀"}')
    const socket = connect(port, '127.0.0.1')
    const answer = readAll(socket)
    const [request] = await Promise.all([
      once(server, 'request').then(([request]) => request),
      socket.write(
        'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
      )
    ])

    for (const byte of bytes) {
      const heard = once(request, 'data')

      socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]))
      await heard
    }
    socket.write('0\r\n\r\n')

    expect((await answer).slice(-16)).toContain('ü€😀')
  })

  it('that breaks off is not given to the service, and leaves nothing behind', async () => {
    const created: unknown[] = []
    const lines: string[] = []
    const app = alula().use('things', { create: async (data: any) => created.push(data) })
    const { port, server, request } = await open(app, {
      logger: { error: (line) => lines.push(line), info: (line) => lines.push(line) }
    })
    const ended = new Promise((resolve) => {
      server.once('request', (incoming, response) => {
        incoming.once('data', () => socket.destroy())
        response.once('close', resolve)
      })
    })
    const socket = writeTo(
      port,
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":1}'
    )

    await ended

    const next = await request('/things', { method: 'POST', headers: JSON_HEADERS, body: '{"a":2}' })

    expect(next.status).toBe(201)
    expect(created).toEqual([{ a: 2 }])
    expect(lines).toEqual([])
  })

  it('is not needed for an answer that nobody waits for any more', async () => {
    const { promise: called, resolve: call } = defer()
    const { promise: held, resolve: release } = defer()
    const app = alula().use('things', {
      find: async () => {
        call()
        await held

        return { a: 1 }
      }
    })
    const { port, server, request } = await open(app)
    const arrived = once(server, 'request')
    const socket = writeTo(port, lastGet('/things'))
    const [, response] = await arrived

    await called
    socket.destroy()
    await once(response, 'close')
    release()

    expect((await request('/things')).status).toBe(200)
  })
})

describe('a connection', () => {
  it('carries requests that come before the answers, and answers them in order', async () => {
    const { promise: held, resolve: release } = defer()
    const app = alula().use('things', {
      get: async (id: any) => {
        // The first one takes longer than those behind it.
        if (id === '1') await held
        if (id === '3') release()

        return { id }
      },
      create: async (data: any) => data
    })
    const { exchange } = await open(app)
    const get = (id: number) => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const post =
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
    const answers = (await exchange(get(1) + post + get(2) + lastGet('/things/3'))).split(/(?=HTTP\/1\.1 )/)

    expect(answers.map(statusOf)).toEqual([200, 201, 200, 200])
    expect(answers.map(bodyOf)).toEqual([{ id: '1' }, { a: 1 }, { id: '2' }, { id: '3' }])
    expect(answers.map((answer) => /^connection: close\r$/im.test(answer))).toEqual([
      false,
      false,
      false,
      true
    ])
  })

  it('is used again after a body that was read, and after one that was refused for what it says', async () => {
    const { exchange } = await open(createEcho())
    const post = (body: string, type = 'application/json') =>
      `POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const answers = (
      await exchange(post('{"a":1}') + post('{"a"') + post('a=1', 'text/plain') + lastGet('/things?b=1'))
    ).split(/(?=HTTP\/1\.1 )/)

    expect(answers.map(statusOf)).toEqual([201, 400, 415, 200])
    expect(bodyOf(answers[3] as string)).toEqual({ b: '1' })
  })
})

it.skipIf(!certificate)('a server of HTTPS takes the same listener', async () => {
  const listener = toListener(createEcho(), {
    logger: false,
    params: ({ socket }) => ({ query: { encrypted: 'encrypted' in socket } })
  })
  const server = createSecureServer({ key: certificate, cert: certificate }, listener).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  const { port } = server.address() as AddressInfo
  const client = sendSecurely({ port, path: '/things', rejectUnauthorized: false, agent: false })
  const answered = once(client, 'response')

  client.end()

  const [response] = await answered
  const chunks = await response.toArray()

  expect(response.statusCode).toBe(200)
  expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({ encrypted: true })
})
