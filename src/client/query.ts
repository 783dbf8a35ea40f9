import type { Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { createRangeError } from '../utils/developer-error.ts'

/**
 * Writes a query as a query string without a question mark, as the package `qs` does, with brackets and indices: `a[$in][0]=1`.
 * Of `qs` it is the one notation that servers of Feathers read, and a twentieth of the code (decision 029). `undefined`,
 * functions and empty lists leave no trace, `null` is an empty string, dates are written in ISO 8601. Throws RangeError for a
 * query that contains itself, and for a date that is none; BadRequest for half of a surrogate pair.
 */
export function toQueryString(query: Query): string {
  return Object.keys(query)
    .flatMap((name) => toPairs(name, query[name], [query]))
    .join('&')
}

function toPairs(name: string, value: unknown, parents: readonly object[]): string[] {
  if (value === undefined || typeof value === 'function') return []
  if (value instanceof Date) return [toPair(name, value.toISOString())]
  if (typeof value !== 'object' || value === null) return [toPair(name, String(value ?? ''))]
  if (parents.includes(value))
    throw createRangeError('ALULA_CIRCULAR_QUERY', 'Invalid query: it contains itself')

  return Object.keys(value).flatMap((key) =>
    toPairs(`${name}[${key}]`, (value as Query)[key], [...parents, value])
  )
}

function toPair(name: string, value: string): string {
  return `${encode(name)}=${encode(value)}`
}

/** All but the unreserved characters of RFC 3986 §2.3. Half a character has no bytes, and would arrive as another one. */
function encode(text: string): string {
  if (!text.isWellFormed()) throw new BadRequest('Invalid query: no URL can hold half of a surrogate pair')

  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
}
