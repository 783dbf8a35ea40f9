import { assertList } from './operators.ts'
import { type CustomPredicates, toMembershipTest } from './predicate.ts'

/**
 * The meaning of `$contains` and `$overlaps`: the field is a list, and one of its elements equals the value, or one of the
 * values. Elements equal a value where a field with that value alone would; a list in a list equals none.
 */
export const LIST_PREDICATES = {
  $contains: (value: unknown) => toListTest('$contains', value),
  $overlaps: (value: unknown) => toListTest('$overlaps', value)
} satisfies CustomPredicates

function toListTest(operator: string, value: unknown): (field: unknown) => boolean {
  const isWanted = toMembershipTest(parseWanted(operator, value))

  return (field) => Array.isArray(field) && field.some(isWanted)
}

/**
 * The values of which a list must have one: `$contains` takes a value, `$overlaps` takes an array of them. Throws BadRequest
 * for anything else.
 */
export function parseWanted(operator: string, value: unknown): readonly unknown[] {
  const wanted = operator === '$contains' ? [value] : value

  assertList(operator, wanted)

  return wanted
}
