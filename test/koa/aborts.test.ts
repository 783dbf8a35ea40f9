import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { errorHandler, koa, rest } from '../../src/koa.ts'
import { openConnection } from '../support/raw.ts'
import { until } from '../support/until.ts'

const PART = Buffer.alloc(65_536)

const BODIES: { readonly [name: string]: () => unknown } = {
  'a stream': createEndless,
  'a stream of the Fetch API': () => Readable.toWeb(createEndless()),
  'a large object': () => ({ text: 'x'.repeat(50_000_000) })
}

const ENDS: { readonly [name: string]: (socket: Socket) => unknown } = {
  resets: (socket) => socket.resetAndDestroy(),
  ends: (socket) => socket.end().resume()
}

function createEndless(): Readable {
  return new Readable({
    read() {
      this.push(PART)
    }
  })
}

/** Three parts, and then `end`. */
function createBroken(end: (stream: Readable) => void): Readable {
  let parts = 0

  return new Readable({
    read() {
      if (parts++ < 3) this.push(PART)
      else end(this)
    }
  })
}

/** An application that sends a body, and its `error` events. */
async function download(body: () => unknown) {
  const app: any = koa(alula())
  const errors: unknown[] = []

  app.use(errorHandler({ logger: false }))
  app.configure(rest())
  app.use((context: any) => {
    context.body = body()
  })
  app.on('error', (error: unknown) => errors.push(error))

  const server = await app.listen(0, '127.0.0.1')
  // Not `once`, which rejects when the connection fails.
  const closed = new Promise<void>((resolve) =>
    server.once('connection', (connection: Socket) => connection.once('close', () => resolve()))
  )
  const socket = openConnection((server.address() as AddressInfo).port)

  socket.write('GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n')

  return { app, errors, socket, closed }
}

it.each([
  ['a stream', 'resets'],
  ['a stream', 'ends'],
  ['a stream of the Fetch API', 'resets'],
  ['a stream of the Fetch API', 'ends'],
  ['a large object', 'resets']
])('%s whose client %s the connection is no error of the application', async (body, end) => {
  const { app, errors, socket, closed } = await download(BODIES[body] as () => unknown)

  await once(socket, 'data')
  ENDS[end]?.(socket)
  await closed
  await app.teardown()

  expect(errors).toEqual([])
})

const UPLOAD = 'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const CHUNKED = `${UPLOAD}Transfer-Encoding: chunked\r\n\r\n`

it.each([
  ['is shorter than its length', `${UPLOAD}Content-Length: 100\r\n\r\n{"a"`, true],
  ['lacks its last chunk', `${CHUNKED}4\r\n{"a"\r\n`, true],
  ['has no valid chunks', `${CHUNKED}x\r\n`, false]
])('an upload that %s is no error of the application', async (_name, sent, ends) => {
  const app: any = koa(alula())
  const created: unknown[] = []
  const errors: unknown[] = []

  app.use(errorHandler({ logger: false }))
  app.configure(rest())
  app.use('things', { create: async (data: unknown) => created.push(data) })
  app.on('error', (error: unknown) => errors.push(error))

  const server = await app.listen(0, '127.0.0.1')
  const arrived = once(server, 'request')
  const socket = openConnection((server.address() as AddressInfo).port)

  socket.resume().write(sent)

  const [, response] = await arrived
  const closed = response.closed || once(response, 'close')

  if (ends) socket.end()

  await closed
  await app.teardown()

  expect(created).toEqual([])
  expect(errors).toEqual([])
})

it.each([
  ['has a length', `${UPLOAD}Content-Length: 100\r\n\r\n{"a"`],
  ['has chunks', `${CHUNKED}4\r\n{"a"\r\n`]
])('an upload that %s and whose connection is reset is no error of the application', async (_name, sent) => {
  const app: any = koa(alula())
  const errors: unknown[] = []

  app.use(errorHandler({ logger: false }))
  app.configure(rest())
  app.use('things', { create: async (data: unknown) => data })
  app.on('error', (error: unknown) => errors.push(error))

  const server = await app.listen(0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  const closed: Promise<void>[] = []

  server.on('connection', (connection: Socket) =>
    closed.push(new Promise((resolve) => connection.once('close', () => resolve())))
  )

  // What the server reads of a connection that is reset depends on time.
  const sockets = Array.from({ length: 40 }, () => openConnection(port))

  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.write(sent)
  await new Promise(setImmediate)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => expect(closed).toHaveLength(sockets.length))
  await Promise.all(closed)
  await app.teardown()

  expect(errors).toEqual([])
})

it('a stream that fails as the parser of a server does is an error', async () => {
  const failure = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_CHUNK_SIZE' })
  const { app, errors, socket, closed } = await download(() =>
    createBroken((stream) => stream.destroy(failure))
  )

  socket.resume()
  await closed
  await app.teardown()

  expect(errors[0]).toBe(failure)
})

it('a stream that breaks off is an error', async () => {
  for (const [end, message] of [
    [(stream: Readable) => stream.destroy(new Error('The disk fails')), 'The disk fails'],
    [(stream: Readable) => stream.destroy(), 'Premature close']
  ] as const) {
    const { app, errors, socket, closed } = await download(() => createBroken(end))

    socket.resume()
    await closed
    await app.teardown()

    expect(errors[0]).toMatchObject({ message })
  }
})
