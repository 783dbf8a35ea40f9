import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { findPlace, type TableHandle } from './table-handle.ts'

/**
 * Says why a table does not keep two records with the same values of a key apart; `undefined` where it does, and for a view,
 * which has no indexes.
 */
export async function findKeyFault(
  Model: AnyKysely,
  { db, name, table }: TableHandle,
  key: readonly string[]
): Promise<Error | undefined> {
  const missing = key.find((field) => !table.columns.has(field))

  if (missing !== undefined) {
    return createError(
      'ALULA_MISSING_TABLE',
      `The table '${table.name}' has no column '${missing}', which the option 'upsert' names`
    )
  }
  if (table.isView || key.some((field) => table.columns.get(field)?.isUnique)) return undefined

  const place = findPlace(Model, name)
  const indexes = await table.dialect.readUniqueKeys?.(db.withoutPlugins(), place)

  // An index on fewer columns tells more records apart.
  if (!indexes || indexes.some((columns) => columns.every((column) => key.includes(column)))) return undefined

  return createError(
    'ALULA_KEY_NOT_UNIQUE',
    `The table '${table.name}' has no unique index on ${key.map((field) => `'${field}'`).join(' and ')}, by which 'upsert' finds a record: two calls at the same time could create it twice. Add one`
  )
}
