import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { SECRET } from '../support/login.ts'
import { openConnection, sendRaw } from '../support/raw.ts'
import { describeHttpTransports, type OpenTransport } from '../support/transports.ts'

const PUBLIC = { 'Cache-Control': 'public, max-age=600' }

const openWith = (open: OpenTransport, http: object, result: unknown) =>
  open((app) => {
    app.use('things', { find: async () => result, create: async () => result } as any)
    app.use('fine', { find: async () => 'fine' } as any)
    app.service('things').hooks({
      after: {
        all: [
          (context: any) => {
            context.http = { ...context.http, ...http }
          }
        ]
      }
    })
  })

describeHttpTransports('headers of hooks', (open) => {
  it('keep browsers from guessing another type, unless a hook decides on that', async () => {
    const plain = await openWith(open, {}, ['<script>'])
    const own = await openWith(open, { headers: { 'x-content-type-options': 'own' } }, ['<script>'])
    const read = async (client: typeof plain, path: string) =>
      (await client.request(path)).headers.get('x-content-type-options')

    expect(await read(plain, '/things')).toBe('nosniff')
    // An error.
    expect(await read(plain, '/things/1')).toBe('nosniff')
    expect(await read(own, '/things')).toBe('own')
  })

  it.each([
    { 'Content-Length': '0' },
    { 'content-length': '1000' },
    { 'CONTENT-LENGTH': ['3', '4'] },
    { 'Transfer-Encoding': 'chunked' },
    { 'transfer-encoding': 'chunked', 'Content-Length': '4' },
    { Connection: 'Content-Type' },
    { 'Keep-Alive': 'timeout=600' },
    { Trailer: 'X-A' },
    { Upgrade: 'h2c', Connection: 'upgrade' }
  ] as object[])('do not decide on the framing: %j', async (headers) => {
    for (const result of [{ a: 1 }, null, undefined]) {
      const client = await openWith(open, { headers: { ...headers, 'X-Kept': 'yes' } }, result)

      if (client.port === undefined) {
        const response = await client.request('/things')

        expect(response.headers.get('x-kept')).toBe('yes')
        for (const name of [
          'content-length',
          'transfer-encoding',
          'connection',
          'keep-alive',
          'trailer',
          'upgrade'
        ]) {
          expect(response.headers.get(name)).toBeNull()
        }
        continue
      }

      // Two requests on a connection: a wrong length would make one response of both, or three.
      const socket = openConnection(client.port)
      let text = ''

      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.write(`GET ${client.base}/things HTTP/1.1\r\nHost: a\r\n\r\n`)
      socket.write(`GET ${client.base}/fine HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      await new Promise((resolve) => socket.once('close', resolve))

      const [first = '', second = '', ...others] = text.split(/(?=HTTP\/1\.1 )/)

      expect(others).toEqual([])
      expect(first).toMatch(/x-kept: yes/i)
      expect(first.match(/^content-length:/gim) ?? []).toHaveLength(result ? 1 : 0)
      expect(first).not.toMatch(/^(trailer|upgrade|transfer-encoding):|timeout=600|chunked/im)
      expect(first.endsWith(result ? '\r\n\r\n{"a":1}' : '\r\n\r\n')).toBe(true)
      expect(second.endsWith('\r\n\r\n"fine"')).toBe(true)
    }
  })

  it.each([
    { 'X A': '1' },
    { '': '1' },
    { 'X\r\nY': '1' },
    { 'X:': '1' },
    { 'X-ä': '1' },
    { 'X-A': 'a\r\nX-Evil: 1' },
    { 'X-A': 'a\nb' },
    { 'X-A': 'a\0' },
    { 'X-A': '€' },
    { 'X-A': ['a', 'b\r\n'] },
    { ETag: '"a\r\n"' },
    { 'Content-Type': 'text/html\r\n\r\n<script>' }
  ] as object[])('that cannot be sent are a 500 without any of them: %j', async (headers) => {
    const client = await openWith(
      open,
      {
        headers: { 'X-Before': '1', 'Set-Cookie': 'a=1', ...headers, 'X-After': '1' }
      },
      { a: 1 }
    )

    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await client.request('/things', { method })

      expect(response.status).toBe(500)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      for (const name of ['x-before', 'x-after', 'x-evil', 'set-cookie', 'etag', 'x-a']) {
        expect(response.headers.get(name), name).toBeNull()
      }
      if (method !== 'HEAD') expect(await response.json()).toMatchObject({ code: 500 })
    }
  })

  it('are not those of an error that the body causes', async () => {
    const headers = {
      ...PUBLIC,
      'Content-Type': 'text/html',
      'Set-Cookie': 'a=1'
    }
    const client = await openWith(open, { headers, location: '/elsewhere' }, toCycle())
    const response = await client.request('/things', { redirect: 'manual' })

    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    for (const name of ['cache-control', 'set-cookie', 'location'])
      expect(response.headers.get(name)).toBeNull()
  })

  it('of a call with a login stay private where the body causes an error', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => toCycle() } as any)
      app.service('things').hooks({
        before: { all: [({ params }: any) => void Object.assign(params, { authenticated: true })] },
        after: { all: [(context: any) => void Object.assign(context, { http: { headers: PUBLIC } })] }
      })
    })
    const { status, headers } = await client.request('/things')

    expect([status, headers.get('cache-control')]).toEqual([500, 'private'])
    expect(headers.get('vary')).toContain('Authorization')
  })

  it('stand in place of those of the library, in any case', async () => {
    const own = { 'accept-query': '', 'x-request-id': 'own', 'cache-control': 'private' }
    const client = await open((app) => {
      app.set('requestIds', true)
      app.use('things', { find: async () => ({ accessToken: 'a', authentication: {} }) } as any)
      app.service('things').hooks({
        after: {
          find: [
            ({ http }: any) =>
              void Object.assign(http, { headers: { ...own, location: '/y' }, location: '/x' })
          ]
        }
      })
    })
    const { headers } = await client.request('/things', { redirect: 'manual' })

    for (const [name, value] of Object.entries({ ...own, location: '/x' }))
      expect(headers.get(name), name).toBe(value)
  })

  it.each([150, 600, 99, '201', true])('with the status %s are a 500', async (status) => {
    for (const result of [{ a: 1 }, undefined]) {
      const client = await openWith(open, { status, headers: { 'X-A': '1' } }, result)
      const response = await client.request('/things')

      expect(response.status).toBe(500)
      expect(response.headers.get('x-a')).toBeNull()
    }
  })
})

describeHttpTransports('a 401', (open) => {
  const ask = async (settings: object, path = '/things', authentication?: object) => {
    const client = await open((app: any) => {
      app.set('authentication', { secret: SECRET, entity: null, authStrategies: ['jwt'], ...settings })

      const auth = new AuthenticationService(app)

      auth.register('jwt', new JWTStrategy())
      auth.register('key', { parse: async () => null } as any)
      app.use('authentication', auth)
      app.use('things', { find: async () => Promise.reject(new NotAuthenticated('Who?')) })
    }, authentication && { authentication })
    const response = await client.request(path)

    expect(response.status).toBe(401)

    return response.headers.get('www-authenticate')
  }

  it('names the schemes that are configured', async () => {
    expect(await ask({})).toBe('Bearer')
    expect(await ask({ jwt: { schemes: ['Token'] } })).toBe('Token')
    expect(
      await ask({
        authStrategies: ['jwt', 'key'],
        jwt: { schemes: ['Token'] },
        key: { schemes: ['Key', 'Token'] }
      })
    ).toBe('Token, Key')
    expect(
      await ask({ authStrategies: ['jwt', 'key'], key: { schemes: ['Key'] }, parseStrategies: ['key'] })
    ).toBe('Key')
    expect(await ask({ jwt: { schemes: [] } })).toBe('Bearer')
  })

  it('names those of the strategies that the transport asks', async () => {
    const settings = { authStrategies: ['jwt', 'key'], key: { schemes: ['Key'] } }

    expect(await ask(settings, '/things', { strategies: ['key'] })).toBe('Key')
  })
})

it.each([
  ['shorter', '9'],
  ['longer', '2']
])(
  'a mounted function whose body is %s than its length does not break into the next response',
  async (_title, length) => {
    const { alula } = await import('../../src/index.ts')
    const { toListener } = await import('../../src/node.ts')
    const { createServer } = await import('node:http')
    const app = alula().mount(
      'docs',
      () =>
        new Response(Readable.toWeb(Readable.from(['a', 'bc'])) as any, {
          headers: { 'Content-Length': length, 'Transfer-Encoding': 'chunked', Connection: 'x' }
        })
    )
    const server = createServer(toListener(app, { logger: false })).listen(0, '127.0.0.1')

    await new Promise((resolve) => server.once('listening', resolve))

    const request = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'
    const { body, headers } = await sendRaw((server.address() as any).port, request, request)

    server.close()
    // The server has closed the connection before all of the length was sent, with nothing after it.
    expect('abc'.slice(0, Number(length) - 1)).toContain(body)
    expect(headers.filter(([name]) => /^(content-length|transfer-encoding|connection)$/i.test(name))).toEqual(
      [
        ['content-length', length],
        ['Connection', 'keep-alive']
      ]
    )
  }
)

/** A value that is no JSON. */
function toCycle(): object {
  const cycle: { self?: object } = {}

  cycle.self = cycle

  return cycle
}
