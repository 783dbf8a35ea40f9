import type { Id, Paginated, Query } from '../core/types.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { parseQuery } from '../query/parse.ts'
import { isPlainObject } from '../utils/object.ts'
import {
  type AdapterOptions,
  type AdapterParams,
  getLimit,
  type NormalizedOptions,
  normalizeOptions,
  toQueryOptions
} from './options.ts'
import { copyQuery } from './query.ts'

/** Marks a query that a schema has checked: it is taken as it is. Shared with Feathers v5. */
export const VALIDATED = Symbol.for('@feathersjs/adapter/sanitized')

const NO_QUERY: Query = Object.freeze({})
const PARSED_NO_QUERY = parseQuery(NO_QUERY)

/**
 * What all adapters have in common. An author writes the six methods with an underscore, against
 * `this.parseQuery(params)`; they trust their caller, run no hooks and send no events. A class made by
 * `implementService` adds the public methods, which check.
 */
export abstract class AdapterBase<
  Result = any,
  Data = Partial<Result>,
  PatchData = Partial<Data>,
  ServiceParams extends AdapterParams = AdapterParams,
  Options extends AdapterOptions = AdapterOptions,
  IdType = Id
> {
  options: NormalizedOptions<Options>

  /**
   * @param options The options of the adapter
   * @throws Error when an option has a value that it cannot have
   */
  constructor(options: Options) {
    this.options = normalizeOptions(options)
  }

  /** The name of the id field. */
  get id(): string {
    return this.options.id
  }

  /** The events that the service sends itself. */
  get events(): readonly string[] {
    return this.options.events
  }

  /**
   * The options for one call: `params.adapter` over `params.paginate` over those of the service. Not a copy when the
   * params have neither.
   */
  getOptions(params?: ServiceParams): NormalizedOptions<Options> {
    const { paginate, adapter } = params ?? {}

    if (paginate === undefined && adapter === undefined) return this.options

    return { ...this.options, ...(paginate !== undefined && { paginate }), ...adapter }
  }

  /**
   * Whether one call of a method may concern several records.
   *
   * @param method The name of a service method
   * @param params The params of the call
   */
  allowsMulti(method: string, params?: ServiceParams): boolean {
    if (method === 'find') return true
    if (method === 'get' || method === 'update') return false

    const { multi } = this.getOptions(params)

    return Array.isArray(multi) ? multi.includes(method) : multi === true
  }

  /**
   * Checks the query of a call. A query that a schema has marked as checked is returned as it is.
   *
   * @param params The params of the call
   * @returns A new query, in which `$limit` respects the pagination
   * @throws BadRequest for anything malformed
   */
  async sanitizeQuery(params?: ServiceParams): Promise<Query> {
    const query: Query = params?.query ?? NO_QUERY

    if ((query as any)[VALIDATED]) return query

    const options = toQueryOptions(this.getOptions(params))

    // Most calls by id have none.
    if (isEmpty(query)) {
      const limit = getLimit(undefined, options.paginate)

      return limit === undefined ? {} : { $limit: limit }
    }

    const parsed = parseQuery(query, options)

    return remember(copyQuery(query, parsed, options), parsed)
  }

  /**
   * The query of a call in one shape, with a limit that respects the pagination. `limit` and `skip` concern
   * `find` alone. It is parsed once, however often this is called.
   *
   * @param params The params that the underscore method got
   * @throws BadRequest for a query that no public method has checked and that is malformed
   */
  protected parseQuery(params?: ServiceParams): ParsedQuery {
    const query: Query = params?.query ?? NO_QUERY
    const options = toQueryOptions(this.getOptions(params))
    const parsed =
      recall(query) ??
      (isEmpty(query)
        ? PARSED_NO_QUERY
        : parseQuery(query, { ...options, trusted: (query as any)[VALIDATED] === true }))
    const limit = getLimit(parsed.limit, options.paginate)

    return limit === parsed.limit ? parsed : { ...parsed, limit }
  }

  abstract _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]>
  abstract _get(id: IdType, params?: ServiceParams): Promise<Result>
  abstract _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  abstract _update(id: IdType, data: Data, params?: ServiceParams): Promise<Result>
  abstract _patch(id: IdType | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  abstract _remove(id: IdType | null, params?: ServiceParams): Promise<Result | Result[]>
}

interface Remembered {
  readonly parsed: ParsedQuery
  /** What was parsed. The values are frozen; what is added or replaced shows by comparison. */
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}

/** Only for queries that were made here. */
const rememberedQueries = new WeakMap<object, Remembered>()

/** Returns the query to hand out, a copy already, whose conditions cannot be changed unnoticed any more. */
function remember(query: Query, parsed: ParsedQuery): Query {
  const names = Object.keys(query)
  const values = names.map((name) => freezeDeep(query[name]))

  rememberedQueries.set(query, { parsed, names, values })

  return query
}

/** What a query was parsed to; `undefined` when it was not, or has been changed since. */
function recall(query: Query): ParsedQuery | undefined {
  const remembered = rememberedQueries.get(query)

  if (!remembered) return undefined

  const { parsed, names, values } = remembered
  const isSame =
    Object.keys(query).length === names.length &&
    names.every((name, position) => Object.hasOwn(query, name) && query[name] === values[position])

  return isSame ? parsed : undefined
}

/** The same checked query for all records that match: without `$limit` and `$skip`. */
export function withoutPage(query: Query): Query {
  if (query.$limit === undefined && query.$skip === undefined) return query

  const { $limit, $skip, ...rest } = query
  const parsed = recall(query)

  if ((query as any)[VALIDATED]) Object.defineProperty(rest, VALIDATED, { value: true })

  return parsed ? remember(rest, { ...parsed, limit: undefined, skip: 0 }) : rest
}

/** Symbols count too: code marks queries with them. */
function isEmpty(query: unknown): boolean {
  return isPlainObject(query) && Reflect.ownKeys(query).length === 0
}

function freezeDeep(value: unknown): unknown {
  if (Array.isArray(value)) value.forEach(freezeDeep)
  else if (isPlainObject(value)) Object.values(value).forEach(freezeDeep)
  else return value

  return Object.freeze(value)
}
