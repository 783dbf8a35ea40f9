import qs from 'qs'
import type { Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'

/**
 * How much a query string may hold. `depth` counts the brackets of one key, `array` the elements of one array,
 * `parameters` the pairs of the whole. Past a cap the answer is a 400, never a query that means something else.
 */
export const QUERY_LIMITS = { depth: 16, array: 500, parameters: 1000 } as const

/**
 * `__proto__` would be dropped by `qs` without a word, and a filter that is dropped selects more than was asked
 * for. `constructor` is the name of no field, and much code trusts what an object says of its constructor.
 */
const REFUSED_NAME = /(?:^|\[)(__proto__|constructor)(?:[[\]]|$)/

const OPTIONS = {
  // Other names of `Object.prototype` are ordinary own properties of ordinary objects. Objects without a prototype
  // are no way out: adapters of Feathers v5 do not take them for parts of a query.
  allowPrototypes: true,
  depth: QUERY_LIMITS.depth,
  strictDepth: true,
  arrayLimit: QUERY_LIMITS.array,
  parameterLimit: QUERY_LIMITS.parameters,
  throwOnLimitExceeded: true,
  decoder: decode
}

/**
 * Parses the query string of a URL: brackets nest (`a[$gt]=1`), repeated names, `[]` and indices make arrays,
 * every value is a string.
 *
 * @param search The query string, without the question mark
 * @throws BadRequest for a malformed escape, for `__proto__` and `constructor` as names, and past one of the
 * `QUERY_LIMITS`
 */
export function parseQueryString(search: string): Query {
  if (search === '') return {}

  try {
    return qs.parse(search, OPTIONS)
  } catch (error) {
    if (error instanceof RangeError) throw new BadRequest(describeLimit(error.message))
    throw error
  }
}

function decode(text: string, _decoder: unknown, _charset: string, type: 'key' | 'value'): string {
  const decoded = decodeStrictly(text)

  // `qs` drops what has no name, and what stands behind a bracket.
  if (type === 'key' && !/^[^[\]]+(?:\[[^[\]]*\])*$/.test(decoded)) {
    throw new BadRequest('Invalid query string: expected every name to be like a, a[b] or a[]')
  }

  const refused = type === 'key' ? REFUSED_NAME.exec(decoded)?.[1] : undefined

  if (refused) throw new BadRequest(`Invalid query string: '${refused}' is not allowed as a name`)

  return decoded
}

function decodeStrictly(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new BadRequest("Invalid query string: expected '%' to be followed by a valid UTF-8 escape")
  }
}

function describeLimit(message: string): string {
  if (message.startsWith('Array')) {
    return `Invalid query string: expected at most ${QUERY_LIMITS.array} elements in an array`
  }
  if (message.startsWith('Parameter')) {
    return `Invalid query string: expected at most ${QUERY_LIMITS.parameters} parameters`
  }

  return `Invalid query string: expected brackets to nest at most ${QUERY_LIMITS.depth} deep`
}
