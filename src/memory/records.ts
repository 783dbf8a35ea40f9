import type { Condition } from '../query/ast.ts'
import { type CustomPredicates, toPredicate } from '../query/predicate.ts'
import { type Reader, readRecord } from '../query/read.ts'
import { getPath } from '../utils/object.ts'
import { Columns, MAX_COLUMNS } from './columns.ts'
import type { Entry } from './entry.ts'
import { type Source, scan } from './scan.ts'

/** How many places may be empty before those behind them move up. */
const MAX_GAPS = 1024

/** Up to so many records, and up to this share of all, it is worth to go to each and not through a column. */
const FEW = 32
const MAX_SHARE = 1 / 16

/** Entries that something leads to, in sets that have none in common. */
type EntrySets = readonly ReadonlySet<Entry>[]

/** Records by id, in the order in which they came, with indexes on some of their fields. */
export class Records implements Source {
  private readonly entries = new Map<string, Entry>()
  /** The same in order: an array is gone through much faster than a map. Removed ones leave a gap. */
  list: (Entry | undefined)[] = []
  readonly columns: Columns = new Columns()
  private readonly indexes: readonly FieldIndex[]

  constructor(indexed: readonly string[]) {
    this.columns.reset(this.list)
    this.indexes = indexed.map((field) => new FieldIndex(field))
  }

  get size(): number {
    return this.entries.size
  }

  /** An id in a URL is text, so ids that read the same are the same. */
  get(id: unknown): Entry | undefined {
    return this.entries.get(typeof id === 'string' ? id : String(id))
  }

  /** Stores a record: in place of the one with this id, or behind all others. */
  set(id: unknown, record: any): void {
    const key = String(id)
    const present = this.entries.get(key)

    if (present) {
      this.replace(present, record)
      return
    }

    const entry = { key, position: this.list.length, record }

    this.entries.set(key, entry)
    this.list.push(entry)
    this.columns.noteChange(entry.position)
    for (const index of this.indexes) index.add(entry)
  }

  /** Puts another record in the place of one. */
  replace(entry: Entry, record: any): void {
    for (const index of this.indexes) index.move(entry, record)

    entry.record = record
    this.columns.noteChange(entry.position)
  }

  delete(entry: Entry): void {
    for (const index of this.indexes) index.remove(entry)

    this.entries.delete(entry.key)
    this.list[entry.position] = undefined
    this.columns.noteChange(entry.position)

    const gaps = this.list.length - this.entries.size

    if (gaps > MAX_GAPS && gaps > this.entries.size) this.closeGaps()
  }

  /** All entries in order. */
  values(): Entry[] {
    return [...this.entries.values()]
  }

  clear(): void {
    this.entries.clear()
    this.list = []
    this.columns.reset(this.list)
    for (const index of this.indexes) index.clear()
  }

  private findIds(ids: readonly unknown[]): EntrySets {
    return [new Set(ids.map((id) => this.get(id)).filter((entry) => entry !== undefined))]
  }

  private closeGaps(): void {
    this.list = [...this.entries.values()]

    for (const [position, entry] of this.list.entries()) (entry as Entry).position = position

    this.columns.reset(this.list)
  }

  /** The entry at a position that was found. */
  at(position: number): Entry {
    return this.list[position] as Entry
  }

  /**
   * Finds where the records are that match a condition, in order: among those that an id or an index leads to, or else
   * among all.
   *
   * @param where The condition
   * @param idField The name of the field that holds the id
   * @param custom The meaning of custom operators
   * @returns Positions, in a new list; they are right until something is removed
   */
  find(where: Condition, idField: string, custom: CustomPredicates | undefined): number[] {
    const candidates = this.candidates(where, idField)

    if (candidates) return candidates.filter(toPredicate(where, custom, this.read))

    return scan(where, this, custom)
  }

  /** How fields are read at the least cost. */
  readerFor(records: number, fields: number): Reader<number> {
    return this.isFew(records) || fields > MAX_COLUMNS ? this.read : this.columns.read
  }

  isFew(count: number): boolean {
    return count <= Math.max(FEW, this.size * MAX_SHARE)
  }

  readonly read: Reader<number> = (path) => {
    const getField = readRecord(path)

    return (position) => getField(this.at(position).record)
  }

  /** In order. `undefined` where nothing leads to them, or to so many that it is as well to look at all. */
  private candidates(where: Condition, idField: string): number[] | undefined {
    const conditions = where.kind === 'and' ? where.conditions : [where]
    let fewest: EntrySets | undefined

    for (const condition of conditions) {
      const found = this.lookUp(condition, idField)

      if (!found || !this.isFew(countEntries(found))) continue
      if (!fewest || countEntries(found) < countEntries(fewest)) fewest = found
    }

    return fewest?.flatMap((entries) => [...entries].map(({ position }) => position)).sort((a, b) => a - b)
  }

  /** What a condition on the id or on an indexed field leads to; `undefined` when it leads nowhere. */
  private lookUp(condition: Condition, idField: string): EntrySets | undefined {
    if (condition.kind !== 'compare') return undefined

    const { operator, value } = condition

    if (operator !== 'eq' && operator !== 'in') return undefined

    const { path } = condition
    const field = path.length === 1 ? path[0] : path.join('.')

    if (field === idField) return this.findIds(toList(operator, value))

    const index = this.indexes.find((candidate) => candidate.field === field)
    const values = index ? toList(operator, value) : []

    return values.every(isIndexable) ? index?.find(values) : undefined
  }
}

function countEntries(sets: EntrySets): number {
  return sets.reduce((count, { size }) => count + size, 0)
}

function toList(operator: 'eq' | 'in', value: unknown): readonly unknown[] {
  return operator === 'in' ? (value as unknown[]) : [value]
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
    this.addTo(toIndexKey(getPath(entry.record, this.path)), entry)
  }

  remove(entry: Entry): void {
    this.removeFrom(toIndexKey(getPath(entry.record, this.path)), entry)
  }

  clear(): void {
    this.entries.clear()
  }

  /** Does nothing for a record that holds the same in the field: most changes concern other fields. */
  move(entry: Entry, record: any): void {
    const before = toIndexKey(getPath(entry.record, this.path))
    const after = toIndexKey(getPath(record, this.path))

    if (before === after) return

    this.removeFrom(before, entry)
    this.addTo(after, entry)
  }

  find(values: readonly unknown[]): EntrySets {
    const keys = new Set(values.map(toIndexKey))

    return [...keys].map((key) => this.entries.get(key)).filter((entries) => entries !== undefined)
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

/** Ids of a database are compared by methods of their own, which an index cannot do. */
function isIndexable(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Date
}

/** Values that are equal have the same key; values with the same key need not be equal. */
function toIndexKey(value: unknown): unknown {
  if (value === undefined) return null

  return value instanceof Date ? value.getTime() : value
}
