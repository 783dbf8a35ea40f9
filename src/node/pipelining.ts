import { AsyncResource } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { Backlog, getBacklogLimit, type WaitingConnection } from '../utils/backlog.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionCheck } from '../utils/options.ts'

/** The options of {@link limitPipelining}. */
export interface PipeliningOptions {
  /** How many requests of a connection may be in flight at once; 100 by default. */
  requests?: number
  /** How many bytes of responses may wait for the client to read them; 1,048,576 by default. */
  bytes?: number
  /** How many bytes of responses may wait over all connections; a quarter of the heap by default. */
  totalBytes?: number
}

/** Calls `run` as soon as the connection of a request has room for it; drops it when the connection closes before. */
export type PipelineGate = (request: IncomingMessage, response: ServerResponse, run: () => void) => void

type Limits = Required<Pick<PipeliningOptions, 'requests' | 'bytes'>>

/** The lowest number of concurrent requests that HTTP/2 recommends for a connection (RFC 9113, 6.5.2). */
const MAX_REQUESTS = 100

const MAX_BYTES = 1_048_576

const LIMIT: OptionCheck = [
  (limit) => Number.isSafeInteger(limit) && (limit as number) > 0,
  'a positive integer'
]

/** On servers: they have limits. */
const LIMITED = Symbol('alula/limited')

/** On sockets: their pipeline, so that a gate of a server and one of a listener do not hold the same request twice. */
const PIPELINE = Symbol('alula/pipeline')

type Server = (HttpServer | HttpsServer) & { [LIMITED]?: true }

type PipelinedSocket = Socket & { [PIPELINE]?: Pipeline }

/**
 * Limits what a connection costs whose client sends many requests without waiting for responses (pipelining), or does
 * not read them. Node emits all requests that arrive in one chunk of up to 64 kB at once. Here, a request starts when the
 * response before it has been sent, or in the next turn of the event loop; beyond the limits, requests are held, and nothing
 * more is read from the connection until responses have been sent.
 *
 * All listeners of the event `request` get their requests through the limits, those of Express and Socket.IO included.
 * On a server that has limits already, it does nothing. HTTP/2 has limits of its own.
 *
 * @param server A server of `node:http` or `node:https`
 * @param options `requests`: the most requests of a connection in flight; `bytes`: while as many bytes of responses wait
 * for the client, no further request is let through; `totalBytes`: when more bytes wait over all connections, those that have
 * waited longest are closed
 * @returns The server
 * @throws TypeError for anything but a server, and for a limit that is not a positive integer
 * @example
 * const server = limitPipelining(createServer(listener))
 */
export function limitPipelining<AnyServer extends Server>(
  server: AnyServer,
  options: PipeliningOptions = {}
): AnyServer {
  if (!isServer(server)) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'limitPipelining expects a server of node:http or node:https'
    )
  }

  const gate = createPipelineGate(options)

  if (server[LIMITED]) return server

  const emit: EventEmitter['emit'] = (server as EventEmitter).emit.bind(server)

  server[LIMITED] = true
  server.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event !== 'request') return emit(event, ...values)

    gate(values[0] as IncomingMessage, values[1] as ServerResponse, () => emit(event, ...values))

    return server.listenerCount('request') > 0
  }

  return server
}

function isServer(value: unknown): boolean {
  return value instanceof HttpServer || value instanceof HttpsServer
}

/**
 * The same limits for a listener, which does not know its server. On each connection, the gate of its first request decides.
 * Throws TypeError for a limit that is not a positive integer.
 */
export function createPipelineGate(options: PipeliningOptions = {}): PipelineGate {
  const { requests = MAX_REQUESTS, bytes = MAX_BYTES, totalBytes = getBacklogLimit() } = options
  const limits = { requests, bytes }

  assertOptions('limitPipelining', options, { requests: LIMIT, bytes: LIMIT, totalBytes: LIMIT })

  const backlog = new Backlog(totalBytes)

  return (request, response, run) => {
    const socket: PipelinedSocket | undefined = request.socket

    // Streams of HTTP/2 do not wait for each other, and requests that a test makes up may have no socket.
    if (request.httpVersionMajor > 1 || !socket) {
      run()
      return
    }

    socket[PIPELINE] ??= new Pipeline(socket, limits, backlog)
    socket[PIPELINE].add(response, run)
  }
}

/**
 * Whether requests of a connection are held; a request whose body is destroyed has none. A response that announces the end of the
 * connection would drop them.
 */
export function hasHeldRequests(socket: PipelinedSocket | null): boolean {
  return socket?.[PIPELINE]?.hasHeld ?? false
}

/** A request that waits, in the asynchronous context that it came in. */
interface Held {
  readonly run: () => void
  readonly context: AsyncResource
}

/** The requests of one connection. */
class Pipeline implements WaitingConnection {
  private readonly socket: Socket
  private readonly limits: Limits
  private readonly backlog: Backlog
  /** The responses in flight: those that have not been handed to the operating system in full. */
  private readonly active: ServerResponse[] = []
  /** In the order of the requests, which is that of the responses too. */
  private readonly held = new Map<ServerResponse, Held>()
  private isScheduled = false

  constructor(socket: Socket, limits: Limits, backlog: Backlog) {
    this.socket = socket
    this.limits = limits
    this.backlog = backlog
    socket.once('close', () => {
      backlog.set(this, 0)
      for (const response of [...this.active, ...this.held.keys()]) abandon(response)
    })
    // Node ends a connection that its client has ended: what a response adds then waits in the response, without an event.
    socket.once('end', () => {
      for (const response of this.active) onEnd(response, this.weigh)
    })
  }

  get hasHeld(): boolean {
    return this.held.size > 0
  }

  /** Runs what handles a request, now or in its turn. */
  add(response: ServerResponse, run: () => void): void {
    // Another gate has let it through, some time ago where it is closed.
    if (response.closed || this.active.includes(response)) run()
    else if (this.held.size === 0 && this.active.length === 0) this.start(response, run)
    else this.hold(response, run)
  }

  close(): void {
    this.socket.destroy()
  }

  private start(response: ServerResponse, run: () => void): void {
    this.active.push(response)
    // After 'finish' too; a client that does not read keeps both from happening.
    response.on('close', () => {
      this.active.splice(this.active.indexOf(response), 1)
      // Its client reads: it waits from now on.
      this.backlog.set(this, 0)
      if (this.active.length > 0) this.weigh()
      if (this.held.size > 0) this.startHeld()
    })
    onComplete(response, this.weigh)
    run()
  }

  private hold(response: ServerResponse, run: () => void): void {
    if (this.held.size === 0) {
      this.socket.on('resume', this.stopReading)
      this.stopReading()
    }

    // Otherwise it would run in the asynchronous context of the response that makes room for it.
    this.held.set(response, { run, context: new AsyncResource('alula.request') })
    this.schedule()
  }

  /**
   * One request, because how large its response is shows only when it ends: responses of a hundred that start at once are in
   * memory before the first one waits.
   */
  private startHeld(): void {
    for (const [response, { run, context }] of this.held) {
      // After its end, no response could be sent: what is held goes with the socket.
      if (!this.socket.writable || !this.hasRoom()) return

      this.held.delete(response)
      if (this.held.size === 0) {
        this.socket.off('resume', this.stopReading)
        this.socket.resume()
      }

      this.schedule()
      context.runInAsyncScope(() => this.start(response, run))
      return
    }
  }

  /** A request that takes long does not hold up the next one. */
  private schedule(): void {
    if (this.isScheduled || this.held.size === 0) return

    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.startHeld()
    })
  }

  private hasRoom(): boolean {
    return (
      this.active.length === 0 ||
      (this.active.length < this.limits.requests && this.countBytes() < this.limits.bytes)
    )
  }

  private readonly weigh = (): void => {
    this.backlog.set(this, this.socket.destroyed ? 0 : this.countBytes())
  }

  private countBytes(): number {
    let bytes = 0

    // What waits in the socket itself counts in the response that is being sent.
    for (const { writableLength } of this.active) bytes += writableLength

    return bytes
  }

  /**
   * Node resumes a socket after each request, and for each body that is read. A stream that is paused already emits no
   * 'pause', but the server of Node stops reading only on that event.
   */
  private readonly stopReading = (): void => {
    if (this.socket.isPaused()) this.socket.emit('pause')
    else this.socket.pause()
  }
}

/** Node emits no 'close' for responses that wait for those before them: what is done for them would never end. */
function abandon(response: ServerResponse): void {
  if (response.socket || response.writableFinished) return

  response.destroyed = true
  response.emit('close')
}

/**
 * Calls back when the body of a response is complete. Node emits no event then for a response that waits for those before it:
 * it has no socket yet. On others, a method of their own would keep their calls in memory until the next full garbage
 * collection. Node emits 'prefinish' once, and `once` would make two more functions for each response.
 */
function onComplete(response: ServerResponse, callback: () => void): void {
  if (response.socket) response.on('prefinish', callback)
  else onEnd(response, callback)
}

/** Calls back after `end`, where Node emits no event. */
function onEnd(response: ServerResponse, callback: () => void): void {
  const { end } = response

  response.end = (...args: unknown[]) => {
    const ended = end.apply(response, args as Parameters<typeof end>)

    callback()

    return ended
  }
}
