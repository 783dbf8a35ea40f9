// The functions of `@feathersjs/adapter-commons` for adapters that read the loose query themselves. They
// check with the same parser as everything else.
import type { PaginationParams, Query } from '../core/types.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { toComparator } from '../query/comparator.ts'
import {
  CURSOR_FILTERS,
  FIELD_OPERATORS,
  LOGICAL_OPERATORS,
  NULL_OPERATOR,
  parseNullTest,
  RESULT_FILTERS
} from '../query/operators.ts'
import { type FilterConverter, parseQuery, QUERY_DEPTH, type QueryOptions } from '../query/parse.ts'
import { Operand } from '../query/related.ts'
import { toSelection } from '../query/select.ts'
import { copyPlain, isPlainObject, setOwn } from '../utils/object.ts'
import { getLimit } from './options.ts'

/** The operators that always count. */
export const OPERATORS: readonly string[] = [...FIELD_OPERATORS.keys(), NULL_OPERATOR, '$and', '$or']

/** The names at the top of a query that adapters handle apart from its conditions. */
export const FILTERS: { readonly [name: string]: FilterConverter | true } = {
  ...RESULT_FILTERS,
  $or: true,
  $and: true
}

/** The options of `filterQuery`. */
export interface FilterQueryOptions extends QueryOptions {
  readonly paginate?: PaginationParams
}

/**
 * Checks a query and splits it into the names at its top that are no fields and the conditions on fields.
 *
 * @param query The loose object
 * @param options The operators and names that are allowed, and the pagination that applies to `$limit`
 * @throws BadRequest for anything malformed
 */
export function filterQuery(
  query: Query = {},
  options: FilterQueryOptions = {}
): { filters: Query; query: Query } {
  const parsed = parseQuery(withoutSymbols(query) as Query, options)
  const checked = copyQuery(query, parsed, options)
  const filters: Query = {}
  const conditions: Query = pickSymbols(query)

  for (const name of Object.keys(checked)) {
    const isFilter = name.startsWith('$') || Object.hasOwn(parsed.filters, name)

    setOwn(isFilter ? filters : conditions, name, checked[name])
  }

  return { filters, query: conditions }
}

/**
 * Copies a query that has been parsed: with the values that were read, a `$limit` that respects the pagination, and
 * operators by their full names. Nothing is shared with the source.
 */
export function copyQuery(source: Query, parsed: ParsedQuery, options: FilterQueryOptions): Query {
  const { skip, sort, select, filters, cursor } = parsed
  const limit = getLimit(parsed.limit, options.paginate)
  const copy: Query = pickSymbols(source)

  const own: Query = options.filters ?? {}

  /** A converter may have dropped what the source holds. */
  const isGiven = (name: string) => source[name] !== undefined && typeof own[name] !== 'function'

  for (const name of Object.keys(filters)) setOwn(copy, name, copyPlain(filters[name]))

  if (limit !== undefined) copy.$limit = limit
  if (skip !== 0 || isGiven('$skip')) copy.$skip = skip
  if (sort.length > 0 || isGiven('$sort')) {
    copy.$sort = Object.fromEntries(sort.map(({ path, direction }) => [path.join('.'), direction]))
  }
  if (select !== undefined) copy.$select = [...select]

  if (cursor) for (const name of Object.keys(CURSOR_FILTERS)) if (isGiven(name)) copy[name] = source[name]

  for (const name of Object.keys(source)) {
    if (isCondition(name, own)) setOwn(copy, name, spellOut(source[name]))
  }

  return copy
}

/** Whether a name at the top of a query selects records, with the option `filters` of the adapter. */
function isCondition(name: string, filters: { readonly [name: string]: unknown }): boolean {
  if (name.startsWith('$')) return LOGICAL_OPERATORS.includes(name) || name === '$not'

  return !Object.hasOwn(filters, name) || filters[name] === undefined
}

/** The part of a query that selects records; `filters` is that option of the adapter. */
export function pickConditions(query: Query, filters: { readonly [name: string]: unknown } = {}): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => isCondition(name, filters)))
}

/** A copy in which operators have the names that adapters of Feathers v5 know. */
function spellOut(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  // A copy of an operand would stand for nothing.
  if (value instanceof Operand) return value
  if (Array.isArray(value)) return value.map(spellOut)
  if (!isPlainObject(value)) return value
  if (Object.hasOwn(value, NULL_OPERATOR)) return spellOutNull(value)

  const copy: Query = pickSymbols(value)

  for (const name of Object.keys(value)) {
    const { comparison } = FIELD_OPERATORS.get(name) ?? {}
    const full = comparison ? `$${comparison}` : name

    setOwn(copy, Object.hasOwn(value, full) ? name : full, spellOut(value[name]))
  }

  return copy
}

/** Comparisons with null in place of `$null`. What else is asked of the field stays. */
function spellOutNull({ [NULL_OPERATOR]: value, ...others }: Query): unknown {
  const isNull = parseNullTest(value)

  if (Object.keys(others).length === 0) return isNull ? null : { $ne: null }

  const [one, list] = isNull ? ['$eq', '$in'] : ['$ne', '$nin']
  const copy = spellOut(others) as Query

  if (!Object.hasOwn(copy, one)) copy[one] = null
  else if (!isNull) copy[list] = [...(copy[list] ?? []), null]
  // It would have to be null and something else.
  else if (copy[one] !== null) copy[list] = []

  return copy
}

/** Leaves out conditions that are symbols alone, such as `{ [Op.gt]: 1 }` of Sequelize: only their adapter can read them. */
function withoutSymbols(value: unknown, depth = 0): unknown {
  // A level has an array and an object. The parser refuses what is deeper.
  if (depth > 2 * (QUERY_DEPTH + 1)) return value
  if (Array.isArray(value)) {
    return value.some(isPlainObject) ? value.map((element) => withoutSymbols(element, depth + 1)) : value
  }
  if (!isPlainObject(value)) return value

  const kept = Object.entries(value).filter(([, nested]) => !isSymbolic(nested))

  return Object.fromEntries(kept.map(([name, nested]) => [name, withoutSymbols(nested, depth + 1)]))
}

function isSymbolic(value: unknown): boolean {
  if (!isPlainObject(value) || Object.keys(value).length > 0) return false

  return Object.getOwnPropertySymbols(value).length > 0
}

/** Code marks queries with symbols, which are copied. Clients cannot send any. */
function pickSymbols(source: object): Query {
  const all = Object.getOwnPropertySymbols(source)

  if (all.length === 0) return {}

  const symbols = all.filter((name) => Object.prototype.propertyIsEnumerable.call(source, name))

  return Object.fromEntries(symbols.map((name) => [name, (source as { [name: symbol]: unknown })[name]]))
}

/**
 * Returns a function that applies the `$select` of some params to a record, or to each of several.
 *
 * @param params Params with a query
 * @param always Fields that are selected whatever the query says
 */
export function select(params: { query?: Query } | undefined, ...always: string[]): (result: any) => any {
  const { select: fields } = parseQuery({ $select: params?.query?.$select })
  const selection = toSelection(fields, ...always)

  return (result) =>
    Array.isArray(result) && fields !== undefined ? result.map(selection) : selection(result)
}

/** Returns a function that compares two records by a `$sort`. */
export function sorter($sort: Query): (a: unknown, b: unknown) => number {
  return toComparator(parseQuery({ $sort }).sort)
}
