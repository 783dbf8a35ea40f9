import { emitSafely, reportError } from '../core/events.ts'
import type { ServiceEvent } from '../core/internals.ts'
import type { Application } from '../core/types.ts'
import { type Log, type LogSource, type OwnEntry, type ReceivedEntry, shareLog } from '../log/log.ts'
import { compareIds, type End } from '../log/position.ts'
import { type ConnectionListener, RedisConnection } from '../redis/connection.ts'
import type { RedisSettings } from '../redis/options.ts'
import { createDebug } from '../utils/debug.ts'
import { assertSync } from '../utils/promise.ts'
import { decode, encode } from './codec.ts'
import { Reader } from './reader.ts'
import type { SharedRevocationStore } from './revocation.ts'
import { parseEntry, type StreamEntry, StreamSize } from './stream.ts'
import { Writer } from './writer.ts'

/** What a link goes by. */
export interface LinkSettings extends RedisSettings {
  readonly maxBytes: number
  readonly maxDelay: number
  /** The names of further params that travel. */
  readonly params: readonly string[]
  /** Which events travel. */
  readonly filter: (event: ServiceEvent) => boolean
  /** Where tokens are revoked; `undefined` when that is no matter of ours. */
  readonly revocations: SharedRevocationStore | undefined
}

const debug = createDebug('alula:sync')

/** A time without Redis. */
export interface Outage {
  /** When it began. */
  readonly since: Date
  /** The first error. */
  readonly error: Error
}

/** Events that may not have reached all connections. */
export interface SyncGap {
  /** The paths of their services; missing where they may be of any. */
  readonly services?: readonly string[] | undefined
}

/** How long, in milliseconds, the end waits for what is not sent yet. */
const CLOSE_TIME = 2000

/** How many entries are read at a time for a connection that comes back: each may be large. */
const REPLAY_BATCH = 16

/** What connects an application with the same application in other processes, from its set-up to its end. */
export class Link implements LogSource, ConnectionListener {
  readonly params: readonly string[]
  readonly encode = encode
  readonly decode = decode as LogSource['decode']
  private readonly app: Application
  private readonly settings: LinkSettings
  private readonly key: string
  private readonly connections: RedisConnection[] = []
  /** Those that are lost: Redis is away when one of them is, and back when none is. */
  private readonly missing = new Set<RedisConnection>()
  private outage: Outage | undefined
  private readonly size: StreamSize
  private log: Log | undefined
  private writer: Writer | undefined
  /** The last entry that was read. */
  private position = ''
  private isNamed = false

  constructor(app: Application, settings: LinkSettings) {
    this.app = app
    this.settings = settings
    this.params = settings.params
    this.key = `${settings.prefix}:events`
    this.size = new StreamSize(settings.maxBytes)
  }

  /** Connects to Redis. From then on events travel. Throws an Error when Redis does not respond in time. */
  async start(): Promise<void> {
    const { app, key, size, settings } = this
    const { maxBytes, maxDelay, revocations } = settings

    await revocations?.connect(this)

    const [reading, writing] = [await this.connect(), await this.connect()]
    const writer = new Writer(writing, size, {
      key,
      maxBytes,
      maxDelay,
      createTx: () => (this.log as Log).createTx(),
      getLostAt: () => reader.lostAt,
      publish: (entry) => this.log?.publishOwn(entry),
      overtaken: (paths) => this.log?.tellGap(paths),
      lost: (paths) => this.reportGap('Events of this process do not reach others', paths)
    })
    const reader = new Reader(reading, key, size, {
      entry: (entry) => this.receive(entry),
      // Otherwise it would be replayed twice.
      repeated: (id) => void writing.client.xDel(key, id).catch(() => undefined),
      epoch: (epoch, end) => this.handleEpoch(epoch, end),
      missed: (end) => {
        this.log?.skip(end)
        this.handleLoss('Events of other processes do not reach this one: it was away for too long')
      }
    })

    this.writer = writer
    this.log = shareLog(app, this)
    await reader.start()
    await writer.start()

    if (revocations) revocations.announce = (id) => writer.addRevocation(id)
  }

  /** Sends what is left, and ends the connections. */
  async stop(): Promise<void> {
    const { revocations } = this.settings

    if (revocations) revocations.announce = undefined

    await this.writer?.close(CLOSE_TIME)
    this.log?.setSource(undefined)
    this.log = undefined

    for (const connection of this.connections.splice(0)) connection.close()
    revocations?.close()
  }

  takes(event: ServiceEvent): boolean {
    const sentence = "The 'filter' of sync has to return true or false"

    return Boolean(assertSync(this.settings.filter(event), sentence))
  }

  write(entry: OwnEntry): void {
    this.writer?.add(entry)
  }

  async readAfter({ id, count }: End): Promise<readonly ReceivedEntry[]> {
    const { position } = this
    const client = this.connections[1]?.client

    if (!client?.isReady || compareIds(position, id) <= 0) return []

    for (let from = id; ; ) {
      const [first, messages] = await Promise.all([
        client.xRange(this.key, '-', '+', { COUNT: 1 }),
        client.xRange(this.key, from, position, { COUNT: REPLAY_BATCH })
      ])
      const [oldest, last = from] = [first?.[0]?.id, messages?.at(-1)?.id]
      const entries = (messages ?? [])
        .flatMap((message) => parseEntry(message as any) ?? [])
        .filter((entry) => entry.revoked === undefined && (entry.id !== id || entry.count > count))

      // One that is older than all may have had others after it.
      if (oldest === undefined || compareIds(oldest, id) > 0) return []
      // There may be as many revocations.
      if (entries.length > 0 || last === from) return entries

      from = last
    }
  }

  away(connection: RedisConnection, error: Error): void {
    this.missing.add(connection)

    if (this.outage) return

    this.outage = { since: new Date(), error }

    // This process leaves Redis.
    if (!this.log) return

    const message = 'Redis is away: events wait, and do not reach other processes'

    debug('Redis is away: %s', error.message)
    reportError(this.app, new Error(message, { cause: error }))
    emitSafely(this.app, this.app, 'sync:away', [this.outage])
  }

  back(connection: RedisConnection): void {
    const { outage } = this

    this.missing.delete(connection)

    if (!outage || this.missing.size > 0) return

    this.outage = undefined
    debug('Redis is back; it was away since %s', outage.since.toISOString())
    emitSafely(this.app, this.app, 'sync:back', [outage])
  }

  private async connect(): Promise<RedisConnection> {
    const { redis, connectTimeout } = this.settings
    const connection = await RedisConnection.open(redis, connectTimeout, this)

    this.connections.push(connection)

    return connection
  }

  private receive(entry: StreamEntry): void {
    const { log, writer } = this

    this.position = entry.id

    if (!log || !writer) return

    try {
      const isOwn = entry.tx.startsWith(`${log.origin}-`)
      const own = isOwn ? writer.take(entry.tx) : undefined

      if (entry.revoked === undefined) log.receive({ ...entry, own })
      else if (!isOwn) this.settings.revocations?.notify(entry.revoked)

      // The writer has reported those of this process.
      if (entry.text === undefined && entry.revoked === undefined && !isOwn) {
        this.reportGap('Events of another process do not reach this one', entry.paths)
      }

      writer.tellOvertaken()
    } catch (cause) {
      reportError(this.app, new Error('A message from another process cannot be read', { cause }))
      log.tellGap(entry.paths)
      this.reportGap('Events of another process do not reach this one', entry.paths)
    }
  }

  private handleEpoch(epoch: string, end: End): void {
    this.position = end.id
    this.log?.renew(epoch, end)

    if (this.isNamed) this.handleLoss('Redis has begun anew, and may have lost events')

    this.isNamed = true
  }

  private handleLoss(sentence: string): void {
    this.log?.tellGap()
    this.reportGap(sentence)
    this.writer?.writeAgain()
  }

  /** Tells the application, and has all connections verified again: revocations may be missing too. */
  private reportGap(sentence: string, services?: readonly string[]): void {
    debug('%s: %o', sentence, services)
    reportError(this.app, new Error(sentence))
    emitSafely(this.app, this.app, 'sync:gap', [{ services } satisfies SyncGap])
    this.settings.revocations?.notify()
  }
}
