import { BadRequest } from '../errors.ts'
import type { Path } from '../query/ast.ts'
import { RESULT_FILTERS } from '../query/operators.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import type { Field, Table } from './dialect.ts'
import type { Column } from './table.ts'

/** Finds what a path of a query leads to. Throws BadRequest that names what is no column. */
export function toField(names: Path, table: Table): Field {
  // The name of a column may have points itself.
  const length = names.findLastIndex((_, index) => table.columns.has(toName(names, index + 1))) + 1
  const name = toName(names, length || 1)

  if (length === 0) {
    // Columns are not suggested: some are hidden from clients.
    throw new BadRequest(`Unknown column '${name}'${didYouMean(name, Object.keys(RESULT_FILTERS))}`)
  }

  const column = toColumn(name, table)
  const path = names.slice(length)

  if (path.length > 0 && column.kind !== 'json')
    throw new BadRequest(`Invalid query: '${name}' has no fields`)

  return { column, path }
}

function toName(names: Path, length: number): string {
  return length === 1 ? (names[0] as string) : names.slice(0, length).join('.')
}

/** Finds a column by its name. Throws BadRequest that names it. */
export function toColumn(name: string, table: Table): Column {
  const column = table.columns.get(name)

  if (!column) throw new BadRequest(`Unknown column '${name}'`)

  return column
}

/** Names that no column has. */
export function toFreeNames(table: Pick<Table, 'columns'>, count: number, prefix: string): readonly string[] {
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`)

  return names.some((name) => table.columns.has(name)) ? toFreeNames(table, count, `${prefix}_`) : names
}
