import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Id } from '../core/types.ts'
import { Conflict, NotFound } from '../errors.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { toSelection } from '../query/select.ts'
import { copyWith, getFirstName, setOwn } from '../utils/object.ts'
import type { Fragment, Statements, StoredRow, Table } from './dialect.ts'
import { toColumn } from './field.ts'
import { allOf, NEVER } from './logic.ts'
import type { PrefetchReader } from './prefetch/reader.ts'
import { read, type TableHandle } from './table-handle.ts'
import { toExpression } from './where.ts'

/** Reads the records that match, in an order, in the section of a query. */
export async function readRecords<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  order: readonly Fragment[],
  reader?: PrefetchReader
): Promise<Result[]> {
  if (query.limit === 0 || where === NEVER) return []

  const { selections = [] } = reader ?? {}
  const rows = await read(handle, selectSection(handle, query, where, order).select(selections))

  return toRecords<Result>(rows, handle, query, reader)
}

/**
 * Reads the same records together with the number of all that match. It is one statement, because one costs more than what
 * it counts; a second one only for a section after the last record.
 */
export async function readPage<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  order: readonly Fragment[],
  reader?: PrefetchReader
): Promise<{ total: number; data: Result[] }> {
  const { limit, skip } = query

  if (limit === 0 || where === NEVER) return { total: await countRecords(handle, where), data: [] }

  const { statements, totalName } = handle.table
  const total = sql`(${statements.count.where(where)})`.as(totalName)
  const { selections = [] } = reader ?? {}
  const rows = await read(handle, selectSection(handle, query, where, order).select([total, ...selections]))
  const [first] = rows

  // No row says how many there are.
  if (!first) return { total: skip === 0 ? 0 : await countRecords(handle, where), data: [] }

  const data = toRecords<Result>(rows, handle, query, reader)

  if (!reader) for (const record of data) delete (record as StoredRow)[totalName]

  return { total: Number(first[totalName]), data }
}

/**
 * Makes records of rows, with the related rows that `reader` has read with them. `hasFurther` says whether the rows have
 * columns that are not of the table.
 */
export function toRecords<Result>(
  rows: readonly StoredRow[],
  handle: TableHandle,
  { select }: ParsedQuery,
  reader: PrefetchReader | undefined,
  hasFurther = reader !== undefined
): Result[] {
  reader?.take(rows)

  // To take properties out again would take longer than to copy all others.
  return rows.map(toRecord<Result>(handle, select, hasFurther ? toColumnNames(select, handle) : undefined))
}

/** Selects the records that match, in an order, in the section of a query. */
export function selectSection(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  order: readonly Fragment[]
): Selection {
  const { limit, skip, select } = query
  const { db, name, table } = handle
  const isWhole = limit === undefined && skip === 0
  const inOrder = (rows: Selection) => order.reduce((builder, part) => builder.orderBy(part), rows)
  const cut = (rows: Selection) => {
    if (isWhole) return rows

    const limited = rows.limit(limit ?? (table.dialect.unlimited as RawBuilder<number>))

    return skip === 0 ? limited : limited.offset(skip)
  }

  // Rows in the order of their ids are not sorted.
  if (isWhole || order.length === 1 || !table.dialect.sortsWhatItSelects || table.losesNames) {
    return cut(inOrder(selectRows(handle, select).where(where)))
  }

  const section = cut(inOrder(db.selectFrom(name).selectAll().where(where)))

  // Columns are those of the table by its name without a schema.
  return inOrder(selectColumns(db.selectFrom(section.as(table.name)), handle, select))
}

type Selection = Statements['select']

/** Reads the record that has an id and matches. Throws NotFound when there is none. */
export async function readRecord<Result>(
  handle: TableHandle,
  id: Id,
  query: ParsedQuery,
  reader?: PrefetchReader
): Promise<Result> {
  const { where, select } = query
  const { selections = [] } = reader ?? {}
  const condition = allOf([hasId(id, handle), toExpression(where, handle.table)])

  assertSelection(select, handle)

  const [row, another] =
    condition === NEVER
      ? []
      : await read(handle, selectRows(handle, select).where(condition).select(selections).limit(2))

  if (row === undefined) throw toNotFound(id)
  if (another !== undefined) throw toSeveral(id, handle)

  return toRecords<Result>([row], handle, query, reader)[0] as Result
}

/** Counts the records that match. */
export async function countRecords(handle: TableHandle, where: Fragment): Promise<number> {
  if (where === NEVER) return 0

  const [row] = await read(handle, handle.table.statements.count.where(where))

  return Number(row?.count)
}

/** The condition that a record has this id, or this value in its place. An id in a URL is text. */
export function hasId(id: Id, { id: idColumn, by: name = idColumn, table }: TableHandle): Fragment {
  const isText = toColumn(name, table).kind === 'text'

  return toExpression(
    { kind: 'compare', path: [name], operator: 'eq', value: isText ? String(id) : id },
    table
  )
}

/**
 * Makes records of rows: with values as they were stored, and the fields that are selected. `columns` are those of a row that
 * belong to the record; all when left out.
 */
export function toRecord<Result>(
  { table, id }: TableHandle,
  select: readonly string[] | undefined,
  columns?: readonly string[]
): (row: StoredRow) => Result {
  const selection = toSelection(select, id)

  return (row) => {
    const record: StoredRow = columns ? pick(row, columns) : copyWith(row)

    for (const [name, read] of table.readers)
      if (Object.hasOwn(record, name)) record[name] = read(record[name])

    return selection(record)
  }
}

function pick(row: StoredRow, columns: readonly string[]): StoredRow {
  const picked: StoredRow = {}

  for (const name of columns) setOwn(picked, name, row[name])

  return picked
}

/** Refuses fields that there are not, by a BadRequest that names one. */
export function assertSelection(select: readonly string[] | undefined, { table }: TableHandle): void {
  for (const field of select ?? []) toColumn(toColumnName(field, table), table)
}

/** Says that there is no such record, or that it does not match. */
export function toNotFound(id: Id): NotFound {
  return new NotFound(`No record found for id '${id}'`)
}

/** Says that what names a record is the value of several. */
export function toSeveral(id: Id, { id: idColumn, by = idColumn }: TableHandle): Conflict {
  return new Conflict(`Several records have '${id}' as '${by}'`)
}

/** Selects whole rows of a table, or some of their columns. */
export function selectRows(handle: TableHandle, select?: readonly string[]): Selection {
  const { db, name, table } = handle

  return select ? selectColumns(db.selectFrom(name), handle, select) : table.statements.select
}

/** Adds what a call reads to a statement. */
function selectColumns(
  rows: SelectQueryBuilder<any, string, unknown>,
  handle: TableHandle,
  select: readonly string[] | undefined
): Selection {
  return rows.select(select ? toColumns(select, handle) : [handle.table.statements.columns])
}

function toColumns(select: readonly string[], handle: TableHandle) {
  const { table } = handle

  return toColumnNames(select, handle).map((name) => {
    const column = toColumn(name, table)

    return (table.dialect.toExact(column) ?? column.reference).as(name)
  })
}

/** The columns that fields are read from, that of the id among them; all of the table without a selection. */
function toColumnNames(select: readonly string[] | undefined, { table, id }: TableHandle): readonly string[] {
  return select
    ? [...new Set([...select, id].map((field) => toColumnName(field, table)))]
    : [...table.columns.keys()]
}

function toColumnName(field: string, { columns }: Table): string {
  return columns.has(field) ? field : getFirstName(field)
}
