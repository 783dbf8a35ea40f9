import type { Paginated, PaginationOptions, PaginationParams, Params, Query } from '../core/types.ts'
import type { FilterConverter, QueryOptions } from '../query/parse.ts'
import { isBoolean, isCount, isObject, isString, isStringList } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { fillDefaults } from '../utils/object.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'

/** The key of `upsert`. */
export interface UpsertOptions {
  /** Its fields. The store keeps two records with the same values of them apart. */
  readonly by: readonly string[]
}

/** The options of every adapter. They may be changed while the service runs; they are read at every call. */
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
   * Gives the service the method `upsert`, and names the key by which that finds a record. Clients have it where `methods`
   * lists it.
   */
  upsert?: UpsertOptions | undefined
  /**
   * The events that the service sends itself.
   *
   * @deprecated Use the `events` option of `app.use`.
   */
  events?: readonly string[] | undefined
}

/** The params that an adapter understands. Only `query` can come from a client. */
export interface AdapterParams<Q = Query, Options extends AdapterOptions = AdapterOptions> extends Params<Q> {
  /**
   * Options for this call only. With `by`, the service that the call came to, `id` is the field which its option `by`
   * names: its value may change, and other services ignore it.
   */
  adapter?: Partial<Options> & { readonly by?: object | undefined }
  /** Pagination for this call only; `false` switches it off. */
  paginate?: PaginationParams
}

/** Options that give `find` pages. */
export type Paged<Options extends AdapterOptions> = Options & {
  paginate: { default: number; cursor?: false }
}

/** Options that give `find` pages with cursors. */
export type Cursored<Options extends AdapterOptions> = Options & {
  paginate: { default: number; cursor: true | { readonly secret: string } }
}

/** Options that give `find` arrays. */
export type Unpaged<Options extends AdapterOptions> = Options & {
  paginate?: false | { default?: undefined } | undefined
}

/** Options with nothing left out. */
export type NormalizedOptions<Options extends AdapterOptions> = Options & {
  [Name in Exclude<keyof AdapterOptions, 'upsert'>]-?: Exclude<AdapterOptions[Name], undefined>
}

const DEFAULTS = {
  id: 'id',
  events: [],
  paginate: false as PaginationParams,
  multi: false,
  filters: {},
  operators: []
}

const PAGE_SIZE = [isCount, 'a number of records'] as const

const PAGINATION_CHECKS: OptionChecks = {
  default: PAGE_SIZE,
  max: [...PAGE_SIZE, 'protection'],
  total: [isBoolean, 'true or false'],
  cursor: [
    (cursor) => isBoolean(cursor) || (isObject(cursor) && isString((cursor as { secret?: unknown }).secret)),
    "true, false, or { secret: 'a long string' }"
  ]
}

const UPSERT_CHECKS: OptionChecks = {
  by: [isKey, "an array of names of fields, as in ['email']", 'required']
}

/** Methods that never concern several records, or always. */
const NOT_MULTI = ['find', 'get', 'update']

/** The options of every adapter. */
export const ADAPTER_CHECKS: OptionChecks = {
  id: [isString, 'the name of a field'],
  paginate: [
    (paginate) => paginate === false || isObject(paginate),
    'false, or { default, max, total, cursor }'
  ],
  multi: [isMulti, 'true, false, or an array of create, patch and remove'],
  operators: [isStringList, 'an array of names'],
  filters: [isObject, 'an object with functions or true, by name'],
  upsert: [isObject, "an object such as { by: ['email'] }"],
  events: [isStringList, 'an array of names']
}

/**
 * Fills in what options leave out. Adapters check the names of options themselves, where they know all of them. Throws a
 * TypeError, which names the class `owner`, when an option has a value that it cannot have.
 */
export function normalizeOptions<Options extends AdapterOptions>(
  owner: string,
  options: Options
): NormalizedOptions<Options> {
  assertOptions(owner, options, ADAPTER_CHECKS, { others: 'any' })
  if (options.paginate) {
    assertOptions(owner, options.paginate, PAGINATION_CHECKS, { under: 'paginate' })
    if (options.paginate.cursor) {
      const checks: OptionChecks = { default: [...PAGE_SIZE, 'required'] }

      assertOptions(owner, options.paginate, checks, { under: 'paginate', others: 'any' })
    }
  }

  if (options.upsert) assertOptions(owner, options.upsert, UPSERT_CHECKS, { under: 'upsert' })

  return fillDefaults(options, DEFAULTS) as unknown as NormalizedOptions<Options>
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
 * @throws Error where the pagination has cursors: `findCursorPage` makes such pages
 */
export function toPage<T>(
  paginate: PaginationParams | undefined,
  { total, limit, skip, data }: { total: number; limit: number | undefined; skip: number; data: T[] }
): Paginated<T> | T[] {
  if (!isPaginated(paginate)) return data

  if (paginate.cursor) {
    throw createError(
      'ALULA_INVALID_OPTION',
      "The adapter has no pages with cursors: remove 'cursor' from 'paginate'"
    )
  }

  return (paginate.total === false ? { limit, skip, data } : { total, limit, skip, data }) as Paginated<T>
}

/** The part of the options that decides what a query may hold. */
export function toQueryOptions({ operators, filters, paginate }: AdapterOptions): QueryOptions {
  const cursor = isPaginated(paginate) && Boolean(paginate.cursor)

  return { operators: operators ?? [], filters: filters ?? {}, paginate, cursor }
}

function isMulti(multi: unknown): boolean {
  return isBoolean(multi) || (isStringList(multi) && !multi.some((name) => NOT_MULTI.includes(name)))
}

function isKey(by: unknown): boolean {
  return (
    isStringList(by) &&
    by.length > 0 &&
    new Set(by).size === by.length &&
    by.every((name) => name !== '' && !/[.$]/.test(name))
  )
}
