import { sql } from 'kysely'
import { parseWanted } from '../query/lists.ts'
import { compare } from './comparison.ts'
import type { Field, Fragment, Table } from './dialect.ts'
import { isReachable } from './json.ts'
import { NEVER } from './logic.ts'

/**
 * Translates `$contains` and `$overlaps`. Each element is compared as a column of its type is, or a value in JSON. Throws
 * BadRequest for a value that the operator does not take.
 */
export function toListExpression(field: Field, operator: string, value: unknown, table: Table): Fragment {
  const wanted = parseWanted(operator, value)
  const { kind } = field.column

  if ((kind !== 'list' && kind !== 'json') || !isReachable(field)) return NEVER

  const elements = table.dialect.toElements(field, table)
  const isWanted = elements ? compare(elements.element, 'in', wanted, table) : NEVER

  return elements && isWanted !== NEVER
    ? sql`(${elements.isList} and exists (select 1 from ${elements.rows} where ${isWanted}))`
    : NEVER
}
