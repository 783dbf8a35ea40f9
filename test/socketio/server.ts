import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { Socket } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { toUrl } from '../support/server.ts'
import { hear } from '../support/socketio.ts'

export const things = { find: async () => ['one'] }

/** An application that listens, and that the test closes. */
export async function open(configure: (app: any) => void, port = 0) {
  const app: any = alula().configure(socketio({ logger: false }))

  configure(app)

  const server = await app.listen(port, '127.0.0.1')

  return { app, url: toUrl(server), server }
}

/** What clients see of the end of their connections, once all have seen it. */
export const ends = async (sockets: readonly Socket[]): Promise<string[]> =>
  (await Promise.all(sockets.map((socket) => hear(socket, 'disconnect')))).map(([reason]) => reason)

export const withoutReturn = { reconnection: false }

/** The URL of the server that the transport has made for itself. */
export const ownUrl = (app: any): string => toUrl(app.io.httpServer)

/** Somebody's own server, which listens. */
export async function listen(server: HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  return toUrl(server)
}

/** A port on which nothing listens any more. */
export async function findPort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listen(server))

  server.close()
  await once(server, 'close')

  return Number(port)
}
