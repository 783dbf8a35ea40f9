import { isFunction, isSyncFunction } from '../utils/check.ts'
import { createDebug } from '../utils/debug.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { assertSync } from '../utils/promise.ts'
import { callListeners, EmitterClass, type Listeners } from './emitter.ts'

const debug = createDebug('alula:channels')

/** Selects connections, at once: with a promise every connection would be selected. */
type Filter<Connection> = (connection: Connection) => unknown

/** Connections that receive the same events. The cost of joining and leaving does not grow with their number. */
export class Channel<Connection extends object = any> extends EmitterClass {
  /** What the connections get instead of the result of the call; `null` for the result. */
  data: any
  /** @internal Not protected, so that types of v5 take a channel for one of theirs. */
  readonly _members: Set<Connection>

  /**
   * @param connections The first members
   * @param data What they get instead of the result
   */
  constructor(connections: Iterable<Connection> = [], data: unknown = null) {
    super()
    this._members = new Set(connections)
    this.data = data
  }

  /** The members, in the order in which they joined: a copy. */
  get connections(): Connection[] {
    return [...this._members]
  }

  /** How many members there are. */
  get length(): number {
    return this._members.size
  }

  /** Adds connections. Those that are members already, and `undefined`, change nothing. */
  join(...connections: readonly (Connection | undefined)[]): this {
    for (const connection of connections) {
      if (connection && !this._members.has(connection)) this._add(connection)
    }

    return this
  }

  /**
   * Removes connections, or all for which a function returns true. When none is left, the channel emits `empty`.
   *
   * @throws TypeError for an async function, and for one that returns a promise
   */
  leave(...connections: readonly (Connection | Filter<Connection> | undefined)[]): this {
    const [first] = connections
    const leaving = isFunction(first)
      ? select(this.connections, first, 'leave')
      : (connections as Connection[])

    const before = this.length

    for (const connection of leaving) {
      if (this._members.has(connection)) this._delete(connection)
    }

    if (this.length === 0 && before > 0) this._emitEmpty()

    return this
  }

  /**
   * Those for which a function returns true, as a channel of its own with the same data.
   *
   * @throws TypeError for an async function, and for one that returns a promise
   */
  filter(choose: Filter<Connection>): Channel<Connection> {
    return new Channel(select(this.connections, choose, 'filter'), this.data)
  }

  /** The same connections as a channel of its own, with data that they get instead of the result. */
  send(data: unknown): Channel<Connection> {
    return new Channel(this._members, data)
  }

  /** @internal Listeners that fail must not keep a connection in other channels. */
  _emitEmpty(): void {
    callListeners(this, 'empty', [], (error) => debug('A listener of empty failed: %O', error))
  }

  /** @internal */
  _add(connection: Connection): void {
    this._members.add(connection)
  }

  /** @internal */
  _delete(connection: Connection): void {
    this._members.delete(connection)
  }
}

/** Several channels as one. Each connection is in it once, with the data of the first channel that has it. */
export class CombinedChannel<Connection extends object = any> extends Channel<Connection> {
  readonly children: readonly Channel<Connection>[]
  private readonly payloads = new Map<Connection, unknown>()
  private readonly isExcluded: Filter<Connection> | undefined

  /**
   * @param children The channels
   * @param data What the connections get instead of the result
   * @param isExcluded Says of a connection whether it is not in this one, whatever the channels say
   */
  constructor(
    children: readonly Channel<Connection>[],
    data: unknown = null,
    isExcluded?: Filter<Connection>
  ) {
    super([], data)
    this.children = children
    this.isExcluded = isExcluded
    this.refresh()
  }

  /** Recomputes members from the child channels. */
  refresh(): this {
    this._members.clear()
    this.payloads.clear()

    for (const child of this.children) {
      for (const connection of child.connections) {
        if (this._members.has(connection) || this.isExcluded?.(connection)) continue

        this._members.add(connection)
        this.payloads.set(connection, child.data)
      }
    }

    return this
  }

  override join(...connections: readonly (Connection | undefined)[]): this {
    for (const child of this.children) child.join(...connections)

    return this.refresh()
  }

  override leave(...connections: readonly (Connection | Filter<Connection> | undefined)[]): this {
    for (const child of this.children) child.leave(...connections)

    return this.refresh()
  }

  /** What a connection gets; `null` for the result. */
  dataFor(connection: Connection): any {
    return this.payloads.get(connection) ?? null
  }
}

/** How many channels there are before empty ones are looked for. */
const FIRST_SWEEP = 1024

/**
 * The channels of an application by name. Empty channels are dropped: at once when the last connection leaves,
 * later when none ever joined, because names can come from user data. References to them keep working.
 */
export class Channels<Connection extends object = any> {
  private readonly channels = new Map<string, NamedChannel<Connection>>()
  private nextSweep = FIRST_SWEEP
  /** The channels of each connection: closing one takes as long as it has channels, however many there are in all. */
  private readonly memberships: Memberships<Connection> = new WeakMap()
  /** The number of the last departure of each connection; departures of all connections are counted together. */
  private readonly departures = new WeakMap<Connection, number>()
  private departureCount = 0
  /** Connections that have closed. */
  private readonly ended = new WeakSet<Connection>()
  /** The application, in all its forms, whose connections are taken out when they close or log out. */
  private readonly watched = new WeakSet<object>()
  /** The channels of sub-applications: connections of this application may join them. */
  private readonly inner = new Set<Channels<Connection>>()

  /** Whether there is no channel at all. */
  get isEmpty(): boolean {
    return this.channels.size === 0
  }

  /** The names of all channels. */
  get names(): string[] {
    return [...this.channels.keys()]
  }

  /** Returns a channel, which is created when there is none, or several as one. Throws an Error without a name. */
  get(...names: readonly (string | readonly string[])[]): Channel<Connection> {
    const [first, ...others] = names.flat().map((name) => this.getNamed(name))

    if (!first) throw createError('ALULA_INVALID_ARGUMENT', 'app.channel needs at least one channel name')

    return others.length === 0 ? first : new CombinedChannel([first, ...others])
  }

  /** Adds the channels of a sub-application: connections leave them too when they leave these. */
  include(inner: Channels<Connection>): void {
    this.inner.add(inner)
  }

  /** Takes a connection out of all channels that it is in. Returns these. */
  leaveAll(connection: Connection): readonly Channel<Connection>[] {
    return [this, ...this.inner].flatMap((channels) => channels.leaveOwn(connection))
  }

  /** The same for a connection that has closed: it joins no channel any more, because nothing would remove it. */
  end(connection: Connection): void {
    this.leaveAll(connection)
    for (const channels of [this, ...this.inner]) channels.ended.add(connection)
  }

  /** Takes connections out when they close or log out. First, because other listeners may let them join new channels. */
  watch(app: Pick<Listeners, 'prependListener'>): void {
    if (this.watched.has(app)) return

    this.watched.add(app)
    app.prependListener('disconnect', (connection: Connection) => this.end(connection))
    app.prependListener('logout', (_result: unknown, { connection }: { connection?: Connection } = {}) => {
      if (connection) this.leaveAll(connection)
    })
  }

  /** Begins to watch which connections are taken out of all channels. Returns what tells whether a connection was since. */
  watchDepartures(): (connection: Connection) => boolean {
    const start = this.departureCount

    return (connection) => (this.departures.get(connection) ?? 0) > start
  }

  private leaveOwn(connection: Connection): readonly Channel<Connection>[] {
    const left = [...(this.memberships.get(connection) ?? [])]

    this.departures.set(connection, ++this.departureCount)
    for (const channel of left) channel.leave(connection)

    return left
  }

  private getNamed(name: string): NamedChannel<Connection> {
    const known = this.channels.get(name)

    if (known) return known

    const channel: NamedChannel<Connection> = new NamedChannel(this.memberships, this.ended, () =>
      this.keep(name, channel)
    )

    return this.keep(name, channel)
  }

  /** Keeps a channel under its name, unless there is one already. Returns the one that is kept. */
  private keep(name: string, channel: NamedChannel<Connection>): NamedChannel<Connection> {
    const known = this.channels.get(name)

    if (known) return known
    if (this.channels.size >= this.nextSweep) this.sweep()

    this.channels.set(name, channel)
    channel.once('empty', () => {
      channel.removeAllListeners()
      this.channels.delete(name)
    })

    return channel
  }

  /** Removes empty channels. The next sweep is due at twice the size that is left, so that sweeps cost no more than channels. */
  private sweep(): void {
    for (const [name, channel] of this.channels) {
      // Other listeners use these.
      if (channel.length > 0 || channel.listenerCount('empty') > 1) continue

      channel.removeAllListeners()
      this.channels.delete(name)
    }

    this.nextSweep = Math.max(FIRST_SWEEP, this.channels.size * 2)
  }
}

type Memberships<Connection extends object> = WeakMap<Connection, Set<Channel<Connection>>>

class NamedChannel<Connection extends object> extends Channel<Connection> {
  private readonly memberships: Memberships<Connection>
  private readonly ended: WeakSet<Connection>
  private readonly keep: () => NamedChannel<Connection>

  /** @param keep Returns what there is under the name; this one, if there was nothing */
  constructor(
    memberships: Memberships<Connection>,
    ended: WeakSet<Connection>,
    keep: () => NamedChannel<Connection>
  ) {
    super()
    this.memberships = memberships
    this.ended = ended
    this.keep = keep
  }

  override _add(connection: Connection): void {
    if (this.ended.has(connection)) {
      // As if it had left at once.
      if (this.length === 0) this._emitEmpty()
      return
    }

    const kept = this.keep()

    // This one was dropped, and the name has been used again since.
    if (kept !== this) {
      kept.join(connection)
      return
    }

    const channels = this.memberships.get(connection)

    super._add(connection)
    if (channels) channels.add(this)
    else this.memberships.set(connection, new Set([this]))
  }

  override _delete(connection: Connection): void {
    super._delete(connection)
    this.memberships.get(connection)?.delete(this)
  }
}

/** The connections for which a function returns true. */
function select<Connection>(
  connections: readonly Connection[],
  choose: Filter<Connection>,
  method: string
): Connection[] {
  const sentence = `channel.${method} expects a function that returns true or false`

  if (!isSyncFunction(choose)) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      `${sentence}, got ${isFunction(choose) ? 'an async function' : typeof choose}`
    )
  }

  return connections.filter((connection) => assertSync(choose(connection), sentence))
}
