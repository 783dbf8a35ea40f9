import type { RedisConnection } from '../redis/connection.ts'
import { BoundedMap } from '../utils/bounded-map.ts'
import type { Outbox } from './outbox.ts'
import {
  getTime,
  isBefore,
  isYounger,
  parseEntry,
  START,
  type Stream,
  type StreamEntry,
  StreamWatch
} from './stream.ts'

/** What `XREAD` returns. */
type ReadStreams =
  | readonly {
      readonly messages: readonly {
        readonly id: string
        readonly message: { readonly [name: string]: string }
      }[]
    }[]
  | null

/** What this process did not get of what others have sent. */
export interface Gap {
  /** The process that sent it; missing when that is not known. */
  readonly origin?: string
  /** How much it is; missing when that is not known. */
  readonly missed?: number
}

/** Receives entries and reports of gaps. */
export interface InboxListener {
  /** An entry of another process: each comes once, those of one process in their order. */
  entry(entry: StreamEntry): void
  /** Something did not come in, and will not. */
  gap(gap: Gap): void
  /** Redis has lost entries. What other processes still have of them they send again. */
  loss(): void
}

/** How many entries are read at a time. */
const BATCH = 100

/** About how many bytes are read at a time, judged by the largest entry of the time before. */
const BATCH_BYTES = 8 * 1024 * 1024

/** How long, in milliseconds, Redis waits for an entry before it says that there is none. */
const WAIT = 2000

/** After which part of the stream a process says how far it has read. Others wait for that when there is much. */
const REPORT = 1 / 16

/** How many processes are remembered. The one that was silent for the longest time is forgotten first. */
const MAX_ORIGINS = 1000

/** Reads what other processes write to the stream, from the moment of its start. */
export class Inbox {
  private readonly connection: RedisConnection
  private readonly stream: Stream
  private readonly outbox: Outbox
  private readonly watch: StreamWatch
  private readonly listener: InboxListener
  /** The number of the last entry by process. */
  private readonly sequences = new BoundedMap<string, number>(MAX_ORIGINS)
  private position = START
  /** How many bytes the largest entry had that was read the last time. */
  private largest = 0
  /** When it began, by the time of Redis. */
  private startedAt = 0
  private readCount = 0
  /** How many events were read since the last report to the other processes. */
  private unacknowledged = 0
  /** Whether entries were trimmed before they were read, and no gap has shown yet. */
  private isSuspicious = false

  /**
   * @param connection A connection for this alone: it is blocked most of the time
   * @param stream Where to read from
   * @param outbox That of this process
   * @param listener Receives entries and reports of gaps
   */
  constructor(connection: RedisConnection, stream: Stream, outbox: Outbox, listener: InboxListener) {
    this.connection = connection
    this.stream = stream
    this.outbox = outbox
    this.watch = new StreamWatch(connection.client, stream)
    this.listener = listener
  }

  /** Begins to read after the entry that is the last one now. */
  async start(): Promise<void> {
    const { client } = this.connection
    const [last] = (await client.xRevRange(this.stream.key, '+', '-', { COUNT: 1 })) ?? []

    this.position = last?.id ?? START
    this.startedAt = await getTime(client)

    await this.connection.keep(async () => {
      // What was read already is known by its number.
      if (await this.watch.isLost(this.position)) this.startOver()
      this.outbox.proceed(this.position, this.readCount)
      this.outbox.greet()
      void this.readAll()
    })
  }

  private startOver(): void {
    this.position = START
    this.outbox.restore()
    this.listener.loss()
  }

  private async readAll(): Promise<void> {
    try {
      for (;;) await this.read()
    } catch (error) {
      this.connection.retry(error as Error)
    }
  }

  private async read(): Promise<void> {
    const { client } = this.connection
    const { key, maxLength } = this.stream
    const count = Math.max(1, Math.min(BATCH, maxLength, Math.floor(BATCH_BYTES / this.largest)))
    // In this order: what is the first entry before reading was not trimmed away by what comes in while waiting.
    const [oldest, streams] = await Promise.all([
      client.xRange(key, '-', '+', { COUNT: 1 }),
      client.xRead({ key, id: this.position }, { BLOCK: WAIT, COUNT: count })
    ])
    const messages = (streams as ReadStreams)?.[0]?.messages ?? []
    const first = oldest?.[0]?.id

    if (this.position !== START) {
      // What came in since is read again, with what may stand before it.
      if (first === undefined) return this.startOver()
      if (isBefore(this.position, first)) this.isSuspicious = true
    }

    if (messages.length > 0) this.largest = 0

    for (const { id, message } of messages) {
      const entry = parseEntry(message)

      this.position = id
      this.readCount++

      if (!entry) continue

      this.largest = Math.max(this.largest, entry.text.length)
      this.receive(entry, id)
    }

    this.outbox.proceed(this.position, this.readCount)

    if (this.unacknowledged >= maxLength * REPORT) {
      this.unacknowledged = 0
      this.outbox.greet()
    }

    // All that there is was read, and nothing said how much was missing.
    if (this.isSuspicious && messages.length < count) this.reportGap({})
  }

  private receive(entry: StreamEntry, id: string): void {
    const { origin, kind, text } = entry
    const sequence = Number(entry.sequence)
    const isCounted = kind !== 'hello' && kind !== 'bye'

    if (isCounted) this.unacknowledged++

    if (origin === this.outbox.origin) {
      if (isCounted) this.outbox.markFound(sequence, id, this.readCount)
      return
    }

    const known = this.sequences.get(origin)
    // Of one that began later, all should have come.
    const last = known ?? (isYounger(origin, this.startedAt) ? 0 : undefined)

    if (kind === 'hello') {
      this.outbox.acknowledge(origin, text)
      // It does not know this process either.
      if (known === undefined) this.unacknowledged = Number.POSITIVE_INFINITY
    } else if (kind === 'bye') {
      this.outbox.forget(origin)
    }

    if (isCounted && last !== undefined && sequence <= last) return

    this.advance(origin, last, sequence, isCounted ? sequence - 1 : sequence)
    if (isCounted) this.listener.entry(entry)
  }

  /** Notes how far a process is, and what should have come before and did not. */
  private advance(origin: string, last: number | undefined, sequence: number, before: number): void {
    // Last in the order, because its message is the latest.
    this.sequences.delete(origin)
    this.sequences.set(origin, Math.max(sequence, last ?? 0))

    if (last !== undefined && before > last) this.reportGap({ origin, missed: before - last })
  }

  private reportGap(gap: Gap): void {
    this.isSuspicious = false
    this.listener.gap(gap)
  }
}
