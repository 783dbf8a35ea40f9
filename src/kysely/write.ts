import { sql } from 'kysely'
import type { Id } from '../core/types.ts'
import { atomically } from './atomic.ts'
import type { Fragment, StoredRow } from './dialect.ts'
import { toColumn } from './field.ts'
import { toOperand, toStored } from './kinds.ts'
import { allOf, NEVER } from './logic.ts'
import { countRecords, hasId, selectRows, toSeveral } from './read.ts'
import { read, type TableHandle, write } from './table-handle.ts'

/** A row to be: what is stored by the names of the columns. */
export type Row = Map<string, unknown>

/** Which records a statement concerns: those that match, or the one of them that has an id. */
export interface Target {
  readonly id: Id | null
  readonly where: Fragment
}

/**
 * Converts data into what is stored. What is `undefined` was not given; what the database computes is left to it.
 *
 * @throws BadRequest that names a field that is no column, or whose value has another type
 */
export function toRow(data: object, { table, id }: TableHandle): Row {
  const row: Row = new Map()

  for (const [name, value] of Object.entries(data)) {
    const column = toColumn(name, table)

    if (value === undefined || name === id || column.isComputed) continue

    row.set(name, toStored(column, value, table))
  }

  return row
}

/** A row in which every field that was not given is what it is without: null, or the default where it cannot be null. */
export function toWholeRow(data: object, handle: TableHandle): Row {
  const row = toRow(data, handle)

  for (const column of handle.table.columns.values()) {
    // What the call has named the record by stays, unless the data has another value.
    if ([handle.id, handle.by].includes(column.name) || column.isComputed || row.has(column.name)) continue

    row.set(
      column.name,
      column.isNullable || column.fallback === undefined ? null : handle.table.dialect.toDefault(column)
    )
  }

  return row
}

/** Changes the records that match, in one statement or one transaction. Returns their rows. */
export async function changeRows(handle: TableHandle, target: Target, row: Row): Promise<StoredRow[]> {
  const { db, table } = handle
  const where = toTargetCondition(target, handle)

  if (where === NEVER) return []
  if (row.size === 0) return await read(handle, selectRows(handle).where(where))

  const changes = table.statements.update.set(Object.fromEntries(row))

  if (table.returning.update) return await write(handle, changes.where(where))

  return await atomically(db, async (transaction) => {
    const current = { ...handle, db: transaction }
    const rows = await lockRows(current, where)

    if (rows.length === 0) return []

    const isLocked = isOneOf(rows, current)

    await write(current, changes.where(isLocked))

    return await read(current, selectRows(current).where(isLocked))
  })
}

/** Removes the records that match, in one statement or one transaction. Returns their rows. */
export async function removeRows(handle: TableHandle, target: Target): Promise<StoredRow[]> {
  const { db, table } = handle
  const where = toTargetCondition(target, handle)

  if (where === NEVER) return []
  if (table.returning.delete) return await write(handle, table.statements.delete.where(where))

  return await atomically(db, async (transaction) => {
    const current = { ...handle, db: transaction }
    const rows = await lockRows(current, where)

    if (rows.length > 0) await write(current, table.statements.delete.where(isOneOf(rows, current)))

    return rows
  })
}

/** The database may allow two records with one value of a column that is not the id: then none is changed. */
function toTargetCondition({ id, where }: Target, handle: TableHandle): Fragment {
  if (id === null) return where

  const condition = allOf([hasId(id, handle), where])

  if (handle.by === undefined || condition === NEVER) return condition

  return allOf([condition, sql`(${handle.table.statements.count.where(condition)}) = 1`])
}

/**
 * Says why no record was changed, where that is because several have the value which stands in place of an id.
 *
 * @throws Conflict for several
 */
export async function assertNotSeveral(handle: TableHandle, { id, where }: Target): Promise<void> {
  if (id === null || handle.by === undefined) return
  if ((await countRecords(handle, allOf([hasId(id, handle), where]))) > 1) throw toSeveral(id, handle)
}

/** The rows that match, kept from others until the transaction ends. */
async function lockRows(handle: TableHandle, where: Fragment): Promise<StoredRow[]> {
  return await read(handle, selectRows(handle).where(where).forUpdate())
}

/** The condition to be one of some rows. */
function isOneOf(rows: readonly StoredRow[], handle: TableHandle): Fragment {
  return hasOneOf(
    rows.map((row) => row[handle.id]),
    handle
  )
}

/** The condition to have one of some ids, as they are stored or were read. */
export function hasOneOf(ids: readonly unknown[], { id, table }: TableHandle): Fragment {
  const column = toColumn(id, table)
  const values = ids.map((value) =>
    column.kind === 'integer' ? table.dialect.bind({ column, path: [] }, toOperand(column, value)) : value
  )

  return sql`${column.reference} in (${sql.join(values)})`
}
