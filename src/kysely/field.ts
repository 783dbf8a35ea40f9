import { type RawBuilder, sql } from 'kysely'
import { BadRequest } from '../errors.ts'
import type { Path } from '../query/ast.ts'
import type { Column, Table } from './table.ts'

/** A column, or what a path leads to in the JSON of one. */
export interface Field {
  readonly column: Column
  /** The names behind that of the column. */
  readonly path: Path
}

/** Part of a statement. */
export type Fragment = RawBuilder<any>

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

/** The integers of a column as drivers cannot round them: what they give depends on their settings. */
export const toExact = oncePerColumn((column: Column, { dialect }: Table) => {
  const integer = toReference(column)

  switch (dialect) {
    case 'sqlite':
      // Not for all: with a function, each statement that writes would have to keep a journal of its own.
      return column.kind === 'any'
        ? sql`case when typeof(${integer}) = 'integer' and ${integer} not between -9007199254740991 and 9007199254740991
            then cast(${integer} as text) else ${integer} end`
        : sql`case when ${integer} not between -9007199254740991 and 9007199254740991
            then cast(${integer} as text) else ${integer} end`
    case 'postgres':
      return sql`${integer}::text`
    case 'mysql':
      return sql`cast(${integer} as char)`
  }
})

/** Whether a driver may round what is in a column. */
export function isRounded({ kind, type }: Column, { dialect }: Table): boolean {
  return dialect === 'sqlite' ? kind === 'integer' || kind === 'any' : type === 'bigint' || type === 'int8'
}

/** The text of a column, so that it is compared by its code points. */
export const toOrderedText = oncePerColumn((column, { dialect, collation }: Table) => {
  const text = toReference(column)

  switch (dialect) {
    case 'sqlite':
      // In place of another collation of the column; an index on the usual one serves.
      return column.isOrdered ? text : sql`${text} collate binary`
    case 'postgres':
      // What is no text, such as an enum, has an order of its own.
      if (column.kind !== 'text') return sql`${text}::text collate "C"`

      return column.isOrdered ? text : sql`${text} collate "C"`
    case 'mysql':
      return column.isOrdered ? text : sql`${toUnicode(text, column)} collate ${sql.raw(collation)}`
  }
})

/** The time in a column, in the one form in which times of SQLite can be compared as text: there are two in use. */
export const toTime = oncePerColumn((column, { dialect }: Table) =>
  dialect === 'sqlite' ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${toReference(column)})` : toReference(column)
)

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

function toUnicode(text: Fragment, { charset }: Column): Fragment {
  return charset === 'utf8mb4' ? text : sql`convert(${text} using utf8mb4)`
}
