import { type Compilable, type CompiledQuery, sql } from 'kysely'
import { BadRequest, MethodNotAllowed } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import type { AnyKysely } from './any-kysely.ts'
import { asOneStatement, execute, onConnection } from './atomic.ts'
import { findDatabase } from './databases.ts'
import type { Dialect, Fragment, Place, Statements, StoredRow, Table } from './dialect.ts'
import { assertDriver, readSamples } from './driver-check.ts'
import { toValueError } from './errors.ts'
import { toFreeNames } from './field.ts'
import { toReaders } from './kinds.ts'
import { assertRowSecurity } from './settings.ts'
import type { Changes, TableDescription } from './table.ts'
import { toTableReference } from './table-reference.ts'

/** A table as one call uses it: where its statements run, and which columns name a record. */
export interface TableHandle {
  /** Where they run: a Kysely instance, or the transaction of the call. */
  readonly db: AnyKysely
  /** The name of the table, as it stands in statements. */
  readonly name: string
  readonly table: Table
  /** The name of the id column. */
  readonly id: string
  /** The column by which the call names its record, where it is another one. */
  readonly by?: string | undefined
}

/**
 * Opens a table for a call, which runs its statements with `db`: `Model`, or a transaction. Throws an Error with the code
 * `ALULA_MISSING_TABLE` when there is no such table, or no such column, and with `ALULA_ROW_SECURITY` where policies do not
 * hold.
 */
export function openTable(
  Model: AnyKysely,
  db: AnyKysely,
  options: TableOptions
): TableHandle | Promise<TableHandle> {
  const table = findOpened(Model, options)

  // Each call comes here: a promise of what is known would be made for nothing.
  return table ? toHandle(db, table, options) : openFirst(Model, db, options)
}

/** A table that calls have opened before, and whose policies hold where they have to. */
export function findOpened(Model: AnyKysely, { name, isGuarded }: TableOptions): Table | undefined {
  const database = findDatabase(Model)
  const table = database.getInstance(Model).tables.get(name)

  return table instanceof Promise || (isGuarded && table && !database.guarded.has(table)) ? undefined : table
}

interface TableOptions {
  readonly name: string
  readonly id: string
  readonly by?: string | undefined
  readonly isGuarded?: boolean
}

/** Checks once for each table that policies hold: a call may name one that set-up has not seen. */
async function openFirst(Model: AnyKysely, db: AnyKysely, options: TableOptions): Promise<TableHandle> {
  const { guarded } = findDatabase(Model)
  const table = await getTable(Model, db, options.name)

  if (options.isGuarded && !guarded.has(table)) {
    await assertRowSecurity(db, findPlace(Model, options.name))
    guarded.add(table)
  }

  return toHandle(db, table, options)
}

function toHandle(db: AnyKysely, table: Table, { name, id, by }: TableOptions): TableHandle {
  if (!table.columns.has(id)) {
    throw createError(
      'ALULA_MISSING_TABLE',
      `The table '${name}' has no column '${id}': set the option 'id' to the one that it has`
    )
  }
  if (by !== undefined && !table.columns.has(by)) {
    throw createError(
      'ALULA_MISSING_TABLE',
      `The table '${name}' has no column '${by}', which the option 'by' names`
    )
  }

  return { db, name, table, id, by }
}

/**
 * What a table is made of. It is read once for each Kysely instance; when that fails, it is tried again the next time. Throws
 * an Error with the code `ALULA_MISSING_TABLE` when there is no such table, and with `ALULA_UNSUPPORTED_DATABASE` for a driver
 * that returns other types than expected.
 */
export function getTable(Model: AnyKysely, db: AnyKysely, name: string): Table | Promise<Table> {
  const { tables } = findDatabase(Model).getInstance(Model)
  const table = tables.get(name)

  // What another call reads may wait for the connection that a transaction holds. So a transaction reads for itself.
  if (table && !(table instanceof Promise && db.isTransaction)) return table

  const reading = readTable(Model, db, name)

  tables.set(name, reading)
  reading.then(
    (read) => tables.set(name, read),
    () => tables.delete(name)
  )

  return reading
}

async function readTable(Model: AnyKysely, db: AnyKysely, name: string): Promise<Table> {
  const { dialect } = findDatabase(db)
  const place = findPlace(Model, name)
  const { description, key } = await onConnection(db, dialect, async (connection) => {
    const plain = connection.withoutPlugins()
    // First: with the wrong driver, a statement with values fails by an error that says nothing.
    const samples = await readSamples(plain, dialect)
    const read = await dialect.readTable(plain, place)

    assertDriver(samples, read)

    return { description: read, key: await readKey(plain, place, read) }
  })

  if (description.columns.size === 0)
    throw createError('ALULA_MISSING_TABLE', `The database has no table '${place.name}'`)

  const allColumns = listColumns(description, dialect, db)

  return copyWith(description, {
    dialect,
    reference: toTableReference(place),
    statements: toStatements(Model, name, description.returning, allColumns),
    totalName: toFreeNames(description, 1, 'total')[0] as string,
    key,
    readers: toReaders(description)
  })
}

async function readKey(
  db: AnyKysely,
  place: Place,
  { columns, isView }: TableDescription
): Promise<readonly string[]> {
  const single = [...columns.values()].find(({ isUnique, isNullable }) => isUnique && !isNullable)

  if (single) return [single.name]

  const keys = isView ? [] : await findDatabase(db).dialect.readUniqueKeys?.(db, place)

  return keys?.find((names) => names.every((name) => columns.get(name)?.isNullable === false)) ?? []
}

function toStatements(
  db: AnyKysely,
  name: string,
  { insert, update, delete: remove }: TableDescription['returning'],
  allColumns: any
): Statements {
  const inserting = db.insertInto(name)
  const updating = db.updateTable(name)
  const deleting = db.deleteFrom(name)

  return {
    columns: allColumns,
    select: db.selectFrom(name).select(allColumns),
    count: db.selectFrom(name).select(sql`count(*)`.as('count')),
    insert: insert ? inserting.returning(allColumns) : inserting,
    update: update ? updating.returning(allColumns) : updating,
    delete: remove ? deleting.returning(allColumns) : deleting
  }
}

/**
 * All columns, for `select` and `returning`, so that drivers round none of their numbers. It is text that is made once,
 * because a statement of SQLite is shorter than the time it takes to build and to parse it.
 */
function listColumns({ columns }: TableDescription, dialect: Dialect, db: AnyKysely): Fragment {
  const exact = [...columns.values()].map((column) => ({ column, value: dialect.toExact(column) }))

  if (exact.every(({ value }) => value === undefined)) return sql.raw('*')

  const list = exact.map(({ column: { name, reference }, value }) =>
    value ? sql`${value} as ${sql.id(name)}` : reference
  )

  return sql.raw(sql.join(list).compile(db.withoutPlugins()).sql)
}

/** Where a table is, as the plugins of a Kysely instance have it, `withSchema` among them. */
export function findPlace(Model: AnyKysely, name: string): Place {
  const { schema, identifier } = (Model.selectFrom(name).selectAll().compile().query as any).from.froms[0]
    .table

  return { schema: schema?.name, name: identifier.name }
}

/** Checks that a table takes a change. Throws MethodNotAllowed for a view that does not. */
export function assertTakes({ table }: TableHandle, change: keyof Changes): void {
  if (table.takes?.[change] ?? true) return

  throw new MethodNotAllowed(
    `Records of this view cannot be ${CHANGED[change]}: the database makes them of others`
  )
}

const CHANGED = { insert: 'created', update: 'changed', delete: 'removed' } as const

/** Runs a statement that reads, and returns its rows. Throws BadRequest for more values than the database takes. */
export async function read({ db, table }: TableHandle, builder: Compilable): Promise<StoredRow[]> {
  const statement = toStatement(builder, table)
  const { rows } = await execute(db, table.dialect, statement)

  return rows
}

/**
 * Runs a statement that changes records, or does nothing when it fails. Returns its rows. Throws BadRequest for more values
 * than the database takes, and for one that a column cannot hold: `listNames` lists the columns of its first values, in their
 * order, for the message.
 */
export async function write(
  { db, table }: TableHandle,
  builder: Compilable,
  listNames?: () => readonly string[]
): Promise<StoredRow[]> {
  const statement = toStatement(builder, table)

  try {
    const { rows } = await asOneStatement(db, table.dialect, () => execute(db, table.dialect, statement))

    return rows
  } catch (error) {
    throw toValueError(error, table, listNames?.() ?? [])
  }
}

/** The same for a statement that returns no rows. Returns how many it has changed. */
export async function countChanges({ db, table }: TableHandle, builder: Compilable): Promise<number> {
  const { numAffectedRows } = await execute(db, table.dialect, toStatement(builder, table))

  return Number(numAffectedRows)
}

function toStatement(builder: Compilable, { dialect }: Table): CompiledQuery<StoredRow> {
  const statement = builder.compile()

  if (statement.parameters.length > dialect.maxValues) {
    throw new BadRequest(`Invalid query: expected at most ${dialect.maxValues} values`)
  }

  return statement
}
