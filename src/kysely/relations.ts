import { sql } from 'kysely'
import { BadRequest } from '../errors.ts'
import type { Condition } from '../query/ast.ts'
import {
  type CountRequest,
  isSamePlace,
  type ListRules,
  type RecordSet,
  type RelatedSort,
  type SetPlace,
  toKey
} from '../query/related.ts'
import type { AnyKysely } from './any-kysely.ts'
import { toAlike, toGroup } from './comparison.ts'
import type { Fragment, Table } from './dialect.ts'
import { toColumn } from './field.ts'
import { KINDS } from './kinds.ts'
import { isUnique } from './locked-rows.ts'
import { allOf, NEVER } from './logic.ts'
import { toOrder } from './order.ts'
import { type Origin, Prefetched } from './prefetch/rows.ts'
import { Subquery } from './subquery.ts'
import type { Column } from './table.ts'
import { findOpened, openTable, read, type TableHandle } from './table-handle.ts'
import { toExpression } from './where.ts'

/** Runs statements where a call has its own: in its transaction, if there is one. */
export type Run = <T>(work: (handle: TableHandle) => Promise<T>) => Promise<T>

/** Where a call reads, and the settings that policies decide by. */
export interface KyselyPlace extends SetPlace {
  readonly source: AnyKysely
}

/** The rows of a table that a `find` selects. */
export class KyselySet implements RecordSet {
  readonly origin: Origin
  readonly source: AnyKysely
  readonly settings: string | undefined
  readonly where: Condition
  private readonly run: Run

  constructor(origin: Origin, settings: string | undefined, where: Condition, run: Run) {
    this.origin = origin
    this.source = origin.source
    this.settings = settings
    this.where = where
    this.run = run
  }

  async count(requests: readonly CountRequest[]): Promise<readonly ReadonlyMap<string, number>[]> {
    const known = requests.map(toKnownNumbers)
    const open = requests.filter((_, index) => known[index] === undefined)
    const counted = open.length > 0 ? await this.countRows(open) : []

    return known.map((numbers) => numbers ?? (counted.shift() as Map<string, number>))
  }

  private async countRows(requests: readonly CountRequest[]): Promise<Map<string, number>[]> {
    return await this.run(async (handle) => {
      const counts = await Promise.all(requests.map((request, index) => toCount(request, index, handle.db)))
      const statement = sql.join(
        counts.map(({ part }) => part),
        sql` union all `
      )
      const rows = await read(handle, { compile: () => statement.compile(handle.db) })
      const numbers = requests.map(() => new Map<string, number>())

      for (const { relation, key, number } of rows) {
        const index = Number(relation)
        const ofValue = numbers[index] as Map<string, number>

        // A record without a value is related to none.
        if (key === null) continue

        const value = toValueKey(key, (counts[index] as Count).column)

        // SQLite may have one time in several forms, and JSON one number.
        ofValue.set(value, (ofValue.get(value) ?? 0) + Number(number))
      }

      return numbers
    })
  }

  async toOperand(field: string): Promise<Subquery> {
    // With settings, a call only to look at a known table would be a transaction.
    const table = findOpened(this.source, this.origin) ?? (await this.run(({ db }) => this.getTable(db)))
    const column = toColumn(field, table)
    const where = toExpression(this.where, table)

    return new Subquery(
      column,
      (value) => sql`(select ${value} from ${table.reference} where ${where})`,
      this
    )
  }

  /** The table of the set, as the statements of a call see it. */
  async getTable(db: AnyKysely): Promise<Table> {
    return (await openTable(this.source, db, this.origin)).table
  }
}

/**
 * What stands for numbers of related rows in an order, by name. Throws BadRequest where they are elsewhere, or policies show
 * other rows of them than to the call.
 */
export async function toNumbers(
  sorts: ReadonlyMap<string, RelatedSort>,
  handle: TableHandle,
  place: KyselyPlace
): Promise<ReadonlyMap<string, Fragment>> {
  const numbers = new Map<string, Fragment>()

  for (const [name, sort] of sorts) {
    if (!isSamePlace(sort.set, place)) {
      throw new BadRequest(
        `Invalid query: '${name}' counts records of another database, or that are read with other settings of 'session'`,
        { errors: { [name]: 'cannot be sorted by' } }
      )
    }

    numbers.set(name, await toNumber(sort, handle))
  }

  return numbers
}

async function toNumber({ set, to, from, exists }: RelatedSort, handle: TableHandle): Promise<Fragment> {
  const related = set as KyselySet
  const table = await related.getTable(handle.db)
  const [inner, outer] = [toColumn(to, table), toColumn(from, handle.table)]
  // Both have their table, because both tables may be the same one.
  const reference = (owner: string, column: Column) => ({ ...column, reference: sql.id(owner, column.name) })
  const [one, other] = [reference(ALIAS, inner), reference(handle.table.name, outer)]
  const [near, far] = toAlike([one, other], table)
  const where = allOf([
    sql`${near} = ${far}`,
    ...tellApart(outer, handle),
    toExpression(related.where, table)
  ])
  const number = sql`(select count(*) from ${table.reference} as ${sql.id(ALIAS)} where ${where})`

  return exists ? sql`case when ${number} > 0 then 1 else 0 end` : number
}

/**
 * MariaDB keeps the numbers of a statement by the outer columns, as their collations compare them: so the id is one of them, and
 * where rows share it, a key.
 */
function tellApart({ kind, isExact }: Column, { table, id }: TableHandle): readonly Fragment[] {
  if (kind !== 'text' || isExact) return []

  return [id, ...table.key].map((name) => sql`${sql.id(table.name, name)} is not null`)
}

const ALIAS = 'alula_related'

/**
 * Narrows a condition to the rows that are the first ones of those with the same value in a column: of the records that a
 * relation leads to, a list has no others.
 */
export function toFirstRows(
  { table, id }: TableHandle,
  column: string,
  { sort, limit }: ListRules,
  where: Fragment
): Fragment {
  if (limit === undefined || where === NEVER) return where

  const group = toGroup(toColumn(column, table), table)
  const order = sql.join(toOrder(sort, table, id))
  const place = sql`row_number() over (partition by ${group} order by ${order})`
  const ranked = sql`select ${sql.id(id)}, ${place} as ${sql.id(PLACE)} from ${table.reference} where ${where}`

  const isFirst = sql`${sql.id(table.name, id)} in (select ${sql.id(id)} from (${ranked}) as ${sql.id(RANKED)} where ${sql.id(PLACE)} <= ${limit})`

  // Others may have the id of a row that matches.
  return isUnique(toColumn(id, table)) ? isFirst : allOf([where, isFirst])
}

const RANKED = 'alula_ranked'
const PLACE = 'alula_place'

/** The numbers that were read with a page, where they are those of all rows. */
function toKnownNumbers({
  set,
  field,
  values = [],
  prefetched
}: CountRequest): Map<string, number> | undefined {
  const { origin, where } = set as KyselySet
  const isWhole = where.kind === 'and' && where.conditions.length === 0
  const numbers =
    isWhole && prefetched instanceof Prefetched ? prefetched.find(origin, field, values) : undefined

  return numbers && new Map(values.map((value, index) => [toKey(value), numbers[index]]))
}

/** A statement that counts for one request. */
interface Count {
  readonly part: Fragment
  /** What it counts by. */
  readonly column: Column
}

/** The key of a value of a record, of what the database has written for it: text, or a number. */
function toValueKey(written: unknown, column: Column): string {
  if (column.kind === 'bytes') return Buffer.from(String(written), 'hex').toString('base64')

  const { fromStored } = KINDS[column.kind]

  return toKey(fromStored ? fromStored(written, { ...column, isParsed: false }) : written)
}

async function toCount({ set, field, values }: CountRequest, index: number, db: AnyKysely): Promise<Count> {
  const { where } = set as KyselySet
  const table = await (set as KyselySet).getTable(db)
  const column = toColumn(field, table)
  const among: Condition = { kind: 'compare', path: [field], operator: 'in', value: values ?? [] }
  const condition = allOf([toExpression(where, table), ...(values ? [toExpression(among, table)] : [])])
  const group = toGroup(column, table)
  const key = toWritten(column, group, table)
  const part = sql`select ${sql.lit(index)} as relation, ${key} as ${sql.id('key')}, count(*) as ${sql.id('number')} from ${table.reference} where ${condition} group by ${group}`

  return { part, column }
}

/** What groups have in common, so that values of all kinds can be in one column. */
function toWritten(column: Column, group: Fragment, { dialect }: Table): Fragment {
  const isText = group !== column.reference && column.kind !== 'text'
  const asText = isText && ({ kind: 'text', type: 'text' } as const)
  const grouped: Column = { ...column, ...asText, reference: group }
  const exact = column.kind === 'bytes' ? undefined : dialect.toExact(grouped)

  return exact ?? dialect.toText(grouped)
}
