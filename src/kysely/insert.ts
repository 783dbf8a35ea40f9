import type { Compilable } from 'kysely'
import { BadRequest } from '../errors.ts'
import { atomically } from './atomic.ts'
import type { StoredRow } from './dialect.ts'
import { isTaken, requestsCollided } from './errors.ts'
import { toColumn } from './field.ts'
import { hasOneOf, isUnique, lockRows, withoutRows } from './locked-rows.ts'
import { selectRows } from './read.ts'
import { type Row, toValues } from './row.ts'
import type { Column } from './table.ts'
import { read, type TableHandle, write } from './table-handle.ts'

/** How many values each of several statements has at most. */
const BATCH_VALUES = 30_000

/** How often a sequence is moved past ids that were chosen. */
const ATTEMPTS = 10

/** Inserts rows, all of them or none, and returns them as they are stored, in the same order. */
export async function insertRows(handle: TableHandle, rows: readonly Row[]): Promise<readonly StoredRow[]> {
  const zero = rows.find((row) => isTakenForNone(row, handle))

  if (zero) return await insertZero(handle, rows, zero)

  // First those whose ids are chosen, so that ids that are counted skip them.
  const chosen = rows.filter((row) => row.has(handle.id))
  const counted = rows.filter((row) => !row.has(handle.id))
  const batches = [...toBatches(chosen, handle), ...toBatches(counted, handle)]
  const [batch] = batches

  if (!batch) return []
  if (batches.length === 1 && isOneStatement(handle, batch)) return await insertBatch(handle, batch)

  return await atomically(handle.db, async (db) => {
    const inserted = new Map<Row, StoredRow>()

    for (const part of batches) {
      const stored = await insertBatch({ ...handle, db }, part)

      for (const [index, row] of part.entries()) inserted.set(row, stored[index] as StoredRow)
    }

    return rows.map((row) => inserted.get(row) as StoredRow)
  })
}

/** An id that the database takes for none, and numbers. */
function isTakenForNone(row: Row, { id, table }: TableHandle): boolean {
  return table.dialect.numbersZero === true && row.get(id) === 0 && toColumn(id, table).isAutoIncrement
}

/** Gives a row the id 0 when it is there. */
async function insertZero(
  handle: TableHandle,
  rows: readonly Row[],
  zero: Row
): Promise<readonly StoredRow[]> {
  const { name, id } = handle
  const counted = new Map(zero)

  counted.delete(id)

  return await atomically(handle.db, async (db) => {
    const inserted = await insertRows(
      { ...handle, db },
      rows.map((row) => (row === zero ? counted : row))
    )
    const index = rows.indexOf(zero)
    const row = inserted[index] as StoredRow

    await db
      .updateTable(name)
      .set({ [id]: 0 })
      .where(hasOneOf([row[id]], handle))
      .execute()

    return inserted.with(index, { ...row, [id]: 0 })
  })
}

/** Whether a statement inserts all of some rows or none. One that leaves out a row is undone. */
function isOneStatement({ table }: TableHandle, rows: readonly Row[]): boolean {
  return table.returning.insert && (rows.length === 1 || !table.mayLeaveOut)
}

/** Whether a row that was inserted is the only one with its id, or comes back by itself. */
function isFoundById({ table, id }: TableHandle): boolean {
  const column = toColumn(id, table)

  return table.returning.insert || column.isAutoIncrement || isUnique(column)
}

/** As many rows for each statement as it can have values. */
function toBatches(rows: readonly Row[], handle: TableHandle): Row[][] {
  const { columns, dialect } = handle.table
  const length = Math.floor(Math.min(BATCH_VALUES, dialect.maxValues) / columns.size)
  const size = isFoundById(handle) ? Math.max(1, length) : 1
  const batches: Row[][] = []

  for (let start = 0; start < rows.length; start += size) batches.push(rows.slice(start, start + size))

  return batches
}

/** A sequence does not know the ids that were chosen: when it comes upon one, it is moved past it. */
async function insertBatch(handle: TableHandle, rows: readonly Row[]): Promise<readonly StoredRow[]> {
  const { db, name, table, id } = handle
  const column = toColumn(id, table)
  const attempts = rows[0]?.has(id) || column.sequence === undefined ? 1 : ATTEMPTS

  for (let attempt = 1; ; attempt++) {
    try {
      return await insert(handle, rows)
    } catch (error) {
      if (attempt === attempts || !isTaken(error, id, table)) throw error

      await table.dialect.skipTakenIds?.(db, name, column)
    }
  }
}

async function insert(handle: TableHandle, rows: readonly Row[]): Promise<readonly StoredRow[]> {
  const { table, id } = handle
  const [first, ...others] = rows
  const names = new Set(first?.keys())

  for (const row of others) for (const column of row.keys()) names.add(column)

  const columns = [...(names.size > 0 ? names : [id])].map((column) => toColumn(column, table))
  const values = rows.map((row) => toValues(withDefaults(row, columns, handle)))
  const statement = table.statements.insert.values(values)

  if (!table.returning.insert) {
    return isFoundById(handle)
      ? await insertAndRead(handle, rows, statement)
      : await insertAndFind(handle, first as Row, statement)
  }

  // Where a row has no value, the default is part of the statement.
  const listNames = () =>
    rows.flatMap((row) => columns.filter(({ name }) => row.has(name)).map(({ name }) => name))

  const inserted = await write(handle, statement, listNames)

  if (inserted.length < rows.length) throw notStored()

  return inserted
}

/** A trigger may leave a row out without an error, or give it an id by which it is not found. */
function notStored(): BadRequest {
  return new BadRequest('Invalid data: the database has not stored the record')
}

/** A row with a value for each of some columns. */
function withDefaults(row: Row, columns: readonly Column[], { table }: TableHandle): Row {
  if (row.size === columns.length) return row

  return new Map(
    columns.map((column) => [
      column.name,
      row.has(column.name) ? row.get(column.name) : table.dialect.toDefault(column)
    ])
  )
}

/** Inserts rows, and reads what is stored by their ids. */
async function insertAndRead(
  handle: TableHandle,
  rows: readonly Row[],
  statement: Compilable
): Promise<readonly StoredRow[]> {
  const { db, id, table } = handle

  await write(handle, statement)

  const numbered = rows[0]?.has(id) ? [] : ((await table.dialect.readInsertedIds?.(db, rows.length)) ?? [])
  const ids = rows.map((row, index) => (row.has(id) ? row.get(id) : numbered[index]))
  const stored = await read(handle, selectRows(handle).where(hasOneOf(ids, handle)))
  const byId = new Map(stored.map((row) => [toKey(row[id]), row]))

  return ids.map((key) => {
    // A single row is found however the database writes its id.
    const row = byId.get(toKey(key)) ?? (ids.length === 1 ? stored[0] : undefined)

    // A trigger may give another id.
    if (!row) throw notStored()

    return row
  })
}

/** The string of an id; different bytes may have the same one in UTF-8. */
function toKey(id: unknown): string {
  return id instanceof Uint8Array ? Buffer.from(id).toString('base64') : String(id)
}

/** The same where several rows may have an id: what is new among those that have it is the row. */
async function insertAndFind(
  handle: TableHandle,
  row: Row,
  statement: Compilable
): Promise<readonly StoredRow[]> {
  const { id, table } = handle

  if (!row.has(id)) {
    const counter = [...table.columns.values()].find(({ isAutoIncrement }) => isAutoIncrement)

    if (counter) return await insertAndRead({ ...handle, id: counter.name }, [row], statement)

    throw new BadRequest(`Invalid data: '${id}' is required`, { errors: { [id]: 'is required' } })
  }

  const sharesId = hasOneOf([row.get(id)], handle)
  const others = await lockRows(handle, sharesId)

  await write(handle, statement)

  const found = withoutRows(await lockRows(handle, sharesId), others)

  if (found.length === 0 && table.isView) throw notStored()
  if (found.length !== 1) throw requestsCollided()

  return found
}
