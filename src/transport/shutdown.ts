import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** How long, in milliseconds, a connection without a request stays open while the server closes. */
const IDLE_GRACE = 200

/** How long, in milliseconds, a request that has begun has to arrive in full while the server closes. */
const ARRIVAL_GRACE = 3000

/**
 * Prepares an HTTP server for being closed without losing a request.
 *
 * `server.close()` of Node ends idle connections at once, and with them a request that is just on its way; and
 * it waits for clients that never send one. The function returned here stops accepting connections, answers
 * what is in flight and what still arrives, with `Connection: close`, and then ends what is idle.
 *
 * @param server A server that does not listen yet
 * @returns Closes the server, if it listens; resolves when the last connection is closed
 */
export function prepareClose(server: Server): () => Promise<void> {
  const requests = new Map<Socket, IncomingMessage | undefined>()

  server.on('connection', (socket: Socket) => {
    requests.set(socket, undefined)
    socket.once('close', () => requests.delete(socket))
  })

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request

    requests.set(socket, request)
    response.once('close', () => {
      if (requests.get(socket) === request) requests.set(socket, undefined)
    })
  })

  function endConnections(isDone: (request: IncomingMessage | undefined) => boolean): void {
    for (const [socket, request] of requests) {
      if (isDone(request)) socket.destroy()
    }
  }

  return () => {
    if (!server.listening) return Promise.resolve()

    server.prependListener('request', announceClose)
    // For connections whose last answer went out without the announcement.
    server.keepAliveTimeout = IDLE_GRACE

    const timers = [
      setTimeout(() => endConnections((request) => request === undefined), IDLE_GRACE),
      setTimeout(() => endConnections((request) => !request?.complete), ARRIVAL_GRACE)
    ]

    return new Promise((resolve, reject) => {
      NetServer.prototype.close.call(server, (error) => {
        for (const timer of timers) clearTimeout(timer)
        if (error) reject(error)
        else resolve()
      })
    })
  }
}

function announceClose(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Connection', 'close')
}
