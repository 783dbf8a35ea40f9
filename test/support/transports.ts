import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import original from 'express'
import qs from 'qs'
import type { Socket } from 'socket.io-client'
import { describe, expect, onTestFinished } from 'vitest'
import { getDefinition, isStandardMethod } from '../../src/core/methods.ts'
import { convert } from '../../src/errors.ts'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import type { HttpOptions } from '../../src/transport.ts'
import { serve } from './server.ts'
import { ask, connectSocket } from './sockets.ts'

/** What a test sees of a transport: calls of service methods, and for transports with HTTP plain requests. */
export interface TransportClient {
  /** What services see as `params.provider`. */
  readonly provider: 'rest' | 'socketio' | undefined
  call(method: string, path: string, options?: CallOptions): Promise<any>
  /** What a call fails with, as it is before it becomes an error again. */
  fail(method: string, path: string, options?: CallOptions): Promise<any>
  request(path: string, init?: RequestInit): Promise<Response>
  /** The port, where requests come over a network. */
  readonly port?: number
  /** What paths begin with on that port. */
  readonly base?: string
}

interface CallOptions {
  id?: string | number | null
  data?: unknown
  /** As text like that of a URL, or the object that this stands for. */
  query?: string | object
  /** Those of the request; for Socket.IO those of a connection that is there for this call alone. */
  headers?: { [name: string]: string }
}

/** The transports that `npm run check` and `scripts/mutation.mjs` choose. Otherwise it is all of them. */
const CHOSEN = process.env.TEST_TRANSPORTS?.split(';')

/** One of each kind. */
const KINDS = ['a direct call', 'a server of Node', 'Socket.IO']

type Configure = (app: Application) => void

/** Options that all transports have. */
type TransportOptions = Pick<
  HttpOptions,
  'authentication' | 'bodyLimit' | 'cacheControl' | 'logger' | 'params' | 'prefix'
>

/** Opens a transport to an application that `configure` fills; it is closed when the test ends. */
export type OpenTransport = (configure: Configure, options?: TransportOptions) => Promise<TransportClient>

const httpTransports: { [name: string]: OpenTransport } = {
  Express: async (configure, options) => {
    const app = express(alula())

    app.configure(rest(options))
    configure(app as unknown as Application)
    app.use(notFound())
    // As on other transports, the form of an error does not depend on `Accept`.
    app.use(errorHandler({ html: false, logger: options?.logger ?? false }))

    const server = await app.listen(0, '127.0.0.1')
    const { port } = server.address() as AddressInfo

    onTestFinished(async () => void (await app.teardown()))

    return httpClient(toSend(port), port)
  },

  Koa: async (configure, options) => {
    const app = koa(alula())

    app.use(koaErrorHandler({ logger: options?.logger ?? false }))
    app.configure(koaRest(options))
    configure(app as unknown as Application)

    const server = await app.listen(0, '127.0.0.1')
    const { port } = server.address() as AddressInfo

    onTestFinished(async () => void (await app.teardown()))

    return httpClient(toSend(port), port)
  },

  'a server that exists already': async (configure, options) => {
    const app = alula()

    configure(app)

    const server = createServer(
      original()
        .use('/api', toMiddleware(app, { logger: false, ...options }))
        .use(notFound(), errorHandler({ html: false, logger: false }))
    )

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo

    return httpClient(toSend(port, '/api'), port, '/api')
  },

  'a server of Node': async (configure, options) => {
    const app = alula()

    configure(app)

    const server = createServer(toListener(app, { logger: false, ...options }))

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo

    return httpClient(toSend(port), port)
  },

  Fetch: async (configure, options) => {
    const app = alula()

    configure(app)

    const handler = createHandler(app, { logger: false, ...options })

    return httpClient((path, init) => handler(new Request(`http://localhost${path}`, init)))
  }
}

const socketTransports: { [name: string]: OpenTransport } = {
  'Socket.IO': async (configure, options) => {
    const app = alula()

    app.configure(socketio({ logger: options?.logger ?? false }))
    configure(app)

    const url = await serve(app as any)

    return socketClient(await connectSocket(url), (extraHeaders) => connectSocket(url, { extraHeaders }))
  }
}

const remoteTransports = { ...httpTransports, ...socketTransports }

const transports: { [name: string]: OpenTransport } = {
  'a direct call': async (configure) => {
    const app = alula()

    configure(app)

    const call: TransportClient['call'] = async (method, path, options = {}) => {
      const service: any = app.service(path)

      return service[method](...toArguments(method, options, { query: toQuery(options) }))
    }

    return {
      provider: undefined,
      call,
      fail: (...args) => call(...args).then(unexpected, (error) => error),
      request: () => Promise.reject(new Error('A direct call has no requests'))
    }
  },
  ...remoteTransports
}

/** Runs the same tests through every way into an application. */
export function describeTransports(title: string, body: (open: OpenTransport) => void): void {
  describeThrough(transports, title, body)
}

/**
 * Runs the same tests through one way of each kind: for what is decided below all transports, which differ in the form
 * of a call alone. That every HTTP transport gives the same response is in `test/transports/same-bytes.test.ts`.
 */
export function describeKindsOfTransport(title: string, body: (open: OpenTransport) => void): void {
  describeThrough(transports, title, body, CHOSEN ?? KINDS)
}

/** Runs the same tests through every way into an application from outside. */
export function describeRemoteTransports(title: string, body: (open: OpenTransport) => void): void {
  describeThrough(remoteTransports, title, body)
}

/** Runs the same tests through every way into an application that speaks HTTP. */
export function describeHttpTransports(title: string, body: (open: OpenTransport) => void): void {
  describeThrough(httpTransports, title, body)
}

/** Runs the same tests through every way into an application that keeps a connection. */
export function describeSocketTransports(title: string, body: (open: OpenTransport) => void): void {
  describeThrough(socketTransports, title, body)
}

function describeThrough(
  ways: { [name: string]: OpenTransport },
  title: string,
  body: (open: OpenTransport) => void,
  chosen = CHOSEN
): void {
  for (const [name, open] of Object.entries(ways)) {
    if (chosen?.includes(name) !== false) describe(`${title}, through ${name}`, () => body(open))
  }
}

/** Keeps no connection, for which the end of the test would have to wait. */
function toSend(port: number, base = ''): TransportClient['request'] {
  return (path, init = {}) =>
    fetch(`http://127.0.0.1:${port}${base}${path}`, {
      ...init,
      headers: { ...init.headers, Connection: 'close' }
    })
}

/** Makes a call; the error is as it was sent. */
type Send = (...call: Parameters<TransportClient['call']>) => Promise<{ error?: any; result?: any }>

/** The verb, path and body that stand for a call of a service method. */
function httpClient(request: TransportClient['request'], port?: number, base = ''): TransportClient {
  const send: Send = async (method, path, { id, data, query = '', headers } = {}) => {
    const segment = id === undefined || id === null ? '' : `/${encodeURIComponent(id)}`
    const search = typeof query === 'string' ? query : qs.stringify(query)
    const response = await request(`/${path}${segment}${search && `?${search}`}`, {
      method: getDefinition(method).verb,
      headers: {
        ...(data !== undefined && { 'Content-Type': 'application/json' }),
        ...(!isStandardMethod(method) && { 'X-Service-Method': method }),
        ...headers
      },
      ...(data !== undefined && { body: JSON.stringify(data) })
    })
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)

    if (response.ok) return { result: body }

    expect(body.code).toBe(response.status)

    return { error: body }
  }

  return { provider: 'rest', ...toCalls(send), request, base, ...(port !== undefined && { port }) }
}

/** The message that stands for a call of a service method. */
function socketClient(
  socket: Socket,
  connect: (headers: { [name: string]: string }) => Promise<Socket>
): TransportClient {
  // As applications do, whose user has logged in on it.
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') socket.connect()
  })

  const send: Send = async (method, path, options = {}) => {
    try {
      const own = options.headers ? await connect(options.headers) : socket
      const [error, result] = await ask(own, method, path, ...toArguments(method, options, toQuery(options)))

      if (own !== socket) own.close()

      return error ? { error } : { result }
    } catch (error: any) {
      // Of a connection that is refused.
      if (error.data) return { error: error.data }
      throw error
    }
  }

  return {
    provider: 'socketio',
    ...toCalls(send),
    request: () => Promise.reject(new Error('A socket has no requests'))
  }
}

function toArguments(method: string, { id, data }: CallOptions, params: object): unknown[] {
  const values: { [name: string]: unknown } = { id, data, params }

  return getDefinition(method).args.map((name) => values[name])
}

function toQuery({ query = '' }: CallOptions): object {
  return typeof query === 'string' ? parseQueryString(query) : query
}

function toCalls(send: Send): Pick<TransportClient, 'call' | 'fail'> {
  return {
    call: async (...call) => {
      const { error, result } = await send(...call)

      if (error) throw convert(error)

      return result
    },
    fail: async (...call) => {
      const { error, result } = await send(...call)

      return error ?? unexpected(result)
    }
  }
}

function unexpected(result: unknown): never {
  throw new Error(`The call was to fail, and came to ${JSON.stringify(result)}`)
}
