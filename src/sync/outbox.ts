import type { RedisConnection } from '../redis/connection.ts'
import { withTimeout } from '../utils/with-timeout.ts'
import { Readers, ReaderTimeout } from './readers.ts'
import {
  createOrigin,
  isBefore,
  type Kind,
  START,
  type Stream,
  type StreamEntry,
  StreamWatch
} from './stream.ts'

/** An entry of this process. */
interface KeptEntry {
  readonly sequence: number
  readonly kind: Kind
  readonly text: string
  /** The length of the text, in bytes. */
  readonly size: number
  /** Its id, and how many entries this process had read; there once it has read this one. */
  found?: { readonly id: string; readonly count: number } | undefined
}

/**
 * The part of a stream that one process may fill with what others have not read yet: many entries at once, as after an
 * outage of Redis, must not push one another out.
 */
const WINDOW = 1 / 8

/** How many times the length of the stream may wait here while Redis takes what it is given. */
const BURST = 10

/** The part of the bytes of an outbox that Redis may have been given and not confirmed: more waits here, and not twice. */
const IN_FLIGHT = 1 / 8

/**
 * Writes the entries of this process to the stream, in their order. As long as Redis is away they wait here. Those that
 * Redis has are kept as long as the stream keeps them, so that all processes together can restore it.
 */
export class Outbox {
  /** The name of this process among all. */
  readonly origin: string
  private readonly connection: RedisConnection
  private readonly stream: Stream
  private readonly watch: StreamWatch
  private readonly report: (missed: number) => void
  private readonly readers = new Readers()
  private readonly readerTimeout = new ReaderTimeout()
  /** Their numbers have no gaps. */
  private readonly kept: KeptEntry[] = []
  /** How many bytes their texts have. */
  private keptBytes = 0
  /** How many bytes Redis was given and has not confirmed. */
  private bytesInFlight = 0
  /** The number of the last entry, of the last one that was written, and that Redis has confirmed. */
  private last = 0
  private written = 0
  private confirmed = 0
  /** The number of the last one of which it was reported that others will not get it. */
  private reported = 0
  /** Where the last one stands that Redis has confirmed. */
  private confirmedId = START
  /** Up to where this process has read. */
  private position = START
  private isWriting = false
  private onFlushed: (() => void) | undefined

  private constructor(
    origin: string,
    connection: RedisConnection,
    stream: Stream,
    report: (missed: number) => void
  ) {
    this.origin = origin
    this.connection = connection
    this.stream = stream
    this.watch = new StreamWatch(connection.client, stream)
    this.report = report
    this.readers.advance(this.origin, 0)
    connection.client.on('error', () => {
      if (!connection.client.isReady) this.isWriting = false
    })
  }

  /**
   * Creates the outbox of a process.
   *
   * @param connection A connection for this alone
   * @param stream Where to write to
   * @param report Called with the number of entries that other processes will never get
   */
  static async create(
    connection: RedisConnection,
    stream: Stream,
    report: (missed: number) => void
  ): Promise<Outbox> {
    return new Outbox(await createOrigin(connection.client), connection, stream, report)
  }

  /** Begins to write. */
  async start(): Promise<void> {
    await this.connection.keep(() => this.resume())
  }

  /** Adds an entry. It is written at once, or when its turn comes. */
  add(kind: Kind, text: string): void {
    const size = Buffer.byteLength(text)

    this.kept.push({ kind, text, size, sequence: ++this.last })
    this.keptBytes += size
    while (this.isFull) this.drop()
    this.writeSome()
  }

  /** Tells others how far this process is: what it has written and what it has read. */
  greet(): void {
    if (this.isWriting) this.writeHello().catch((error) => this.fail(error))
  }

  /**
   * Notes that this process has found an entry of its own.
   *
   * @param sequence Its number
   * @param id Its id
   * @param count How many entries were read so far
   */
  markFound(sequence: number, id: string, count: number): void {
    const entry = this.kept[sequence - this.first]

    if (entry) entry.found = { id, count }
    this.readers.advance(this.origin, sequence)
  }

  /**
   * Goes on with what there is room for by now, and forgets what the stream has forgotten.
   *
   * @param position Up to where this process has read
   * @param count How many entries it has read so far
   */
  proceed(position: string, count: number): void {
    this.position = position

    while ((this.kept[0]?.found?.count ?? Number.POSITIVE_INFINITY) + this.stream.maxLength <= count) {
      this.drop()
    }
    this.writeSome()
  }

  /** Writes again what the stream has lost. */
  restore(): void {
    this.unmarkFound()

    if (this.isWriting) void this.connection.beginAgain()
  }

  /** Notes up to where another process has read. */
  acknowledge(origin: string, position: string): void {
    const entry = this.kept.findLast(({ found }) => found && !isBefore(position, found.id))

    this.readers.advance(origin, entry?.sequence ?? this.first - 1)
  }

  /** Notes that another process is gone. */
  forget(origin: string): void {
    this.readers.forget(origin)
  }

  /**
   * Waits until Redis has all entries, reports what it does not get, and says goodbye.
   *
   * @param timeout How long to wait, in milliseconds
   */
  async close(timeout: number): Promise<void> {
    const flushed = new Promise<void>((resolve) => {
      this.onFlushed = resolve
    })

    if (this.confirmed < this.last) await withTimeout(flushed, timeout).catch(() => undefined)
    this.reportMissed(this.confirmed, this.last)
    if (this.isWriting)
      await withTimeout(this.append('bye', this.written, ''), timeout).catch(() => undefined)

    this.readerTimeout.end()
  }

  /** The last entry may be larger than all may be together. */
  private get isFull(): boolean {
    const { maxLength, maxBytes } = this.stream

    return (
      this.kept.length > maxLength * (this.isWriting ? BURST : 1) ||
      (this.keptBytes > maxBytes && this.kept.length > 1)
    )
  }

  private drop(): void {
    this.keptBytes -= this.kept.shift()?.size ?? 0
  }

  private get window(): number {
    return this.stream.maxLength * WINDOW
  }

  private get first(): number {
    return this.kept[0]?.sequence ?? this.last + 1
  }

  private async resume(): Promise<void> {
    this.isWriting = false

    if (await this.watch.isLost(this.confirmedId)) {
      this.confirmed = Math.min(this.confirmed, this.first - 1)
      this.confirmedId = START
      this.unmarkFound()
    }

    this.written = this.confirmed
    this.readers.rewind(this.written)
    await this.writeHello()

    this.isWriting = true
    this.bytesInFlight = 0
    this.readerTimeout.end()
    this.writeSome()
  }

  /** Nothing is where it was any more. */
  private unmarkFound(): void {
    for (const entry of this.kept) entry.found = undefined
  }

  private writeSome(): void {
    while (this.isWriting && this.written < this.last) {
      // Goes on when Redis has confirmed some.
      if (this.bytesInFlight > this.stream.maxBytes * IN_FLIGHT) return

      if (this.readers.slowest <= this.written - this.window) {
        // For others to read, but not for those that do not.
        this.readerTimeout.begin(() => this.giveUp())
        return
      }

      this.readerTimeout.end()

      // They had to make room for others.
      this.reportMissed(this.written, this.first - 1)

      this.written = Math.max(this.written + 1, this.first)
      this.write(this.kept[this.written - this.first] as KeptEntry)
    }
  }

  /** Reports the missed entries after `from`, up to `to`, once: the same entries can be found missing again. */
  private reportMissed(from: number, to: number): void {
    const missed = to - Math.max(from, this.reported)

    if (missed <= 0) return

    this.reported = to
    this.report(missed)
  }

  private giveUp(): void {
    if (this.isWriting) this.readers.forgetUpTo(this.written - this.window)
    this.writeSome()
  }

  private write({ kind, sequence, text, size }: KeptEntry): void {
    this.bytesInFlight += size
    this.append(kind, sequence, text).then(
      (id) => this.confirm(sequence, id, size),
      (error) => this.fail(error)
    )
  }

  private confirm(sequence: number, id: string, size: number): void {
    // One before it was refused: they are written again, both.
    if (!this.isWriting) return

    this.confirmed = sequence
    this.confirmedId = id
    this.bytesInFlight = Math.max(0, this.bytesInFlight - size)
    if (sequence === this.last) this.onFlushed?.()
    else this.writeSome()
  }

  private async writeHello(): Promise<void> {
    await this.append('hello', this.written, this.position)
  }

  private append(kind: Kind, sequence: number, text: string): Promise<string> {
    const { key, maxLength } = this.stream
    const entry: StreamEntry = { origin: this.origin, kind, sequence: String(sequence), text }
    const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxLength } as const

    return this.connection.client.xAdd(key, '*', { ...entry }, { TRIM: trim })
  }

  private fail(error: Error): void {
    this.isWriting = false
    this.connection.retry(error)
  }
}
