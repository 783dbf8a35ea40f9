import type { Paginated, PaginationOptions, PaginationParams, Params, Query } from '../core/types.ts'
import type { FilterConverter, QueryOptions } from '../query/parse.ts'
import { assertSpelled } from '../utils/nearest.ts'

/** What every adapter can be told. Options may be changed while the service runs; they are read at every call. */
export interface AdapterOptions {
  /** The name of the id field; `id` by default. */
  id?: string | undefined
  /** Page sizes. Without them `find` returns a plain array. */
  paginate?: PaginationParams | undefined
  /** Whether one call may concern several records: for all methods, or for those listed. */
  multi?: boolean | readonly string[] | undefined
  /** Operators beyond the standard ones that queries may use. */
  operators?: readonly string[] | undefined
  /** Further names at the top of queries: `true`, or a function that converts the value. */
  filters?: { readonly [name: string]: FilterConverter | true | undefined } | undefined
  /**
   * The events that the service sends itself.
   *
   * @deprecated Use the `events` option of `app.use`.
   */
  events?: readonly string[] | undefined
}

/** The params that an adapter understands. Only `query` can come from a client. */
export interface AdapterParams<Q = Query, Options extends AdapterOptions = AdapterOptions> extends Params<Q> {
  /** Options for this call only. */
  adapter?: Partial<Options>
  /** Pagination for this call only; `false` switches it off. */
  paginate?: PaginationParams
}

/** Options that give `find` pages. */
export type Paged<Options extends AdapterOptions> = Options & { paginate: { default: number } }

/** Options that give `find` arrays. */
export type Unpaged<Options extends AdapterOptions> = Options & {
  paginate?: false | { default?: undefined } | undefined
}

/** Options with nothing left out. */
export type NormalizedOptions<Options extends AdapterOptions> = Options & {
  [Name in keyof AdapterOptions]-?: Exclude<AdapterOptions[Name], undefined>
}

const DEFAULTS = {
  id: 'id',
  events: [],
  paginate: false as PaginationParams,
  multi: false,
  filters: {},
  operators: []
}

const PAGINATION = ['default', 'max', 'total']

/**
 * Fills in what options leave out.
 *
 * @throws Error when an option has a value that it cannot have
 */
export function normalizeOptions<Options extends AdapterOptions>(
  options: Options
): NormalizedOptions<Options> {
  const normalized = {
    ...DEFAULTS,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  }

  assertOption('id', normalized.id, typeof normalized.id === 'string', 'a string')
  assertOption(
    'paginate',
    normalized.paginate,
    isPagination(normalized.paginate),
    `false, or { ${PAGINATION.join(', ')} }`
  )
  assertOption('multi', normalized.multi, isMulti(normalized.multi), 'a boolean, or an array of method names')
  assertOption('operators', normalized.operators, Array.isArray(normalized.operators), 'an array of names')

  return normalized as unknown as NormalizedOptions<Options>
}

/**
 * Refuses options that there are not: left out without a word, a misspelt `paginate` would let clients read everything.
 *
 * @param options The options of an adapter
 * @param own The names of those that only this adapter has
 * @param further The names that a subclass adds; without this list a name that is not near to a known one may be one of
 * a subclass, and is let through
 * @throws Error that names the option, and asks for the one that was meant
 */
export function assertNames(options: object, own: readonly string[], further?: readonly string[]): void {
  const known = [...Object.keys(DEFAULTS), ...own, ...(further ?? [])]
  const toSentence = (name: string) => `Unknown adapter option '${name}'`

  assertSpelled(options, known, toSentence)

  const unknown = Object.keys(options).find(
    (name) => !known.includes(name) && (options as Record<string, unknown>)[name] !== undefined
  )

  if (further && unknown !== undefined) {
    throw new Error(`${toSentence(unknown)}: expected one of ${known.join(', ')}`)
  }
}

/**
 * The number of records that a page holds.
 *
 * @param limit The `$limit` of the query
 * @param paginate The pagination that applies
 * @returns The limit, or else the default, and at most the maximum; `undefined` for no limit
 */
export function getLimit(limit: unknown, paginate?: PaginationParams): number | undefined {
  const wanted = typeof limit === 'string' ? Number.parseInt(limit, 10) : (limit as number | undefined)
  const { default: usual, max = Number.POSITIVE_INFINITY } = paginate || {}

  // v5 falls back to 0 without a default, and returns nothing to a client that sets no limit.
  if (max === Number.POSITIVE_INFINITY && usual === undefined) return wanted

  return Math.min(typeof wanted === 'number' && wanted >= 0 ? wanted : (usual ?? max), max)
}

/** Whether `find` returns a page and not an array. */
export function isPaginated(paginate: PaginationParams | undefined): paginate is PaginationOptions {
  return Boolean(paginate && paginate.default !== undefined)
}

/**
 * What `find` returns: the page, without its total where the pagination wants none, or the records alone.
 *
 * @param paginate The pagination that applies
 * @param page The page; `limit` may be `undefined` where there is no pagination
 */
export function toPage<T>(
  paginate: PaginationParams | undefined,
  { total, limit, skip, data }: { total: number; limit: number | undefined; skip: number; data: T[] }
): Paginated<T> | T[] {
  if (!isPaginated(paginate)) return data

  const page = { limit: limit as number, skip, data }

  return paginate.total === false ? (page as Paginated<T>) : { total, ...page }
}

/** The part of the options that decides what a query may hold. */
export function toQueryOptions({ operators, filters, paginate }: AdapterOptions): QueryOptions {
  return { operators: operators ?? [], filters: filters ?? {}, paginate }
}

function isPagination(paginate: PaginationParams | undefined): boolean {
  if (paginate === false) return true
  if (typeof paginate !== 'object' || paginate === null) return false

  const { default: usual, max, total = true } = paginate

  return (
    // One that is misspelt would let clients read everything.
    Object.keys(paginate).every((name) => PAGINATION.includes(name)) &&
    typeof total === 'boolean' &&
    [usual, max].every((size) => size === undefined || (Number.isInteger(size) && size >= 0))
  )
}

function isMulti(multi: unknown): boolean {
  return (
    typeof multi === 'boolean' || (Array.isArray(multi) && multi.every((name) => typeof name === 'string'))
  )
}

function assertOption(name: string, value: unknown, valid: boolean, expected: string): void {
  if (!valid)
    throw new Error(`Invalid adapter option '${name}': expected ${expected}, got ${JSON.stringify(value)}`)
}
