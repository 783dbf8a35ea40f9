import { hasCode } from '../utils/check.ts'
import type { TableHandle } from './table-handle.ts'

/** Says at the start why calls will fail: what a developer has to fix. A database that is away may come back. */
export function warnOfUnusable(error: Error, path: string | undefined): void {
  const message = `The service '${path}' cannot be used: ${error.message}`

  if (hasCode(error, 'ALULA_MISSING_TABLE')) process.emitWarning(message, { code: 'ALULA_MISSING_TABLE' })
  if (hasCode(error, 'ALULA_UNSUPPORTED_DATABASE')) {
    process.emitWarning(message, { code: 'ALULA_UNSUPPORTED_DATABASE' })
  }
  if (hasCode(error, 'ALULA_KEY_NOT_UNIQUE')) {
    process.emitWarning(`'upsert' of the service '${path}' cannot be used: ${error.message}`, {
      code: 'ALULA_KEY_NOT_UNIQUE'
    })
  }
}

/** Warns of columns for ids that have no unique index. Views have none. */
export function warnOfIds({ table, id, by = id }: TableHandle, path: string | undefined): void {
  const names = [...new Set([id, by])].filter((name) => !table.columns.get(name)?.isUnique)

  if (table.isView || names.length === 0) return

  process.emitWarning(
    `The service '${path}' finds records by ${names.map((name) => `'${name}'`).join(' and ')}, for which the table '${table.name}' has no unique index: where several records have the value of a call, it is a 409. Make the column the primary key or add a unique index, or set the option 'id' to a column that has one`,
    { code: 'ALULA_ID_NOT_UNIQUE' }
  )
}

/** Warns of indexes that no statement of a service uses. */
export function warnOfIndexes(
  { table: { name, unusedIndexes = [] } }: TableHandle,
  path: string | undefined
): void {
  for (const { index, column, expression } of unusedIndexes) {
    process.emitWarning(
      `The index '${index}' of the table '${name}' serves no query and no $sort by '${column}' of the service '${path}', which compare ${expression}, because a column of SQLite may hold several forms of a time. Create the index with ${expression} in place of the column`,
      { code: 'ALULA_UNUSED_INDEX' }
    )
  }
}
