import { type FieldReader, toFieldReader } from '../query/field.ts'
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

/** Maps the values of one field to the entries that hold them. */
export class FieldIndex {
  readonly field: string
  private readonly getField: FieldReader
  private readonly entries = new Map<unknown, Set<Entry>>()

  /** @param field The name of the field; dots lead into objects */
  constructor(field: string) {
    this.field = field
    this.getField = toFieldReader(field.split('.'))
  }

  add(entry: Entry): void {
    this.addTo(toKey(this.getField(entry.record)), entry)
  }

  remove(entry: Entry): void {
    this.removeFrom(toKey(this.getField(entry.record)), entry)
  }

  /** Does nothing for a record that holds the same in the field: most changes concern other fields. */
  move(entry: Entry, record: Stored): void {
    const before = toKey(this.getField(entry.record))
    const after = toKey(this.getField(record))

    if (before === after) return

    this.removeFrom(before, entry)
    this.addTo(after, entry)
  }

  clear(): void {
    this.entries.clear()
  }

  /** The entries that hold one of some values, in no order, and perhaps others: different values may share a key. */
  find(values: readonly unknown[]): Entry[] {
    return [...new Set(values.map(toKey))].flatMap((key) => [...(this.entries.get(key) ?? [])])
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
