import { BadRequest, Conflict } from '../errors.ts'
import { describeValue } from '../query/operators.ts'
import { isComposite } from '../utils/object.ts'
import type { Entry, Stored } from './field-index.ts'
import type { Records } from './records.ts'

/** The fields in which no two records have the same value. */
export class UniqueFields {
  private readonly records: Records
  private readonly fields = new Set<string>()

  constructor(records: Records) {
    this.records = records
  }

  /**
   * Adds a field.
   *
   * @param field The name of the field
   * @param idField The name of the field by which records are stored
   * @throws Conflict when two records have the same value already
   */
  add(field: string, idField: string): void {
    this.fields.add(field)
    this.records.addIndex(field)
    this.assertFree(
      this.records.getEntries().map((entry) => [entry, entry.record]),
      idField
    )
  }

  /**
   * Checks records before they are stored.
   *
   * @param changes The records, each with the entry that it replaces, if any
   * @param idField The name of the field by which records are stored
   * @throws Conflict for a value that another record has, BadRequest for one that no path can have
   */
  assertFree(changes: readonly (readonly [Entry | undefined, Stored])[], idField: string): void {
    for (const field of this.fields) {
      const seen = new Set<string>()

      for (const [entry, record] of changes) {
        const value = record[field]

        if (!isGiven(value)) continue

        assertScalar(field, value)

        const isTaken = this.records.findBy(field, value, idField).some((other) => other !== entry)

        if (isTaken || seen.has(String(value))) {
          throw new Conflict(`A record whose '${field}' is '${value}' exists already`, {
            errors: { [field]: 'is taken' }
          })
        }

        seen.add(String(value))
      }
    }
  }
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
