import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { endStreams } from '../core/internals.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { hasHeldRequests } from './pipelining.ts'

/** How long, in milliseconds, no connection has to come or go before the server stops to accept. */
const QUIET_TIME = 20

/** How long, in milliseconds, to wait for that at most. */
const BACKLOG_GRACE = 1000

/** How long, in milliseconds, a connection without the head of a request stays open while the server closes. */
const IDLE_GRACE = 1000

/** How long, in milliseconds, a request whose head has arrived has for the rest while the server closes. */
const ARRIVAL_GRACE = 3000

/**
 * How long, in milliseconds, a client may read nothing of a response that waits for it while the server closes. Node finds out
 * after up to twice this time.
 */
const UNREAD_GRACE = 2500

/** The functions of {@link prepareClose} for the servers of an application. */
export type Closers = Set<() => Promise<void>>

/** Closes the servers, and removes them. */
export async function closeAll(closers: Closers): Promise<void> {
  const all = [...closers]

  closers.clear()
  await Promise.all(all.map((close) => close()))
}

/**
 * Prepares an HTTP server for being closed without losing a request.
 *
 * `server.close()` of Node closes idle connections at once, and with them a request that is just arriving; and it waits
 * for clients that never send one. The function returned here stops accepting connections, responds to requests in flight
 * and to those that still arrive, with `Connection: close`, and then closes idle connections.
 *
 * @param server A server of `node:http` that does not listen yet
 * @param app The application that it serves: the signals of mounted functions whose streams are being sent are aborted first
 * @returns Closes the server, if it listens; resolves when the last connection is closed. Calls meanwhile wait for the same
 */
export function prepareClose(server: Server, app?: object): () => Promise<void> {
  // The sockets of `https` are not those of its connections.
  if (!(server instanceof Server))
    throw createTypeError('ALULA_INVALID_ARGUMENT', 'prepareClose expects a server of node:http')

  const connections = new Connections(server)
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    if (!server.listening) return
    if (app) endStreams(app)

    const accepted = await acceptBacklog(server, connections)
    const closed = new Promise<void>((resolve, reject) => {
      stopListening(server, (error) => (error ? reject(error) : resolve()))
    })

    server.prependListener('request', (_request, response) => hasten(response))
    connections.hasten()
    // For connections whose response had begun before the header was set.
    server.keepAliveTimeout = IDLE_GRACE
    for (const socket of accepted) socket.resume()

    // A busy process runs its timers late, with requests waiting to be read: those come first.
    const timers = [
      setTimeout(setImmediate, IDLE_GRACE, () => connections.end((response) => response === undefined)),
      setTimeout(setImmediate, ARRIVAL_GRACE, () => connections.end((response) => !response?.req.complete))
    ]

    await closed
    for (const timer of timers) clearTimeout(timer)
  }

  return () => {
    closing ??= close().finally(() => {
      closing = undefined
    })

    return closing
  }
}

/** Stops accepting connections, and lets idle ones be, where the server of HTTP is one of TCP. On Bun it is not. */
function stopListening(server: Server, whenClosed: (error?: Error) => void): void {
  const { close } = server instanceof NetServer ? NetServer.prototype : server

  close.call(server, whenClosed)
}

/** The connections of a server, with the response that each of them is getting. */
class Connections {
  /** How many have come or gone so far. */
  changes = 0

  private readonly responses = new Map<Socket, ServerResponse | undefined>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.changes++
      this.responses.set(socket, undefined)
      socket.once('close', () => {
        this.changes++
        this.responses.delete(socket)
      })
    })

    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.responses.set(socket, response)
      response.once('close', () => {
        if (this.responses.get(socket) === response) this.responses.set(socket, undefined)
      })
    })
  }

  /** Prepares all responses for the end. */
  hasten(): void {
    for (const response of this.responses.values()) if (response) hasten(response)
  }

  /** Closes those whose response is of a kind. */
  end(isDone: (response: ServerResponse | undefined) => boolean): void {
    for (const [socket, response] of this.responses) {
      if (isDone(response)) socket.destroy()
    }
  }
}

/**
 * Accepts the connections that wait, and returns them paused: a listening socket that is closed resets them, and their clients
 * may have sent requests already. While nothing is read, clients get no response and open no further connection; those that have
 * just got one have the time to do so.
 */
async function acceptBacklog(server: Server, connections: Connections): Promise<Socket[]> {
  const end = performance.now() + BACKLOG_GRACE
  const accepted: Socket[] = []
  let changes: number

  const hold = (socket: Socket) => {
    accepted.push(socket)
    // After the tick in which the server begins to read.
    process.nextTick(() => socket.pause())
  }

  server.on('connection', hold)

  do {
    changes = connections.changes
    await new Promise((resolve) => setTimeout(resolve, QUIET_TIME))
    // Node accepts one connection in a turn of the event loop, and a turn may take longer than the time above. Here
    // it has just looked for one, and the server is closed before it looks again.
    await new Promise(setImmediate)
  } while (changes !== connections.changes && performance.now() < end)

  server.off('connection', hold)

  return accepted
}

/** Makes a response the last one of its connection, and closes the connection when its client stops reading. */
function hasten(response: ServerResponse): void {
  response.setTimeout(UNREAD_GRACE, () => {
    // Otherwise the response is not there yet.
    if (response.writableLength > 0) response.destroy()
  })

  if (response.headersSent || hasHeldRequests(response.req.socket)) return

  // The server reads no request after that.
  response.setHeader('Connection', 'close')
}
