import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import original from 'express'
import { onTestFinished } from 'vitest'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../../src/express.ts'
import { createHandler } from '../../../src/fetch.ts'
import { alula } from '../../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../../src/koa.ts'
import { toListener } from '../../../src/node.ts'
import { socketio } from '../../../src/socketio.ts'
import { listen, serve } from '../../support/server.ts'

/** A server of an application, and the URL of its API. */
export interface Served {
  readonly app: any
  readonly url: string
}

type Configure = (app: any) => void

/** Serves an application that `configure` fills, with sockets, until the test ends. */
export type Serve = (configure: Configure) => Promise<Served>

/** The servers that the page is tested on. */
export const SERVERS: Readonly<Record<string, Serve>> = {
  Express: async (configure) => {
    const app = express(alula())

    app.configure(rest()).configure(socketio({ logger: false }))
    configure(app)
    app.use(notFound(), errorHandler({ logger: false }))

    return { app, url: `${await serve(app)}/` }
  },

  Koa: async (configure) => {
    const app = koa(alula())

    app.use(koaErrorHandler({ logger: false }))
    app.configure(koaRest()).configure(socketio({ logger: false }))
    configure(app)

    return { app, url: `${await serve(app)}/` }
  },

  Node: (configure) => serveOwn(configure, (app) => toListener(app, { logger: false })),

  'Node under a prefix': (configure) =>
    serveOwn(configure, (app) => toListener(app, { logger: false, prefix: '/api/v1' }), 'api/v1/'),

  'another server under a path': (configure) =>
    serveOwn(
      configure,
      (app) => original().use('/api', toMiddleware(app, { logger: false }), errorHandler({ logger: false })),
      'api/'
    ),

  Fetch: (configure) =>
    serveOwn(configure, (app) => {
      const handler = createHandler(app, { logger: false })

      return async (request, response) => {
        const result = await handler(await toRequest(request))

        response.writeHead(result.status, Object.fromEntries(result.headers))
        response.end(Buffer.from(await result.arrayBuffer()))
      }
    })
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

async function serveOwn(configure: Configure, toHandler: (app: any) => Listener, path = ''): Promise<Served> {
  const app = alula().configure(socketio({ logger: false }))

  configure(app)

  const server = createServer(toHandler(app))

  await app.setup(server)
  onTestFinished(async () => void (await app.teardown()))

  return { app, url: `${await listen(server)}/${path}` }
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const { method = 'GET', url, headers } = request
  const parts: Buffer[] = []

  for await (const part of request) parts.push(part)

  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(parts.length > 0 && { body: Buffer.concat(parts) })
  })
}
