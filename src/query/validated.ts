import { copyWith } from '../utils/object.ts'

/** Marks a query that a schema has checked: it is taken as it is. Shared with Feathers v5. */
export const VALIDATED: unique symbol = Symbol.for('@feathersjs/adapter/sanitized')

/** Whether a schema has checked a query. */
export function isValidated(query: object): boolean {
  return (query as { [VALIDATED]?: unknown })[VALIDATED] === true
}

/** Has a copy of a query say what the query says. */
export function keepValidated<T extends object>(query: object, copy: T): T {
  return isValidated(query) ? Object.defineProperty(copy, VALIDATED, { value: true }) : copy
}

/** Copies a query with other settings or conditions: what a schema has checked stays marked. */
export function copyQuery<T extends object, Added extends object>(
  query: T | undefined,
  added: Added
): T & Added {
  return keepValidated(query ?? {}, copyWith(query, added))
}
