import type { OwnEntry } from '../log/log.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { toDelay } from '../utils/max-delay.ts'
import { withTimeout } from '../utils/with-timeout.ts'
import { START, type StreamEntry, type StreamSize, toFields } from './stream.ts'

/** What a writer goes by, and what it tells. */
export interface WriterSettings {
  readonly key: string
  /** How many bytes may wait here. */
  readonly maxBytes: number
  /** After how many milliseconds the connections of this process get what waits. */
  readonly maxDelay: number
  /** Names an entry: that of this process, and a number that grows. */
  readonly createTx: () => string
  /** Since when this process reads nothing of what is written. */
  readonly getLostAt: () => number
  /** The connections of this process do not wait for an entry any longer. Said more than once of some. */
  publish(entry: OwnEntry): void
  /** Redis is back, and events came in another order than in the log. */
  overtaken(paths: readonly string[]): void
  /** Entries that other processes will not get. */
  lost(paths: readonly string[]): void
}

/** An entry that waits until this process has read it. */
interface Waiting extends Omit<StreamEntry, 'id'> {
  /** Those of all entries that it stands for. */
  paths: readonly string[]
  readonly bytes: number
  readonly own: OwnEntry | undefined
  readonly since: number
}

/** About how many bytes an entry takes beside its events. */
const ENTRY_BYTES = 256

/** The part of the bytes that one entry may have, and that Redis may have been given and this process has not read. */
const MAX_PART = 1 / 8

/** Writes the entries of this process to the stream, in their order, and keeps each until this process has read it. */
export class Writer {
  private readonly connection: RedisConnection
  private readonly size: StreamSize
  private readonly settings: WriterSettings
  private readonly waiting: Waiting[] = []
  /** How many of them were given to Redis since it is there. */
  private sent = 0
  private bytes = 0
  private bytesInFlight = 0
  private isWriting = false
  private timer: NodeJS.Timeout | undefined
  private onEmpty: (() => void) | undefined
  /** The services of entries that were published early, and a gap for which is due. */
  private readonly overtaken = new Set<string>()

  constructor(connection: RedisConnection, size: StreamSize, settings: WriterSettings) {
    this.connection = connection
    this.size = size
    this.settings = settings
    connection.client.on('error', () => {
      if (!connection.client.isReady) this.isWriting = false
    })
  }

  /** Begins to write. */
  async start(): Promise<void> {
    await this.connection.keep(async () => {
      const [first] = this.waiting

      // That Redis is there does not say that it takes something.
      if (first) await this.append(first)

      this.writeAgain()
    })
  }

  /** Writes all that this process has not read: readers know an entry by its number, and take it once. */
  writeAgain(): void {
    this.sent = 0
    this.bytesInFlight = 0
    this.isWriting = true
    this.writeSome()
  }

  /** Adds the events of a transaction, or of a call. */
  add(own: OwnEntry): void {
    const { tx, events } = own
    const paths = [...new Set(events.map(({ serviceEvent }) => serviceEvent.path))]
    const text = `[${events.map((event) => event.text).join(',')}]`
    const isLarge = text.length > this.settings.maxBytes * MAX_PART

    this.push({ tx, paths, count: events.length, text: isLarge ? undefined : text, revoked: undefined, own })
    if (isLarge) this.settings.lost(paths)
  }

  /** Adds what was revoked. */
  addRevocation(revoked: string): void {
    const tx = this.settings.createTx()

    this.push({ tx, paths: [], count: 0, text: undefined, revoked, own: undefined })
  }

  /** Takes the entry that this process has read. Redis has refused those before it, or lost them before they were read. */
  take(tx: string): OwnEntry | undefined {
    const index = this.waiting.findIndex((waiting) => waiting.tx === tx)
    const taken = this.waiting.splice(0, index + 1)

    for (const { bytes } of taken) {
      this.bytes -= bytes
      this.bytesInFlight -= bytes
    }

    this.sent = Math.max(0, this.sent - taken.length)

    const own = taken.pop()?.own

    if (own?.isPublished) for (const { serviceEvent } of own.events) this.overtaken.add(serviceEvent.path)
    this.replace(taken)
    if (this.waiting.length === 0) this.onEmpty?.()
    this.writeSome()

    return own
  }

  /** Tells of a gap once the last entry is back that was published early. */
  tellOvertaken(): void {
    if (this.overtaken.size === 0 || this.waiting.some(({ own }) => own?.isPublished)) return

    this.settings.overtaken([...this.overtaken])
    this.overtaken.clear()
  }

  /** Waits until this process has read all its entries, at most `timeout` milliseconds, and publishes what is left. */
  async close(timeout: number): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.onEmpty = resolve
    })

    if (this.waiting.length > 0) await withTimeout(empty, timeout).catch(() => undefined)

    this.isWriting = false
    clearTimeout(this.timer)

    const left = this.waiting.splice(0)

    for (const { own } of left) if (own) this.settings.publish(own)
    if (left.length > 0) this.settings.lost(listPaths(left))
  }

  private push(entry: Omit<Waiting, 'bytes' | 'since'>): void {
    const bytes = (entry.text?.length ?? 0) + ENTRY_BYTES

    this.waiting.push({ ...entry, bytes, since: Date.now() })
    this.bytes += bytes
    while (this.bytes > this.settings.maxBytes) if (!this.drop()) break
    this.watch()
    this.writeSome()
  }

  /**
   * Adds what stands for entries that are not in the stream, and whose numbers readers skip by now: revocations again, and
   * one gap in place of all events. Sent again, the events would come after later ones of the same records.
   */
  private replace(missing: readonly Waiting[]): void {
    const paths = listPaths(missing)
    const lost = listPaths(missing.filter(({ text }) => text !== undefined))

    for (const { own, revoked } of missing) {
      if (own) this.settings.publish(own)
      if (revoked !== undefined) this.addRevocation(revoked)
    }

    if (lost.length > 0) this.settings.lost(lost)
    if (paths.length === 0) return

    const tx = this.settings.createTx()

    this.push({ tx, paths, count: 1, text: undefined, revoked: undefined, own: undefined })
  }

  /** The oldest entry that Redis was not given makes room: it becomes a gap, together with one before it. */
  private drop(): boolean {
    let index = this.sent

    while (index < this.waiting.length && this.waiting[index]?.text === undefined) index++

    const dropped = this.waiting[index]

    if (!dropped || index === this.waiting.length - 1) return false

    const { own, paths, bytes } = dropped
    const before = index > this.sent ? this.waiting[index - 1] : undefined
    const gap = before?.revoked === undefined ? before : undefined

    if (own) this.settings.publish(own)
    if (paths.some((path) => !gap?.paths.includes(path))) this.settings.lost(paths)

    Object.assign(dropped, { own: undefined, text: undefined, bytes: ENTRY_BYTES })
    this.bytes += ENTRY_BYTES - bytes

    if (gap) {
      dropped.paths = [...new Set([...gap.paths, ...paths])]
      this.bytes -= gap.bytes
      this.waiting.splice(index - 1, 1)
    }

    return true
  }

  /** Publishes what waits for too long. */
  private watch(): void {
    const { maxDelay } = this.settings
    const next = this.waiting.find(({ own }) => own && !own.isPublished)

    if (this.timer || !next) return

    this.timer = setTimeout(
      () => {
        const end = Date.now() - maxDelay

        this.timer = undefined

        // As long as Redis is there, in the order of the log.
        const isThere = this.isWriting && this.settings.getLostAt() > end

        for (const { own, since } of this.waiting) {
          if (!isThere && since <= end && own) this.settings.publish(own)
        }

        this.watch()
      },
      toDelay(Math.max(this.isWriting ? maxDelay : 1, next.since + maxDelay - Date.now()))
    )
    this.timer.unref()
  }

  private writeSome(): void {
    const { maxBytes } = this.settings

    while (this.isWriting && this.sent < this.waiting.length && this.bytesInFlight <= maxBytes * MAX_PART) {
      this.write(this.waiting[this.sent++] as Waiting)
    }
  }

  private write(entry: Waiting): void {
    this.bytesInFlight += entry.bytes
    this.append(entry).catch((error: Error) => {
      this.isWriting = false
      this.connection.retry(error)
    })
  }

  private append(entry: Waiting): Promise<unknown> {
    const trim = {
      ...{ strategy: 'MINID', strategyModifier: '~' },
      threshold: this.size.first ?? START
    } as unknown as { strategy: 'MAXLEN'; threshold: number }

    return this.connection.client.xAdd(this.settings.key, '*', toFields(entry), { TRIM: trim })
  }
}

/** The services of entries, each once. */
function listPaths(entries: readonly Waiting[]): string[] {
  return [...new Set(entries.flatMap(({ paths }) => paths))]
}
