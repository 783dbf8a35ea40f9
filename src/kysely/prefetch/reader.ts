// A page reads related rows in its own statement.
import { type AliasedRawBuilder, sql, WithSchemaPlugin } from 'kysely'
import type { Prefetch, PrefetchRequest, SetAdapter } from '../../query/related.ts'
import { hasCode } from '../../utils/check.ts'
import { copyWith } from '../../utils/object.ts'
import { findDatabase, type RelatedSelection } from '../databases.ts'
import type { Fragment, StoredRow, Table } from '../dialect.ts'
import { toFreeNames } from '../field.ts'
import { openTable, type TableHandle } from '../table-handle.ts'
import { isRounded, type Origin, Prefetched, PrefetchedRows, toSortKey, type ValueRow } from './rows.ts'
import { type Related, toRelatedSelection } from './selection.ts'

/** How many rows are read for one record of a page. More are read by themselves, in parts. */
const MAX_ROWS = 1000

/** Further columns of the statement of a page. */
export interface PrefetchReader {
  readonly selections: readonly AliasedRawBuilder<unknown, string>[]
  /** Takes what these columns have. */
  take(rows: readonly StoredRow[]): void
}

/**
 * Prepares the statement of a page to read related rows: those that an index finds, and that JSON leaves as they are.
 * `undefined` where each relation is read by itself.
 */
export async function openPrefetch(
  { requests, max }: Prefetch,
  page: Origin,
  handle: TableHandle,
  params: object | undefined,
  limit: number | undefined
): Promise<PrefetchReader | undefined> {
  // Other plugins may change statements, or rows.
  const isPlain = page.source.getExecutor().plugins.every((plugin) => plugin instanceof WithSchemaPlugin)
  const { dialect, columns } = handle.table

  if (!limit || !dialect.json || !isPlain || columns.has('__proto__')) return undefined

  const lists = [...requests.values()].filter(({ isCount }) => !isCount).length
  // One more than there may be, which shows that there are too many.
  const size = Math.min(MAX_ROWS, Math.floor(max / (limit * lists))) + 1
  const caller = copyWith(params, { adapter: undefined, paginate: undefined, query: undefined })
  const parts: Part[] = []

  for (const request of requests.values()) {
    const { service, next } = request
    const related = await openRelated(service, page, handle, caller)
    const led = related && next && (await openRelated(next.service, page, handle, caller))
    const part = related && toPart(request, handle, [related, led], size)

    if (part) parts.push(part)
  }

  return parts.length > 0 ? toReader(parts, handle.table) : undefined
}

/** An adapter, which may be one of tables. */
interface RelatedAdapter extends SetAdapter {
  /** Where a call reads. */
  _locate?(params: object): Origin
}

/** Opens the table of a related service, if its calls read where the page is read. */
async function openRelated(
  service: RelatedAdapter,
  { source, transaction }: Origin,
  { db }: TableHandle,
  params: object
): Promise<Related | undefined> {
  const origin = service._locate?.(params)

  if (origin?.source !== source || origin.transaction !== transaction) return undefined

  try {
    return { origin, table: (await openTable(source, db, origin)).table }
  } catch (error) {
    // A call for these records says so.
    if (hasCode(error, 'ALULA_MISSING_TABLE')) return undefined

    throw error
  }
}

/** A relation in the statement of a page. */
interface Part {
  readonly request: PrefetchRequest
  readonly selection: Fragment
  /** Gives the request what calls get of what was read for each of some values; nothing where that is not everything. */
  readonly keep: (values: readonly unknown[], read: readonly unknown[]) => void
}

/** Prepares a relation; `undefined` where it is read by itself. */
function toPart(
  request: PrefetchRequest,
  page: TableHandle,
  [related, next]: readonly [Related, Related | undefined],
  size: number
): Part | undefined {
  const { to, isCount, list } = request
  const { origin } = related
  const { hasNext, parts } = getSelection(request, page, related, next)
  const [head, tail] = parts
  const limit = list?.limit ?? Number.POSITIVE_INFINITY

  // A record of the page may have one related record, and so two are too many.
  if (head === undefined || (!isCount && size <= 2)) return undefined

  return {
    request,
    selection:
      tail === undefined ? sql.raw(head) : sql`${sql.raw(head)}${Math.min(size, limit)}${sql.raw(tail)}`,
    keep(values, read) {
      if (isCount) {
        request.rows = new Prefetched(origin, to, toMap(values, read.map(Number)))
        return
      }

      const lists = parseLists(tail === undefined ? read.map(toListText) : read)

      // The last one of a list that is full may not be its last, unless no more are asked for.
      if (!lists || (limit > size && lists.some(({ length }) => length >= size))) return

      const { table } = related
      const byValue = toMap(values, lists)

      request.rows = new PrefetchedRows(origin, to, { table, byValue, sort: list?.sort })
      if (hasNext) keepNext(request.next as PrefetchRequest, next as Related, table, lists)
    }
  }
}

function getSelection(
  request: PrefetchRequest,
  page: TableHandle,
  related: Related,
  next: Related | undefined
): RelatedSelection {
  const { from, to, isCount, list } = request
  const { source, name, id } = related.origin
  const { selections } = findDatabase(page.db).getInstance(source)
  const order = list && [id, toSortKey(list.sort)]
  const led = next && [next.origin.name, request.next?.from, request.next?.to]
  const key = JSON.stringify([page.name, name, from, to, isCount, order, led])
  const selection = selections.get(key) ?? toRelatedSelection(request, page.table, related, next)

  selections.set(key, selection)

  return selection
}

/** Gives a request the rows that others lead to: their values follow. */
function keepNext(
  request: PrefetchRequest,
  { origin, table }: Related,
  from: Table,
  lists: readonly (readonly ValueRow[])[]
): void {
  const start = from.columns.size
  const index = [...from.columns.keys()].indexOf(request.from)
  const key = start + [...table.columns.keys()].indexOf(request.to)
  const read = from.readers.get(request.from)
  const byValue = new Map<unknown, readonly ValueRow[]>()

  for (const rows of lists) {
    for (const row of rows) {
      const value = read ? read(row[index]) : row[index]

      if (!isRounded(value) && !byValue.has(value)) byValue.set(value, row[key] === null ? [] : [row])
    }
  }

  request.rows = new PrefetchedRows(origin, request.to, { table, byValue, start })
}

function toMap<Value>(keys: readonly unknown[], values: readonly Value[]): ReadonlyMap<unknown, Value> {
  return new Map(keys.map((key, index) => [key, values[index] as Value]))
}

/** The text of a list with the one row that there is. */
function toListText(row: unknown): unknown {
  return typeof row === 'string' && row !== '' ? `[${row}]` : row
}

/** Parses lists of rows, all at once, because that is quicker; `undefined` where one of them is not all of it. */
function parseLists(read: readonly unknown[]): readonly (readonly ValueRow[])[] | undefined {
  const text = `[${read.map((list) => list ?? '[]').join()}]`
  const isText = read.every((list) => list === null || (typeof list === 'string' && list !== ''))

  // Some drivers cut strings at NUL, which is here in full.
  return isText && !text.includes('\\u0000') ? JSON.parse(text) : undefined
}

function toReader(parts: readonly Part[], table: Table): PrefetchReader {
  const names = toFreeNames(table, parts.length, '_prefetch')

  return {
    selections: parts.map(({ selection }, index) => selection.as(names[index] as string)),
    take(rows) {
      const columns = new Map<string, ReadonlyMap<unknown, StoredRow>>()

      for (const [index, { request, keep }] of parts.entries()) {
        const { from } = request
        const byValue = columns.get(from) ?? groupByValue(rows, from, table)

        columns.set(from, byValue)
        keep(
          [...byValue.keys()],
          [...byValue.values()].map((row) => row[names[index] as string])
        )
      }
    }
  }
}

/** The different values of a column of a page, each with a row that has it. Others than its type says are left out. */
function groupByValue(
  rows: readonly StoredRow[],
  column: string,
  { columns, readers }: Table
): ReadonlyMap<unknown, StoredRow> {
  const type = columns.get(column)?.kind === 'integer' ? 'number' : 'string'
  const read = readers.get(column)
  const byValue = new Map<unknown, StoredRow>()

  for (const row of rows) {
    const value = read ? read(row[column]) : row[column]

    if (typeof value === type && !isRounded(value)) byValue.set(value, row)
  }

  return byValue
}
