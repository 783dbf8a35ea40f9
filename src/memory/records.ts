import type { Condition } from '../query/ast.ts'
import { getPath } from '../utils/object.ts'

/** A stored record, and its place in the order in which records came. */
export interface Entry {
  readonly key: string
  readonly order: number
  record: any
}

/** Records by id, in the order in which they came, with indexes on some of their fields. */
export class Records {
  private readonly entries = new Map<string, Entry>()
  private readonly indexes: readonly FieldIndex[]
  private nextOrder = 0

  constructor(indexed: readonly string[]) {
    this.indexes = indexed.map((field) => new FieldIndex(field))
  }

  get size(): number {
    return this.entries.size
  }

  /** An id in a URL is text, so ids that read the same are the same. */
  get(id: unknown): Entry | undefined {
    return this.entries.get(String(id))
  }

  /** Stores a record: in place of the one with this id, or behind all others. */
  set(id: unknown, record: any): void {
    const key = String(id)
    const present = this.entries.get(key)
    const entry = present ?? { key, order: this.nextOrder++, record }

    if (present) for (const index of this.indexes) index.remove(present)

    entry.record = record
    this.entries.set(key, entry)
    for (const index of this.indexes) index.add(entry)
  }

  delete(entry: Entry): void {
    for (const index of this.indexes) index.remove(entry)
    this.entries.delete(entry.key)
  }

  values(): Iterable<Entry> {
    return this.entries.values()
  }

  clear(): void {
    for (const entry of this.entries.values()) this.delete(entry)
  }

  /**
   * The entries that can match a condition, in order: all of them, or those that an id or an index leads to. Each
   * must still be asked whether it matches.
   */
  candidates(where: Condition, idField: string): Iterable<Entry> {
    const conditions = where.kind === 'and' ? where.conditions : [where]
    const found = conditions
      .map((condition) => this.lookUp(condition, idField))
      .filter((entries) => entries !== undefined)

    if (found.length === 0) return this.entries.values()

    return found.reduce((a, b) => (b.length < a.length ? b : a)).sort((a, b) => a.order - b.order)
  }

  /** What a condition on the id or on an indexed field leads to; `undefined` when it leads nowhere. */
  private lookUp(condition: Condition, idField: string): Entry[] | undefined {
    if (condition.kind !== 'compare') return undefined

    const { operator, value } = condition

    if (operator !== 'eq' && operator !== 'in') return undefined

    const field = condition.path.join('.')
    const values = operator === 'in' ? [...new Set(value as unknown[])] : [value]

    if (field === idField) {
      return [...new Set(values.map((id) => this.get(id)))].filter((entry) => entry !== undefined)
    }

    const index = this.indexes.find((candidate) => candidate.field === field)

    return values.every(isIndexable) ? index?.find(values) : undefined
  }
}

/** Which entries hold which value in one field. */
class FieldIndex {
  readonly field: string
  private readonly path: readonly string[]
  private readonly entries = new Map<unknown, Set<Entry>>()

  constructor(field: string) {
    this.field = field
    this.path = field.split('.')
  }

  add(entry: Entry): void {
    const key = toIndexKey(getPath(entry.record, this.path))
    const entries = this.entries.get(key)

    if (entries) entries.add(entry)
    else this.entries.set(key, new Set([entry]))
  }

  remove(entry: Entry): void {
    const key = toIndexKey(getPath(entry.record, this.path))
    const entries = this.entries.get(key)

    entries?.delete(entry)
    if (entries?.size === 0) this.entries.delete(key)
  }

  find(values: readonly unknown[]): Entry[] {
    const keys = new Set(values.map(toIndexKey))

    return [...keys].flatMap((key) => [...(this.entries.get(key) ?? [])])
  }
}

/** Ids of a database are compared by methods of their own, which an index cannot do. */
function isIndexable(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Date
}

/** Values that are equal have the same key; values with the same key need not be equal. */
function toIndexKey(value: unknown): unknown {
  if (value === undefined) return null

  return value instanceof Date ? value.getTime() : value
}
