import { BadRequest } from '../errors.ts'
import { isPlainObject } from '../utils/object.ts'
import type { Comparison } from './ast.ts'
import { toExactBoolean } from './coerce.ts'

/** How an operator compares a field. */
export interface FieldOperator {
  readonly comparison: Comparison
  /** Whether it takes a list of values. */
  readonly list: boolean
}

/** The operators that stand under a field. `$le` and `$ge` are short for `$lte` and `$gte`. */
export const FIELD_OPERATORS: ReadonlyMap<string, FieldOperator> = new Map([
  ['$eq', { comparison: 'eq', list: false }],
  ['$ne', { comparison: 'ne', list: false }],
  ['$lt', { comparison: 'lt', list: false }],
  ['$lte', { comparison: 'lte', list: false }],
  ['$le', { comparison: 'lte', list: false }],
  ['$gt', { comparison: 'gt', list: false }],
  ['$gte', { comparison: 'gte', list: false }],
  ['$ge', { comparison: 'gte', list: false }],
  ['$in', { comparison: 'in', list: true }],
  ['$nin', { comparison: 'nin', list: true }]
])

/** The operators that combine queries. `$nor` counts only where a service lists it, and so does `$not`. */
export const LOGICAL_OPERATORS: readonly string[] = ['$and', '$or', '$nor']

/** The operators that compare a string with a pattern. They count only where a service lists them. */
export const PATTERN_OPERATORS: readonly string[] = ['$like', '$notlike', '$ilike']

/** Asks whether a field is null. It is always available, and the tree has a comparison with null for it. */
export const NULL_OPERATOR = '$null'

/** The operators that look for elements of a list. They count only where a service lists them. */
export const LIST_OPERATORS: readonly string[] = ['$contains', '$overlaps']

/** The operators that count only where a service lists them. */
export const OPTIONAL_OPERATORS: readonly string[] = /* @__PURE__ */ ['$not', '$nor'].concat(
  PATTERN_OPERATORS,
  LIST_OPERATORS
)

/** Whether a name is an operator, listed or not. */
export function isOperator(name: string): boolean {
  return (
    FIELD_OPERATORS.has(name) || [NULL_OPERATOR, ...LOGICAL_OPERATORS, ...OPTIONAL_OPERATORS].includes(name)
  )
}

/** Reads the value of `$null`, which is a string in a URL. Throws BadRequest for anything but `true` and `false`. */
export function parseNullTest(value: unknown): boolean {
  const isNull = typeof value === 'string' ? toExactBoolean(value) : value

  if (typeof isNull === 'boolean') return isNull

  throw new BadRequest(`Invalid query: '${NULL_OPERATOR}' expects true or false, got ${describeValue(value)}`)
}

/** The names at the top of a query that say what to do with the records that match. */
export const RESULT_FILTERS = { $limit: true, $skip: true, $sort: true, $select: true } as const

/** The names at the top of a query that only pages with cursors have. These have no `$skip`. */
export const CURSOR_FILTERS = { $after: true, $before: true, $total: true } as const

/** What pages with cursors have beside their records, in place of what others have as `total` and `skip`. */
export const CURSOR_FIELDS = ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'] as const

/**
 * Checks a value that a field is compared with. Strings, numbers, booleans and null are values, and so are instances of classes
 * (dates, ids of a database): how those compare is up to the adapter. `name` is what the value stands under, for the message.
 * Throws BadRequest for an object, an array, `NaN`, a date that is none, a function.
 */
export function assertValue(name: string, value: unknown): void {
  const isScalar =
    value === null || ['string', 'number', 'boolean', 'bigint', 'undefined'].includes(typeof value)
  const isInstance = typeof value === 'object' && !Array.isArray(value) && !isPlainObject(value)

  // `NaN` and a date that is none are equal to nothing, so `$ne` would match everything.
  if ((isScalar || isInstance) && !Number.isNaN(value instanceof Date ? value.getTime() : value)) return

  throw new BadRequest(`Invalid query: '${name}' expects a single value, got ${describeValue(value)}`)
}

/** Checks a list of such values. Throws BadRequest for anything else. */
export function assertList(name: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new BadRequest(`Invalid query: '${name}' expects an array, got ${describeValue(value)}`)
  }

  for (const element of value) assertValue(name, element)
}

/** What a value is, for a message that must not repeat it. Classes are named: no client can send an instance. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return describeNumber(value)
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid date'
  if (typeof value === 'object') return isPlainObject(value) ? 'an object' : describeInstance(value)

  return value === undefined ? 'nothing' : `a ${typeof value}`
}

/** Where a number is expected, `a number` alone would not say what is wrong. */
function describeNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return 'a number that is too large'

  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'a number beyond 2^53' : 'a number'
}

function describeInstance(value: object): string {
  const name = Object.getPrototypeOf(value).constructor?.name || 'class'

  return `an instance of ${name}${value instanceof Promise ? " (is an 'await' missing?)" : ''}`
}
