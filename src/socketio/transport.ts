import type { Server as HttpServer } from 'node:http'
import type { Server, ServerOptions } from 'socket.io'
import type { Channel } from '../core/channel.ts'
import { reportError } from '../core/events.ts'
import type { EventStamp } from '../core/internals.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, HookContext, NormalizedServiceOptions, RealTimeConnection } from '../core/types.ts'
import { TooManyRequests, Unavailable } from '../errors.ts'
import { type OpenLog, openLog } from '../log/log.ts'
import { getAdmission } from '../transport/admission.ts'
import { BODY_LIMIT } from '../transport/body.ts'
import { type LogContext, type Logger, logUnexpected, toClientError } from '../transport/error.ts'
import { handleSocket, type SocketReply, toDeliveries, toPath, toSocketError } from '../transport/socket.ts'
import { Backlog, getBacklogLimit } from '../utils/backlog.ts'
import { attempt, settleWithin } from '../utils/promise.ts'
import { attach } from './attachment.ts'
import { type Encoder, encodeAsJson } from './bytes.ts'
import { Connections, type OpenedSocket } from './connections.ts'
import { guardServer } from './guard.ts'
import { refuseForNow } from './refusal.ts'
import { Running } from './running.ts'
import { type EngineConnection, Traffic } from './traffic.ts'

/** How long, in milliseconds, to wait for messages in transit, and then for connections to close. */
const CLOSE_GRACE = 1000

/** Listeners for which Node does not yet suspect a leak; as in Feathers v5. */
const MAX_LISTENERS = 64

/**
 * Events of the sockets themselves, which no message can have as its name. Socket.IO would call a listener for one of them,
 * and adding one for `newListener` makes `on` throw.
 */
const SOCKET_EVENTS: ReadonlySet<string> = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener'
])

/** A server of Socket.IO for an application, from its setup to its teardown. */
export class SocketTransport {
  readonly io: Server
  private readonly app: Application
  private readonly logger: Logger | false
  private readonly connections: Connections
  private readonly log: OpenLog
  private readonly running = new Running()
  /**
   * Sockets whose clients take `$closing`, and leave by themselves: a server that closes a connection cannot know which calls are on
   * their way to it. A client that sends no more calls, and has all replies, knows that none is.
   */
  private readonly leavers = new Set<OpenedSocket>()
  private readonly backlog = new Backlog(getBacklogLimit())
  private readonly traffic = new WeakMap<EngineConnection, Traffic>()
  private readonly methods = new Set<string>()
  private readonly attached = new Set<HttpServer>()
  private readonly engines = new Set<Server['engine']>()
  private readonly detachers: (() => void)[] = []
  private isRefusing = false
  private isClosed = false

  /** @param SocketServer The class of the package `socket.io` */
  constructor(
    app: Application,
    SocketServer: typeof Server,
    { trustProxy, ...given }: Partial<ServerOptions> & { trustProxy?: number },
    logger: Logger | false
  ) {
    const options = withLastingOrigins(given)
    const { allowRequest } = options

    this.app = app
    this.logger = logger
    this.connections = new Connections(app, toTrust(options.cors), trustProxy)

    const admission = getAdmission(app)

    this.io = new SocketServer({
      ...options,
      maxHttpBufferSize: options.maxHttpBufferSize ?? BODY_LIMIT,
      allowRequest: (request, decide) => {
        // Those that are allowed alone, of whom the server has few at a time.
        const admit: typeof decide = (message, isAllowed) => {
          const wait = isAllowed ? admission.take() : 0

          if (wait > 0) refuseForNow(request, wait)
          else decide(message, isAllowed)
        }

        if (this.isRefusing) decide('The server is closing', false)
        else if (allowRequest) this.askAllowed(() => allowRequest(request, admit), decide)
        else admit(undefined, true)
      }
    })

    encodeAsJson((this.io as unknown as { encoder: Encoder }).encoder)

    guardServer(this.io, app, (error, socket) => {
      this.report(error)

      return this.toConnectError(error, socket)
    })
    this.io.use((socket, next) => void this.begin(socket, next))
    this.io.on('connection', (socket) => this.connections.adopt(socket))
    this.io.on('connection', this.connect)
    this.io.sockets.setMaxListeners(MAX_LISTENERS)

    this.log = openLog(app, {
      connections: this.connections.sockets,
      tellPosition: (position, connections) => this.tell(connections, '$position', position),
      tellGap: (gap, connections) => this.tell(connections, 'gap', gap)
    })

    for (const service of Object.values<object>(app.services)) this.addMethods(getServiceOptions(service))

    app.mixins.push(this.mixin)
    app.on('publish', this.publish)
    app.on('disconnect', this.disconnect)
  }

  /** Serves clients of an HTTP server. */
  attach(server: HttpServer): void {
    if (this.attached.has(server)) return

    this.attached.add(server)
    this.detachers.push(attach(this.io, server))
    this.engines.add(this.io.engine)
    // For clients too that are connected to no namespace yet.
    this.io.engine.on('connection', (conn: EngineConnection) => this.getTraffic(conn))
  }

  /** Replies to calls that have arrived or are in transit, and closes all connections: clients reconnect elsewhere. */
  async close(): Promise<void> {
    this.isRefusing = true
    await settleWithin(CLOSE_GRACE, [...this.leavers].map(dismiss))
    await this.running.quiet(CLOSE_GRACE)
    this.isClosed = true
    for (const { conn } of this.connections.open) this.getTraffic(conn).runAll()
    await this.running.idle()

    await closeTransports(this.connections.open)

    // Application code may have attached another server itself.
    for (const engine of this.engines.add(this.io.engine)) engine?.close()
    for (const detach of this.detachers) detach()

    this.app.mixins.splice(this.app.mixins.indexOf(this.mixin), 1)
    this.app.off('publish', this.publish)
    this.app.off('disconnect', this.disconnect)
    this.log.close()
  }

  private readonly mixin = (_service: unknown, _path: string, options: NormalizedServiceOptions): void => {
    this.addMethods(options)
  }

  private readonly publish = (
    event: string,
    channel: Channel,
    context: HookContext,
    data: unknown,
    stamp?: EventStamp
  ): void => {
    for (const { name, payload, connections } of toDeliveries(event, channel, context, data)) {
      const sockets = this.connections.listSockets(connections)

      try {
        if (sockets.length > 0) this.emit(sockets, [name, payload, ...(stamp ? [stamp] : [])])
      } catch (error) {
        // A payload that cannot be encoded must not affect connections with another one.
        reportError(this.app, error, context)
      }
    }
  }

  private tell(connections: readonly object[], name: string, content: unknown): void {
    const sockets = this.connections.listSockets(connections)

    if (sockets.length > 0) this.emit(sockets, [name, content])
  }

  /** To all sockets at once, so that it is encoded once. */
  private emit(sockets: OpenedSocket[], event: [string, ...unknown[]]): void {
    const [first, second] = sockets as [OpenedSocket, OpenedSocket?]
    const send = () => this.io.local.to(sockets.map(({ id }) => id)).emit(...event)

    if (second) send()
    else this.getTraffic(first.conn).sendOwn(send)
  }

  private readonly disconnect = (connection: RealTimeConnection): void => {
    this.connections.close(connection)
  }

  /** A listener for each method, and not `onAny`, which runs before the middleware of the socket. */
  private addMethods({ methods }: NormalizedServiceOptions): void {
    for (const method of methods) {
      if (this.methods.has(method) || SOCKET_EVENTS.has(method)) continue

      this.methods.add(method)
      for (const socket of this.connections.open) this.listen(socket, method)
    }
  }

  /** Asks a function of the application; where it fails, the client does not connect. */
  private askAllowed(ask: () => unknown, decide: (message: string, isAllowed: boolean) => void): void {
    attempt(ask, (error) => {
      this.report(error)
      decide('The request could not be checked', false)
    })
  }

  private async begin(socket: OpenedSocket, next: (error?: Error) => void): Promise<void> {
    try {
      await this.connections.begin(socket)
    } catch (error) {
      this.report(error)
      next(this.toConnectError(error, socket))
      return
    }

    next()
  }

  /** Has the listeners of the application see a socket first: what they set is there when it joins its channels. */
  connectLast(): void {
    this.io.off('connection', this.connect)
    this.io.on('connection', this.connect)
  }

  private readonly connect = (socket: OpenedSocket): void => {
    const connection = this.connections.announce(socket)

    if (!connection) {
      socket.disconnect(true)
      return
    }

    this.connections.onEnd(connection, () => this.getTraffic(socket.conn).drop())
    socket.on('disconnect', () => {
      this.leavers.delete(socket)
      this.connections.end(connection)
    })
    for (const method of this.methods) this.listen(socket, method)
    socket.on('$resume', (position, reply) => this.resume(socket, position, reply))
    socket.onAny((event, ...received) => this.refuseUnknown(socket, event, received))
  }

  /** Every call gets a reply, also for a method that no service offers. Other messages may be for other listeners. */
  private refuseUnknown(socket: OpenedSocket, event: string, received: readonly unknown[]): void {
    if (this.methods.has(event) || socket.listenerCount(event) > 0 || socket.listenersAny().length > 1) return

    const [path, reply] = [received[0], received.at(-1)]

    if (typeof path === 'string' && typeof reply === 'function') this.receive(socket, event, received)
  }

  private listen(socket: OpenedSocket, method: string): void {
    socket.on(method, (...received: unknown[]) => this.receive(socket, method, received))
  }

  private receive(socket: OpenedSocket, method: string, received: readonly unknown[]): void {
    this.run(socket, () => this.respond(socket, method, received))
  }

  /** Sends a client what it missed: from the acknowledgement on, all events come in their order. */
  private resume(socket: OpenedSocket, position: unknown, reply: unknown): void {
    const connection = getConnection(socket)

    // A client that resumes is ours, or follows our protocol.
    this.leavers.add(socket)

    const send = (...values: unknown[]): void => {
      if (typeof reply === 'function') this.getTraffic(socket.conn).reply(() => reply(...values))
    }

    this.run(socket, async () => {
      try {
        // What was missed may be as much as the log keeps, each time.
        if (this.getTraffic(socket.conn).isBehind)
          throw new TooManyRequests('What was sent has not been read: expected $resume after that')

        // Without one, from now on: what happens while it joins its channels comes too.
        const resumed = this.log.resume(connection, position ?? this.log.position)

        send(null, this.log.position)
        await resumed
      } catch (error) {
        this.report(error)
        send(toSocketError(this.app, error, { method: '$resume', path: '', connection }))
      }
    })
  }

  /** Runs a call, or what counts as one, in its turn. */
  private run(socket: OpenedSocket, work: () => Promise<void>): void {
    // Queued calls are counted too.
    const finish = this.running.begin()
    // A call whose client has gone does not delay closing.
    const forget = this.connections.onEnd(getConnection(socket), finish)
    const call = () =>
      work().finally(() => {
        forget()
        finish()
      })

    // While closing, calls are refused at once, past the queue.
    if (this.isClosed) void call()
    else this.getTraffic(socket.conn).add(call)
  }

  private async respond(socket: OpenedSocket, method: string, received: readonly unknown[]): Promise<void> {
    const connection = getConnection(socket)
    const last = received.at(-1)
    const [path, ...args] = typeof last === 'function' ? received.slice(0, -1) : received

    const send = (...reply: SocketReply): void => {
      if (typeof last === 'function') this.getTraffic(socket.conn).reply(() => last(...reply))
    }

    if (this.isClosed) {
      send(toSocketError(this.app, new Unavailable('The server is closing'), { method, path, connection }))
      return
    }

    let status = 200
    const reply = await handleSocket(this.app, { method, path, args, connection }, (error, requestId) => {
      status = toClientError(error).status
      this.report(error, {
        path: toPath(path),
        method,
        provider: connection.provider as string,
        ...(requestId !== undefined && { requestId })
      })
    })

    try {
      send(...reply)
    } catch (error) {
      // A result that cannot be sent.
      this.report(error)
      send(toSocketError(this.app, error, { method, path, connection }))
    }

    if (status === 401) await this.connections.endInvalid(connection)

    await this.connections.endLateCall(connection)
  }

  /** The error that Socket.IO sends to a client that it refuses: the message, and `data`. */
  private toConnectError(error: unknown, socket: OpenedSocket): Error {
    const { message } = toClientError(error).body
    const connection = { provider: 'socketio', ...getConnection(socket) }
    const data = toSocketError(this.app, error, { method: 'connect', path: '', connection })

    return Object.assign(new Error(message), { data })
  }

  private getTraffic(conn: EngineConnection): Traffic {
    const known = this.traffic.get(conn)

    // Fast path: read twice in each call.
    if (known) return known

    const traffic = new Traffic(conn, this.backlog)

    this.traffic.set(conn, traffic)

    return traffic
  }

  private readonly report = (error: unknown, call?: Omit<LogContext, 'status'>): void =>
    logUnexpected(this.logger, error, call, this.app)
}

/** Options whose expressions for origins remember nothing: with the flag `g` or `y`, every other request would be refused. */
function withLastingOrigins<Options extends Partial<ServerOptions>>(options: Options): Options {
  const { cors } = options

  if (typeof cors !== 'object' || cors.origin === undefined) return options

  const { origin } = cors

  return {
    ...options,
    cors: { ...cors, origin: Array.isArray(origin) ? origin.map(toLasting) : toLasting(origin) }
  }
}

function toLasting<Origin>(origin: Origin): Origin | RegExp {
  if (!(origin instanceof RegExp)) return origin

  const { source, flags, sticky } = origin

  // With `y` it has to match from the beginning on.
  return new RegExp(sticky ? `^(?:${source})` : source, flags.replace(/[gy]/g, ''))
}

/** Whether pages of an origin may send cookies, as the option `cors` of Socket.IO names them. */
function toTrust(cors: ServerOptions['cors']): (origin: string) => boolean {
  const { origin, credentials = false } = typeof cors === 'object' ? cors : {}
  const origins = [origin].flat()

  return (sent) =>
    credentials && origins.some((known) => (known instanceof RegExp ? known.test(sent) : known === sent))
}

function getConnection({ feathers: connection = {} }: OpenedSocket): RealTimeConnection {
  return connection
}

/** Resolves when a client has left. */
function dismiss(socket: OpenedSocket): Promise<void> {
  const left = new Promise<void>((resolve) => socket.once('disconnect', () => resolve()))

  socket.emit('$closing')

  return left
}

/** A transport of Engine.IO; that of long-polling has no WebSocket. */
interface WithWebSocket {
  readonly socket?: { once(event: 'close', listener: () => void): unknown; terminate(): void }
}

/**
 * Closes the connections of Engine.IO, and not the sockets: a client whose socket is disconnected by the server does not
 * reconnect by itself. Connections that do not close in time are terminated.
 */
async function closeTransports(sockets: readonly OpenedSocket[]): Promise<void> {
  const connections = sockets.map(({ conn }) => conn)
  // Connections of Engine.IO emit 'close' before everything has left through their WebSockets.
  const webSockets = connections.flatMap(({ transport }) => (transport as WithWebSocket).socket ?? [])
  const closed = [...connections, ...webSockets].map(
    (closing) => new Promise<void>((resolve) => closing.once('close', () => resolve()))
  )

  for (const conn of connections) {
    // How long a long-polling client has to fetch the closing message.
    Object.assign(conn.transport, { closeTimeout: CLOSE_GRACE / 4 })
    conn.close()
  }

  await settleWithin(CLOSE_GRACE / 2, closed)
  for (const webSocket of webSockets) webSocket.terminate()
}
