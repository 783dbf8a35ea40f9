import type { Query } from '../core/types.ts'

/**
 * Adds a condition that holds whatever else a query says.
 *
 * @param query The query of a client; it is not changed
 * @param condition The condition
 */
export function restrict(query: Query = {}, condition: Query): Query {
  const { $and } = query
  // A list that is none stays one level down, where the adapter refuses it.
  const others = $and === undefined ? [] : Array.isArray($and) ? $and : [{ $and }]
  const restricted: Query = { ...query, $and: [...others, condition] }

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
