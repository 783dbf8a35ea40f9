import type { Socket } from 'socket.io'
import { emitSafely } from '../core/events.ts'
import type { RealTimeConnection } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { authenticateConnection, isAuthenticated } from '../transport/socket.ts'

/** A socket as middleware sees it. What is added to `feathers` is on the params of every call. */
export type OpenedSocket = Socket & { feathers?: RealTimeConnection }

/** The connections of sockets: what channels hold, what calls have as params, what the application hears of. */
export class Connections {
  private readonly app: any
  private readonly trusts: (origin: string) => boolean
  private readonly sockets = new Map<RealTimeConnection, OpenedSocket>()
  /** What is to be told of the end of a connection. Not a promise, which would keep all that ever waited for it. */
  private readonly waiting = new WeakMap<RealTimeConnection, Set<() => void>>()
  /** Those of which the application has heard, or may have heard by a login. */
  private readonly known = new WeakSet<RealTimeConnection>()
  /** By client, which has one connection at a time: of a second one nobody would see the end. */
  private readonly current = new WeakMap<object, RealTimeConnection>()
  private readonly watched = new WeakSet<object>()

  /**
   * @param app The application
   * @param trusts Whether pages of an origin may send cookies
   */
  constructor(app: any, trusts: (origin: string) => boolean) {
    this.app = app
    this.trusts = trusts
  }

  /** The sockets that are open. */
  get open(): OpenedSocket[] {
    return [...this.sockets.values()]
  }

  /** The id of the socket of a connection; `undefined` for one that has ended, or is another transport’s. */
  getSocketId(connection: RealTimeConnection): string | undefined {
    return this.sockets.get(connection)?.id
  }

  /**
   * Opens the connection of a socket, and logs it in when the request that it began with says who it is.
   *
   * @throws BadRequest for a client that is connected already, NotAuthenticated for credentials that are not valid
   */
  async begin(socket: OpenedSocket): Promise<void> {
    const former = this.current.get(socket.client)

    if (former && !this.known.has(former)) throw new BadRequest('The client is connected already')
    // Middleware behind this one has refused it.
    if (former) this.end(former)

    const connection = this.create(socket)

    try {
      await authenticateConnection(this.app, connection, socket.handshake, undefined, this.trusts)
    } catch (error) {
      this.forget(connection)
      // It may have been logged in before it was refused.
      if (connection.authentication) this.announceEnd(connection)
      throw error
    }

    this.known.add(connection)

    if (!this.sockets.has(connection)) {
      // The client was faster, or its token is not good any more. What the login has begun ends.
      this.announceEnd(connection)
      throw new BadRequest('The connection has ended')
    }
  }

  /**
   * Tells the application of the connection of a socket that is connected now.
   *
   * @returns The connection; `undefined` when it has ended meanwhile
   */
  announce(socket: OpenedSocket): RealTimeConnection | undefined {
    // Sockets that Socket.IO has restored have not been through `begin`.
    const connection = socket.feathers ?? this.create(socket)

    if (!this.sockets.has(connection)) return undefined

    this.known.add(connection)
    emitSafely(this.app, this.app, 'connection', [connection])

    return connection
  }

  /**
   * Calls a function when a connection ends.
   *
   * @returns Forgets the function
   */
  onEnd(connection: RealTimeConnection, callback: () => void): () => void {
    const callbacks = this.waiting.get(connection)

    callbacks?.add(callback)

    return () => void callbacks?.delete(callback)
  }

  /** Tells the application that a connection has ended, once. */
  end(connection: RealTimeConnection): void {
    if (this.forget(connection) && this.known.has(connection)) this.announceEnd(connection)
  }

  /** Closes the socket of a connection of which the application says that it has ended. */
  close(connection: RealTimeConnection): void {
    const socket = this.sockets.get(connection)

    this.forget(connection)
    socket?.disconnect(true)
  }

  /** Ends a connection whose call was refused because its token is void. */
  async endVoid(connection: RealTimeConnection): Promise<void> {
    if (!(await isAuthenticated(this.app, connection))) this.announceEnd(connection)
  }

  /** Ends what a call has begun on a connection that was gone when it was done: a login, or channels that it joined. */
  async endLateCall(connection: RealTimeConnection): Promise<void> {
    if (this.sockets.has(connection)) return

    // Those who heard of the end need a moment to forget who the connection belonged to.
    await new Promise(setImmediate)

    if (connection.authentication) this.announceEnd(connection)
    else this.app._leaveChannels(connection)
  }

  private create(socket: OpenedSocket): RealTimeConnection {
    const { client, conn, handshake } = socket
    const connection: RealTimeConnection = { provider: 'socketio', headers: handshake.headers }

    socket.feathers = connection
    this.sockets.set(connection, socket)
    this.waiting.set(connection, new Set())
    this.current.set(client, connection)

    // Of the transport, for clients that are gone, or refused, before their socket is connected. Once for each.
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
    for (const callback of this.waiting.get(connection) ?? []) callback()

    return this.sockets.delete(connection)
  }

  private announceEnd(connection: RealTimeConnection): void {
    emitSafely(this.app, this.app, 'disconnect', [connection])
  }
}
