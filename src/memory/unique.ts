import { BadRequest, Conflict } from '../errors.ts'
import { describeValue } from '../query/operators.ts'
import { toTimeKey } from '../query/precise-date.ts'
import { isGiven } from '../utils/check.ts'
import { isComposite } from '../utils/object.ts'
import type { Entry, RecordIndex, Stored } from './record-index.ts'
import { Records } from './records.ts'

/** The names of the fields of a key. */
type KeyFields = readonly [string, ...string[]]

/** The keys of which no two records have the same values. */
export class UniqueFields {
  private readonly records: Records
  private readonly keys: { readonly fields: KeyFields; readonly index: RecordIndex }[] = []

  constructor(records: Records) {
    this.records = records
  }

  /** Adds a key. Throws Conflict when two records have the same values already. */
  add(fields: KeyFields): void {
    // Callers find records by the first field. Many may share it, so that whether a key is free needs an index of its own.
    this.records.addFieldIndex(fields[0])
    this.keys.push({ fields, index: this.records.addIndex((record) => toKeyText(fields, record)) })
    this.assertFree(this.records.getEntries().map((entry) => [entry, entry.record]))
  }

  /** Checks records, by id, that are to replace all others. Throws as `assertFree` does. */
  assertDistinct(records: ReadonlyMap<string, Stored>): void {
    if (this.keys.length === 0) return

    const others = new Records([])

    for (const [id, record] of records) others.set(id, record)
    for (const { fields } of this.keys) new UniqueFields(others).add(fields)
  }

  /**
   * Checks records before they are stored, each with the entry that it replaces, if any. Throws Conflict for values that
   * another record has, BadRequest for one that no path can have.
   */
  assertFree(changes: readonly (readonly [Entry | undefined, Stored])[]): void {
    for (const { fields, index } of this.keys) {
      const seen = new Set<string>()

      for (const [entry, record] of changes) {
        if (!hasKey(fields, record)) continue

        for (const field of fields) assertScalar(field, record[field])

        const text = toKeyText(fields, record) as string
        const isTaken = index.find([text]).some((found) => [...found].some((other) => other !== entry))

        if (isTaken || seen.has(text)) throw toConflict(fields)

        seen.add(text)
      }
    }
  }
}

/** As in SQL: where a value is missing, nothing is the same. */
function hasKey(fields: KeyFields, record: Stored): boolean {
  return fields.every((field) => isGiven(record[field]))
}

/** All values of a key as one string, which no two records have; `undefined` where the record has no key. */
function toKeyText(fields: KeyFields, record: Stored): string | undefined {
  // Records that were there before the key may have an object in its fields, until they are refused.
  if (!hasKey(fields, record) || fields.some((field) => isComposite(record[field]))) return undefined

  return JSON.stringify(fields.map((field) => toText(record[field])))
}

/** The same for a number and its digits, as in paths. The text of a date lacks its milliseconds. */
function toText(value: unknown): string {
  return String(value instanceof Date ? toTimeKey(value) : value)
}

/** As in SQL it has no values: fields may be hidden. */
function toConflict(key: KeyFields): Conflict {
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
