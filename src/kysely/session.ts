import type { Kysely } from 'kysely'
import type { Id } from '../core/types.ts'
import { readTable } from './catalog.ts'
import type { Fragment } from './field.ts'
import type { Table } from './table.ts'

/** What the statements of one call have in common. */
export interface Session {
  /** Where they run: a Kysely instance, or the transaction of the call. */
  readonly db: Kysely<any>
  /** The name of the table, as it stands in statements. */
  readonly name: string
  readonly table: Table
  /** The name of the id column. */
  readonly id: string
}

/** Which records a statement concerns. */
export interface Target {
  readonly id: Id | null
  readonly where: Fragment
}

const tables = new WeakMap<Kysely<any>, Map<string, Table | Promise<Table>>>()

/**
 * What a table is made of. It is read once for each Kysely instance; when that fails, it is tried again the next time.
 *
 * @param Model The Kysely instance that is configured
 * @param db Where to ask: the same, or the transaction of the call
 * @param name The name of the table
 */
export function getTable(Model: Kysely<any>, db: Kysely<any>, name: string): Table | Promise<Table> {
  const known = tables.get(Model) ?? new Map<string, Table | Promise<Table>>()
  const table = known.get(name)

  // What another call reads may wait for the very connection that a transaction holds: that one reads for itself.
  if (table && !(table instanceof Promise && db.isTransaction)) return table

  const reading = readTable(db, Model.selectFrom(name).selectAll())

  tables.set(Model, known.set(name, reading))
  reading.then(
    (read) => known.set(name, read),
    () => known.delete(name)
  )

  return reading
}
