import type { KeptEvent } from './event.ts'
import { compareEnds, compareIds, type End, START } from './position.ts'

/** The events of one transaction, or else of one call. */
export interface Entry {
  /** That of the log when it came in. */
  readonly epoch: string
  readonly id: string
  /** Names the transaction. */
  readonly tx: string
  /** The services that it has events of. */
  readonly paths: Set<string>
  /** How many events it has. */
  count: number
  bytes: number
  /** Its events; `undefined` for one that is too large to be kept. */
  events: KeptEvent[] | undefined
  /** In place of these: what a log that processes share has of them. */
  text?: string
}

/** The part of the ring that one entry may take. */
const MAX_PART = 1 / 8

/** About how many bytes an entry takes beside its events. */
const ENTRY_BYTES = 256

/** The last entries of a log, as many as there is room for. */
export class Ring {
  /** How many bytes its entries may have together. */
  maxBytes: number
  private readonly entries: (Entry | undefined)[] = []
  /** Where in the array the oldest one is: the array is moved together from time to time. */
  private start = 0
  private bytes = 0
  /** The last one that had to make room. */
  private dropped: End = { id: START, count: 0 }
  /** Where it began: it is not known which services have events before. */
  private begin = this.dropped
  /** Where the last event of each service is. */
  private readonly ends = new Map<string, End>()

  /** @param maxBytes How many bytes its entries may have together */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** How many bytes an entry may have. */
  get maxEntryBytes(): number {
    return this.maxBytes * MAX_PART
  }

  /** Up to where the log goes. */
  get end(): End {
    const { id, count } = this.entries.at(-1) ?? this.dropped

    return { id, count }
  }

  /** Adds an entry without events. */
  push(epoch: string, id: string, tx: string): Entry {
    const entry = { epoch, id, tx, paths: new Set<string>(), count: 0, bytes: ENTRY_BYTES, events: [] }

    this.entries.push(entry)
    this.bytes += ENTRY_BYTES

    return entry
  }

  /** Adds an event of some bytes to the last entry; `event` is `undefined` where it is not known what is kept of it. */
  grow(entry: Entry, path: string, event: KeptEvent | undefined, bytes: number): void {
    entry.count++
    entry.paths.add(path)
    this.ends.set(path, { id: entry.id, count: entry.count })

    if (!entry.events) return

    if (event && entry.bytes + bytes <= this.maxEntryBytes) {
      entry.events.push(event)
      this.resize(entry, bytes)
    } else {
      entry.events = undefined
      this.resize(entry, ENTRY_BYTES - entry.bytes)
    }
  }

  /**
   * Fills the last entry with what a shared log has of it; `text` is `undefined` where that is too large for the shared log.
   */
  fill(entry: Entry, paths: readonly string[], count: number, text: string | undefined): void {
    const bytes = text?.length ?? 0

    for (const path of paths) {
      entry.paths.add(path)
      this.ends.set(path, { id: entry.id, count })
    }

    if (text === undefined || entry.bytes + bytes > this.maxEntryBytes) entry.events = undefined
    else entry.text = text

    this.resize(entry, entry.text === undefined ? 0 : bytes)
  }

  /** Begins anew after a place of a shared log. What comes before is not here. */
  reset(end: End): void {
    this.entries.length = 0
    this.start = 0
    this.bytes = 0
    this.dropped = end
    this.begin = end
    this.ends.clear()
  }

  /** Whether all that comes after a position is here. */
  reaches(position: End): boolean {
    return compareEnds(position, this.dropped) >= 0 && compareEnds(position, this.end) <= 0
  }

  /** The first entry that has an event after a position; `undefined` at the end. */
  findAfter({ id, count }: End): Entry | undefined {
    const { entries } = this
    let [low, high] = [this.start, entries.length]

    while (low < high) {
      const middle = (low + high) >> 1

      if (compareIds((entries[middle] as Entry).id, id) < 0) low = middle + 1
      else high = middle
    }

    const found = entries[low]

    return found?.id === id && found.count <= count ? entries[low + 1] : found
  }

  /** The paths of the services that have an event after a position; `undefined` where these are not known. */
  listPathsAfter(position: End): string[] | undefined {
    if (compareEnds(position, this.begin) < 0) return undefined

    return [...this.ends].filter(([, end]) => compareEnds(end, position) > 0).map(([path]) => path)
  }

  private resize(entry: Entry, bytes: number): void {
    entry.bytes += bytes
    this.bytes += bytes

    while (this.bytes > this.maxBytes && this.start < this.entries.length - 1) {
      const { id, count, bytes } = this.entries[this.start] as Entry

      this.dropped = { id, count }
      this.bytes -= bytes
      this.entries[this.start++] = undefined
    }

    if (this.start < 1024 || this.start < this.entries.length / 2) return

    this.entries.splice(0, this.start)
    this.start = 0
  }
}
