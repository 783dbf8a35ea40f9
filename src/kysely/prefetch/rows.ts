// Rows that were read with a page, and the records that calls get of them.
import type { ParsedQuery, Sort } from '../../query/ast.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { StoredRow, Table } from '../dialect.ts'
import { sortById } from '../order.ts'
import type { Transaction } from '../transaction.ts'

/** Where a call reads: calls with the same origin find the same rows. */
export interface Origin {
  readonly source: AnyKysely
  /** The name of the table. */
  readonly name: string
  /** The name of the id column. */
  readonly id: string
  readonly transaction: Transaction | undefined
  /** Whether policies of the database have to hold for the table. */
  readonly isGuarded: boolean
}

/** What was read of a table by values of a column, before a call asks for it. */
export class Prefetched<Value> {
  private readonly origin: Origin
  private readonly column: string
  private readonly byValue: ReadonlyMap<unknown, Value>

  constructor(origin: Origin, column: string, byValue: ReadonlyMap<unknown, Value>) {
    this.origin = origin
    this.column = column
    this.byValue = byValue
  }

  /** What was read for some values of a column; `undefined` where a call at `origin` would read something else. */
  find(origin: Origin, column: string, values: readonly unknown[]): readonly Value[] | undefined {
    const names = Object.keys(this.origin) as (keyof Origin)[]
    const isSame = column === this.column && names.every((name) => origin[name] === this.origin[name])

    return isSame && values.every((value) => this.byValue.has(value))
      ? values.map((value) => this.byValue.get(value) as Value)
      : undefined
  }
}

/** A row as an array of its values. */
export type ValueRow = readonly unknown[]

/** Rows of a table that were read with a page. */
export interface ReadRows {
  readonly table: Table
  readonly byValue: ReadonlyMap<unknown, readonly ValueRow[]>
  /** The order of the rows of each value; that of their ids when it is empty. */
  readonly sort?: readonly Sort[] | undefined
  /** Where the columns of the table begin in a row. */
  readonly start?: number
}

/** Rows that were read with a page, for calls that ask for them. */
export class PrefetchedRows extends Prefetched<readonly ValueRow[]> {
  private readonly read: ReadRows

  constructor(origin: Origin, column: string, read: ReadRows) {
    super(origin, column, read.byValue)
    this.read = read
  }

  /**
   * The records that a call asks for; `undefined` where it asks for anything else. Those of one value are in the order that it
   * asks for: a relation makes a list of them.
   */
  toRecords<Result>(origin: Origin, query: ParsedQuery): Result[] | undefined {
    const { where, sort, skip, limit, select } = query
    const { table, start = 0 } = this.read

    if (toSortKey(sort) !== toSortKey(this.read.sort) || skip > 0) return undefined
    if (where.kind !== 'compare' || where.operator !== 'in' || where.path.length > 1) return undefined

    const columns = [...table.columns.keys()]
    const names = select ? [...new Set([...select, origin.id])] : columns
    const values = [...new Set(where.value as readonly unknown[])]
    const isRead = names.every((name) => table.columns.has(name))
    const groups = isRead ? this.find(origin, where.path[0] as string, values) : undefined

    if (!groups) return undefined

    const fields = names.map((name) => {
      return { name, index: start + columns.indexOf(name), read: table.readers.get(name) }
    })
    const records: StoredRow[] = []

    for (const row of groups.flat()) {
      const record: StoredRow = {}

      for (const { name, index, read } of fields) {
        if (isRounded(row[index])) return undefined

        record[name] = read ? read(row[index]) : row[index]
      }

      records.push(record)
    }

    const sorted = sort.length > 0 ? records : sortById(records, table, origin.id)

    return sorted.slice(0, limit) as Result[]
  }
}

/** An order as a string: equal ones have the same. */
export function toSortKey(sort: readonly Sort[] = []): string {
  return JSON.stringify(sort.map(({ path, direction }) => [path, direction]))
}

/** Whether a number may have lost digits in JSON. */
export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
