import { describeValue } from '../query/operators.ts'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import type { Dialect, StoredRow } from './dialect.ts'
import { isBytes } from './kinds.ts'
import type { TableDescription } from './table.ts'

/**
 * Selects a value of each kind that drivers return in one way only. Throws for a driver without rows: Kysely reads none from a
 * `DatabaseSync` of `node:sqlite`.
 */
export async function readSamples(db: AnyKysely, { name, samples }: Dialect): Promise<StoredRow> {
  const { rows } = await samples.execute(db)

  if (rows[0]) return rows[0]

  throw createError(
    'ALULA_UNSUPPORTED_DATABASE',
    `The driver of ${name} returns no rows: expected one with the API of 'better-sqlite3'. For 'node:sqlite', give SqliteDialect the database nodeSqlite(path) of 'alula/kysely'`
  )
}

/**
 * Checks that the driver returns strings and bytes as the adapter reads them: with settings of their own drivers return others,
 * and records would be wrong without an error. Of other kinds the adapter reads several types. Throws an Error that names the
 * first column that would be wrong.
 */
export function assertDriver(samples: StoredRow, { name: table, columns }: TableDescription): void {
  for (const { name, kind, type } of columns.values()) {
    const sample = samples[kind]
    const isWrong = kind === 'text' ? typeof sample !== 'string' : kind === 'bytes' && !isBytes(sample)

    if (!isWrong) continue

    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      `The driver returns ${describeValue(sample)} for the column '${name}' of table '${table}', which has the type ${type}: expected ${kind === 'text' ? 'a string' : 'bytes'}. Remove the type parser, or the option of the driver, that converts this type`
    )
  }
}
