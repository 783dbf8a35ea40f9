import { compareIds, type End } from '../log/position.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { BoundedMap } from '../utils/bounded-map.ts'
import {
  countBytes,
  type Message,
  parseEntry,
  readEpoch,
  START,
  type StreamEntry,
  type StreamSize
} from './stream.ts'

/** What `XREAD` returns. */
type ReadStreams = readonly { readonly messages: readonly Message[] }[] | null

/** Gets what was read. */
export interface ReaderListener {
  /** An entry: each comes once, in the order of the stream. */
  entry(entry: StreamEntry): void
  /** The id of an entry that was written twice, because the first reply was lost. */
  repeated(id: string): void
  /** All entries come from another log from now on, after a place in it. */
  epoch(epoch: string, end: End): void
  /** Entries are gone that this process has not read: those before a place of the log. */
  missed(end: End): void
}

/** How many entries are read at a time. */
const BATCH = 100

/** About how many bytes are read at a time, judged by the largest entry of the time before. */
const BATCH_BYTES = 8 * 1024 * 1024

/** How long, in milliseconds, Redis waits for an entry before it says that there is none. */
const WAIT = 2000

/** How many processes are remembered. The one that was silent for the longest time is forgotten first. */
const MAX_ORIGINS = 1000

/** Reads the stream, from the moment of its start. */
export class Reader {
  /** Since when it gets nothing of what is written. */
  lostAt = Number.POSITIVE_INFINITY

  private readonly connection: RedisConnection
  private readonly key: string
  private readonly size: StreamSize
  private readonly listener: ReaderListener
  /** The number of the last entry by process: what is written again is taken once. */
  private readonly numbers = new BoundedMap<string, number>(MAX_ORIGINS)
  private position = START
  /** The last entry from before its start. */
  private begun = START
  private count = 0
  private epoch: string | undefined
  /** The last entry of a log that has begun anew: up to there are entries that were read before. */
  private readBefore = START
  /** How many bytes the largest entry had that was read the last time. */
  private largest = 0

  constructor(connection: RedisConnection, key: string, size: StreamSize, listener: ReaderListener) {
    this.connection = connection
    this.key = key
    this.size = size
    this.listener = listener
  }

  /** Begins to read after the entry that is the last one now. */
  async start(): Promise<void> {
    const { client } = this.connection
    const [last] = (await client.xRevRange(this.key, '+', '-', { COUNT: 1 })) ?? []
    const [oldest] = (await client.xRange(this.key, '-', '+', { COUNT: 1 })) ?? []

    this.moveTo(last)
    this.begun = this.position
    // What was there before has bytes too.
    if (oldest) this.size.addAll(oldest.id, this.position, (await client.memoryUsage(this.key)) ?? 0)

    await this.connection.keep(async () => {
      await this.check()
      void this.readAll()
    })
  }

  /** Notes whether the log is another one, of which all is new that is in it. */
  private async check(): Promise<void> {
    const { client } = this.connection
    const [epoch, found, begun, last] = await Promise.all([
      readEpoch(client, this.key),
      client.xRange(this.key, this.position, this.position),
      client.xRange(this.key, this.begun, this.begun),
      client.xRevRange(this.key, '+', '-', { COUNT: 1 })
    ])
    const isFirst = this.epoch === undefined

    if (epoch === this.epoch) return

    if (!isFirst && found?.length === 0) {
      // A copy that only lacks the last entries has it: what comes before was never for this process.
      this.moveTo(begun?.[0])
      this.readBefore = last?.[0]?.id ?? START
      this.size.clear(this.position)
    }

    this.epoch = epoch
    this.listener.epoch(epoch, { id: this.position, count: this.count })
  }

  /** Goes on after an entry; before all of them without one. */
  private moveTo(entry: unknown): void {
    const message = entry as Message | undefined

    this.position = message?.id ?? START
    this.count = (message && parseEntry(message)?.count) ?? 0
  }

  private async readAll(): Promise<void> {
    try {
      for (;;) {
        await this.read()
        this.lostAt = Number.POSITIVE_INFINITY
      }
    } catch (error) {
      this.lostAt = Math.min(this.lostAt, Date.now())
      this.connection.retry(error as Error)
    }
  }

  private async read(): Promise<void> {
    const { client } = this.connection
    const { key, position } = this
    const count = Math.max(1, Math.min(BATCH, Math.floor(BATCH_BYTES / this.largest)))
    // In this order: what is the first entry before reading was not trimmed away by what comes in while waiting.
    const [oldest, streams] = await Promise.all([
      client.xRange(key, '-', '+', { COUNT: 1 }),
      client.xRead({ key, id: position }, { BLOCK: WAIT, COUNT: count })
    ])
    const messages = (streams as ReadStreams)?.[0]?.messages ?? []
    const first = oldest?.[0]?.id

    if (position !== START && (first === undefined || compareIds(position, first) < 0)) {
      const { epoch } = this

      await this.check()
      // What came in since is read again, with what may stand before it.
      if (epoch !== this.epoch) return

      // Without an entry in Redis, those after the last one that was read are gone.
      this.listener.missed(
        first === undefined ? { id: position, count: this.count + 1 } : { id: first, count: 0 }
      )

      if (first === undefined) {
        this.position = START
        return
      }
    }

    if (messages.length > 0) this.largest = 0

    for (const message of messages) this.receive(message)
  }

  private receive(message: Message): void {
    const bytes = countBytes(message)
    const entry = parseEntry(message)

    this.position = message.id
    this.count = entry?.count ?? 0
    this.largest = Math.max(this.largest, bytes)
    this.size.add(message.id, bytes)

    if (!entry) return

    const [origin = '', number] = entry.tx.split('-')

    if (Number(number) <= (this.numbers.get(origin) ?? 0)) {
      if (compareIds(entry.id, this.readBefore) > 0) this.listener.repeated(entry.id)
      return
    }

    // Last in the order, because its message is the latest.
    this.numbers.delete(origin)
    this.numbers.set(origin, Number(number))
    this.listener.entry(entry)
  }
}
