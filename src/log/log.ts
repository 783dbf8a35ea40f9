// The log of events: each event has a place in it, connections that come back get what they missed, and what is lost is
// a gap and never silent.
//
// A transport opens the log when it starts (`openLog`), and is told what its connections have to know (`LogListener`).
//
// Events come as before, by `publish` of the application: `(event, channel, context, data, stamp)`. The stamp is for
// clients, beside the data of `toDeliveries`: `{ position, tx }`. There is none for events that no log has, such as those
// with an access token. While an event before it waits for its publisher, the stamp is `{ tx, index }`: the client keeps
// the position that it has, and knows the event by its index when it comes again. A replay is `publish` too, with a
// channel of one connection.
//
// From the call of `resume` on the connection gets all events in their order, those that it missed first. A transport
// that knows the position when a connection begins calls `emitConnection(app, 'connection', …)` and `resume` in one go. Where
// clients ask later, events that came before the acknowledgement come again.

import { reportError } from '../core/events.ts'
import { getHome } from '../core/extensions.ts'
import {
  type EventLog,
  type EventStamp,
  getInternals,
  type LogPlace,
  type ServiceEvent
} from '../core/internals.ts'
import { publishEvent } from '../core/publish.ts'
import type { Application, FeathersService } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isCount } from '../utils/check.ts'
import { createDebug } from '../utils/debug.ts'
import { createError } from '../utils/developer-error.ts'
import { DURATION_CHECK, parseDuration } from '../utils/duration.ts'
import { runEvery } from '../utils/interval.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { estimateBytes } from '../utils/size.ts'
import { copyEvent, type KeptEvent, toKeptEvent, toKnownEvent, toLaterEvent } from './event.ts'
import { type End, parsePosition, toPositionText } from './position.ts'
import { type Gap, hasPublisher, listPublished, Replays } from './replays.ts'
import { type Entry, Ring } from './ring.ts'

export type { Gap }

/** What a transport tells its connections. */
export interface LogListener {
  /** The connections that are open. */
  readonly connections: { has(connection: any): boolean; keys(): IterableIterator<object> }
  /** These have all events up to a position. */
  tellPosition(position: string, connections: readonly object[]): void
  /** These missed events, which they do not get. */
  tellGap(gap: Gap, connections: readonly object[]): void
  /** Resolves when a connection can take more of what it missed, or has gone; `undefined` for one that can now. */
  whenReady?(connection: object): Promise<void> | undefined
}

/** The log, for one transport. */
export interface OpenLog {
  /** Up to where all events are sent: a connection that begins has them all. */
  readonly position: string
  /**
   * Sends a connection what it missed, once the listeners of `connection` and `login` are through, and resolves when it has all
   * events. Its client has all events up to `position`; `undefined` or `null` for one that begins. Throws BadRequest at once
   * for what is no position, and while another replay of the connection runs.
   */
  resume(connection: object, position: unknown): Promise<void>
  /** Ends it. The last one to do so ends the log. */
  close(): void
}

/** The application setting `eventLog`. */
export interface EventLogSettings {
  /** About how many bytes of events are kept for clients that come back; 8 MB when left out. */
  maxBytes?: number
  /** How often clients get the position that they have; 15 seconds when left out. */
  heartbeat?: string | number
}

/** An event of this process, on its way through a log that processes share. */
export interface OwnEvent {
  readonly service: FeathersService
  readonly serviceEvent: ServiceEvent
  readonly kept: KeptEvent
  /** The same, as text. */
  readonly text: string
}

/** The events of a transaction, or of a call, of this process. They wait until they come out of the log. */
export interface OwnEntry {
  readonly tx: string
  readonly events: OwnEvent[]
  /** Whether the connections of this process have them, because the log could not be reached for some time. */
  isPublished: boolean
}

/** An entry that has come out of a log that processes share. */
export interface ReceivedEntry extends End {
  readonly tx: string
  /** The paths of its services. */
  readonly paths: readonly string[]
  /** Its events; `undefined` for one that was too large. */
  readonly text: string | undefined
  /** What this process has put into it. */
  readonly own?: OwnEntry | undefined
}

/** A log that processes share. */
export interface LogSource {
  /** The names of further params that publishers need. */
  readonly params: readonly string[]
  /** Whether an event belongs into it; others stay in the process, without a position. */
  takes(event: ServiceEvent): boolean
  encode(event: KeptEvent): string
  /** The events of an entry. */
  decode(text: string): readonly KeptEvent[]
  /** Takes an entry, which comes back by `receive`. */
  write(entry: OwnEntry): void
  /** Entries after a place that the ring does not have any more, or not yet; none where they are gone. */
  readAfter(end: End): Promise<readonly ReceivedEntry[]>
}

/** Shares the log of an application with other processes. */
export function shareLog(app: Application, source: LogSource): Log {
  const log = getLog(app)

  log.setSource(source)

  return log
}

const debug = createDebug('alula:log')

const CHECKS: OptionChecks = {
  maxBytes: [isCount, 'a number of bytes'],
  heartbeat: DURATION_CHECK
}

/**
 * Opens the log of an application, which is kept while a transport has it open. Throws TypeError for a setting `eventLog` that
 * is not valid.
 */
export function openLog(app: Application, listener: LogListener): OpenLog {
  const log = getLog(app)

  log.open(listener)

  return {
    get position() {
      return log.sentPosition
    },
    resume: (connection, position) => log.resume(listener, connection, position),
    close: () => log.close(listener)
  }
}

/** The log of an application; another one, where it had none or that has ended. */
function getLog(app: Application): Log {
  const internals = getInternals(app)

  internals.log ??= new Log(app)

  return internals.log as Log
}

/** The log of one process. */
export class Log implements EventLog {
  readonly listeners: Set<LogListener> = new Set()
  readonly replays: Replays
  /** Events whose publishers have not decided, in the order of the log. */
  readonly waiting: Set<Place> = new Set()
  private readonly app: Application
  private readonly ring: Ring
  /** Names this process, in the log of which it is the only one too. */
  readonly origin = createEpoch()
  epoch = this.origin
  private source: LogSource | undefined
  private readonly maxBytes: number
  /** What is given to the source at the end of this turn. */
  private own: OwnEvent[] | undefined
  private readonly stopBeating: () => void
  private entryCount = 0
  /** The last entry, and what its events belong to. */
  private entry: Entry | undefined
  private transaction: object | undefined
  /** The position of the last heartbeat. */
  private told = ''

  constructor(app: Application) {
    const settings: EventLogSettings = app.get('eventLog') ?? {}

    assertOptions("the setting 'eventLog'", settings, CHECKS)

    const { maxBytes = 8_000_000, heartbeat = '15s' } = settings

    this.app = app
    this.maxBytes = maxBytes
    this.ring = new Ring(0)
    this.replays = new Replays(app, this.ring)
    this.stopBeating = runEvery(parseDuration(heartbeat) as number, () => this.beat())
  }

  get isShared(): boolean {
    return this.source !== undefined
  }

  get position(): string {
    return this.toText(this.ring.end)
  }

  get sentPosition(): string {
    const [first] = this.waiting

    return this.toText(first ? { id: first.entry.id, count: first.index } : this.ring.end)
  }

  append(service: FeathersService, serviceEvent: ServiceEvent): void {
    if (this.source) {
      this.share(this.source, service, serviceEvent)
      return
    }

    const entry = this.openEntry()
    const place = new Place(this, entry)

    this.keep(entry, serviceEvent)
    publishEvent(this.app, service, { ...serviceEvent, place })
  }

  resume(listener: LogListener, connection: object, position: unknown): Promise<void> {
    const { connections } = listener
    const from = parsePosition(position)

    if (position === undefined || position === null) return Promise.resolve()
    if (!from) throw new BadRequest('Invalid position: expected one that came with an event')

    return this.replays.run({
      ...{ connection, from, source: this.source, getEpoch: () => this.epoch },
      isOpen: () => connections.has(connection),
      whenReady: () => listener.whenReady?.(connection),
      isSettled: () => this.waiting.size === 0,
      tellGap: (gap) => listener.tellGap(gap, [connection]),
      tellEnd: (end) => listener.tellPosition(this.toText(end), [connection])
    })
  }

  open(listener: LogListener): void {
    this.listeners.add(listener)
    this.ring.maxBytes = this.maxBytes
  }

  close(listener: LogListener): void {
    this.listeners.delete(listener)
    this.closeUnused()
  }

  /** Begins a log that processes share, or ends it: the process has a log of its own again. */
  setSource(source: LogSource | undefined): void {
    this.source = source
    this.renew(createEpoch(), { id: String(this.entryCount), count: 0 })
    this.closeUnused()
  }

  /** The name of a transaction: that of this process, and a number that grows. Entries are written in its order. */
  createTx(): string {
    return `${this.origin}-${++this.entryCount}`
  }

  /** Begins another log, of which positions before mean nothing, after a place in it. */
  renew(epoch: string, end: End): void {
    this.epoch = epoch
    this.entry = undefined
    this.waiting.clear()
    this.ring.reset(end)
    this.replays.settle()
  }

  /** Goes on in the same log after a place, before which events are lost. */
  skip(end: End): void {
    this.ring.reset(end)
  }

  /** Takes what has come out of the log: it is published, that of this process too. */
  receive({ id, tx, paths, count, text, own }: ReceivedEntry): void {
    const entry = this.ring.push(this.epoch, id, tx)

    if (own) this.receiveOwn(entry, own)
    else {
      this.ring.fill(entry, paths, count, text)
      if (text === undefined || !this.isWanted(paths)) entry.count = count
      else this.publishAll(entry, text)
    }

    if (text === undefined && !own) this.tellGap(paths)
  }

  /** Publishes events of this process before they have come out of the log, without a position; once. */
  publishOwn(own: OwnEntry): void {
    if (own.isPublished) return

    own.isPublished = true

    for (const [index, { service, serviceEvent }] of own.events.entries()) {
      publishEvent(this.app, service, { ...serviceEvent, place: toPlaceless({ tx: own.tx, index }) })
    }
  }

  /** Tells all connections of a gap: for some services, or all. */
  tellGap(services: readonly string[] = listPublished(this.app)): void {
    // Not the end of the log: an event before it may wait for its publisher, and would be lost with the connection.
    const gap = { services, position: this.sentPosition }

    for (const listener of this.listeners) {
      // A replay that runs comes to the gap too.
      const told = [...listener.connections.keys()].filter((one) => !this.replays.isRunning(one))

      if (told.length > 0) listener.tellGap(gap, told)
    }
  }

  /** The events of a transaction, or of a call, go to the source together, at the end of this turn. */
  private share(source: LogSource, service: FeathersService, serviceEvent: ServiceEvent): void {
    const shared = this.toShared(source, service, serviceEvent)

    if (!shared) {
      publishEvent(this.app, service, serviceEvent)
      return
    }

    const { transaction } = getInternals(this.app)

    if (!this.own || !transaction || transaction !== this.transaction) {
      const events: OwnEvent[] = []

      this.own = events
      this.transaction = transaction
      queueMicrotask(() => {
        if (this.own === events) this.own = undefined
        // Numbered now: a revocation may have been written since, and readers drop an entry with a number below the last one.
        source.write({ tx: this.createTx(), events, isPublished: false })
      })
    }

    this.own.push(shared)
  }

  /** What the source gets of an event; nothing where it stays in this process. */
  private toShared(
    source: LogSource,
    service: FeathersService,
    serviceEvent: ServiceEvent
  ): OwnEvent | undefined {
    const { path, event, context } = serviceEvent

    try {
      if (!source.takes(serviceEvent)) return undefined
    } catch (error) {
      reportError(this.app, error, context)

      return undefined
    }

    try {
      const kept = toKeptEvent(serviceEvent, [getEntityName(this.app), ...source.params])

      // First, because it fails for what contains itself.
      const text = source.encode(kept)
      const copy = copyEvent(kept)

      return { service, serviceEvent: toLaterEvent(serviceEvent, copy), kept: copy, text }
    } catch (cause) {
      const sentence = `The event '${event}' of '${path}' cannot be sent to other processes`

      reportError(this.app, createError('ALULA_UNSENDABLE_EVENT', sentence, { cause }), context)

      return undefined
    }
  }

  private receiveOwn(entry: Entry, own: OwnEntry): void {
    for (const { service, serviceEvent, kept, text } of own.events) {
      const place = new Place(this, entry)

      this.ring.grow(entry, serviceEvent.path, kept, text.length)
      if (!own.isPublished) publishEvent(this.app, service, { ...serviceEvent, place })
    }
  }

  private publishAll(entry: Entry, text: string): void {
    for (const kept of this.source?.decode(text) ?? []) {
      const known = toKnownEvent(this.app, kept)
      const place = new Place(this, entry)

      entry.count++
      if (known) publishEvent(this.app, known.service, { ...known.serviceEvent, place })
    }
  }

  /** Whether an event may reach a connection here. */
  private isWanted(paths: readonly string[]): boolean {
    const { app, listeners } = this
    // A publisher may return a channel without a name, and a transport may have no log.
    const isConnected =
      !getInternals(app).channels.isEmpty ||
      [...listeners].some(({ connections }) => !connections.keys().next().done)
    // Publishers of a sub-application may choose its channels.
    const isMounted = (path: string) => getHome(app.services[path], path, app).app !== app

    return paths.some((path) => hasPublisher(app, path) && (isConnected || isMounted(path)))
  }

  private closeUnused(): void {
    if (this.listeners.size > 0) return

    this.ring.maxBytes = 0

    if (this.source) return

    this.stopBeating()
    getInternals(this.app).log = undefined
  }

  toText({ id, count }: End): string {
    return toPositionText({ epoch: this.epoch, id, count })
  }

  /** The events of a transaction, or of a call, are one entry. */
  private openEntry(): Entry {
    const { transaction } = getInternals(this.app)

    if (this.entry && transaction && transaction === this.transaction) return this.entry

    const id = String(++this.entryCount)

    this.transaction = transaction
    this.entry = this.ring.push(this.epoch, id, `${this.origin}-${id}`)

    return this.entry
  }

  private keep(entry: Entry, event: ServiceEvent): void {
    const { maxEntryBytes } = this.ring

    try {
      const kept = toKeptEvent(event, [getEntityName(this.app)])
      const bytes = estimateBytes(kept, maxEntryBytes)

      this.ring.grow(entry, event.path, bytes > maxEntryBytes ? undefined : copyEvent(kept), bytes)
    } catch (error) {
      debug('An event is not kept: %O', error)
      this.ring.grow(entry, event.path, undefined, 0)
    }
  }

  /** So that a client for which nothing happens does not fall behind. */
  private beat(): void {
    const position = this.sentPosition

    if (this.waiting.size === 0) this.replays.settle()

    if (position === this.told) return

    this.told = position

    for (const listener of this.listeners) {
      // As long as events wait for their publishers, connections whose replay has passed this position would go back to it.
      const told = [...listener.connections.keys()].filter((one) => !this.replays.has(one))

      if (told.length > 0) listener.tellPosition(position, told)
    }
  }
}

/** The place of an event in the log. */
class Place implements LogPlace {
  readonly entry: Entry
  readonly index: number
  private readonly log: Log

  constructor(log: Log, entry: Entry) {
    this.log = log
    this.entry = entry
    this.index = entry.count
  }

  begin(): void {
    this.log.waiting.add(this)
  }

  end(): void {
    this.log.waiting.delete(this)
    if (this.log.waiting.size === 0) this.log.replays.settle()
  }

  toStamp(): EventStamp {
    const { log, entry, index } = this
    const [first = this] = log.waiting

    return first === this && entry.epoch === log.epoch
      ? { position: log.toText({ id: entry.id, count: index + 1 }), tx: entry.tx }
      : { tx: entry.tx, index }
  }

  get isReplayedTo(): LogPlace['isReplayedTo'] {
    return this.log.replays.createFilter(this.entry, this.index)
  }
}

/** The place of an event that is sent before it has one. */
function toPlaceless(stamp: EventStamp): LogPlace {
  return { begin: () => undefined, end: () => undefined, toStamp: () => stamp, isReplayedTo: undefined }
}

/** Another one for each log: positions of one before mean nothing. */
function createEpoch(): string {
  return globalThis.crypto.randomUUID().replaceAll('-', '').slice(0, 10)
}

/** The name that the strategies give the logged-in user. It may be set at any time. */
function getEntityName(app: Application): string {
  return app.defaultAuthentication?.()?.configuration.entity ?? 'user'
}
