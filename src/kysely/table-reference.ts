import { sql } from 'kysely'
import type { Fragment, Place } from './dialect.ts'

/** A table in a fragment, with its schema where it has one. */
export function toTableReference({ schema, name }: Place): Fragment {
  return schema === undefined ? sql.id(name) : sql.id(schema, name)
}
