import compression from 'compression'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
// @ts-expect-error: it has no types
import multer from 'multer'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { defer } from '../support/deferred.ts'

/** An application with middleware of others, which shows clients as little as in production. */
async function start(middleware: readonly any[]): Promise<string> {
  vi.stubEnv('NODE_ENV', 'production')

  const app = express(alula()) as any

  for (const one of middleware) app.use(one)
  app.configure(rest({ logger: false }))
  app.use('files', {
    get: async (id: string) => ({ id }),
    create: async (_data: object, { file }: any) => ({ size: file?.size })
  })
  app.use(errorHandler({ logger: false }))

  const server = await app.listen(0, '127.0.0.1')

  onTestFinished(() => app.teardown())

  return `http://127.0.0.1:${server.address().port}/files`
}

const toForm = (name: string, size: number) => {
  const form = new FormData()

  form.set(name, new Blob(['x'.repeat(size)]), 'a.txt')

  return form
}

const upload = multer({ limits: { fileSize: 1000 } }).single('file')
const passFile = (request: any, _response: unknown, next: () => void) => {
  request.feathers = { ...request.feathers, file: request.file }
  next()
}

afterEach(() => vi.unstubAllEnvs())

it('an upload that multer refuses is a mistake of the client', async () => {
  const url = await start([helmet(), compression(), upload, passFile])
  const send = async (init: RequestInit) => {
    const response = await fetch(url, { method: 'POST', ...init })
    const { code, message, size }: any = await response.json()

    return message === undefined ? [response.status, size] : [response.status, code, message]
  }

  expect(await send({ body: toForm('file', 10) })).toEqual([201, 10])
  expect(await send({ body: toForm('file', 2000) })).toEqual([413, 413, 'File too large'])
  expect(await send({ body: toForm('other', 10) })).toEqual([400, 400, 'Unexpected file field'])
  expect(
    await send({
      headers: { 'Content-Type': 'multipart/form-data; boundary=a' },
      body: '--a\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
    })
  ).toEqual([400, 400, 'Invalid request body: Unexpected end of form'])
  for (const name of ['title[1000000]', 'title[4294967294]']) {
    const form = toForm('file', 10)

    form.set(name, 'x')
    expect(await send({ body: form })).toEqual([
      ...[400, 400],
      'Invalid request body: expected arrays without gaps'
    ])
  }
})

it('a logger knows the headers of a response that has left', async () => {
  const logged = defer<object>()
  const url = await start([
    (_request: unknown, response: any, next: () => void) => {
      response.on('finish', () => logged.resolve(response.getHeaders()))
      next()
    }
  ])
  const { headers } = await fetch(`${url}/1`)

  expect(await logged.promise).toEqual({
    etag: headers.get('etag'),
    'content-type': 'application/json; charset=utf-8',
    'content-length': 10,
    'x-content-type-options': 'nosniff'
  })
})

it('a limiter that passes an error on decides on its status', async () => {
  const limiter = rateLimit({
    limit: 1,
    handler: (_request, _response, next, { statusCode, message }) =>
      next(Object.assign(new Error(message), { status: statusCode, expose: true }))
  })
  const url = await start([limiter])

  await fetch(url)

  const response = await fetch(url)

  expect([response.status, await response.json()]).toEqual([
    429,
    expect.objectContaining({ code: 429, message: 'Too many requests, please try again later.' })
  ])
})

it.each([
  ['of a limiter', { msBeforeNext: 1500, remainingPoints: 0 }, 429, 'Too many requests'],
  ['of Passport', { name: 'AuthenticationError', message: 'Unauthorized', status: 401 }, 401, 'Unauthorized'],
  ['of lusca', { message: 'CSRF token mismatch', statusCode: 403 }, 403, 'CSRF token mismatch'],
  ['of anything else', { message: 'secret', status: 404 }, 500, 'An unexpected error occurred on the server']
])('what middleware passes on is shown by its kind: that %s', async (_name, error, status, message) => {
  const url = await start([
    (_request: unknown, _response: unknown, next: (error: unknown) => void) => next(error)
  ])
  const response = await fetch(url)

  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code: status, message })
  expect(response.headers.get('retry-after')).toBe(status === 429 ? '2' : null)
})
