import { sql } from 'kysely'
import type { Field, Fragment, Table, Typed } from './dialect.ts'
import { isStorableText } from './values.ts'

const NULL_TEXT = sql`cast(null as char)`
const NULL_NUMBER = sql`cast(null as decimal)`

/** A path that leads nowhere. PostgreSQL has to be told of which type null is. */
export const NOWHERE: Typed = {
  isNull: sql`true`,
  string: NULL_TEXT,
  number: NULL_NUMBER,
  boolean: NULL_TEXT,
  order: [NULL_NUMBER]
}

/** Finds a value in JSON, or in a column without a type. */
export function toTyped(field: Field, table: Table): Typed {
  return field.path.every(isStorableText) ? table.dialect.toTyped(field, table) : NOWHERE
}

/** Names that cannot be written in a path. */
const UNQUOTABLE = /["\\]/

/**
 * A path as SQLite and MySQL write it.
 *
 * @returns `undefined` for one that cannot be written
 */
export function toJsonPath({ path }: Field): string | undefined {
  return path.some((name) => UNQUOTABLE.test(name))
    ? undefined
    : `$${path.map((name) => `."${name}"`).join('')}`
}

/**
 * Numbers types of JSON, so that a `$sort` puts numbers before strings, those before booleans, arrays and objects.
 *
 * @param type The name of the type
 * @param names The names of numbers, strings, booleans, arrays and objects
 */
export function toRank(type: Fragment, names: readonly (readonly string[])[]): Fragment {
  const cases = names.flatMap((alike, index) =>
    alike.map((name) => sql`when ${sql.lit(name)} then ${sql.lit(index + 1)}`)
  )

  return sql`case ${type} ${sql.join(cases, sql` `)} else 0 end`
}
