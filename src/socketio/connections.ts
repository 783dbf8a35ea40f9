import type { Socket } from 'socket.io'
import { withClientPlace } from '../core/client-place.ts'
import { getInternals } from '../core/internals.ts'
import { emitConnection } from '../core/joining.ts'
import type { Application, RealTimeConnection } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isForwarded, toAddress } from '../transport/proxies.ts'
import { authenticateConnection, isAuthenticated } from '../transport/socket.ts'

/** A socket as middleware sees it. Properties that are added to `feathers` are params of every call. */
export type OpenedSocket = Socket & { feathers?: RealTimeConnection }

/** Params that each connection has: without a provider, calls of a client would be internal ones. */
const KEPT: readonly string[] = ['provider', 'headers']

/** Maps connections, which channels, params and events of the application use, to their sockets. */
export class Connections {
  private readonly app: Application
  private readonly trusts: (origin: string) => boolean
  private readonly trustProxy: number | undefined
  /** The sockets of the connections that are open. */
  readonly sockets: Map<RealTimeConnection, OpenedSocket> = new Map()
  /** Callbacks for the end of a connection. A promise would keep every callback that was ever added. */
  private readonly onEnded = new WeakMap<RealTimeConnection, Set<() => void>>()
  /** Connections that the application knows of, by `connection` or by a login. */
  private readonly known = new WeakSet<RealTimeConnection>()
  /** By client. Each has one connection at a time: the end of a second one would not be noticed. */
  private readonly current = new WeakMap<object, RealTimeConnection>()
  private readonly watched = new WeakSet<object>()

  /**
   * @param trusts Whether pages of an origin may send cookies
   * @param trustProxy How many proxies are in front; `undefined` where nothing says so
   */
  constructor(app: Application, trusts: (origin: string) => boolean, trustProxy?: number) {
    this.app = app
    this.trusts = trusts
    this.trustProxy = trustProxy
  }

  /** The sockets that are open. */
  get open(): OpenedSocket[] {
    return [...this.sockets.values()]
  }

  /**
   * Opens the connection of a socket, and logs it in with the credentials of its first request, if any. Throws BadRequest for a
   * client that is connected already, NotAuthenticated for credentials that are not valid.
   */
  async begin(socket: OpenedSocket): Promise<void> {
    const former = this.current.get(socket.client)

    if (former && !this.known.has(former)) throw new BadRequest('The client is connected already')
    // Later middleware has refused it.
    if (former) this.end(former)

    const connection = this.create(socket)

    try {
      const { app, trusts, trustProxy } = this

      await authenticateConnection(app, connection, socket.handshake, undefined, trusts, trustProxy)
    } catch (error) {
      this.forget(connection)
      // The login may have succeeded before the connection was refused.
      if (connection.authentication) emitConnection(this.app, 'disconnect', connection)
      throw error
    }

    this.known.add(connection)

    if (!this.sockets.has(connection)) {
      // The client has gone, or its token has expired meanwhile: undo what the login has begun.
      emitConnection(this.app, 'disconnect', connection)
      throw new BadRequest('The connection has ended')
    }
  }

  /** Takes over the params of an object that middleware has put in the place of a connection: only the connection is known. */
  adopt(socket: OpenedSocket): void {
    const { client, feathers: given } = socket
    const connection: { [name: string]: unknown } | undefined = this.current.get(client)

    if (!connection || !given || given === connection) return

    for (const name of Object.keys(connection)) {
      // An object without the login takes it away.
      if (!Object.hasOwn(given, name) && !KEPT.includes(name)) delete connection[name]
    }

    socket.feathers = Object.assign(connection, given)
  }

  /** Emits `connection` on the application, for a socket that is connected now. Returns nothing when it has ended meanwhile. */
  announce(socket: OpenedSocket): RealTimeConnection | undefined {
    // Sockets that Socket.IO has restored skip `begin`.
    const connection = socket.feathers ?? this.create(socket)

    if (!this.sockets.has(connection)) return undefined

    // A listener of the application has turned it away.
    if (!socket.connected) {
      this.end(connection)
      return undefined
    }

    this.known.add(connection)
    emitConnection(this.app, 'connection', connection)

    return connection
  }

  /** The sockets of connections, as far as they are open. */
  listSockets(connections: readonly object[]): OpenedSocket[] {
    return connections.flatMap((connection) => this.sockets.get(connection as RealTimeConnection) ?? [])
  }

  /** Calls a function when a connection ends. Returns what removes the function again. */
  onEnd(connection: RealTimeConnection, callback: () => void): () => void {
    const callbacks = this.onEnded.get(connection)

    callbacks?.add(callback)

    return () => void callbacks?.delete(callback)
  }

  /** Emits `disconnect` on the application, once. */
  end(connection: RealTimeConnection): void {
    if (this.forget(connection) && this.known.has(connection))
      emitConnection(this.app, 'disconnect', connection)
  }

  /** Closes the socket of a connection for which the application emits `disconnect`. */
  close(connection: RealTimeConnection): void {
    const socket = this.sockets.get(connection)

    this.forget(connection)
    socket?.disconnect(true)
  }

  /** Closes a connection whose call was refused because its token is no longer valid. */
  async endInvalid(connection: RealTimeConnection): Promise<void> {
    if (!(await isAuthenticated(this.app, connection))) emitConnection(this.app, 'disconnect', connection)
  }

  /** Undoes a login, or joined channels, of a call that finished after its connection had closed. */
  async endLateCall(connection: RealTimeConnection): Promise<void> {
    if (this.sockets.has(connection)) return

    // Listeners of `disconnect` need a turn to remove the login.
    await new Promise(setImmediate)

    if (connection.authentication) emitConnection(this.app, 'disconnect', connection)
    else getInternals(this.app).channels.leaveAll(connection)
  }

  private create(socket: OpenedSocket): RealTimeConnection {
    const { client, conn, handshake } = socket
    const { headers, address } = handshake
    const connection: RealTimeConnection = withClientPlace(
      { provider: 'socketio', headers },
      {
        address: toAddress(address, headers, this.trustProxy),
        isBehindProxy: this.trustProxy === undefined && isForwarded(headers)
      }
    )

    socket.feathers = connection
    this.sockets.set(connection, socket)
    this.onEnded.set(connection, new Set())
    this.current.set(client, connection)

    // On the transport, because a client may go, or be refused, before its socket is connected. Once per client.
    if (!this.watched.has(client)) conn.once('close', () => this.endCurrent(client))
    this.watched.add(client)

    return connection
  }

  private endCurrent(client: object): void {
    const connection = this.current.get(client)

    if (connection) this.end(connection)
  }

  /** Returns whether the connection was open. */
  private forget(connection: RealTimeConnection): boolean {
    const socket = this.sockets.get(connection)

    if (socket && this.current.get(socket.client) === connection) this.current.delete(socket.client)
    for (const callback of this.onEnded.get(connection) ?? []) callback()

    return this.sockets.delete(connection)
  }
}
