import type { Condition } from '../query/ast.ts'
import { toReadings } from '../query/coerce.ts'
import { type FieldReader, type ToReader, toFieldReader, toPlainReader } from '../query/field.ts'
import { type CustomPredicates, compilePredicate, type Predicate } from '../query/predicate.ts'
import { type Entry, isIndexable, RecordIndex, type Stored } from './record-index.ts'

/** How many removed records keep their place at most, beside as many as there are others. */
const MAX_GAPS = 1024

/** Records by id, in the order in which they came, with indexes on some of their fields. */
export class Records {
  private readonly entries = new Map<string, Entry>()
  /** The records in order, each at the place of its entry: an array is faster to go through than a map. */
  private list: (Stored | undefined)[] = []
  /** Whether a record was removed since the list was made. The next search makes it again. */
  private hasGaps = false
  /** Whether no record is an instance of a class: then its fields can be read without asking whose they are. */
  private arePlain = true
  private readonly indexes: RecordIndex[] = []
  /** Those on fields, by the name of the field. */
  private readonly fieldIndexes = new Map<string, RecordIndex>()

  constructor(indexed: readonly string[]) {
    for (const field of indexed) this.addFieldIndex(field)
  }

  /** Adds an index on a field, unless there is one. Dots in its name lead into objects. */
  addFieldIndex(field: string): void {
    if (this.fieldIndexes.has(field)) return

    this.fieldIndexes.set(field, this.addIndex(toFieldReader(field.split('.'))))
  }

  /** Adds an index on what is read of each record. */
  addIndex(read: FieldReader): RecordIndex {
    const index = new RecordIndex(read)

    for (const entry of this.entries.values()) index.add(entry)

    this.indexes.push(index)

    return index
  }

  /** How the fields of these records are read. */
  get toReader(): ToReader {
    return this.arePlain ? toPlainReader : toFieldReader
  }

  /** An id in a URL is a string, so ids that are written in the same way are the same. */
  get(id: unknown): Entry | undefined {
    return this.entries.get(typeof id === 'string' ? id : String(id))
  }

  /** Stores a record: in place of the one with this id, or after all others. */
  set(id: unknown, record: Stored): void {
    const key = String(id)
    const present = this.entries.get(key)

    if (present) {
      this.replace(present, record)
      return
    }

    // Calls by id never go through the list, which would grow with each record that comes and goes.
    if (this.hasGaps && this.list.length > 2 * this.entries.size + MAX_GAPS) this.closeGaps()

    const entry = { key, place: this.list.length, record }

    this.entries.set(key, entry)
    this.list.push(record)
    this.arePlain &&= isPlain(record)
    for (const index of this.indexes) index.add(entry)
  }

  /** Puts another record in the place of one. */
  replace(entry: Entry, record: Stored): void {
    for (const index of this.indexes) index.move(entry, record)

    entry.record = record
    this.list[entry.place] = record
    this.arePlain &&= isPlain(record)
  }

  delete(entry: Entry): void {
    for (const index of this.indexes) index.remove(entry)

    this.entries.delete(entry.key)
    this.list[entry.place] = undefined
    this.hasGaps = true
  }

  clear(): void {
    for (const index of this.indexes) index.clear()

    this.entries.clear()
    this.list = []
    this.hasGaps = false
    this.arePlain = true
  }

  /** All records in order. */
  values(): readonly Stored[] {
    if (this.hasGaps) this.closeGaps()

    return this.list as readonly Stored[]
  }

  private closeGaps(): void {
    this.list = []
    this.hasGaps = false

    for (const entry of this.entries.values()) {
      entry.place = this.list.length
      this.list.push(entry.record)
    }
  }

  /**
   * Finds the records that match a condition, in order: among those that an id (in `idField`) or an index leads to, or else
   * among all.
   */
  find(where: Condition, idField: string, custom: CustomPredicates): readonly Stored[] {
    const candidates = this.findCandidates(where, idField)?.map(({ record }) => record) ?? this.values()

    if (where.kind === 'and' && where.conditions.length === 0) return candidates

    return filterRecords(candidates, compilePredicate(where, custom, this.toReader))
  }

  /** The entries of the records that match, in order, for changing or removing them. */
  findEntries(where: Condition, idField: string, custom: CustomPredicates): readonly Entry[] {
    const matches = compilePredicate(where, custom, this.toReader)

    return (this.findCandidates(where, idField) ?? this.getEntries()).filter(({ record }) => matches(record))
  }

  /** All entries in order. */
  getEntries(): readonly Entry[] {
    return [...this.entries.values()]
  }

  /** The fewest entries that an id or an index leads to, in order; `undefined` where nothing leads to any. */
  private findCandidates(where: Condition, idField: string): readonly Entry[] | undefined {
    const conditions = where.kind === 'and' ? where.conditions : [where]
    let fewest: readonly ReadonlySet<Entry>[] | undefined

    for (const condition of conditions) {
      const found = this.lookUp(condition, idField)

      if (found && (!fewest || countAll(found) < countAll(fewest))) fewest = found
    }

    return fewest?.flatMap((entries) => [...entries]).toSorted((a, b) => a.place - b.place)
  }

  /** The entries that a condition on the id or on an indexed field leads to; `undefined` for any other condition. */
  private lookUp(condition: Condition, idField: string): readonly ReadonlySet<Entry>[] | undefined {
    if (condition.kind !== 'compare' || (condition.operator !== 'eq' && condition.operator !== 'in')) {
      return undefined
    }

    const { path, operator, value } = condition
    const field = path.join('.')
    const values = (operator === 'in' ? (value as unknown[]) : [value]).flatMap(toReadings)

    if (field === idField) return [this.getAll(values)]
    if (!values.every(isIndexable)) return undefined

    return this.fieldIndexes.get(field)?.find(values)
  }

  private getAll(ids: readonly unknown[]): ReadonlySet<Entry> {
    return new Set(ids.map((id) => this.get(id)).filter((entry) => entry !== undefined))
  }

  /** Finds the records with an id in another field than the one by which records are stored. */
  findBy(field: string, id: unknown, idField: string): readonly Entry[] {
    const value = typeof id === 'string' || id instanceof Date ? id : String(id)

    return this.findEntries({ kind: 'compare', path: field.split('.'), operator: 'eq', value }, idField, {})
  }
}

function countAll(sets: readonly ReadonlySet<Entry>[]): number {
  return sets.reduce((count, { size }) => count + size, 0)
}

function isPlain(record: object): boolean {
  return Object.getPrototypeOf(record) === Object.prototype
}

/** The records that match, in a new array. By hand: `filter` takes a call more for each record. */
export function filterRecords(records: readonly Stored[], matches: Predicate): Stored[] {
  const found: Stored[] = []

  for (let index = 0; index < records.length; index++) {
    const record = records[index] as Stored

    if (matches(record)) found.push(record)
  }

  return found
}
