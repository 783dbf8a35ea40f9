import { BadRequest } from '../errors.ts'
import type { Path } from '../query/ast.ts'
import type { Field, Table } from './dialect.ts'
import type { Column } from './table.ts'

/**
 * Finds what a path of a query leads to.
 *
 * @throws BadRequest that names what is no column
 */
export function toField([name, ...path]: Path, table: Table): Field {
  const column = toColumn(name as string, table)

  if (path.length > 0 && column.kind !== 'json')
    throw new BadRequest(`Invalid query: '${name}' has no fields`)

  return { column, path }
}

/**
 * Finds a column by its name.
 *
 * @throws BadRequest that names it
 */
export function toColumn(name: string, table: Table): Column {
  const column = table.columns.get(name)

  if (!column) throw new BadRequest(`Unknown column '${name}'`)

  return column
}
