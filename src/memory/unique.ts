import { BadRequest, Conflict } from '../errors.ts'
import { describeValue } from '../query/operators.ts'
import { toTimeKey } from '../query/precise-date.ts'
import { isComposite } from '../utils/object.ts'
import { type Entry, isIndexable, type Stored } from './field-index.ts'
import { Records } from './records.ts'

/** The keys of which no two records have the same values: each is a list of fields. */
export class UniqueFields {
  private readonly records: Records
  private readonly keys: (readonly [string, ...string[]])[] = []

  constructor(records: Records) {
    this.records = records
  }

  /**
   * Adds a key.
   *
   * @param fields The names of its fields
   * @param idField The name of the field by which records are stored
   * @throws Conflict when two records have the same values already
   */
  add(fields: readonly [string, ...string[]], idField: string): void {
    this.keys.push(fields)
    this.records.addIndex(fields[0])
    this.assertFree(
      this.records.getEntries().map((entry) => [entry, entry.record]),
      idField
    )
  }

  /**
   * Checks records that are to replace all others.
   *
   * @param records The records by id
   * @param idField The name of the field by which records are stored
   * @throws as `assertFree` does
   */
  assertDistinct(records: ReadonlyMap<string, Stored>, idField: string): void {
    if (this.keys.length === 0) return

    const others = new Records([])

    for (const [id, record] of records) others.set(id, record)
    for (const key of this.keys) new UniqueFields(others).add(key, idField)
  }

  /**
   * Checks records before they are stored.
   *
   * @param changes The records, each with the entry that it replaces, if any
   * @param idField The name of the field by which records are stored
   * @throws Conflict for values that another record has, BadRequest for one that no path can have
   */
  assertFree(changes: readonly (readonly [Entry | undefined, Stored])[], idField: string): void {
    for (const key of this.keys) {
      const seen = new Set<string>()
      const toValues = (record: Stored) => JSON.stringify(key.map((field) => toText(record[field])))

      for (const [entry, record] of changes) {
        // As in SQL: where a value is missing, nothing is the same.
        if (!key.every((field) => isGiven(record[field]))) continue

        for (const field of key) assertScalar(field, record[field])

        const values = toValues(record)
        const isTaken = this.findLike(record, key[0], idField).some(
          (other) => other !== entry && toValues(other.record) === values
        )

        if (isTaken || seen.has(values)) throw toConflict(key)

        seen.add(values)
      }
    }
  }

  /** The entries that may have the value of a record: all of them for an instance, which no index can look up. */
  private findLike(record: Stored, field: string, idField: string): readonly Entry[] {
    const value = record[field]

    return isIndexable(value) ? this.records.findBy(field, value, idField) : this.records.getEntries()
  }
}

/** The same for a number and its digits, as in paths. The text of a date lacks its milliseconds. */
function toText(value: unknown): string {
  return String(value instanceof Date ? toTimeKey(value) : value)
}

/** As in SQL it has no values: fields may be hidden. */
function toConflict(key: readonly string[]): Conflict {
  const names = key.map((field) => `'${field}'`).join(', ')

  return new Conflict(`A record with the same ${names} exists already`, {
    errors: Object.fromEntries(key.map((field) => [field, 'is taken']))
  })
}

/** An object is never found by a path, and one with a `toString` of its own cannot be written as a string. */
function assertScalar(field: string, value: unknown): void {
  if (!isComposite(value)) return

  throw new BadRequest(`Invalid data: '${field}' expects a string or a number, got ${describeValue(value)}`, {
    errors: { [field]: 'expects a string or a number' }
  })
}

/** Whether there is a value. Unlike in v5, 0 is a valid id; an empty string is none. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
