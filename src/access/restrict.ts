import type { Query } from '../core/types.ts'
import { addConditions } from '../query/conditions.ts'

/**
 * Adds a condition that holds whatever else a query says.
 *
 * @param query The query of a client; it is not changed
 * @param condition The condition
 */
export function restrict(query: Query = {}, condition: Query): Query {
  const restricted: Query = addConditions(query, [condition])

  // A schema of Feathers marks what it has checked, where a copy does not see it.
  for (const mark of Object.getOwnPropertySymbols(query)) {
    Object.defineProperty(
      restricted,
      mark,
      Object.getOwnPropertyDescriptor(query, mark) as PropertyDescriptor
    )
  }

  return restricted
}

/** Whether a query has a condition that was added to it. */
export function isRestricted({ $and }: Query = {}, condition: Query): boolean {
  return Array.isArray($and) && $and.includes(condition)
}
