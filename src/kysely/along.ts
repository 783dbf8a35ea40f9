// A page reads related rows in its own statement.
import { type AliasedRawBuilder, sql, WithSchemaPlugin } from 'kysely'
import type { Along, AlongRequest, Found } from '../query/along.ts'
import type { SetAdapter } from '../query/record-set.ts'
import { hasCode } from '../utils/check.ts'
import { FoundRows, isRounded } from './along-rows.ts'
import { type Related, type Tables, toText } from './along-sql.ts'
import { findDatabase } from './databases.ts'
import type { Fragment, StoredRow, Table } from './dialect.ts'
import { FoundBy, type Origin } from './found.ts'
import type { AlongReader } from './read.ts'
import { KyselySet } from './set.ts'
import type { TableHandle } from './table-handle.ts'

type Through = NonNullable<AlongRequest['through']>

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
  const { dialect, columns } = handle.table

  if (!limit || !dialect.json || !isPlain || columns.has('__proto__')) return undefined

  const lists = [...requests.values()].filter(({ isCount }) => !isCount).length
  // One more than there may be, which shows that there are too many.
  const size = Math.floor(max / (limit * lists)) + 1
  const caller = { ...params, adapter: undefined, paginate: undefined, query: undefined }
  const parts: Part[] = []

  for (const request of requests.values()) {
    const { service, through } = request
    const related = await openRelated(service, page, handle, caller)
    const links = through && (await openRelated(through.service, page, handle, caller))

    if (related && (!through || links))
      parts.push(...toParts(request, { page: handle, related, links, size }))
  }

  return new PageReader(parts, handle.table)
}

/** Opens the table of a related service, if its calls read where the page is read. */
async function openRelated(
  service: SetAdapter,
  { source, transaction }: Origin,
  { db }: TableHandle,
  params: object
): Promise<Related | undefined> {
  const origin = service.asSet(params)

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
  /** Takes what was read for each of some values; `false` where it is not everything. */
  readonly take: (values: readonly unknown[], read: readonly unknown[]) => boolean
}

/** Prepares a relation; none where it is read by itself. */
function toParts(request: AlongRequest, tables: Tables): readonly Part[] {
  const { page, related, links, size } = tables
  const { from, to, through, isCount } = request
  const { along } = findDatabase(page.db).getInstance(related.origin.source)
  const names = [page.name, related.origin.name, links?.origin.name]
  const key = [...names, from, to, through?.from, through?.to, isCount].join('\0')
  const parts = along.get(key) ?? toText(request, tables)

  along.set(key, parts)
  if (parts.length === 0) return []
  if (isCount) return [toCountPart(request, related, parts)]

  // A record of the page may have one related record, and so two are too many.
  return size > 2 ? [toListPart(request, tables, parts)] : []
}

function toCountPart(request: AlongRequest, { origin }: Related, [text]: readonly string[]): Part {
  const records = new FoundBy<number>(origin, request.to)

  return {
    request,
    selection: sql.raw(text as string),
    found: { records },
    take(values, read) {
      for (const [index, value] of values.entries()) records.byValue.set(value, Number(read[index]))

      return true
    }
  }
}

function toListPart(request: AlongRequest, tables: Tables, [head = '', tail]: readonly string[]): Part {
  const { related, links: between, size } = tables
  const { to, through } = request
  const columns = new Map([...related.table.columns.keys()].map((name, index) => [name, index]))
  const records = new FoundRows(related.origin, to, related.table, columns)
  const links = through && between && new FoundBy<readonly unknown[]>(between.origin, through.from)
  const readKey = toKeyReader(related.table, to)
  const keyIndex = columns.get(to) as number
  const isSingle = tail === undefined

  return {
    request,
    selection: isSingle ? sql.raw(head) : sql`${sql.raw(head)}${size}${sql.raw(tail)}`,
    found: links && through ? { records, listLinks: toLinkLister(links, through) } : { records },
    take(values, read) {
      if (read.includes('')) return false

      // All at once: that is quicker than one by one.
      const text = `[${read.map(isSingle ? toListText : (list) => list ?? '[]').join()}]`

      // Some drivers cut strings at NUL, which is here in full.
      if (!read.every(isText) || text.includes('\\u0000')) return false

      const lists: readonly (readonly (readonly unknown[])[])[] = JSON.parse(text)

      for (const [index, rows] of lists.entries()) {
        if (rows.length === size) return false
        if (!links) records.byValue.set(values[index], rows)
        else if (!takeLinks(values[index], rows)) return false
      }

      return true
    }
  }

  function takeLinks(value: unknown, rows: readonly (readonly unknown[])[]): boolean {
    const keys: unknown[] = []

    for (const row of rows) {
      // A link that leads nowhere.
      if (row[keyIndex] === null) continue

      const key = readKey(row[keyIndex])

      if (key === undefined) return false

      keys.push(key)
      records.byValue.set(key, [row])
    }

    links?.byValue.set(value, keys)

    return true
  }
}

/** Answers what a call for records that link would ask. */
function toLinkLister(
  links: FoundBy<readonly unknown[]>,
  { service, from, to }: Through
): NonNullable<Found['listLinks']> {
  return (values, { transaction }: { transaction?: unknown }) =>
    links
      .find(service.asSet({ transaction }) as KyselySet, from, values)
      ?.flatMap((keys, index) => keys.map((key) => ({ [from]: values[index], [to]: key })))
}

function isText(read: unknown): boolean {
  return typeof read === 'string' || read === null
}

/** The text of a list with the one row that there is. */
function toListText(row: unknown): string {
  return row === null ? '[]' : `[${row}]`
}

/** Reads the value of a column by which rows find each other; `undefined` for one that it usually does not hold. */
function toKeyReader({ columns, readers }: Table, name: string): (value: unknown) => unknown {
  const type = columns.get(name)?.kind === 'integer' ? 'number' : 'string'
  const [, read] = readers.find(([column]) => column === name) ?? []

  return (value) => {
    const key = read ? read(value) : value

    return typeof key === type && !isRounded(key) ? key : undefined
  }
}

/** Further columns of the statement of a page. */
class PageReader implements AlongReader {
  readonly selections: readonly AliasedRawBuilder<unknown, string>[]
  private readonly names: readonly string[]
  private readonly parts: readonly Part[]
  private readonly table: Table

  constructor(parts: readonly Part[], table: Table) {
    this.parts = parts
    this.table = table
    this.names = parts.map((_, index) => `_along${index}`)
    this.selections = parts.map(({ selection }, index) => selection.as(this.names[index] as string))
  }

  take(rows: readonly StoredRow[]): void {
    const known = new Map<string, Keyed>()

    for (const [index, { request, found, take }] of this.parts.entries()) {
      const { from } = request
      const name = this.names[index] as string
      const keyed = known.get(from) ?? toKeyed(rows, from, this.table)

      known.set(from, keyed)
      if (
        take(
          keyed.values,
          keyed.rows.map((row) => row[name])
        )
      )
        request.found = found
    }
  }
}

/** The different values of a column of a page, each with a row that has it. */
interface Keyed {
  readonly values: readonly unknown[]
  readonly rows: readonly StoredRow[]
}

function toKeyed(rows: readonly StoredRow[], column: string, table: Table): Keyed {
  const readKey = toKeyReader(table, column)
  const byValue = new Map<unknown, StoredRow>()

  for (const row of rows) {
    const value = readKey(row[column])

    if (value !== undefined) byValue.set(value, row)
  }

  return { values: [...byValue.keys()], rows: [...byValue.values()] }
}
