import type { FieldReader } from '../query/field.ts'
import { toTimeKey } from '../query/precise-date.ts'

/** A record as it is stored. */
export interface Stored {
  [field: string]: unknown
}

/** Where a record is stored. Places give the order in which records came. */
export interface Entry {
  readonly key: string
  place: number
  record: Stored
}

/** Maps what is read of records, such as the values of one field, to their entries. */
export class RecordIndex {
  private readonly read: FieldReader
  private readonly entries = new Map<unknown, Set<Entry>>()

  constructor(read: FieldReader) {
    this.read = read
  }

  add(entry: Entry): void {
    this.addTo(toKey(this.read(entry.record)), entry)
  }

  remove(entry: Entry): void {
    this.removeFrom(toKey(this.read(entry.record)), entry)
  }

  /** Does nothing for a record of which the same is read: most changes concern other fields. */
  move(entry: Entry, record: Stored): void {
    const before = toKey(this.read(entry.record))
    const after = toKey(this.read(record))

    if (before === after) return

    this.removeFrom(before, entry)
    this.addTo(after, entry)
  }

  clear(): void {
    this.entries.clear()
  }

  /** The entries of which one of some values is read, in no order, and perhaps others: different values may share a key. */
  find(values: readonly unknown[]): readonly ReadonlySet<Entry>[] {
    return [...new Set(values.map(toKey))].flatMap((key) => this.entries.get(key) ?? [])
  }

  private addTo(key: unknown, entry: Entry): void {
    const entries = this.entries.get(key)

    if (entries) entries.add(entry)
    else this.entries.set(key, new Set([entry]))
  }

  private removeFrom(key: unknown, entry: Entry): void {
    const entries = this.entries.get(key)

    entries?.delete(entry)
    if (entries?.size === 0) this.entries.delete(key)
  }
}

/** Whether an index can look a value up. Ids of a database are compared by methods of their own. */
export function isIndexable(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Date
}

/** Equal values have the same key; values with the same key need not be equal. */
function toKey(value: unknown): unknown {
  if (value === undefined) return null

  return value instanceof Date ? toTimeKey(value) : value
}
