import { sql } from 'kysely'
import { alone, atomically } from './atomic.ts'
import { type Fragment, toColumn, toReference } from './field.ts'
import { hasId } from './read.ts'
import type { Session, Target } from './session.ts'
import type { Column } from './table.ts'
import { toStored } from './values.ts'

/** A row to be: what is stored by the names of the columns. */
export type Row = Map<string, unknown>

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
    if (column.name === session.id || column.isComputed || row.has(column.name)) continue

    row.set(
      column.name,
      column.isNullable || column.fallback === undefined ? null : toDefault(column, session)
    )
  }

  return row
}

/** What a column is when it is not given. SQLite knows no word for it. */
export function toDefault({ fallback }: Column, { table: { dialect } }: Session): Fragment {
  if (dialect !== 'sqlite') return sql`default`

  return fallback === undefined ? sql`null` : sql.raw(`(${fallback})`)
}

/** Changes the records that match, in one statement or one transaction. Returns their rows. */
export async function changeRows(session: Session, target: Target, row: Row): Promise<any[]> {
  const { db, name, table } = session
  const where = toTargetCondition(session, target)

  if (row.size === 0) return await db.selectFrom(name).selectAll().where(where).execute()

  const values = Object.fromEntries(row)

  if (table.returning.update) {
    return await alone(db, table, (transaction) =>
      transaction.updateTable(name).set(values).where(where).returningAll().execute()
    )
  }

  return await atomically(db, async (transaction) => {
    const rows = await lockRows({ ...session, db: transaction }, where)

    if (rows.length === 0) return []

    const isLocked = isOneOf(session, rows)

    await transaction.updateTable(name).set(values).where(isLocked).execute()

    return await transaction.selectFrom(name).selectAll().where(isLocked).execute()
  })
}

/** Removes the records that match, in one statement or one transaction. Returns their rows. */
export async function removeRows(session: Session, target: Target): Promise<any[]> {
  const { db, name, table } = session
  const where = toTargetCondition(session, target)

  if (table.returning.delete) {
    const statement = db.deleteFrom(name).where(where).returningAll().compile()
    const { rows } = await alone(db, table, (transaction) => transaction.executeQuery(statement))

    return rows
  }

  return await atomically(db, async (transaction) => {
    const rows = await lockRows({ ...session, db: transaction }, where)

    if (rows.length > 0) await transaction.deleteFrom(name).where(isOneOf(session, rows)).execute()

    return rows
  })
}

function toTargetCondition(session: Session, { id, where }: Target): Fragment {
  return id === null ? where : sql`${hasId(id, session)} and ${where}`
}

/** The rows that match, kept from others until the transaction ends. */
async function lockRows({ db, name }: Session, where: Fragment): Promise<any[]> {
  return await db.selectFrom(name).selectAll().where(where).forUpdate().execute()
}

/** The condition to be one of some rows. */
function isOneOf({ id, table }: Session, rows: readonly any[]): Fragment {
  return sql`${toReference(toColumn(id, table))} in (${sql.join(rows.map((row) => row[id]))})`
}
