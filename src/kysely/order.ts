import { sql } from 'kysely'
import { toTotalSort } from '../adapter/cursor-page.ts'
import type { Sort } from '../query/ast.ts'
import { compareAny } from '../query/compare.ts'
import { toForm } from './comparison.ts'
import type { Field, Fragment, SortPart, Table } from './dialect.ts'
import { toColumn, toField } from './field.ts'
import { toTyped } from './json.ts'
import { KINDS } from './kinds.ts'
import type { Column } from './table.ts'

/**
 * Translates a `$sort`. The id decides last, so that pages hold every record once. Throws BadRequest that names what is no
 * column.
 */
export function toOrder(sort: readonly Sort[], table: Table, id: string): readonly Fragment[] {
  return orderBy(toSortParts(sort, table, id), table)
}

/** The values of an order as the parts of `order by`. */
export function orderBy(parts: readonly SortPart[], { dialect }: Table): readonly Fragment[] {
  return parts.map(({ value, direction, isNullable }) => dialect.toOrder(value, direction, isNullable))
}

/**
 * The values that decide an order, the most important first: those of `toTotalOrder`. `numbers` stand for names that are
 * numbers of related records. Throws BadRequest that names what is no column.
 */
export function toSortParts(
  sort: readonly Sort[],
  table: Table,
  id: string,
  numbers?: ReadonlyMap<string, Fragment>
): readonly SortPart[] {
  return toTotalOrder(sort, table, id).flatMap(({ path, direction }): readonly SortPart[] => {
    const number = numbers?.get(path.join('.'))

    if (number) return [{ value: number, direction, isNullable: false, form: 'number' }]

    const field = toField(path, table)
    const { column } = field
    const isNullable = path.length > 1 || column.isNullable

    return toSortable(field, table).map(([form, value]) => ({ value, direction, isNullable, form, column }))
  })
}

/**
 * A sort in which the id is the last, or else a key of the table after it: rows that share all of these values would come in
 * another order with each statement.
 */
export function toTotalOrder(sort: readonly Sort[], table: Table, id: string): readonly Sort[] {
  const byId = toTotalSort(sort, id)
  const names = byId.map(({ path }) => path.join('.'))
  const others = table.columns.get(id)?.isUnique ? [] : table.key.filter((name) => !names.includes(name))

  return [...byId, ...others.map((name): Sort => ({ path: [name], direction: 1 }))]
}

/** Whether no two rows have the same place in such an order. Of a view it is not known. */
export function isTotal(table: Table, id: string): boolean {
  if (table.columns.get(id)?.isUnique) return true

  return table.key.length > 0 && table.key.every((name) => hasPlaces(toColumn(name, table), table))
}

/** Whether each value of a column has a place of its own: not null, JSON, booleans, and times in several forms. */
function hasPlaces(column: Column, { dialect }: Table): boolean {
  const { form, order = form } = KINDS[column.kind]

  if (column.mayHoldNull) return false

  return order === 'time'
    ? dialect.toTime(column) === column.reference
    : order === 'text' || order === 'value'
}

/** Puts rows into the order of their ids, in which `find` has them. Databases return them as they come upon them. */
export function sortById(
  rows: readonly Record<string, unknown>[],
  table: Table,
  id: string
): Record<string, unknown>[] {
  if (rows.every((row) => typeof row[id] === 'number')) {
    return rows.toSorted((one, other) => (one[id] as number) - (other[id] as number))
  }

  const { kind } = toColumn(id, table)

  return kind === 'decimal' || kind === 'integer'
    ? sortByNumber(rows, id)
    : rows.toSorted((one, other) => compareIds(one[id], other[id]))
}

/** Drivers return decimals and large integers as strings: each is made an integer, with as many digits of its fraction. */
function sortByNumber(rows: readonly Record<string, unknown>[], id: string): Record<string, unknown>[] {
  const parsed = rows.map((row) => ({ row, number: NUMBER.exec(String(row[id])) }))
  const digits = parsed.reduce((most, { number }) => Math.max(most, number?.[2]?.length ?? 0), 0)

  return parsed
    .map(({ row, number }) => ({
      row,
      // Anything else stays.
      key: number ? BigInt(`${number[1]}${(number[2] ?? '').padEnd(digits, '0')}`) : row[id]
    }))
    .sort((one, other) => compareAny(one.key, other.key))
    .map(({ row }) => row)
}

/** A number as a string of a driver, in two parts. */
const NUMBER = /^(-?\d+)(?:\.(\d+))?$/

function compareIds(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))

  return compareAny(a, b)
}

/** What the parts of the order of JSON are: the place of its type, a number, a string, and a boolean as a string. */
const TYPED_FORMS = ['number', 'number', 'text', 'text'] as const

/** What a field is ordered by: for JSON first its type, then its value. */
function toSortable(field: Field, table: Table): readonly (readonly [SortPart['form'], Fragment])[] {
  const { column } = field
  const isUnordered = column.kind === 'list' && column.orderedAs === undefined
  const kind = KINDS[column.kind]
  const order = isUnordered ? 'text' : (kind.order ?? kind.form)

  if (order === 'typed') {
    return toTyped(field, table).order.map((value, index) => [TYPED_FORMS[index] ?? 'text', value])
  }

  // By its name alone, `order by` would take what is selected under this name.
  const isNamed = order === 'time' || order === 'value'
  const sorted = isNamed ? { ...column, reference: sql.id(table.name, column.name) } : column

  return [[order, toForm(sorted, order, table)]]
}
