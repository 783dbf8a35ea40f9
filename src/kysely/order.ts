import { sql } from 'kysely'
import type { Sort } from '../query/ast.ts'
import { compareAny } from '../query/compare.ts'
import {
  type Field,
  type Fragment,
  toColumn,
  toField,
  toOrderedText,
  toOwnReference,
  toTime
} from './field.ts'
import { toJson } from './json.ts'
import type { Table } from './table.ts'

/**
 * Translates a `$sort`. The id decides last, so that pages hold every record once.
 *
 * @param sort The fields, the most important first
 * @param table The table
 * @param id The name of the id column
 * @throws BadRequest that names what is no column
 */
export function toOrder(sort: readonly Sort[], table: Table, id: string): readonly Fragment[] {
  const isById = sort.some(({ path }) => path.length === 1 && path[0] === id)
  const complete: readonly Sort[] = isById ? sort : [...sort, { path: [id], direction: 1 }]

  return complete.flatMap(({ path, direction }) =>
    toSortable(toField(path, table), table).map((value) => toDirected(value, path, direction, table))
  )
}

/** Puts rows into the order of their ids, in which `find` has them. Databases return them as they come upon them. */
export function sortById(rows: readonly any[], table: Table, id: string): any[] {
  const isInteger = toColumn(id, table).kind === 'integer'

  return rows.toSorted((one, other) => compareIds(one[id], other[id], isInteger))
}

function compareIds(a: unknown, b: unknown, isInteger: boolean): number {
  if (isInteger) return compareAny(toComparable(a), toComparable(b))
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))

  return compareAny(a, b)
}

/** Large integers are read as text. */
function toComparable(id: unknown): unknown {
  return typeof id === 'string' && /^-?\d+$/.test(id) ? BigInt(id) : id
}

/** What a field is ordered by: for JSON first its type, then its value. */
function toSortable(field: Field, table: Table): readonly Fragment[] {
  const { column } = field

  switch (column.kind) {
    case 'json': {
      const { rank, number, text, boolean } = toJson(field, table)

      return [rank, number, text, boolean]
    }
    case 'text':
    case 'other':
      return [toOrderedText(column, table)]
    case 'date':
    case 'day':
      return [toTime(column, table)]
    default:
      return [toOwnReference(column, table)]
  }
}

/** Null comes first, and last when descending; on PostgreSQL it has to be said where there may be one. */
function toDirected(value: Fragment, path: readonly string[], direction: 1 | -1, table: Table): Fragment {
  const isNullable = path.length > 1 || table.columns.get(path[0] as string)?.isNullable

  if (table.dialect !== 'postgres' || !isNullable)
    return direction === 1 ? sql`${value} asc` : sql`${value} desc`

  return direction === 1 ? sql`${value} asc nulls first` : sql`${value} desc nulls last`
}
