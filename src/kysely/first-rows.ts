import { sql } from 'kysely'
import type { ListRules } from '../query/related.ts'
import { toGroup } from './comparison.ts'
import type { Fragment } from './dialect.ts'
import { toColumn } from './field.ts'
import { isUnique } from './locked-rows.ts'
import { allOf, NEVER } from './logic.ts'
import { toOrder } from './order.ts'
import type { TableHandle } from './table-handle.ts'

/**
 * Narrows a condition to the rows that are the first ones of those with the same value in a column: of the records that a
 * relation leads to, a list has no others.
 *
 * @param handle The table
 * @param column The name of the column
 * @param list The order of the rows, and how many there are for each value
 * @param where The condition
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
