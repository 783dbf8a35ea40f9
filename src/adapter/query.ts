// The functions of `@feathersjs/adapter-commons` for adapters that read the loose query themselves. They
// check with the same parser as everything else.
import type { PaginationParams, Query } from '../core/types.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { toComparator } from '../query/comparator.ts'
import { FIELD_OPERATORS, LOGICAL_OPERATORS, RESULT_FILTERS, SHORT_NAMES } from '../query/operators.ts'
import { type FilterConverter, parseQuery, type QueryOptions } from '../query/parse.ts'
import { toSelection } from '../query/select.ts'
import { copyPlain, isPlainObject } from '../utils/object.ts'
import { getLimit } from './options.ts'

/** The operators that always count. */
export const OPERATORS: readonly string[] = [...FIELD_OPERATORS.keys(), '$and', '$or']

/** The names at the top of a query that adapters handle apart from its conditions. */
export const FILTERS: { readonly [name: string]: FilterConverter | true } = {
  ...RESULT_FILTERS,
  $or: true,
  $and: true
}

/** What `filterQuery` may be told. */
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
  return splitQuery(query, parseQuery(query, options), options)
}

/** The split of a query that has been parsed already. */
export function splitQuery(
  source: Query,
  parsed: ParsedQuery,
  options: FilterQueryOptions
): { filters: Query; query: Query } {
  const limit = getLimit(parsed.limit, options.paginate)
  const entries = Object.entries(source)
  const filters: Query = { ...copyPlain(parsed.filters) }

  /** A converter may have dropped what the source holds. */
  const isThere = (name: string, hasValue: boolean) =>
    hasValue || (source[name] !== undefined && typeof options.filters?.[name] !== 'function')

  if (limit !== undefined) filters.$limit = limit
  if (isThere('$skip', parsed.skip !== 0)) filters.$skip = parsed.skip
  if (isThere('$sort', parsed.sort.length > 0)) {
    filters.$sort = Object.fromEntries(parsed.sort.map(({ path, direction }) => [path.join('.'), direction]))
  }
  if (parsed.select !== undefined) filters.$select = [...parsed.select]

  for (const [name, value] of entries) {
    if (LOGICAL_OPERATORS.includes(name) || name === '$not') filters[name] = spellOut(value)
  }

  const conditions = Object.fromEntries(entries.filter(([name]) => !name.startsWith('$')))

  return { filters, query: { ...(spellOut(conditions) as Query), ...pickSymbols(source) } }
}

/** A copy in which operators have the names that adapters of Feathers v5 know. */
function spellOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spellOut)
  if (!isPlainObject(value)) return value

  const rename = (name: string): string => {
    const full = SHORT_NAMES.get(name)

    return full === undefined || Object.hasOwn(value, full) ? name : full
  }

  return Object.fromEntries(Object.entries(value).map(([name, nested]) => [rename(name), spellOut(nested)]))
}

/** Symbols cannot come from a client: with what code marks a query stays on it. */
function pickSymbols(source: object): object {
  const symbols = Object.getOwnPropertySymbols(source).filter((name) =>
    Object.prototype.propertyIsEnumerable.call(source, name)
  )

  return Object.fromEntries(symbols.map((name) => [name, (source as any)[name]]))
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
export function sorter($sort: Query): (a: any, b: any) => number {
  return toComparator(parseQuery({ $sort }).sort)
}
