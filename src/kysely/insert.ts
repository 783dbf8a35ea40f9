import { type Compilable, sql } from 'kysely'
import { BadRequest } from '../errors.ts'
import { atomically } from './atomic.ts'
import { isTaken } from './errors.ts'
import { toColumn, toReference } from './field.ts'
import { selectRows, toExactColumns } from './read.ts'
import { read, type Session, write } from './session.ts'
import type { Column } from './table.ts'
import { toStored } from './values.ts'
import { hasOneOf, type Row, toDefault, toRow } from './write.ts'

/** How many values each of several statements has: fewer than any database takes. */
const BATCH_VALUES = 30_000

/** How often the counter of PostgreSQL is moved on when it has come upon an id that somebody has chosen. */
const ATTEMPTS = 10

/**
 * Converts data into rows, each with the id that it is given. Where the database makes none, an id is made here.
 *
 * @throws BadRequest that names a field that is no column, or whose value has another type
 */
export function toNewRow(data: object, session: Session): Row {
  const { id, table } = session
  const row = toRow(data, session)
  const given = (data as any)[id]
  const column = toColumn(id, table)

  if (given !== undefined && given !== null && given !== '') {
    row.set(id, toStoredId(column, given, session))
  } else if (needsId(column, session)) {
    row.set(id, crypto.randomUUID())
  } else if (isNullByMistake(column, session)) {
    throw new BadRequest(`Invalid data: '${id}' must not be null`, { errors: { [id]: 'is required' } })
  }

  return row
}

/**
 * Converts an id that was given.
 *
 * @throws BadRequest for one that cannot be, and for one that would leave few to count, or none
 */
function toStoredId(column: Column, given: unknown, { table }: Session): unknown {
  const stored = toStored(column, column.kind === 'text' ? String(given) : given, table)

  if (column.countsOn && typeof stored === 'bigint') {
    const expectation = 'expects a number below 2^53'

    throw new BadRequest(`Invalid data: '${column.name}' ${expectation}`, {
      errors: { [column.name]: expectation }
    })
  }

  return stored
}

/** A primary key of SQLite can be null where it is no number of the row. */
function isNullByMistake({ isCounted, isComputed, fallback }: Column, { table }: Session): boolean {
  return table.dialect === 'sqlite' && !isCounted && !isComputed && fallback === undefined
}

/** Whether an id of this kind is made here: the database does not, or would not tell. */
function needsId({ kind, isCounted, fallback }: Column, { table }: Session): boolean {
  return (
    (kind === 'text' || kind === 'uuid') && !isCounted && (fallback === undefined || !table.returning.insert)
  )
}

/**
 * Inserts rows: all of them, or none.
 *
 * @returns The rows as they are stored, in the same order
 */
export async function insertRows(session: Session, rows: readonly Row[]): Promise<any[]> {
  const zero = rows.find((row) => isTakenForNone(row, session))

  if (zero) return await insertZero(session, rows, zero)

  // First those whose ids are chosen, so that ids that are counted skip them.
  const chosen = rows.filter((row) => row.has(session.id))
  const counted = rows.filter((row) => !row.has(session.id))
  const batches = [...toBatches(chosen, session), ...toBatches(counted, session)]
  const [batch] = batches

  if (!batch) return []
  if (batches.length === 1 && isOneStatement(session)) return await insertBatch(session, batch)

  return await atomically(session.db, async (db) => {
    const inserted = new Map<Row, any>()

    for (const part of batches) {
      const stored = await insertBatch({ ...session, db }, part)

      for (const [index, row] of part.entries()) inserted.set(row, stored[index])
    }

    return rows.map((row) => inserted.get(row))
  })
}

/** MySQL takes the id 0 for none, and counts. */
function isTakenForNone(row: Row, { id, table }: Session): boolean {
  return table.dialect === 'mysql' && row.get(id) === 0 && toColumn(id, table).isCounted
}

/** Gives a row the id 0 when it is there. */
async function insertZero(session: Session, rows: readonly Row[], zero: Row): Promise<any[]> {
  const { name, id } = session
  const counted = new Map(zero)

  counted.delete(id)

  return await atomically(session.db, async (db) => {
    const inserted = await insertRows(
      { ...session, db },
      rows.map((row) => (row === zero ? counted : row))
    )
    const index = rows.indexOf(zero)
    const row = inserted[index]

    await db
      .updateTable(name)
      .set({ [id]: 0 })
      .where(hasOneOf([row[id]], session))
      .execute()

    return inserted.with(index, { ...row, [id]: 0 })
  })
}

function isOneStatement({ table }: Session): boolean {
  return table.returning.insert
}

/** As many rows for each statement as it can have values. */
function toBatches(rows: readonly Row[], { table }: Session): Row[][] {
  const size = Math.max(1, Math.floor(BATCH_VALUES / table.columns.size))
  const batches: Row[][] = []

  for (let start = 0; start < rows.length; start += size) batches.push(rows.slice(start, start + size))

  return batches
}

async function insertBatch(session: Session, rows: readonly Row[]): Promise<any[]> {
  const sequence = rows[0]?.has(session.id) ? undefined : toColumn(session.id, session.table).sequence

  return sequence === undefined
    ? await insert(session, rows)
    : await insertCounted(session, rows, sequence, ATTEMPTS)
}

/** The counter of PostgreSQL knows nothing of the ids that somebody has chosen. */
async function insertCounted(
  session: Session,
  rows: readonly Row[],
  sequence: string,
  attempts: number
): Promise<any[]> {
  const { db, name, table, id } = session

  try {
    return await insert(session, rows)
  } catch (error) {
    if (attempts === 1 || !isTaken(error, id, table)) throw error

    const column = toReference(toColumn(id, table))
    const counter = sql.raw(sequence)

    // To the last of the ids that are taken in a row: however many they are, and however large others are.
    await db
      .selectFrom(`${name} as taken`)
      .select(sql`setval(${sequence}, min(taken.${column}))`.as('value'))
      .where(sql<boolean>`taken.${column} >= (select last_value from ${counter})`)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom(`${name} as next`)
              .select(sql`1`.as('one'))
              .where(sql<boolean>`next.${column} = taken.${column} + 1`)
          )
        )
      )
      .execute()

    return await insertCounted(session, rows, sequence, attempts - 1)
  }
}

async function insert(session: Session, rows: readonly Row[]): Promise<any[]> {
  const { db, name, table, id } = session
  const [first, ...others] = rows
  const names = new Set(first?.keys())

  for (const row of others) for (const column of row.keys()) names.add(column)

  const columns = [...(names.size > 0 ? names : [id])].map((column) => toColumn(column, table))
  const values = rows.map((row) => toValues(row, columns, session))
  const statement = db.insertInto(name).values(values)

  if (!table.returning.insert) return await insertAndRead(session, rows, statement)

  return await write(session, statement.returningAll().returning(toExactColumns(session)))
}

/** What a row has for each of some columns. */
function toValues(row: Row, columns: readonly Column[], session: Session): Record<string, unknown> {
  if (row.size === columns.length) return Object.fromEntries(row)

  return Object.fromEntries(
    columns.map((column) => [
      column.name,
      row.has(column.name) ? row.get(column.name) : toDefault(column, session)
    ])
  )
}

/** MySQL tells the first of the ids that it has counted; the others follow it. */
async function insertAndRead(session: Session, rows: readonly Row[], statement: Compilable): Promise<any[]> {
  const { id } = session

  await write(session, statement)

  const counted = rows[0]?.has(id) ? [] : await readCounted(session, rows.length)
  const ids = rows.map((row, index) => (row.has(id) ? row.get(id) : counted[index]))
  const stored = await read(session, selectRows(session).where(hasOneOf(ids, session)))
  const byId = new Map(stored.map((row) => [String(row[id]), row]))

  return ids.map((key) => byId.get(String(key)))
}

/** The driver has the first of them too, and may have rounded it. */
async function readCounted({ db }: Session, length: number): Promise<bigint[]> {
  const { rows } = await sql<{ first: string; step: number }>`
    select cast(last_insert_id() as char) as first, @@auto_increment_increment as step`.execute(db)
  const { first, step } = rows[0] as { first: string; step: number }

  return Array.from({ length }, (_, index) => BigInt(first) + BigInt(index) * BigInt(step))
}
