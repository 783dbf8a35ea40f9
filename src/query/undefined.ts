import { BadRequest } from '../errors.ts'
import { findPath } from '../utils/object.ts'

/**
 * Refuses conditions with an undefined value, where they choose the records that a call changes: a value that is missing by
 * mistake would select records that were not meant. Throws BadRequest that names the condition.
 */
export function refuseUndefined(conditions: object, method: string): void {
  const path = findPath(conditions, (value) => value === undefined)

  if (path === undefined) return

  throw new BadRequest(
    `Invalid query: '${path}' is undefined. To ${method} records without a value, use null`
  )
}
