import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Application, alula } from '../../src/index.ts'
import { errorHandler, koa, rest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'
import { JSON_HEADERS } from './support.ts'

const FORM_HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A client of a server of HTTP/2, until the test ends. */
async function open(listener: (request: any, response: any) => void) {
  const server = createServer(listener).listen(0, '127.0.0.1')

  await once(server, 'listening')

  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  session.on('error', () => undefined)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })

  return { server, session }
}

/** Sends the beginning of a request, which the returned function cancels: with RST_STREAM alone, as browsers do. */
function begin(session: ClientHttp2Session, path: string, body?: string | Uint8Array, headers = {}) {
  const controller = new AbortController()
  const method = body === undefined ? 'GET' : 'POST'
  const stream = session.request(
    { ':path': path, ':method': method, ...headers },
    { signal: controller.signal, endStream: body === undefined }
  )

  stream.on('error', () => undefined)
  if (body !== undefined) stream.write(body)

  return () => controller.abort()
}

async function request(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders, body = '') {
  const stream = session.request({ ':path': path, ...headers }, { endStream: false })
  const responded = once(stream, 'response')

  stream.end(body)

  const [head] = await responded

  return { status: head[':status'], headers: head, body: await text(stream) }
}

/** Things, and a logger that keeps what it gets. */
function createThings(app: any = alula()) {
  const created: unknown[] = []
  const logged: unknown[] = []
  const write = (...values: unknown[]) => void logged.push(values)

  app.use('things', { create: async (data: any) => created.push(data) && data }, { forms: true })

  return { app: app as Application, created, logged, logger: { error: write, info: write } }
}

/** Node warns of a header that HTTP/2 does not have, once. */
const warned: string[] = []

process.on('warning', ({ name }) => warned.push(name))

/** Which end of a request a client brings about. */
const ENDS: readonly (readonly [string, (session: ClientHttp2Session, cancel: () => void) => void])[] = [
  ['cancels', (_session, cancel) => cancel()],
  ['closes its connection in', (session) => session.destroy()]
]

describe.each(ENDS)('over HTTP/2, a request that the client %s', (_name, end) => {
  it.each([
    ['JSON', '{"text":"part"}', JSON_HEADERS],
    ['a form', 'text=par', FORM_HEADERS],
    ['compressed JSON', gzipSync('{"text":"part"}'), { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }],
    ['no bytes so far', '', { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }]
  ])('during its body does not become a call, with %s', async (_kind, body, headers) => {
    const { app, created, logged, logger } = createThings()
    const { server, session } = await open(toListener(app, { logger }))
    const arrived = once(server, 'request')
    const cancel = begin(session, '/things', body, headers)
    const [incoming, response] = await arrived

    if (body.length > 0) await once(incoming, 'data')

    end(session, cancel)
    await once(response, 'close')
    await new Promise(setImmediate)

    expect(created).toEqual([])
    expect(logged).toEqual([])
  })

  it.each([['GET'], ['POST']])('aborts the signal of a mounted function: %s', async (method) => {
    const { promise: started, resolve: start } = defer()
    const { promise: aborted, resolve: abort } = defer()
    const app = alula().mount('wait', async ({ signal }) => {
      signal.addEventListener('abort', () => abort())
      start()
      await aborted

      return new Response()
    })
    const { session } = await open(toListener(app))
    const cancel = begin(session, '/wait', method === 'POST' ? 'abc' : undefined)

    await started
    end(session, cancel)
    await aborted
  })

  it('is an error in the body that a mounted function reads', async () => {
    const { promise: read, resolve: finish } = defer<unknown>()
    const { promise: started, resolve: start } = defer()
    const app = alula().mount('upload', async ({ body }) => {
      try {
        for await (const _chunk of body as any) start()
        finish('whole')
      } catch (error) {
        finish(error)
        throw error
      }

      return new Response()
    })
    const { logged, logger } = createThings()
    const { session } = await open(toListener(app, { logger }))
    const cancel = begin(session, '/upload', 'abc')

    await started
    end(session, cancel)

    expect(await read).toMatchObject({ message: 'The request was aborted' })
    expect(logged).toEqual([])
  })

  it('while its params are looked up does not run a mounted function', async () => {
    const { promise: held, resolve: release } = defer()
    const { logged, logger } = createThings()
    let runs = 0
    const app = alula().mount('upload', async () => {
      runs++

      return new Response()
    })
    const params = async () => {
      await held

      return {}
    }
    const { server, session } = await open(toListener(app, { logger, params }))
    const arrived = once(server, 'request')
    const cancel = begin(session, '/upload', 'abc')
    const [, response] = await arrived

    end(session, cancel)
    await once(response, 'close')
    release()
    await new Promise(setImmediate)

    expect(runs).toBe(0)
    expect(logged).toEqual([])
  })
})

describe('over HTTP/2', () => {
  it('a service sees that the client has gone', async () => {
    const { promise: seen, resolve: see } = defer<unknown>()
    const { promise: held, resolve: release } = defer()
    const { promise: called, resolve: call } = defer()
    const app = alula().use('things', { find: async () => [] })

    app.service('things').hooks({
      before: {
        find: [
          async ({ http }: any) => {
            const before = http.isAborted

            call()
            await held
            see([before, http.isAborted])
          }
        ]
      }
    })

    const { server, session } = await open(toListener(app))
    const arrived = once(server, 'request')
    const cancel = begin(session, '/things')
    const [, response] = await arrived

    await called
    cancel()
    await once(response, 'close')
    release()

    expect(await seen).toEqual([false, true])
  })

  it('a request that is complete is served, also one whose body comes late', async () => {
    const { app, created } = createThings()

    app.mount(
      'upload',
      async (request) => new Response(`got ${await request.text()} ${request.signal.aborted}`)
    )

    const { session } = await open(toListener(app))
    const post = { ':method': 'POST', ...JSON_HEADERS }

    expect(await request(session, '/things', post, '{"a":1}')).toMatchObject({ status: 201, body: '{"a":1}' })
    expect(await request(session, '/upload', post, 'abc')).toMatchObject({
      status: 200,
      body: 'got abc false'
    })
    expect(await request(session, '/upload', post)).toMatchObject({ status: 200, body: 'got  false' })
    expect(created).toEqual([{ a: 1 }])
  })

  it('a mounted function may respond to a body that it does not read, or stops to read', async () => {
    const app = alula()
      .mount('unread', async () => new Response('unread'))
      .mount('cancelled', async ({ body }) => {
        await body?.cancel()

        return new Response('cancelled')
      })
    const { session } = await open(toListener(app))

    for (const name of ['unread', 'cancelled']) {
      expect(await request(session, `/${name}`, { ':method': 'POST' }, 'abc')).toMatchObject({
        status: 200,
        body: name
      })
    }
  })

  it('no response asks for the header Connection, also where a body was not read', async () => {
    const server = koa(alula()) as any

    server.use(errorHandler({ logger: false }))
    server.configure(rest())

    for (const listener of [toListener(createThings().app, { logger: false }), server.callback()]) {
      const { session } = await open(listener)

      expect(await request(session, '/nowhere', { ':method': 'POST' }, 'abc')).toMatchObject({ status: 404 })
    }

    await new Promise(setImmediate)
    expect(warned).not.toContain('UnsupportedWarning')
  })

  it('headers about the transfer that a hook sets are dropped', async () => {
    const names = ['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'Upgrade', 'TE']
    const app = alula().use('things', { find: async () => [] })
    const headers = Object.fromEntries([...names, 'HTTP2-Settings', 'X-Other'].map((name) => [name, 'x']))

    app.service('things').hooks({
      after: {
        find: [
          (context: any) => {
            context.http.headers = headers
          }
        ]
      }
    })

    const { session } = await open(toListener(app))
    const response = await request(session, '/things', {})

    expect(response).toMatchObject({ status: 200, headers: { 'x-other': 'x' } })
    for (const name of [...names, 'HTTP2-Settings'])
      expect(response.headers).not.toHaveProperty(name.toLowerCase())
  })

  it('an application of Koa does not store a body that the client cancels', async () => {
    const server = koa(alula()) as any

    server.use(errorHandler({ logger: false }))
    server.configure(rest())

    const { app, created } = createThings(server)
    const { server: http2, session } = await open(server.callback())

    await app.setup()

    const arrived = once(http2, 'request')
    const cancel = begin(session, '/things', '{"text":"part"}', JSON_HEADERS)
    const [incoming, response] = await arrived

    await once(incoming, 'data')
    cancel()
    await once(response, 'close')
    await new Promise(setImmediate)

    expect(created).toEqual([])
  })
})
