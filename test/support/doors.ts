import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import original from 'express'
import { describe, onTestFinished } from 'vitest'
import { getDefinition, isStandardMethod } from '../../src/core/methods.ts'
import { convert } from '../../src/errors.ts'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'

/** What a test sees of a door: calls of service methods, and for doors with HTTP plain requests. */
export interface DoorClient {
  call(method: string, path: string, options?: CallOptions): Promise<any>
  request(path: string, init?: RequestInit): Promise<Response>
}

interface CallOptions {
  id?: string | number | null
  data?: unknown
  query?: string
}

type Configure = (app: Application) => void

/** Opens a door to an application that `configure` fills; it is closed when the test ends. */
export type OpenDoor = (configure: Configure) => Promise<DoorClient>

const httpDoors: { [name: string]: OpenDoor } = {
  Express: async (configure) => {
    const app = express(alula())

    app.configure(rest())
    configure(app as unknown as Application)
    app.use(notFound())
    app.use(errorHandler({ logger: false }))

    const server = await app.listen(0, '127.0.0.1')
    const { port } = server.address() as AddressInfo

    onTestFinished(async () => void (await app.teardown()))

    return httpClient((path, init) => fetchOnce(`http://127.0.0.1:${port}${path}`, init))
  },

  'a server that exists already': async (configure) => {
    const app = alula()

    configure(app)

    const server = createServer(
      original()
        .use('/api', toMiddleware(app, { logger: false }))
        .use(notFound(), errorHandler({ logger: false }))
    )

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo

    return httpClient((path, init) => fetchOnce(`http://127.0.0.1:${port}/api${path}`, init))
  },

  'a server of Node': async (configure) => {
    const app = alula()

    configure(app)

    const server = createServer(toListener(app, { logger: false }))

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo

    return httpClient((path, init) => fetchOnce(`http://127.0.0.1:${port}${path}`, init))
  },

  Fetch: async (configure) => {
    const app = alula()

    configure(app)

    const handler = createHandler(app, { logger: false })

    return httpClient((path, init) => handler(new Request(`http://localhost${path}`, init)))
  }
}

const doors: { [name: string]: OpenDoor } = {
  'a direct call': async (configure) => {
    const app = alula()

    configure(app)

    return {
      call: async (method, path, { id, data, query } = {}) => {
        const values: { [name: string]: unknown } = {
          id,
          data,
          params: { query: Object.fromEntries(new URLSearchParams(query)) }
        }
        const args = getDefinition(method).args.map((name) => values[name])

        return (app.service(path) as any)[method](...args)
      },
      request: () => Promise.reject(new Error('A direct call has no requests'))
    }
  },
  ...httpDoors
}

/** Runs the same tests through every way into an application. */
export function describeDoors(title: string, body: (open: OpenDoor) => void): void {
  for (const [name, open] of Object.entries(doors)) describe(`${title}, through ${name}`, () => body(open))
}

/** Runs the same tests through every way into an application that speaks HTTP. */
export function describeHttpDoors(title: string, body: (open: OpenDoor) => void): void {
  for (const [name, open] of Object.entries(httpDoors))
    describe(`${title}, through ${name}`, () => body(open))
}

/** Keeps no connection, for which the end of the test would have to wait. */
function fetchOnce(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...init.headers, Connection: 'close' } })
}

/** The verb, path and body that stand for a call of a service method. */
function httpClient(request: DoorClient['request']): DoorClient {
  return {
    request,
    call: async (method, path, { id, data, query = '' } = {}) => {
      const segment = id === undefined || id === null ? '' : `/${encodeURIComponent(id)}`
      const response = await request(`/${path}${segment}${query && `?${query}`}`, {
        method: getDefinition(method).verb,
        headers: {
          ...(data !== undefined && { 'Content-Type': 'application/json' }),
          ...(!isStandardMethod(method) && { 'X-Service-Method': method })
        },
        ...(data !== undefined && { body: JSON.stringify(data) })
      })
      const text = await response.text()
      const body = text === '' ? undefined : JSON.parse(text)

      if (!response.ok) throw convert(body)

      return body
    }
  }
}
