import { sql } from 'kysely'
import type { Sort } from '../query/ast.ts'
import { compareAny } from '../query/compare.ts'
import { assertNever } from '../utils/object.ts'
import type { Field, Fragment, Table } from './dialect.ts'
import { toColumn, toField } from './field.ts'
import { toTyped } from './json.ts'
import { KINDS } from './kinds.ts'

/**
 * Translates a `$sort`. The id decides last, so that pages hold every record once.
 *
 * @param sort The fields, the most important first
 * @param table The table
 * @param id The name of the id column
 * @param numbers What stands for names that are numbers of related records
 * @throws BadRequest that names what is no column
 */
export function toOrder(
  sort: readonly Sort[],
  table: Table,
  id: string,
  numbers?: ReadonlyMap<string, Fragment>
): readonly Fragment[] {
  const isById = sort.some(({ path }) => path.length === 1 && path[0] === id)
  const complete: readonly Sort[] = isById ? sort : [...sort, { path: [id], direction: 1 }]

  return complete.flatMap(({ path, direction }) => {
    const number = numbers?.get(path.join('.'))

    if (number) return [table.dialect.toOrder(number, direction, false)]

    const field = toField(path, table)
    const isNullable = path.length > 1 || field.column.isNullable

    return toSortable(field, table).map((value) => table.dialect.toOrder(value, direction, isNullable))
  })
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
  const { order } = KINDS[column.kind]

  switch (order) {
    case 'typed':
      return toTyped(field, table).order
    case 'text':
      return [table.dialect.toOrderedText(column, table)]
    case 'time':
      return [table.dialect.toTime({ ...column, reference: sql.id(table.name, column.name) })]
    case 'truth':
      return [table.dialect.isTruth(column, true)]
    case 'value':
      return [sql.id(table.name, column.name)]
    default:
      return assertNever(order)
  }
}
