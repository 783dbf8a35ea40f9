import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import original from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { mount } from '../express/mount.ts'
import { defer } from '../support/deferred.ts'
import { openConnection, sendRaw } from '../support/raw.ts'
import { listen as listenTo, serve, toPort } from '../support/server.ts'
import { echo, readJson, toText } from './support/mount.ts'

/** Servers of Node in front of one application. */
const servers: { readonly [name: string]: (app: any) => any } = {
  'a server of Node': (app) => toListener(app, { logger: false }),
  'a plain Express server': (app) => original().use(toMiddleware(app, { logger: false }))
}

const listen = async (listener: any) => toPort(await listenTo(createServer(listener)))

describe.each(Object.entries(servers))('on %s, a mounted function', (_name, toServer) => {
  it('reads a body while it arrives, and responds before its end', async () => {
    const app = alula().mount('docs', async ({ body }) => new Response(body))
    const request = send({ port: await listen(toServer(app)), method: 'POST', path: '/docs' })
    const chunks: string[] = []

    request.write('first')

    const [response] = await once(request, 'response')

    for await (const chunk of response) {
      chunks.push(String(chunk))
      if (chunks.length === 1) request.end('second')
    }

    expect(chunks).toEqual(['first', 'second'])
  })

  it('whose body fails is cut off, so that the client sees that it is not whole', async () => {
    const app = alula().mount('docs', () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('first ')),
        pull: () => Promise.reject(new Error('no more'))
      })

      return new Response(body)
    })
    const socket = openConnection(await listen(toServer(app)))
    let text = ''

    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write('GET /docs HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'close')
    expect(text).toContain('6\r\nfirst ')
    expect(text).not.toContain('\r\n0\r\n')
  })

  it('is told when its client goes away, before it responds and while it does', async () => {
    for (const isBegun of [false, true]) {
      const called = defer<Request>()
      const cancelled = defer()
      const app = alula().mount('docs', async (request) => {
        called.resolve(request)
        if (!isBegun) await new Promise(() => undefined)

        return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))
      })
      const socket = openConnection(await listen(toServer(app)))

      socket.write('GET /docs HTTP/1.1\r\nHost: a\r\n\r\n')

      const { signal } = await called.promise
      const aborted = once(signal, 'abort')

      expect(signal.aborted).toBe(false)
      if (isBegun) await once(socket, 'data')
      socket.destroy()
      await aborted
      if (isBegun) await cancelled.promise
    }
  })

  it('is not told so after its response', async () => {
    let signal: AbortSignal | undefined
    const app = alula().mount('docs', (request) => {
      signal = request.signal

      return new Response('a')
    })

    await sendRaw(await listen(toServer(app)), 'GET /docs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(signal?.aborted).toBe(false)
  })

  it.each([
    '/docs/..',
    '/docs/../secret',
    '/docs/%2e%2E/secret',
    '/docs/.%2e/secret',
    '/docs/./a',
    '/docs/\\..\\..\\secret',
    '/docs/a\\..\\..\\secret'
  ])('never sees %s, which URLs resolve to another path', async (path) => {
    const seen: string[] = []
    const app = alula().mount('docs', ({ url }) => {
      seen.push(url)

      return new Response()
    })
    const { status, body } = await sendRaw(
      await listen(toServer(app)),
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    )

    expect(status).toBe(400)
    expect(JSON.parse(body).message).toBe(
      "Invalid path: expected no backslashes and no segments '.' and '..'"
    )
    expect(seen).toEqual([])
  })

  it.each(['a/secret?', 'a/..', 'user:password@a', 'a b', 'a#', 'a\\b', '[', ':80', '?', 'a:b', 'ä'])(
    'never sees a host that is %s',
    async (host) => {
      const seen: string[] = []
      const app = alula().mount('docs', ({ url }) => {
        seen.push(url)

        return new Response()
      })
      const { status, body } = await sendRaw(
        await listen(toServer(app)),
        `GET /docs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      )

      expect(status).toBe(400)
      expect(JSON.parse(body).message).toMatch(/^Invalid header 'Host'/)
      expect(seen).toEqual([])
    }
  )

  it.each(['a', 'a.example.org:8080', '127.0.0.1', '[::1]:3030', 'xn--4ca'])(
    'sees the host %s',
    async (host) => {
      const app = alula().mount('docs', ({ url }) => new Response(url))
      const { body } = await sendRaw(
        await listen(toServer(app)),
        `GET /docs?a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      )

      expect(body).toBe(`http://${host}/docs?a`)
    }
  )

  it('refuses a method that a Request cannot have', async () => {
    const app = alula().mount('docs', echo)
    const { status } = await sendRaw(
      await listen(toServer(app)),
      'TRACE /docs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    )

    expect(status).toBe(405)
  })
})

it('a mounted function is reached over HTTP/2', async () => {
  const app = alula().mount('docs', echo)
  const server = createHttp2Server(toListener(app, { logger: false }) as any).listen(0, '127.0.0.1')

  await once(server, 'listening')

  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  onTestFinished(() => {
    session.destroy()
    server.close()
  })

  const stream = session.request({ ':path': '/docs/a', ':method': 'POST' })
  let text = ''

  stream.on('data', (chunk) => {
    text += chunk
  })
  stream.end('body')
  await once(stream, 'end')
  expect(JSON.parse(text)).toEqual({ method: 'POST', url: '/docs/a', body: 'body' })
})

describe('on Express, a mounted function', () => {
  async function start(...middleware: any[]): Promise<string> {
    const app: any = express(alula())

    for (const each of middleware) app.use(each)
    app.configure(rest())
    app.mount('docs', async (request: Request) =>
      Response.json({
        body: await request.text(),
        length: request.headers.get('content-length'),
        encoding: request.headers.get('content-encoding')
      })
    )

    return serve(app)
  }

  it('runs after earlier middleware, whose headers stay', async () => {
    const url = await start((_request: any, response: any, next: any) => {
      response.setHeader('X-Before', 'yes')
      next()
    })

    expect((await fetch(`${url}/docs`)).headers.get('x-before')).toBe('yes')
  })

  it.each([
    ['application/json', '{ "a": [1] }', '{"a":[1]}', original.json()],
    [
      'application/x-www-form-urlencoded',
      'a=1&b[c]=%C3%A9',
      'a=1&b%5Bc%5D=%C3%A9',
      original.urlencoded({ extended: true })
    ],
    ['text/plain', 'text', 'text', original.text()],
    ['application/octet-stream', 'text', 'text', original.raw()],
    ['text/plain', 'text', 'text', original.json()]
  ])('gets a body of %s that middleware has parsed', async (type, body, expected, middleware) => {
    const url = await start(middleware)
    const response = await fetch(`${url}/docs`, { method: 'POST', headers: { 'Content-Type': type }, body })

    expect(await response.json()).toMatchObject({ body: expected, encoding: null })
  })

  it('of toMiddleware gets the path after that of the server', async () => {
    const app = alula().mount('docs', echo)
    const url = await mount((server) => server.use('/api', toMiddleware(app)))

    expect((await readJson(fetch(`${url}/api/docs/a`))).url).toBe('/docs/a')
  })
})

it('a path of thousands of segments costs no more than another', async () => {
  const app = alula()
    .mount('docs', toText('docs'))
    .use('things', { find: async () => [] })
  const handle = createHandler(app, { logger: false })
  const begin = process.cpuUsage()

  for (let request = 0; request < 100; request++) {
    expect((await handle(new Request(`http://a/docs${'/a'.repeat(8000)}`))).status).toBe(200)
    expect((await handle(new Request(`http://a/things${'/a'.repeat(8000)}`))).status).toBe(404)
  }

  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(5000)
})
