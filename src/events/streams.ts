import type { Channel } from '../core/channel.ts'
import { reportError } from '../core/events.ts'
import type { EventStamp } from '../core/internals.ts'
import { emitConnection } from '../core/joining.ts'
import type { Application, HookContext, MountedDetails, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated, Unavailable } from '../errors.ts'
import { type Gap, type OpenLog, openLog } from '../log/log.ts'
import { getAdmission } from '../transport/admission.ts'
import { logInConnection, toDeliveries, verifyCredentials } from '../transport/socket.ts'
import type { Admission } from '../utils/admission.ts'
import { Backlog, getBacklogLimit } from '../utils/backlog.ts'
import { runEvery } from '../utils/interval.ts'
import { copyWith } from '../utils/object.ts'
import { EventStream, toEventBytes, toFieldBytes } from './stream.ts'

/** The settings of the streams of an application, in milliseconds. */
export interface StreamSettings {
  readonly heartbeat: number
  readonly retry: number
  readonly maxBytes: number
}

/** What a client asks for. */
export interface StreamRequest {
  /** Aborts when the client goes, and at teardown. */
  readonly signal: AbortSignal
  readonly params: MountedDetails['params']
  /** The HTTP method. The response to `HEAD` has no body, so no event could reach its client. */
  readonly method: string
  /** The path of the authentication service that its credentials are for; `undefined` for the default one. */
  readonly authService: string | undefined
  /** The paths of the services; `undefined` for all. */
  readonly services: ReadonlySet<string> | undefined
  /** Up to where the client has all events; `undefined` for one that begins. */
  readonly position: string | undefined
}

/** The body of a response: a stream, the time after which to come again, or none. */
export type StreamBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null

/** The streams of an application, from its setup to its teardown. */
export class EventStreams {
  private readonly app: Application
  private readonly settings: StreamSettings
  private readonly streams = new Map<RealTimeConnection, EventStream>()
  /** Connections whose login runs. */
  private readonly beginning = new Set<RealTimeConnection>()
  private readonly backlog = new Backlog(getBacklogLimit())
  private readonly admission: Admission
  private readonly log: OpenLog
  private readonly stopBeating: () => void
  private isClosed = false

  constructor(app: Application, settings: StreamSettings) {
    this.app = app
    this.settings = settings
    this.admission = getAdmission(app)
    this.log = openLog(app, {
      connections: this.streams,
      tellPosition: (position, connections) => this.sendAll(connections, toFieldBytes('id', position)),
      tellGap: (gap, connections) => this.sendGap(gap, connections),
      whenReady: (connection) => this.streams.get(connection)?.whenReady()
    })
    this.stopBeating = runEvery(settings.heartbeat, () => {
      for (const stream of this.streams.values()) stream.beat()
    })

    app.on('publish', this.publish)
    app.on('disconnect', this.disconnect)
  }

  /**
   * Opens the stream of a client, which is a connection from then on; one that has to wait gets the time alone. For `HEAD`, and
   * after `close`, the login ends at once. Throws NotAuthenticated for credentials that are not valid, Unavailable when the
   * client has gone meanwhile.
   */
  async open(request: StreamRequest): Promise<StreamBody> {
    const { signal, params, method, services, position } = request
    const wait = this.admission.take()

    // After any other status than 200, an `EventSource` would not come again.
    if (wait > 0) return toFieldBytes('retry', Math.ceil(wait))

    const connection: RealTimeConnection = copyWith(params)

    await this.logIn(connection, request)
    if (signal.aborted) throw new Unavailable('The client has gone')

    if (method === 'HEAD' || this.isClosed) {
      if (connection.authentication) emitConnection(this.app, 'disconnect', connection)

      // After a teardown during its login, the client comes again to what is open then.
      return method === 'HEAD' ? null : toRetryBytes(this.settings)
    }

    const { backlog } = this
    const { maxBytes } = this.settings
    const stream = new EventStream({ services, maxBytes, backlog, onClose: () => this.end(connection) })

    this.streams.set(connection, stream)
    signal.addEventListener('abort', () => this.end(connection), { once: true })
    stream.send(toRetryBytes(this.settings), false)

    // In one go: what happens while it joins its channels comes too.
    const from = position ?? this.log.position

    emitConnection(this.app, 'connection', connection)
    this.log.resume(connection, from).catch((error) => reportError(this.app, error))

    return stream.body
  }

  /** Ends all streams, and the part of the log. */
  close(): void {
    this.isClosed = true
    for (const connection of this.streams.keys()) this.end(connection)

    this.stopBeating()
    this.app.off('publish', this.publish)
    this.app.off('disconnect', this.disconnect)
    this.log.close()
  }

  private async logIn(connection: RealTimeConnection, { signal, authService }: StreamRequest): Promise<void> {
    const { authentication } = connection

    if (!authentication) return

    this.beginning.add(connection)

    try {
      const isLogin = await logInConnection(this.app, connection, authentication, authService)

      // Credentials that are for calls alone, such as an API key: whatever a call would fail with, the stream does.
      if (!isLogin) {
        await verifyCredentials(this.app, connection, authService).catch((error) => {
          delete connection.authentication
          throw error
        })
      }
    } catch (error) {
      this.beginning.delete(connection)
      // The login may have succeeded before something else failed.
      if (connection.authentication) emitConnection(this.app, 'disconnect', connection)
      throw error
    }

    if (!this.beginning.delete(connection)) throw new NotAuthenticated('The login has ended')

    if (signal.aborted) emitConnection(this.app, 'disconnect', connection)
  }

  private readonly publish = (
    event: string,
    channel: Channel,
    context: HookContext,
    data: unknown,
    stamp?: EventStamp
  ): void => {
    if (this.streams.size === 0) return

    for (const { name, payload, connections } of toDeliveries(event, channel, context, data)) {
      const receivers = connections.filter((one) => this.streams.get(one)?.wants(context.path))

      if (receivers.length === 0) continue

      try {
        this.sendAll(receivers, toEventBytes(name, payload, stamp))
      } catch (error) {
        // A payload that cannot be encoded must not affect connections with another one.
        reportError(this.app, error, context)
      }
    }
  }

  private sendGap(gap: Gap, connections: readonly object[]): void {
    for (const connection of connections) {
      const stream = this.streams.get(connection)
      const services = gap.services.filter((path) => stream?.wants(path))
      const isMissed = services.length > 0

      this.sendAll(
        [connection],
        isMissed ? toEventBytes('gap', { ...gap, services }, gap) : toFieldBytes('id', gap.position)
      )
    }
  }

  /** The same bytes to all of them. */
  private sendAll(connections: readonly object[], bytes: Uint8Array): void {
    const isShared = connections.length > 1

    for (const connection of connections) this.streams.get(connection)?.send(bytes, isShared)
  }

  /** For a client that has gone or does not read, and at teardown. */
  private end(connection: RealTimeConnection): void {
    if (!this.streams.has(connection)) return

    // Also where nothing listens any more.
    this.disconnect(connection)
    emitConnection(this.app, 'disconnect', connection)
  }

  /** Also for a login that has ended. */
  private readonly disconnect = (connection: RealTimeConnection): void => {
    const stream = this.streams.get(connection)

    this.beginning.delete(connection)
    this.streams.delete(connection)
    stream?.end()
  }
}

/** The bytes that say when to reconnect: between half of the time and one and a half, so that clients do not all come back at once. */
export function toRetryBytes({ retry }: Pick<StreamSettings, 'retry'>): Uint8Array<ArrayBuffer> {
  return toFieldBytes('retry', Math.round(retry * (0.5 + Math.random())))
}
