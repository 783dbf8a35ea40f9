// Related rows in the statement of a page: for each relation a column, with a number or with rows as JSON.
import { sql } from 'kysely'
import type { PrefetchRequest } from '../../query/related.ts'
import type { Fragment, JsonRows, Table } from '../dialect.ts'
import type { KyselySet } from '../relations.ts'
import type { Column } from '../table.ts'
import type { TableHandle } from '../table-handle.ts'

/** How many arguments functions of PostgreSQL have at most. */
const MAX_VALUES = 100

/** What the related table is called in the statement. */
const RELATED = '_r'

/** How many characters of a list are read for each record of the page. A longer one is read by itself, in parts. */
const MAX_LIST_CHARACTERS = 100_000

/** What a list is called in the statement. */
const LIST = '_j'

/** Where the number of rows is in text. No name has it. */
const SIZE = '\0'

/** A related table, and where calls of its service read it. */
export interface Related {
  readonly origin: KyselySet
  readonly table: Table
}

/**
 * The part of a statement that reads the rows for a record of the page: in two parts around the number of rows, where that
 * is limited. It is made once.
 *
 * @returns Nothing where the rows are read by themselves
 */
export function toRelatedSelection(
  { from, to, isCount }: PrefetchRequest,
  page: TableHandle,
  { origin, table }: Related
): readonly string[] {
  const outer = toPlaced(page.table.name, page.table.columns.get(from))
  const target = toPlaced(RELATED, table.columns.get(to))

  if (!finds(target, outer) || page.table.name === RELATED || table.columns.has('__proto__')) return []

  const toParts = (statement: Fragment) => statement.compile(origin.source).sql.split(SIZE)
  const rows = sql`${sql.table(origin.name)} as ${sql.id(RELATED)}`
  const matching = sql`${rows} where ${target?.reference} = ${outer?.reference}`

  if (isCount) return toParts(sql`(select count(*) from ${matching})`)

  const json = page.table.dialect.json as JsonRows
  const columns = [...table.columns.values()].map((column) => toPlaced(RELATED, column) as Column)
  const values = columns.map(json.toValue)

  if (!values.every((value) => value !== undefined) || values.length > MAX_VALUES) return []
  // A table of links may have the id of the one side as that of its service.
  if (target?.isUnique) return toParts(sql`(select ${json.toRow(values)} from ${matching})`)

  const some = sql`(select * from ${matching} limit ${sql.raw(SIZE)}) as ${sql.id(RELATED)}`

  return toParts(toBounded(json.toList(values), some))
}

/** A list as a string; an empty one for a list that is too long. */
function toBounded(list: Fragment, source: Fragment): Fragment {
  const text = sql.id(LIST, 'list')

  return sql`(select case when length(${text}) > ${sql.lit(MAX_LIST_CHARACTERS)} then '' else ${text} end from (select ${list} as ${sql.id('list')} from ${source}) as ${sql.id(LIST)})`
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
