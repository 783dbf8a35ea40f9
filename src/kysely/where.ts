import { BadRequest } from '../errors.ts'
import type { Condition, Path } from '../query/ast.ts'
import { LIST_OPERATORS, PATTERN_OPERATORS } from '../query/operators.ts'
import { assertNever } from '../utils/object.ts'
import { compare } from './comparison.ts'
import type { Field, Fragment, Table } from './dialect.ts'
import { toField } from './field.ts'
import { toListExpression } from './lists.ts'
import { allOf, anyOf, negate } from './logic.ts'
import { toPatternExpression } from './pattern.ts'

/**
 * Translates a condition. A comparison with null is unknown in SQL and counts as false; what is turned round is therefore true
 * for unknown, as `is not true` is. So `$ne` keeps null, and every query means the same as in memory. Throws BadRequest that
 * names what is no column.
 */
export function toExpression(condition: Condition, table: Table): Fragment {
  switch (condition.kind) {
    case 'and':
      return allOf(condition.conditions.map((part) => toExpression(part, table)))
    case 'or':
      return anyOf(condition.conditions.map((part) => toExpression(part, table)))
    case 'not':
      return negate(toExpression(condition.condition, table), table)
    case 'compare':
      return compare(toSingle(condition, table), condition.operator, condition.value, table)
    case 'custom':
      if (PATTERN_OPERATORS.includes(condition.operator)) {
        return toPatternExpression(toSingle(condition, table), condition.operator, condition.value, table)
      }
      if (LIST_OPERATORS.includes(condition.operator)) {
        return toListExpression(toField(condition.path, table), condition.operator, condition.value, table)
      }

      throw new BadRequest(`Invalid query parameter ${condition.operator}`)
    default:
      return assertNever(condition)
  }
}

/** The field that is compared. No value is equal to a list: a filter that finds nothing would look like an answer. */
function toSingle({ path, value }: { readonly path: Path; readonly value: unknown }, table: Table): Field {
  const field = toField(path, table)

  if (field.column.kind !== 'list' || [value].flat().every((one) => one === null || one === undefined)) {
    return field
  }

  throw new BadRequest(`Invalid query: '${field.column.name}' is a list, which cannot be compared`)
}
