import type { Compilable } from 'kysely'
import type { Id } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { atomically } from './atomic.ts'
import type { Fragment, StoredRow } from './dialect.ts'
import { requestsCollided } from './errors.ts'
import { toColumn } from './field.ts'
import { hasOneOf, isUnique, lockRows, withoutRows } from './locked-rows.ts'
import { allOf, NEVER } from './logic.ts'
import { hasId, selectRows, toSeveral } from './read.ts'
import { type Row, toValues } from './row.ts'
import { countChanges, read, type TableHandle, write } from './table-handle.ts'

/** Which records a statement concerns: those that match, or the one of them that has an id. */
export interface Target {
  readonly id: Id | null
  readonly where: Fragment
}

/**
 * Changes the records that match, in one statement or one transaction. Returns their rows. Throws Conflict where several rows
 * match a call for one record; then none is changed.
 */
export async function changeRows(
  handle: TableHandle,
  target: Target,
  row: Row
): Promise<readonly StoredRow[]> {
  const { db, table } = handle
  const where = toTargetCondition(target, handle)

  if (where === NEVER) return []
  if (row.size === 0) return assertOne(await read(handle, selectRows(handle).where(where)), target, handle)

  const changes = table.statements.update.set(toValues(row))

  const listNames = () => [...row.keys()]

  if (table.returning.update) return await writeTarget(handle, target, changes.where(where), listNames)

  return await atomically(db, async (transaction) => {
    const current = { ...handle, db: transaction }
    const locked = await lockTarget(current, target, where)

    if (locked.rows.length === 0) return []

    await write(current, changes.where(locked.condition), listNames)

    const changed = withoutRows(await lockRows(current, locked.sharesId), locked.others)

    if (table.isView && changed.length < locked.rows.length) {
      throw new BadRequest('Invalid data: the record would not be in its view any more')
    }
    // Rows that came between the lock and the change.
    if (changed.length !== locked.rows.length) throw requestsCollided()

    return changed
  })
}

/**
 * Removes the records that match, in one statement or one transaction. Returns their rows. Throws Conflict where several rows
 * match a call for one record; then none is removed.
 */
export async function removeRows(handle: TableHandle, target: Target): Promise<readonly StoredRow[]> {
  const { db, table } = handle
  const where = toTargetCondition(target, handle)
  const mayBeSeveral = target.id !== null && mayNameSeveral(handle)

  if (where === NEVER) return []
  // Where a change has to lock its rows first, so has a removal that may concern several: MySQL has tables without a rollback.
  if (table.returning.delete && (table.returning.update || !mayBeSeveral)) {
    return await writeTarget(handle, target, table.statements.delete.where(where))
  }

  return await atomically(db, async (transaction) => {
    const current = { ...handle, db: transaction }
    const { rows, condition, sharesId, others } = await lockTarget(current, target, where)

    if (rows.length === 0) return []

    const removed = await countChanges(current, current.db.deleteFrom(current.name).where(condition))

    if (removed > rows.length) throw requestsCollided()
    if (!table.isView) return rows

    // Its trigger may leave out some, and the database may count none.
    return withoutRows(rows, withoutRows(await lockRows(current, sharesId), others))
  })
}

function toTargetCondition({ id, where }: Target, handle: TableHandle): Fragment {
  return id === null ? where : allOf([hasId(id, handle), where])
}

/** Runs a statement that returns the rows that it changes. It is undone where a call for one record has changed several. */
async function writeTarget(
  handle: TableHandle,
  target: Target,
  statement: Compilable,
  listNames?: () => readonly string[]
): Promise<StoredRow[]> {
  if (target.id === null || !mayNameSeveral(handle)) return await write(handle, statement, listNames)

  return await atomically(handle.db, async (db) =>
    assertOne(await write({ ...handle, db }, statement, listNames), target, handle)
  )
}

/** Whether several rows may have the value by which a call names its record. */
function mayNameSeveral({ table, id, by = id }: TableHandle): boolean {
  return !isUnique(toColumn(by, table))
}

/** Checks that a call for one record concerns no more. Throws Conflict for several. */
function assertOne(rows: StoredRow[], { id }: Target, handle: TableHandle): StoredRow[] {
  if (id !== null && rows.length > 1) throw toSeveral(id, handle)

  return rows
}

/**
 * Locks the rows that match: `condition` is that to be one of them, `sharesId` that to have an id of theirs, as `others` do. An id
 * that several rows have does not say which of them.
 */
async function lockTarget(handle: TableHandle, target: Target, where: Fragment) {
  const rows = assertOne(await lockRows(handle, where), target, handle)
  const sharesId = hasOneOf(
    rows.map((row) => row[handle.id]),
    handle
  )

  if (rows.length === 0 || isUnique(toColumn(handle.id, handle.table))) {
    return { rows, sharesId, condition: sharesId, others: [] }
  }

  const others = withoutRows(await lockRows(handle, sharesId), rows)

  return { rows, sharesId, condition: allOf([sharesId, where]), others }
}
