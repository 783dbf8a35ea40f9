import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** How long, in milliseconds, to go on accepting at most until no connection is waiting. */
const BACKLOG_GRACE = 500

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

  return async () => {
    if (!server.listening) return

    const accepted = await acceptBacklog(server)
    const closed = new Promise<void>((resolve, reject) => {
      NetServer.prototype.close.call(server, (error) => (error ? reject(error) : resolve()))
    })

    server.prependListener('request', announceClose)
    // For connections whose last answer went out without the announcement.
    server.keepAliveTimeout = IDLE_GRACE
    for (const socket of accepted) socket.resume()

    // A busy process runs its timers late, with requests waiting to be read: those come first.
    const timers = [
      setTimeout(setImmediate, IDLE_GRACE, () => endConnections((request) => request === undefined)),
      setTimeout(setImmediate, ARRIVAL_GRACE, () => endConnections((request) => !request?.complete))
    ]

    await closed
    for (const timer of timers) clearTimeout(timer)
  }
}

/**
 * Accepts the connections that wait, without reading from them: a listening socket that is closed resets them,
 * and their clients may have sent requests already. That nothing is read keeps clients that are answered from
 * coming back at once with another connection.
 *
 * @returns The connections, paused
 */
async function acceptBacklog(server: Server): Promise<Socket[]> {
  const end = Date.now() + BACKLOG_GRACE
  const accepted: Socket[] = []
  let quietTurns = 0

  const hold = (socket: Socket) => {
    accepted.push(socket)
    quietTurns = 0
    // After the tick in which the server begins to read.
    process.nextTick(() => socket.pause())
  }

  server.on('connection', hold)

  // Two turns of the event loop, because the first may have begun before this was called.
  while (quietTurns < 2 && Date.now() < end) {
    quietTurns++
    await new Promise(setImmediate)
  }

  server.off('connection', hold)

  return accepted
}

function announceClose(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Connection', 'close')
}
