// A page of another site had a browser write with the cookie of its user.
import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { AuthenticationStrategy } from '../../src/authentication.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { sendRaw } from '../support/raw.ts'
import { describeHttpTransports, type OpenTransport } from '../support/transports.ts'
import { configure, type Options } from './support/cookies.ts'

const MESSAGE =
  "Credentials in a cookie are accepted from pages of this server only: expected 'Origin' or 'Sec-Fetch-Site' of an own origin"

async function openWithCookie(open: OpenTransport, options?: Options) {
  let app: any
  let stored: unknown[] = []
  const client = await open((opened) => {
    app = opened
    stored = configure(app, options)
  })
  const token: string = await app.service('authentication').createAccessToken({}, { subject: '1' })
  const own = client.port === undefined ? 'http://localhost' : `http://127.0.0.1:${client.port}`
  const status = async (path: string, { headers, method = 'GET', body }: RequestInit = {}) => {
    const sent = { Cookie: `token=${token}`, ...(headers as { [name: string]: string }) }
    const { port, base } = client

    if (port === undefined)
      return (await client.request(path, { method, headers: sent, ...(body && { body }) })).status

    // `fetch` decides itself on some headers.
    const lines = Object.entries({
      Host: `127.0.0.1:${port}`,
      'Content-Length': String(body ?? '').length,
      Connection: 'close',
      ...sent
    }).map(([name, value]) => `${name}: ${value}\r\n`)

    return (await sendRaw(port, `${method} ${base}${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`))
      .status
  }

  return { client, token, own, status, stored }
}

type Request_ = [path: string, init: RequestInit]

const JSON_HEADERS = { 'Content-Type': 'application/json' }

const WRITES: { readonly [title: string]: Request_ } = {
  'a POST without a body': ['/things', { method: 'POST' }],
  'a POST of JSON': ['/things', { method: 'POST', headers: JSON_HEADERS, body: '{}' }],
  'a form': [
    '/things',
    { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=1' }
  ],
  'a POST of text': ['/things', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}' }],
  'a custom method by its header': ['/things', { method: 'POST', headers: { 'X-Service-Method': 'act' } }],
  'a custom method by its path': ['/things/act', { method: 'POST' }],
  'a PUT': ['/things/1', { method: 'PUT' }],
  'a PATCH': ['/things/1', { method: 'PATCH' }],
  'a DELETE': ['/things/1', { method: 'DELETE' }],
  'a conditional DELETE': ['/things/1', { method: 'DELETE', headers: { 'If-Match': '*' } }],
  'a call of a service without a guard': ['/open', { method: 'POST' }],
  'a mounted function': ['/mounted', { method: 'POST' }]
}

/** Requests of pages that are not of this server, and of programs that say nothing of a page. */
const FOREIGN: readonly { readonly [name: string]: string }[] = [
  {},
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: '' },
  { Origin: 'x' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' },
  { 'Sec-Fetch-Site': '' },
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' },
  { Referer: 'http://localhost/' }
]

describeHttpTransports('a call with a cookie', (open) => {
  it.each(Object.entries(WRITES))(
    'that may write needs an origin of its own: %s',
    async (title, [path, init]) => {
      const { status, stored, own } = await openWithCookie(open)
      const ask = (headers: object) =>
        status(path, { ...init, headers: { ...(init.headers as object), ...headers } })

      for (const headers of [...FOREIGN, { Origin: `${own.replace(/:\d+$/, '')}:1` }]) {
        expect(await ask(headers), JSON.stringify(headers)).toBe(403)
      }
      expect(stored).toEqual([])

      for (const headers of [
        { Origin: own },
        { 'Sec-Fetch-Site': 'same-origin' },
        { 'Sec-Fetch-Site': 'none' }
      ]) {
        expect(await ask(headers), JSON.stringify(headers)).not.toBe(403)
      }
      // A text is no data, from whatever page it comes.
      expect(stored).toHaveLength(title === 'a POST of text' ? 0 : 3)
    }
  )

  it('that reads is refused for pages of other origins, unless they lead the user there', async () => {
    const { status } = await openWithCookie(open)

    for (const path of ['/things', '/things/1', '/mounted']) {
      for (const method of ['GET', 'HEAD']) {
        expect(await status(path, { method })).toBe(200)
        expect(
          await status(path, {
            method,
            headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
          })
        ).toBe(200)
        expect(await status(path, { method, headers: { 'Sec-Fetch-Site': 'same-origin' } })).toBe(200)
        expect(await status(path, { method, headers: { Origin: 'https://evil.example' } })).toBe(403)
        expect(
          await status(path, {
            method,
            headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }
          })
        ).toBe(403)
        expect(await status(path, { method, headers: { 'Sec-Fetch-Site': 'same-site' } })).toBe(403)
      }
    }
  })

  it('that is refused says why', async () => {
    const { client, token } = await openWithCookie(open)
    const response = await client.request('/things', {
      method: 'POST',
      headers: { Cookie: `token=${token}` }
    })

    expect(await response.json()).toEqual({
      name: 'Forbidden',
      message: MESSAGE,
      code: 403,
      className: 'forbidden'
    })
  })

  it.each([
    ['app.set("origins")', { origins: ['https://app.example/', 'https://other.example'] }],
    [
      'the origins of OAuth',
      { settings: { oauth: { origins: ['https://app.example', 'https://other.example'] } } }
    ],
    ['the redirect of OAuth', { settings: { oauth: { redirect: 'https://app.example/home' } } }]
  ] as [string, Options][])('passes from an origin of %s', async (_title, options) => {
    const { status } = await openWithCookie(open, options)

    for (const site of ['cross-site', 'same-site', undefined]) {
      const headers = { Origin: 'https://app.example', ...(site && { 'Sec-Fetch-Site': site }) }

      expect(await status('/things', { method: 'POST', headers })).toBe(201)
    }
    expect(await status('/things', { method: 'POST', headers: { Origin: 'https://app.example.evil' } })).toBe(
      403
    )
    expect(await status('/things', { method: 'POST', headers: { Origin: 'http://app.example' } })).toBe(403)
  })

  it('is none when the token is in a header, from wherever it comes', async () => {
    const { client, token, stored } = await openWithCookie(open)
    const headers = {
      Origin: 'https://evil.example',
      'Sec-Fetch-Site': 'cross-site',
      Authorization: `Bearer ${token}`
    }

    for (const cookie of ['', 'a=1', `token=${token}`]) {
      const response = await client.request('/things', {
        method: 'POST',
        headers: { ...headers, ...(cookie && { Cookie: cookie }) }
      })

      expect(response.status).toBe(201)
    }
    expect(stored).toHaveLength(3)
  })

  it('is none when the cookies hold no credentials', async () => {
    const { status } = await openWithCookie(open)
    const headers = { Origin: 'https://evil.example', Cookie: 'theme=dark; token=' }

    expect(await status('/open', { method: 'POST', headers })).toBe(201)
    expect(await status('/things', { method: 'POST', headers })).toBe(401)
  })

  it('counts for strategies of one’s own that read cookies', async () => {
    const strategy: AuthenticationStrategy = {
      parse: async ({ headers }) => {
        const key = /key=(\w+)/.exec(String(headers.cookie))?.[1]

        return key ? { strategy: 'key', key } : null
      },
      authenticate: async () => ({ ok: true })
    }
    const { status, own } = await openWithCookie(open, { strategies: { key: strategy } })
    const headers = { Cookie: 'key=a' }

    expect(await status('/things', { method: 'POST', headers })).toBe(403)
    expect(await status('/things', { method: 'POST', headers: { ...headers, Origin: own } })).toBe(201)
  })

  it('is refused when a page adds other credentials, which the cookie would outdo', async () => {
    const strategy: AuthenticationStrategy = {
      parse: async ({ headers }) => (headers.accept === 'junk' ? { strategy: 'junk' } : null),
      authenticate: async () => ({ ok: true })
    }
    const { status, stored } = await openWithCookie(open, { strategies: { junk: strategy } })

    expect(
      await status('/things', { method: 'POST', headers: { Origin: 'https://evil.example', Accept: 'junk' } })
    ).toBe(403)
    expect(stored).toEqual([])
  })
})

it('an origin is that of the server whatever its case, its default port and its scheme', async () => {
  const app: any = alula()
  const stored = configure(app)
  const handle = createHandler(app, { logger: false })
  const token: string = await app.service('authentication').createAccessToken({}, { subject: '1' })
  const ask = async (host: string, origin: string) => {
    const request = new Request('http://inner/things', {
      method: 'POST',
      headers: { Host: host, Origin: origin, Cookie: `token=${token}` }
    })

    return (await handle(request)).status
  }

  expect(await ask('Api.Example.org', 'https://api.example.org')).toBe(201)
  expect(await ask('api.example.org:443', 'https://api.example.org')).toBe(201)
  expect(await ask('api.example.org:80', 'http://api.example.org')).toBe(201)
  expect(await ask('api.example.org:8080', 'https://api.example.org:8080')).toBe(201)
  expect(await ask('api.example.org', 'https://api.example.org:8080')).toBe(403)
  expect(await ask('example.org', 'https://api.example.org')).toBe(403)
  expect(await ask('', 'https://api.example.org')).toBe(403)
  expect(stored).toHaveLength(4)
})

it('the host of HTTP/2 counts', async () => {
  const app: any = alula()

  configure(app)

  const token: string = await app.service('authentication').createAccessToken({}, { subject: '1' })
  const server = createHttp2Server(toListener(app, { logger: false }) as any).listen(0, '127.0.0.1')

  await once(server, 'listening')

  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const session = connectHttp2(own)

  onTestFinished(() => {
    session.destroy()
    server.close()
  })

  for (const [origin, status] of [
    [own, 201],
    ['https://evil.example', 403]
  ] as const) {
    const stream = session.request({
      ':path': '/things',
      ':method': 'POST',
      origin,
      cookie: `token=${token}`
    })

    stream.end()

    const [headers] = await once(stream, 'response')

    expect(headers[':status']).toBe(status)
    stream.resume()
  }
})

it('a cookie counts from pages that the option cors lets send cookies', async () => {
  for (const origin of [
    'https://app.example',
    ['https://app.example'],
    (sent: string) => sent === 'https://app.example'
  ]) {
    for (const credentials of [true, false]) {
      const app: any = alula()

      configure(app)

      const handle = createHandler(app, { logger: false, cors: { origin, credentials } })
      const token: string = await app.service('authentication').createAccessToken({}, { subject: '1' })
      const ask = async (sent: string) =>
        (
          await handle(
            new Request('http://localhost/things', {
              method: 'POST',
              headers: { Cookie: `token=${token}`, Origin: sent }
            })
          )
        ).status

      expect(await ask('https://app.example')).toBe(credentials ? 201 : 403)
      expect(await ask('https://evil.example')).toBe(403)
    }
  }
})
