import type { HookContext } from '../core/types.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { mapAll } from '../utils/promise.ts'
import { type Computed, isQueryName } from './declaration.ts'
import { makeRecordsOwn } from './plain-records.ts'

/** Fields by name. */
export type ComputedFields = readonly (readonly [name: string, computed: Computed])[]

/**
 * Checks the names of computed fields: others mean something else in queries, and an id has to stay what it is. Throws
 * TypeError for any other name.
 */
export function assertComputed(computed: object, id: string): void {
  for (const name of Object.keys(computed)) {
    if (!isQueryName(name)) {
      throw createTypeError(
        'ALULA_INVALID_SCHEMA',
        `The computed field '${name}' of schema() needs a name without dots, and without $ in front`
      )
    }
    if (name === id) {
      throw createTypeError(
        'ALULA_CONFLICTING_FIELD',
        `The computed field '${name}' of schema() has the name of the id of its service: choose another name`
      )
    }
  }
}

/**
 * Puts computed fields into the records of a result, all records at once. Throws an Error when a function returns another
 * number of values than there are records.
 */
export async function addComputed(context: HookContext, fields: ComputedFields): Promise<void> {
  const records = fields.length > 0 ? makeRecordsOwn(context) : []

  if (records.length === 0) return

  const values = await mapAll<ComputedFields[number], unknown>(fields, ([, { many }]) =>
    many(records, context)
  )

  for (const [index, [name]] of fields.entries()) {
    const made = values[index]

    if (!Array.isArray(made) || made.length !== records.length) {
      throw createError(
        'ALULA_INVALID_RETURN_VALUE',
        `The computed field '${name}' of '${context.path}' needs one value for each record, in an array`
      )
    }

    for (const [position, record] of records.entries()) record[name] = made[position]
  }
}
