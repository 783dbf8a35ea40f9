import { describe } from '../query/operators.ts'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import type { Dialect } from './dialect.ts'
import type { Kind, TableDescription } from './table.ts'

/** What the driver has to return for a kind of column. Of other kinds several types are understood. */
interface Expectation {
  readonly type: string
  readonly isMet: (value: unknown) => boolean
}

const EXPECTATIONS: { readonly [kind in Kind]?: Expectation } = {
  bytes: {
    type: 'bytes',
    isMet: (value) => value instanceof Uint8Array || value instanceof ArrayBuffer
  },
  text: { type: 'a string', isMet: (value) => typeof value === 'string' }
}

/**
 * Checks that the driver returns values as the adapter reads them: with settings of their own drivers return others, and
 * records would be wrong without an error.
 *
 * @throws Error that names the first column that would be wrong
 */
export async function assertDriver(
  db: AnyKysely,
  { samples }: Dialect,
  { name: table, columns }: TableDescription
): Promise<void> {
  const { rows } = await samples.execute(db)

  for (const { name, kind, type } of columns.values()) {
    const expectation = EXPECTATIONS[kind]
    const sample = rows[0]?.[kind]

    if (!expectation || expectation.isMet(sample)) continue

    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      `The driver returns ${describe(sample)} for the column '${name}' of table '${table}', which has the type ${type}: expected ${expectation.type}. Remove the type parser, or the option of the driver, that converts this type`
    )
  }
}
