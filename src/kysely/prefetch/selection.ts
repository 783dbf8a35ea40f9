// Related rows in the statement of a page: for each relation a column, with a number or with rows as JSON.
import { sql } from 'kysely'
import type { PrefetchRequest } from '../../query/related.ts'
import { copyWith } from '../../utils/object.ts'
import { areAlike } from '../comparison.ts'
import type { RelatedSelection } from '../databases.ts'
import type { Fragment, JsonRows, Table } from '../dialect.ts'
import { toOrder } from '../order.ts'
import type { Column } from '../table.ts'
import type { Origin } from './rows.ts'

/** How many arguments functions of PostgreSQL have at most. */
const MAX_VALUES = 100

/** What the related table is called in the statement, and the one that its rows lead to. */
const RELATED = '_r'
const NEXT = '_n'

/** How many characters of a list are read for each record of the page. A longer one is read by itself, in parts. */
const MAX_LIST_CHARACTERS = 100_000

/** What a list is called in the statement. */
const LIST = '_j'

/** Where the number of rows is in text. No name has it. */
const SIZE = '\0'

/** A related table, and where calls of its service read it. */
export interface Related {
  readonly origin: Origin
  readonly table: Table
}

const NOTHING: RelatedSelection = { parts: [], hasNext: false }

/**
 * Makes the part of a statement that reads the rows for a record of the page; once. `next` is the table that the rows lead to,
 * if its rows are asked for too.
 */
export function toRelatedSelection(
  request: PrefetchRequest,
  page: Table,
  { origin, table }: Related,
  next: Related | undefined
): RelatedSelection {
  const { isCount } = request
  const match = page.name === RELATED ? undefined : toMatch(request, [page.name, page], [RELATED, table])

  if (!match) return NOTHING

  const toParts = (statement: Fragment) => {
    const { sql: text, parameters } = statement.compile(origin.source)

    // It is kept as text.
    return parameters.length > 0 ? [] : text.split(SIZE)
  }
  const rows = sql`${table.reference} as ${sql.id(RELATED)}`
  const matching = sql`${rows} where ${match.condition}`

  if (isCount) return { parts: toParts(sql`(select count(*) from ${matching})`), hasNext: false }

  const { toRow, toList } = page.dialect.json as JsonRows
  const values = toValues(RELATED, table)

  if (!values) return NOTHING
  // A table of links may have the id of the one side as that of its service.
  if (match.isUnique)
    return { parts: toParts(sql`(select ${toRow(values)} from ${matching})`), hasNext: false }

  const some = sql`(select * from ${matching}${toOrderBy(request, origin, table)} limit ${sql.raw(SIZE)}) as ${sql.id(RELATED)}`
  const joined = next && request.next && toJoin(request.next, table, next)

  return joined && values.length + joined.values.length <= MAX_VALUES
    ? {
        parts: toParts(toBounded(toList([...values, ...joined.values]), sql`${some} ${joined.join}`)),
        hasNext: true
      }
    : { parts: toParts(toBounded(toList(values), some)), hasNext: false }
}

/** Joins the one row that a related row leads to; `undefined` where there may be several. */
function toJoin(request: PrefetchRequest, related: Table, { table }: Related) {
  const match = toMatch(request, [RELATED, related], [NEXT, table])
  const values = match?.isUnique ? toValues(NEXT, table) : undefined

  if (!match || !values) return undefined

  return { values, join: sql`left join ${table.reference} as ${sql.id(NEXT)} on ${match.condition}` }
}

/** A table, and what the statement calls it. */
type Named = readonly [name: string, table: Table]

/** How rows of one table find those of another; `undefined` where no index finds them. */
function toMatch(
  { from, to }: PrefetchRequest,
  [outerName, outerTable]: Named,
  [innerName, innerTable]: Named
): { readonly condition: Fragment; readonly isUnique: boolean } | undefined {
  const outer = toPlaced(outerName, outerTable.columns.get(from))
  const inner = toPlaced(innerName, innerTable.columns.get(to))

  if (!outer || !inner || !finds(inner, outer)) return undefined
  if (innerTable.losesNames || innerTable.columns.has('__proto__')) return undefined

  return { condition: sql`${inner.reference} = ${outer.reference}`, isUnique: inner.isUnique }
}

/** The columns of a table as values of JSON; `undefined` where JSON does not have them all. */
function toValues(name: string, { columns, dialect }: Table): readonly Fragment[] | undefined {
  const { toValue } = dialect.json as JsonRows
  const values = [...columns.values()].map((column) => toValue(toPlaced(name, column) as Column))
  const known = values.filter((value) => value !== undefined)

  return known.length === values.length && values.length <= MAX_VALUES ? known : undefined
}

/** Which rows come first, where that matters. */
function toOrderBy({ list }: PrefetchRequest, { id }: Origin, table: Table): Fragment {
  if (!list) return sql``

  const columns = [...table.columns].map(
    ([name, column]) => [name, toPlaced(RELATED, column) as Column] as const
  )
  const order = toOrder(list.sort, copyWith(table, { name: RELATED, columns: new Map(columns) }), id)

  return sql` order by ${sql.join(order)}`
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
function finds(inner: Column, outer: Column): boolean {
  if (!inner.isIndexed || inner.kind !== outer.kind) return false
  if (inner.kind === 'integer') return true
  if (inner.kind !== 'text' && inner.kind !== 'uuid') return false

  return inner.type === outer.type && areAlike(inner, outer)
}
