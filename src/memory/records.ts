import type { Condition } from '../query/ast.ts'
import { toReadings } from '../query/coerce.ts'
import { toFieldReader } from '../query/field.ts'
import { type CustomPredicates, toPredicate } from '../query/predicate.ts'
import { type Entry, FieldIndex, isIndexable } from './field-index.ts'

/** Records by id, in the order in which they came, with indexes on some of their fields. */
export class Records {
  private readonly entries = new Map<string, Entry>()
  /** The same in an array, which is faster to go through than a map. A removal drops it until the next search. */
  private list: Entry[] | undefined = []
  private readonly indexes: readonly FieldIndex[]
  private nextPlace = 0

  constructor(indexed: readonly string[]) {
    this.indexes = indexed.map((field) => new FieldIndex(field))
  }

  /** An id in a URL is a string, so ids that are written in the same way are the same. */
  get(id: unknown): Entry | undefined {
    return this.entries.get(typeof id === 'string' ? id : String(id))
  }

  /** Stores a record: in place of the one with this id, or after all others. */
  set(id: unknown, record: any): void {
    const key = String(id)
    const present = this.entries.get(key)

    if (present) {
      this.replace(present, record)
      return
    }

    const entry = { key, place: this.nextPlace++, record }

    this.entries.set(key, entry)
    this.list?.push(entry)
    for (const index of this.indexes) index.add(entry)
  }

  /** Puts another record in the place of one. */
  replace(entry: Entry, record: any): void {
    for (const index of this.indexes) index.move(entry, record)

    entry.record = record
  }

  delete(entry: Entry): void {
    for (const index of this.indexes) index.remove(entry)

    this.entries.delete(entry.key)
    this.list = undefined
  }

  clear(): void {
    for (const index of this.indexes) index.clear()

    this.entries.clear()
    this.list = []
  }

  /** All entries in order. */
  values(): readonly Entry[] {
    this.list ??= [...this.entries.values()]

    return this.list
  }

  /**
   * Finds the records that match a condition, in order: among those that an id or an index leads to, or else among all.
   *
   * @param where The condition
   * @param idField The name of the field by which records are stored
   * @param custom The meaning of custom operators
   */
  find(where: Condition, idField: string, custom: CustomPredicates | undefined): readonly Entry[] {
    const candidates = this.findCandidates(where, idField) ?? this.values()

    if (where.kind === 'and' && where.conditions.length === 0) return candidates

    return filterEntries(candidates, toPredicate(where, custom))
  }

  /** The fewest entries that an id or an index leads to, in order; `undefined` where nothing leads to any. */
  private findCandidates(where: Condition, idField: string): readonly Entry[] | undefined {
    const conditions = where.kind === 'and' ? where.conditions : [where]
    let fewest: readonly Entry[] | undefined

    for (const condition of conditions) {
      const found = this.lookUp(condition, idField)

      if (found && (!fewest || found.length < fewest.length)) fewest = found
    }

    return fewest?.toSorted((a, b) => a.place - b.place)
  }

  /** The entries that a condition on the id or on an indexed field leads to; `undefined` for any other condition. */
  private lookUp(condition: Condition, idField: string): readonly Entry[] | undefined {
    if (condition.kind !== 'compare' || (condition.operator !== 'eq' && condition.operator !== 'in')) {
      return undefined
    }

    const { path, operator, value } = condition
    const field = path.join('.')
    const values = (operator === 'in' ? (value as unknown[]) : [value]).flatMap(toReadings)

    if (field === idField) return [...this.getAll(values)]
    if (!values.every(isIndexable)) return undefined

    return this.indexes.find((index) => index.field === field)?.find(values)
  }

  private getAll(ids: readonly unknown[]): ReadonlySet<Entry> {
    return new Set(ids.map((id) => this.get(id)).filter((entry) => entry !== undefined))
  }

  /**
   * Finds the record whose field reads like an id, for calls that name another field than the one of the service.
   *
   * @param field The name of the field
   */
  findBy(field: string, id: unknown): Entry | undefined {
    const getField = toFieldReader(field.split('.'))

    return this.values().find(({ record }) => {
      const value = getField(record)

      return value !== undefined && value !== null && String(value) === String(id)
    })
  }
}

/**
 * The entries whose records match, in a new array.
 *
 * By hand: `filter` takes a call more for each record, and there is one for each field already.
 */
export function filterEntries(entries: readonly Entry[], matches: (record: any) => boolean): Entry[] {
  const found: Entry[] = []

  for (const entry of entries) if (matches(entry.record)) found.push(entry)

  return found
}
