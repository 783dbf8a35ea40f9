import type { ServerResponse } from 'node:http'
import { createGzip, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'
import { mount } from './mount.ts'

// Middleware that changes answers on their way out puts methods of its own on the response.

const TEXT = 'sesame '.repeat(500)

/** What packages for compression do, in few lines. */
function compress(_request: unknown, response: ServerResponse, next: () => void): void {
  const { write, end, writeHead }: any = response
  const gzip = createGzip()
  let isBodiless = false

  response.writeHead = function (this: ServerResponse, status: number, headers: any = {}) {
    for (const name of Object.keys(headers)) this.setHeader(name, headers[name])

    isBodiless = status === 204 || status === 304 || this.req.method === 'HEAD'
    this.removeHeader('Content-Length')
    if (!isBodiless) this.setHeader('Content-Encoding', 'gzip')

    return writeHead.call(this, status)
  } as any
  response.write = ((chunk: any) => gzip.write(chunk)) as any
  response.end = function (this: ServerResponse, chunk?: any) {
    if (!this.headersSent) this.writeHead(this.statusCode)
    if (isBodiless) return end.call(this)

    gzip.on('data', (bytes) => write.call(response, bytes, 'utf8'))
    gzip.on('end', () => end.call(response))
    gzip.end(chunk)

    return this
  } as any
  next()
}

const SERVICE = {
  find: async () => ({ text: TEXT }),
  get: async (id: any) => {
    if (id === 'nothing') return null

    throw new Error('broken')
  },
  create: async (data: any) => data
}

it.each<[string, () => Promise<string>]>([
  [
    'rest()',
    () => {
      const app: any = express(alula())

      app.use(compress)
      app.configure(rest())
      app.use('things', SERVICE)
      app.use(errorHandler({ logger: false }))

      return serve(app)
    }
  ],
  [
    'toMiddleware()',
    () =>
      mount((server) => {
        server.use(compress, toMiddleware(alula().use('things', SERVICE as any), { logger: false }))
      })
  ]
])('the answers of %s go through compression in front', async (_title, open) => {
  const url = await open()
  const request = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'max-age=0',
        ...init.headers,
        Connection: 'close'
      }
    })
  const found = await request('/things')

  expect(found.headers.get('content-encoding')).toBe('gzip')
  expect(found.headers.get('content-length')).toBeNull()
  expect(found.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await found.json()).toEqual({ text: TEXT })

  const tag = found.headers.get('etag') as string
  const known = await request('/things', { headers: { 'If-None-Match': tag } })

  expect([known.status, await known.text()]).toEqual([304, ''])

  const created = await request('/things', { method: 'POST', body: '{"a":"ü"}' })

  expect([created.status, created.headers.get('content-encoding')]).toEqual([201, 'gzip'])
  expect(await created.json()).toEqual({ a: 'ü' })

  const failed = await request('/things/1')

  expect([failed.status, failed.headers.get('content-encoding')]).toEqual([500, 'gzip'])
  expect(await failed.json()).toMatchObject({ message: 'broken' })

  const nothing = await request('/things/nothing')

  expect([nothing.status, await nothing.text()]).toEqual([204, ''])
  expect((await request('/things', { method: 'HEAD' })).status).toBe(200)
})

it('what goes over the wire is shorter', async () => {
  const sent: Buffer[] = []
  const url = await mount((server) => {
    server.use((_request, response, next) => {
      const { write }: any = response

      response.write = ((chunk: any, ...rest: any) => {
        sent.push(Buffer.from(chunk))

        return write.call(response, chunk, ...rest)
      }) as any
      next()
    })
    server.use(compress, toMiddleware(alula().use('things', SERVICE as any), { logger: false }))
  })

  await (await fetch(`${url}/things`, { headers: { Connection: 'close' } })).text()

  expect(Buffer.concat(sent).length).toBeLessThan(TEXT.length / 10)
  expect(JSON.parse(gunzipSync(Buffer.concat(sent)).toString())).toEqual({ text: TEXT })
})

it('the length of a mounted function is not sent with another coding than its own', async () => {
  const app: any = express(alula())

  app.use(compress)
  app.configure(rest())
  app.mount('/docs', () => new Response(TEXT, { headers: { 'Content-Length': String(TEXT.length) } }))

  const response = await fetch(`${await serve(app)}/docs`, { headers: { Connection: 'close' } })

  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(response.headers.get('content-length')).toBeNull()
  expect(await response.text()).toBe(TEXT)
})
