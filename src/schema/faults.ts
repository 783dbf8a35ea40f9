import { BadRequest } from '../errors.ts'
import { shorten } from '../utils/shorten.ts'

/** What is wrong with one value. */
export interface Fault {
  /** Where it stands, such as `address.city` or `tags.0`; empty for the whole. */
  readonly path: string
  /** What is expected; never the value. */
  readonly message: string
}

/** What is wrong with a field that clients cannot set. */
export const SET_BY_SERVER = 'is set by the server'

/** How many faults an error tells. */
export const MAX_FAULTS = 20

/**
 * The error for input that is not valid: its message tells the first fault, its `errors` tell all by path.
 *
 * @example
 * toBadRequest('data', [{ path: 'text', message: 'is required' }])
 */
export function toBadRequest(what: 'data' | 'query', faults: readonly Fault[]): BadRequest {
  // Longer paths are no fields of an application.
  const shown = faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({ path: shorten(path), message }))
  const [{ path, message }] = shown as [Fault]
  const errors: Record<string, string> = Object.create(null)

  // The first fault of a field explains the others.
  for (const fault of shown) errors[fault.path] ??= fault.message

  return new BadRequest(`Invalid ${what}${toClause(path, message)}`, { errors: { ...errors } })
}

/** Messages of libraries are sentences of their own. */
function toClause(path: string, message: string): string {
  if (path === '') return `: ${message}`

  return /^[A-Z]/.test(message) ? ` at '${path}': ${message}` : `: '${path}' ${message}`
}

/** What is said of a value that is none of those that are listed. */
export function expectOneOf(values: readonly unknown[]): string {
  return `expects one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}
