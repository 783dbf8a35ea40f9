import { once } from 'node:events'
import { createServer as createSecureServer, request as sendSecurely } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { AuthenticationService, type AuthenticationStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { certificate } from '../support/certificate.ts'
import { bodyOf, createEcho, lastGet, open, statusOf } from './support.ts'

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

it.skipIf(!certificate)(
  'a server of HTTPS takes the same listener, and mounted functions see its protocol',
  async () => {
    const app = createEcho()

    app.mount('/url', ({ url }) => new Response(JSON.stringify({ url })))

    const listener = toListener(app, {
      logger: false,
      params: ({ socket }) => ({ query: { encrypted: 'encrypted' in socket } })
    })
    const server = createSecureServer({ key: certificate, cert: certificate }, listener).listen(
      0,
      '127.0.0.1'
    )

    await once(server, 'listening')
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo

    async function get(path: string): Promise<unknown> {
      const client = sendSecurely({ port, path, rejectUnauthorized: false, agent: false })
      const answered = once(client, 'response')

      client.end()

      const [response] = await answered
      const chunks = await response.toArray()

      expect(response.statusCode).toBe(200)

      return JSON.parse(Buffer.concat(chunks).toString())
    }

    expect(await get('/things')).toEqual({ encrypted: true })
    expect(await get('/url')).toEqual({ url: `https://localhost:${port}/url` })
  }
)
