import { sql } from 'kysely'
import type { Field, Fragment, Table, Typed } from './dialect.ts'
import { ALWAYS } from './logic.ts'
import { isStorableText } from './values.ts'

const NULL_TEXT = sql`cast(null as char)`
const NULL_NUMBER = sql`cast(null as decimal)`

/** A path that leads nowhere. PostgreSQL has to be told of which type null is. */
export const NOWHERE: Typed = {
  isNull: ALWAYS,
  string: NULL_TEXT,
  number: NULL_NUMBER,
  boolean: NULL_TEXT,
  order: [NULL_NUMBER]
}

/** Finds a value in JSON, or in a column without a type. */
export function toTyped(field: Field, table: Table): Typed {
  if (field.typed) return field.typed

  return isReachable(field) ? table.dialect.toTyped(field, table) : NOWHERE
}

/** Whether a database takes the names on the way to a value. */
export function isReachable({ path }: Field): boolean {
  return path.every(isStorableText)
}

/** Names that cannot be written in a path. */
const UNQUOTABLE = /["\\]/

/** A path as SQLite and MySQL write it; `undefined` for one that cannot be written. */
export function toJsonPath({ path }: Field): string | undefined {
  return path.some((name) => UNQUOTABLE.test(name))
    ? undefined
    : `$${path.map((name) => `."${name}"`).join('')}`
}

/** How a database calls null, and the types in the order in which a `$sort` has them: objects are the last. */
export type TypeNames = readonly [
  none: string,
  numbers: readonly string[],
  strings: readonly string[],
  booleans: readonly string[],
  arrays: readonly string[],
  objects: readonly string[]
]

/**
 * A value in JSON, by the name of its type: `values` has it as each type, and `collation` orders strings by their code points.
 */
export function fromType(
  type: Fragment,
  [none, ...names]: TypeNames,
  values: Pick<Typed, 'string' | 'number' | 'boolean'>,
  collation: Fragment
): Typed {
  const [numbers, strings, booleans] = names
  const toCase = (alike: readonly string[], value: Fragment) =>
    sql`(case when ${type} in (${sql.join(alike.map(sql.lit))}) then ${value} end)`
  const string = sql`${toCase(strings, values.string)} collate ${collation}`
  const number = toCase(numbers, values.number)
  const boolean = toCase(booleans, values.boolean)
  const ranks = names.flatMap((alike, index) =>
    alike.map((name) => sql`when ${sql.lit(name)} then ${sql.lit(index + 1)}`)
  )
  const rank = sql`case ${type} ${sql.join(ranks, sql` `)} else 0 end`

  return {
    isNull: sql`coalesce(${type}, ${sql.lit(none)}) = ${sql.lit(none)}`,
    string,
    number,
    boolean,
    order: [rank, number, string, boolean]
  }
}
