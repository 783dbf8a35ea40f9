// A page reads related rows in its own statement: for each relation a column, with a number or with rows as JSON.
import { type AliasedRawBuilder, sql, WithSchemaPlugin } from 'kysely'
import type { Along, AlongRequest, Found } from '../query/along.ts'
import type { ParsedQuery } from '../query/ast.ts'
import type { SetAdapter } from '../query/record-set.ts'
import { hasCode } from '../utils/check.ts'
import { setOwn } from '../utils/object.ts'
import { findDatabase } from './databases.ts'
import type { Fragment, JsonRows, StoredRow, Table } from './dialect.ts'
import { FoundBy, type Origin } from './found.ts'
import { sortById } from './order.ts'
import { type AlongReader, toRecord } from './read.ts'
import { KyselySet } from './set.ts'
import type { Column } from './table.ts'
import type { TableHandle } from './table-handle.ts'

/** How many arguments functions of PostgreSQL have at most. */
const MAX_VALUES = 100

/** What the tables of a relation are called in the statement. */
const RELATED = 'alula_related'
const LINK = 'alula_link'

/** Rows that were read along with a page: for each value by their ids. */
class FoundRows extends FoundBy<Map<unknown, StoredRow>> {
  readonly table: Table
  /** The names of the columns that were read. */
  readonly columns: readonly string[]
  private readonly id: string

  constructor(origin: Origin, column: string, table: Table, columns: readonly string[]) {
    super(origin, column)
    this.table = table
    this.columns = columns
    this.id = origin.id
  }

  /** Adds a row for a value, of the values of its columns. A join may have none, or the same one twice. */
  add(value: unknown, values: readonly unknown[]): StoredRow {
    const rows = this.open(value)
    const row: StoredRow = {}

    for (const [index, name] of this.columns.entries()) setOwn(row, name, values[index])
    if (row[this.id] !== null) rows.set(row[this.id], row)

    return row
  }

  /** The rows for a value, of which there may be none. */
  open(value: unknown): Map<unknown, StoredRow> {
    const rows = this.byValue.get(value) ?? new Map()

    this.byValue.set(value, rows)

    return rows
  }
}

/**
 * The records that a call asks for, where they were read along with a page.
 *
 * @param found What was read
 * @param origin Where the call would read
 * @param query What it would read
 * @returns `undefined` where it asks for anything else
 */
export function toKnownRecords<Result>(
  found: object,
  origin: Origin,
  { where, sort, skip, limit, select }: ParsedQuery
): Result[] | undefined {
  if (!(found instanceof FoundRows) || sort.length > 0 || skip > 0) return undefined
  if (where.kind !== 'compare' || where.operator !== 'in' || where.path.length > 1) return undefined

  const { table, columns } = found
  const names = select ?? [...table.columns.keys()]
  const values = [...new Set(where.value as readonly unknown[])]
  const isRead = names.every((name) => columns.includes(name))
  const groups = isRead ? found.find(origin, where.path[0] as string, values) : undefined

  if (!groups) return undefined

  const rows = groups.flatMap((group) => [...group.values()])
  const records = rows.map(toRecord<StoredRow>({ table, id: origin.id }, select))

  return sortById(records, table, origin.id).slice(0, limit) as Result[]
}

/**
 * Prepares the statement of a page to read related rows along with it: those that an index finds, and that JSON leaves as
 * they are.
 *
 * @param along What is asked for
 * @param page Where the page is read
 * @param handle The table of the page
 * @param params The params of the call
 * @param limit How many records the page has at most
 * @returns `undefined` where each relation is read by itself
 */
export async function openAlong(
  { requests, max }: Along,
  page: Origin,
  handle: TableHandle,
  params: object | undefined,
  limit: number | undefined
): Promise<AlongReader | undefined> {
  // Other plugins may change statements, or rows.
  const isPlain = page.source.getExecutor().plugins.every((plugin) => plugin instanceof WithSchemaPlugin)

  if (!limit || !handle.table.dialect.json || !isPlain) return undefined

  const lists = [...requests.values()].filter(({ isCount }) => !isCount).length
  // One more than there may be, which shows that there are too many.
  const size = Math.floor(max / (limit * lists)) + 1
  const parts: Part[] = []

  for (const request of requests.values()) {
    const { service, through } = request
    const related = await openRelated(service, page, handle, params)
    const links = through && (await openRelated(through.service, page, handle, params))

    if (related && (!through || links))
      parts.push(...toParts(request, { page: handle, related, links, size }))
  }

  return new PageReader(parts, handle.table)
}

/** A related table, and where calls of its service read it. */
interface Related {
  readonly origin: KyselySet
  readonly table: Table
}

/** The tables of a relation. */
interface Tables {
  readonly page: TableHandle
  readonly related: Related
  readonly links: Related | undefined
  /** How many rows are read for each record of the page. */
  readonly size: number
}

/** Opens the table of a related service, if its calls read where the page is read. */
async function openRelated(
  service: SetAdapter,
  { source, transaction }: Origin,
  { db }: TableHandle,
  params: object | undefined
): Promise<Related | undefined> {
  const origin = service.asSet({ ...params, adapter: undefined, paginate: false, query: {} })

  if (!(origin instanceof KyselySet) || origin.source !== source || origin.transaction !== transaction) {
    return undefined
  }

  try {
    return { origin, table: await origin.getTable(db) }
  } catch (error) {
    // A call for these records says so.
    if (hasCode(error, 'ALULA_MISSING_TABLE')) return undefined

    throw error
  }
}

/** A relation in the statement of a page. */
interface Part {
  readonly request: AlongRequest
  readonly selection: Fragment
  readonly found: Found
  /** Takes what was read for a value; `false` where that is not everything, or JSON has changed it. */
  readonly add: (value: unknown, read: unknown) => boolean
}

/** Prepares a relation; none where it is read by itself. */
function toParts(request: AlongRequest, tables: Tables): readonly Part[] {
  const { page, related, links, size } = tables
  const { from, to, through, isCount } = request
  const { along } = findDatabase(page.db).getInstance(related.origin.source)
  const names = [page.name, related.origin.name, links?.origin.name]
  const key = JSON.stringify([...names, from, to, through?.from, through?.to, isCount])
  const statement = along.get(key) ?? toStatement(request, tables)

  along.set(key, statement)
  if (statement === '') return []
  if (isCount) return [toCountPart(request, related, statement)]

  // A record of the page may have one related record, and so two are too many.
  return size > 2 ? [toListPart(request, tables, statement)] : []
}

function toCountPart(request: AlongRequest, { origin }: Related, statement: string): Part {
  const records = new FoundBy<number>(origin, request.to)

  return {
    request,
    selection: sql.raw(`(${statement})`),
    found: { records },
    add(value, read) {
      records.byValue.set(value, Number(read))

      return true
    }
  }
}

function toListPart(request: AlongRequest, tables: Tables, statement: string): Part {
  const { related, links: between, size } = tables
  const { to, through } = request
  const records = new FoundRows(related.origin, to, related.table, [...related.table.columns.keys()])
  const links =
    through &&
    between &&
    new FoundRows(between.origin, through.from, between.table, toLinkNames(tables, request))
  const readKey = toKeyReader((between ?? related).table, through?.to ?? to)
  const isLimited = hasLimit(request, tables)

  return {
    request,
    selection: isLimited ? sql`(${sql.raw(statement)}${size}) as alula_rows)` : sql.raw(`(${statement})`),
    found: { records, ...(links && { links }) },
    add(value, read) {
      const text = read ?? '[]'

      // NUL stands for what JSON cannot hold.
      if (typeof text !== 'string' || text.includes('\\u0000')) return false

      const rows: readonly (readonly unknown[])[] = JSON.parse(text)

      if (isLimited && rows.length === size) return false

      const target = links ?? records

      target.open(value)
      for (const row of rows) {
        const first = target.add(value, row)
        const key = links && readKey(first)

        if (key !== undefined) records.add(key, row.slice(links?.columns.length))
      }

      return true
    }
  }
}

/** Whether a record may lead to more rows than are read for it. */
function hasLimit({ to, through }: AlongRequest, { related }: Tables): boolean {
  return through !== undefined || to !== related.origin.id
}

/** The columns of a row that links: its id, and both values. */
function toLinkNames({ links }: Tables, { through }: AlongRequest): readonly string[] {
  return links && through ? [...new Set([links.origin.id, through.from, through.to])] : []
}

/**
 * The part of a statement that reads the rows for a record of the page, up to the number of rows where that is limited.
 * It is text that is made once.
 *
 * @returns An empty string where the rows have to be read by themselves
 */
function toStatement(request: AlongRequest, tables: Tables): string {
  const { page, related, links } = tables
  const { from, to, through, isCount } = request
  const outer = toPlaced(page.table.name, page.table.columns.get(from))
  const target = toPlaced(RELATED, related.table.columns.get(to))
  const near = toPlaced(LINK, links?.table.columns.get(through?.from ?? ''))
  const far = toPlaced(LINK, links?.table.columns.get(through?.to ?? ''))

  if (!(through ? finds(near, outer) && finds(target, far) : finds(target, outer))) return ''

  const rows = sql`${sql.table(related.origin.name)} as ${sql.id(RELATED)}`
  const source = links
    ? sql`${sql.table(links.origin.name)} as ${sql.id(LINK)} left join ${rows} on ${target?.reference} = ${far?.reference} where ${near?.reference}`
    : sql`${rows} where ${target?.reference}`
  const matching = sql`from ${source} = ${outer?.reference}`
  const toText = (statement: Fragment) => statement.compile(related.origin.source).sql

  if (isCount) return toText(sql`select count(*) ${matching}`)

  const json = page.table.dialect.json as JsonRows
  const columns = [
    ...toLinkNames(tables, request).map((name) => toPlaced(LINK, links?.table.columns.get(name))),
    ...[...related.table.columns.values()].map((column) => toPlaced(RELATED, column))
  ]
  const values = columns.map((column) => column && json.toValue(column))

  if (!values.every((value) => value !== undefined) || values.length > MAX_VALUES) return ''
  if (!hasLimit(request, tables)) return toText(sql`select ${json.toList(values)} ${matching}`)

  const names = values.map((_, index) => sql.id(`value${index}`))
  const named = values.map((value, index) => sql`${value} as ${names[index]}`)

  return toText(sql`select ${json.toList(names)} from (select ${sql.join(named)} ${matching} limit `)
}

/** A column of one of several tables. */
function toPlaced(table: string, column: Column | undefined): Column | undefined {
  return column && { ...column, reference: sql.id(table, column.name) }
}

/** Whether an index finds rows by the value of another column, and both columns compare alike. */
function finds(inner: Column | undefined, outer: Column | undefined): boolean {
  if (!inner?.isIndexed || inner.kind !== outer?.kind) return false
  if (inner.kind === 'integer') return true
  if (inner.kind !== 'text' && inner.kind !== 'uuid') return false

  return inner.type === outer.type && inner.collation === outer.collation && inner.isExact && outer.isExact
}

/** Reads the value by which rows find each other; `undefined` for one that their column usually does not hold. */
function toKeyReader({ columns, readers }: Table, name: string): (row: StoredRow) => unknown {
  const type = columns.get(name)?.kind === 'integer' ? 'number' : 'string'
  const [, read] = readers.find(([column]) => column === name) ?? []

  return ({ [name]: value }) => {
    const key = read ? read(value) : value

    return typeof key === type ? key : undefined
  }
}

/** Further columns of the statement of a page. */
class PageReader implements AlongReader {
  readonly selections: readonly AliasedRawBuilder<unknown, string>[]
  private readonly parts: readonly Part[]
  private readonly table: Table

  constructor(parts: readonly Part[], table: Table) {
    this.parts = parts
    this.table = table
    this.selections = parts.map(({ selection }, index) => selection.as(toName(index)))
  }

  take(rows: readonly StoredRow[], records: readonly StoredRow[]): void {
    for (const [index, { request, found, add }] of this.parts.entries()) {
      const readKey = toKeyReader(this.table, request.from)
      const known = new Set<unknown>()
      const isComplete = rows.every((row) => {
        const key = readKey(row)

        if (key === undefined || known.has(key)) return true

        known.add(key)

        return add(key, row[toName(index)])
      })

      if (isComplete) request.found = found
    }

    // From the last one on: an object that loses its last property stays as fast as it was.
    for (const record of records) {
      for (let index = this.parts.length - 1; index >= 0; index--) delete record[toName(index)]
    }
  }
}

function toName(index: number): string {
  return `alula_along_${index}`
}
