import { sql } from 'kysely'
import { BadRequest } from '../errors.ts'
import type { Path } from '../query/ast.ts'
import type { Field, Fragment, Table } from './dialect.ts'
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

/** A column in a statement. Names come from the list of the table, and never from a query. */
export const toReference = oncePerColumn(({ name }: Column) => sql.id(name))

/** A column to order by: the name alone would be that of what is selected, which may be text. */
export const toOwnReference = oncePerColumn(({ name }: Column, table: Table) => sql.id(table.name, name))

/** The string in a column, so that it is compared by its code points. */
export const toOrderedText = oncePerColumn((column: Column, table: Table) =>
  table.dialect.toOrderedText(column, table)
)

/** The time in a column, so that it can be compared. */
export const toTime = oncePerColumn((column: Column, { dialect }: Table) => dialect.toTime(column))

/** What depends on a column alone is made once: a column belongs to one table. */
function oncePerColumn<Tables extends Table[]>(
  make: (column: Column, ...table: Tables) => Fragment
): (column: Column, ...table: Tables) => Fragment {
  const made = new WeakMap<Column, Fragment>()

  return (column, ...table) => {
    const known = made.get(column) ?? make(column, ...table)

    made.set(column, known)

    return known
  }
}
