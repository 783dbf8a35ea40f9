import qs from 'qs'
import type { Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isEmpty, isPlainObject } from '../utils/object.ts'

/**
 * How much a query string may hold. `depth` counts the brackets of one key, `array` the elements of one array,
 * `parameters` the pairs of the whole. Past a limit the response is a 400, never a query that means something else.
 */
const QUERY_LIMITS = { depth: 16, array: 500, parameters: 1000 } as const

/** The sum of all indices. In arrays without gaps the indices of a name add up to the number of parameters before it at most. */
const MAX_INDEX_SUM = (QUERY_LIMITS.parameters * (QUERY_LIMITS.parameters - 1)) / 2

/**
 * `qs` would drop `__proto__` silently, and a query that lost a filter selects more than was asked for. `constructor` is
 * not the name of a field, and much code trusts the `constructor` of an object.
 */
const REFUSED_NAME = /(?:^|\[)(__proto__|constructor)(?:[[\]]|$)/

const toOptions = (decoder: Decoder) => ({
  // Other names of `Object.prototype` are ordinary own properties of ordinary objects. Objects without a prototype
  // would not help: adapters of Feathers v5 do not accept them as parts of a query.
  allowPrototypes: true,
  depth: QUERY_LIMITS.depth,
  strictDepth: true,
  arrayLimit: QUERY_LIMITS.array,
  parameterLimit: QUERY_LIMITS.parameters,
  throwOnLimitExceeded: true,
  decoder
})

/** A part of a query string without a name and a value, which says nothing: `a=1&`. */
const EMPTY_PART = /^&|&&|&$/

/** Whether a query string may have an empty value: a parameter ends with `=`, or has none. */
const EMPTY_VALUE = /(?:=|(?:^|&)[^=&]*)(?:&|$)/

/**
 * Parses the query string of a URL: brackets nest (`a[$gt]=1`), repeated names, `[]` and indices make arrays,
 * every value is a string.
 *
 * @param search The query string, without the question mark
 * @throws BadRequest for a malformed escape, for `__proto__` and `constructor` as names, for an empty value after a nested
 * one of the same name, for arrays with large gaps, and past one of the `QUERY_LIMITS`
 */
export function parseQueryString(search: string): Query {
  const text = EMPTY_PART.test(search) ? search.split('&').filter(Boolean).join('&') : search

  if (text === '') return {}

  const query = parseStrictly(text)

  // `qs` drops these, and a query that lost a filter selects more than was asked for.
  if (EMPTY_VALUE.test(text) && countValues(query) !== text.split('&').length) {
    throw new BadRequest(
      'Invalid query string: expected no empty value for a name that also has brackets, as in a[b]=1&a='
    )
  }

  return query
}

function parseStrictly(search: string): Query {
  try {
    return qs.parse(search, toOptions(createDecoder()))
  } catch (error) {
    if (error instanceof RangeError) throw new BadRequest(describeLimit('query string', error.message))
    throw error
  }
}

/** How many strings a parsed query holds. Its depth is limited. */
function countValues(value: object): number {
  let count = 0

  for (const inner of Object.values(value)) count += typeof inner === 'object' ? countValues(inner) : 1

  return count
}

/**
 * Checks a query that came as the JSON of a message, so that it holds nothing that a query string cannot; `undefined` and
 * `null` are an empty query. Throws BadRequest for anything but an object, for bytes and what stands for them, for `__proto__`
 * and `constructor` as names, and past one of the `QUERY_LIMITS`.
 */
export function assertQuery(query: unknown): asserts query is Query | null | undefined {
  if (query === undefined || query === null) return
  if (!isPlainObject(query)) throw new BadRequest('Invalid query: expected an object')

  let level: object[] = [query]
  let parameters = 0

  // Level by level and not by recursion: a hostile query may be deep enough to overflow the stack.
  for (let depth = 0; level.length > 0; depth++) {
    const next: object[] = []

    for (const parent of level) {
      for (const [name, value] of Object.entries(parent)) {
        // Socket.IO takes an object with `_placeholder: true` for bytes when it is sent.
        if (name === '__proto__' || name === 'constructor' || (name === '_placeholder' && value === true)) {
          throw new BadRequest(`Invalid query: '${name}' is not allowed as a name`)
        }

        // What is empty costs a check of its name, and may be a condition that is compared with every record.
        if (typeof value === 'object' && value !== null && !isEmpty(assertBranch(value))) next.push(value)
        else parameters++
      }
    }

    if (depth > QUERY_LIMITS.depth) throw new BadRequest(describeLimit('query', 'Depth'))
    if (parameters > QUERY_LIMITS.parameters) throw new BadRequest(describeLimit('query', 'Parameter'))

    level = next
  }
}

function assertBranch(value: object): object {
  if (Array.isArray(value)) {
    if (value.length > QUERY_LIMITS.array) throw new BadRequest(describeLimit('query', 'Array'))
  } else if (!isPlainObject(value)) {
    throw new BadRequest('Invalid query: expected strings, numbers, booleans, objects and arrays')
  }

  return value
}

type Decoder = (text: string, decoder: unknown, charset: string, type: 'key' | 'value') => string

function createDecoder(): Decoder {
  let indexSum = 0

  return (text, _decoder, _charset, type) => {
    const decoded = decodeStrictly(text)

    if (type === 'value') return decoded

    assertName(decoded)
    indexSum += sumIndices(decoded)

    // `qs` makes an array with room for all elements up to an index: up to 16 for each parameter.
    if (indexSum > MAX_INDEX_SUM) {
      throw new BadRequest('Invalid query string: expected arrays without gaps, as in a[0]=1&a[1]=2')
    }

    return decoded
  }
}

function assertName(name: string): void {
  // `qs` drops a parameter without a name, and characters after a closing bracket.
  if (!/^[^[\]]+(?:\[[^[\]]*\])*$/.test(name)) {
    throw new BadRequest('Invalid query string: expected every name to be like a, a[b] or a[]')
  }

  const refused = REFUSED_NAME.exec(name)?.[1]

  if (refused) throw new BadRequest(`Invalid query string: '${refused}' is not allowed as a name`)
}

/** A number of more digits is the name of a field. */
function sumIndices(name: string): number {
  let sum = 0

  for (const [, index] of name.matchAll(/\[(\d{1,3})\]/g)) sum += Number(index)

  return sum
}

function decodeStrictly(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new BadRequest("Invalid query string: expected '%' to be followed by a valid UTF-8 escape")
  }
}

/** The message for an exceeded limit, which `qs` names in the first word of its own. */
function describeLimit(place: string, message: string): string {
  if (message.startsWith('Array')) {
    return `Invalid ${place}: expected at most ${QUERY_LIMITS.array} elements in an array`
  }
  if (message.startsWith('Parameter')) {
    return `Invalid ${place}: expected at most ${QUERY_LIMITS.parameters} parameters`
  }

  return `Invalid ${place}: expected ${place === 'query' ? 'objects' : 'brackets'} to nest at most ${QUERY_LIMITS.depth} deep`
}
