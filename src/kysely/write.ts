import { sql } from 'kysely'
import type { Id } from '../core/types.ts'
import { atomically } from './atomic.ts'
import type { Fragment, StoredRow } from './dialect.ts'
import { toColumn } from './field.ts'
import { toOperand, toStored } from './kinds.ts'
import { allOf, NEVER } from './logic.ts'
import { countRecords, hasId, selectRows, toSeveral } from './read.ts'
import { read, type Session, write } from './session.ts'

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
export function toRow(data: object, { table, id }: Session): Row {
  const row: Row = new Map()

  for (const [name, value] of Object.entries(data)) {
    const column = toColumn(name, table)

    if (value === undefined || name === id || column.isComputed) continue

    row.set(name, toStored(column, value, table))
  }

  return row
}

/** A row in which every field that was not given is what it is without: null, or the default where it cannot be null. */
export function toWholeRow(data: object, session: Session): Row {
  const row = toRow(data, session)

  for (const column of session.table.columns.values()) {
    // What the call has named the record by stays, unless the data has another value.
    if ([session.id, session.by].includes(column.name) || column.isComputed || row.has(column.name)) continue

    row.set(
      column.name,
      column.isNullable || column.fallback === undefined ? null : session.table.dialect.toDefault(column)
    )
  }

  return row
}

/** Changes the records that match, in one statement or one transaction. Returns their rows. */
export async function changeRows(session: Session, target: Target, row: Row): Promise<StoredRow[]> {
  const { db, table } = session
  const where = toTargetCondition(target, session)

  if (where === NEVER) return []
  if (row.size === 0) return await read(session, selectRows(session).where(where))

  const changes = table.statements.update.set(Object.fromEntries(row))

  if (table.returning.update) return await write(session, changes.where(where))

  return await atomically(db, async (transaction) => {
    const current = { ...session, db: transaction }
    const rows = await lockRows(current, where)

    if (rows.length === 0) return []

    const isLocked = isOneOf(rows, current)

    await write(current, changes.where(isLocked))

    return await read(current, selectRows(current).where(isLocked))
  })
}

/** Removes the records that match, in one statement or one transaction. Returns their rows. */
export async function removeRows(session: Session, target: Target): Promise<StoredRow[]> {
  const { db, table } = session
  const where = toTargetCondition(target, session)

  if (where === NEVER) return []
  if (table.returning.delete) return await write(session, table.statements.delete.where(where))

  return await atomically(db, async (transaction) => {
    const current = { ...session, db: transaction }
    const rows = await lockRows(current, where)

    if (rows.length > 0) await write(current, table.statements.delete.where(isOneOf(rows, current)))

    return rows
  })
}

/** The database may allow two records with one value of a column that is not the id: then none is changed. */
function toTargetCondition({ id, where }: Target, session: Session): Fragment {
  if (id === null) return where

  const condition = allOf([hasId(id, session), where])

  if (session.by === undefined || condition === NEVER) return condition

  return allOf([condition, sql`(${session.table.statements.count.where(condition)}) = 1`])
}

/**
 * Says why no record was changed, where that is because several have the value which stands in place of an id.
 *
 * @throws Conflict for several
 */
export async function assertNotSeveral(session: Session, { id, where }: Target): Promise<void> {
  if (id === null || session.by === undefined) return
  if ((await countRecords(session, allOf([hasId(id, session), where]))) > 1) throw toSeveral(id, session)
}

/** The rows that match, kept from others until the transaction ends. */
async function lockRows(session: Session, where: Fragment): Promise<StoredRow[]> {
  return await read(session, selectRows(session).where(where).forUpdate())
}

/** The condition to be one of some rows. */
function isOneOf(rows: readonly StoredRow[], session: Session): Fragment {
  return hasOneOf(
    rows.map((row) => row[session.id]),
    session
  )
}

/** The condition to have one of some ids, as they are stored or were read. */
export function hasOneOf(ids: readonly unknown[], { id, table }: Session): Fragment {
  const column = toColumn(id, table)
  const values = ids.map((value) =>
    column.kind === 'integer' ? table.dialect.bind({ column, path: [] }, toOperand(column, value)) : value
  )

  return sql`${column.reference} in (${sql.join(values)})`
}
