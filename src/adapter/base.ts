import type { RegisteredPlace } from '../core/place.ts'
import type { Id, Paginated, PaginationOptions, Query } from '../core/types.ts'
import { TRAITS, type Traits } from '../hooks/traits.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { CURSOR_FILTERS } from '../query/operators.ts'
import { parseQuery, type QueryOptions } from '../query/parse.ts'
import { isValidated, keepValidated } from '../query/validated.ts'
import { BoundedMap } from '../utils/bounded-map.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { withoutLookupField } from '../utils/own-adapter.ts'
import { assertShown, type KeyedStore, readCursorPage, toTotalSort } from './cursor-page.ts'
import { type CursorKeys, Cursors, toBinding } from './cursors.ts'
import {
  type AdapterOptions,
  type AdapterParams,
  getLimit,
  type NormalizedOptions,
  normalizeOptions,
  toQueryOptions
} from './options.ts'
import { copyQuery } from './query.ts'
import { upsertExtension } from './upsert.ts'

/** Where a registered service has its options. Shared with Feathers v5. */
export const SERVICE: unique symbol = Symbol.for('@feathersjs/service')

/** How many keys of cursors are kept: calls can have secrets of their own. */
const MAX_CURSOR_KEYS = 100

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
  /** Where the service is registered; `undefined` for one that belongs to no application. */
  private _registered: RegisteredPlace | undefined
  /** Kept for all pages: deriving a key costs more than using it. */
  private readonly _cursorKeys: CursorKeys = new BoundedMap(MAX_CURSOR_KEYS)
  /** Whether clients must learn nothing of a field; left out where they may learn of all. */
  private _isHidden: ((path: string) => boolean) | undefined

  /**
   * @param options The options of the adapter
   * @throws TypeError when an option has a value that it cannot have
   */
  constructor(options: Options) {
    this.options = normalizeOptions(this.constructor.name, options)
  }

  /** The name of the id field. */
  get id(): string {
    return this.options.id
  }

  /** The events that the service sends itself. */
  get events(): readonly string[] {
    return this.options.events
  }

  /** What the service says about itself. */
  get [TRAITS](): Traits {
    return this.options.upsert ? { upsert: upsertExtension } : {}
  }

  /**
   * The options for one call: `params.adapter` over `params.paginate` over those of the service. Not a copy when the
   * params have neither.
   */
  getOptions(params?: ServiceParams): NormalizedOptions<Options> {
    const { paginate, adapter } = params ?? {}

    if (adapter === undefined)
      return paginate === undefined ? this.options : copyWith(this.options, { paginate })

    return Object.assign({}, this.options, paginate !== undefined && { paginate }, toOwn(this, adapter))
  }

  /**
   * The field by which an external call names its record, where that is not the id field.
   *
   * @param params The params of the call
   */
  protected getBy(params?: ServiceParams): string | undefined {
    const { id, by } = this.getOptions(params) as NormalizedOptions<Options> & { by?: object }

    return by === undefined || id === this.id ? undefined : id
  }

  /**
   * Called once, when the service is registered with the option `by`. An adapter whose store does not do so keeps the values
   * of the field unique: a second record with the same value is a Conflict.
   *
   * @param _field The name of the field
   */
  _identifyBy(_field: string): void {}

  /**
   * Finds the records of a key for `upsert`, whatever the caller may see. They need no field but the id, and two are enough: a
   * second one shows that the key is not unique.
   *
   * @param values The values of the key
   * @param params The params of the call
   * @param _isLatest Whether an attempt has failed because another call was faster: its record has to be visible, also in a
   * transaction that began earlier
   */
  async _findByKey(
    values: Query,
    params: ServiceParams | undefined,
    _isLatest: boolean
  ): Promise<readonly Result[]> {
    const query = { ...values, $limit: 2, $select: [this.id] }

    return (await this._find(
      copyWith(params, { provider: undefined, paginate: false, query }) as unknown as ServiceParams
    )) as Result[]
  }

  /**
   * Called once, when the service is registered.
   *
   * @param place Where it is registered
   */
  _place(place: RegisteredPlace): void {
    this._registered = place
  }

  /**
   * Called when a schema with hidden fields belongs to the service.
   *
   * @param isHidden Returns whether sorting by a path would reveal a hidden field
   */
  _hide(isHidden: (path: string) => boolean): void {
    this._isHidden = isHidden
  }

  /**
   * Reads a page with cursors, where the pagination of a call has them. The order is that of the query and then of the id, so
   * that every record has a place of its own.
   *
   * @param query The query, as `parseQuery` returns it
   * @param params The params of the call
   * @param store How the adapter reads the records that match
   * @returns A `CursorPage`
   * @throws BadRequest for a cursor that is none, or one of another query
   */
  protected async findCursorPage(
    query: ParsedQuery,
    params: ServiceParams | undefined,
    store: KeyedStore<Result>
  ): Promise<Paginated<Result>> {
    const { paginate } = this.getOptions(params)
    const { cursor, total } = paginate as PaginationOptions
    const own = typeof cursor === 'object' ? cursor.secret : undefined
    const { secret } = (this._registered?.readSetting('authentication') ?? {}) as {
      secret?: string | readonly string[]
    }
    const sort = toTotalSort(query.sort, this.id)
    const secrets = [own ?? secret ?? []].flat()

    if (secrets.length === 0 && params?.provider) assertShown(sort, (path) => this._isKept(path))

    const page: unknown = await readCursorPage(query, store, {
      cursors: new Cursors(secrets, toBinding(query.where, sort, this._registered?.path), this._cursorKeys),
      counts: total !== false
    })

    // The type of an adapter knows the usual page: that of a service with cursors says what its `find` returns.
    return page as Paginated<Result>
  }

  /** Whether a schema or a hook keeps a field from clients. */
  private _isKept(path: string): boolean {
    const kept = this._registered?.listProtected() ?? []

    return (
      this._isHidden?.(path) === true || kept.some((field) => path === field || path.startsWith(`${field}.`))
    )
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

    if (isValidated(query)) return query

    const options = toQueryOptions(this.getOptions(params))

    return copyQuery(query, parseQuery(query, options), options)
  }

  /**
   * The query of a call in one shape, with a limit that respects the pagination. `limit` and `skip` concern
   * `find` alone. A query that a public method has checked is not parsed again.
   *
   * @param params The params that the underscore method got
   * @throws BadRequest for a query that no public method has checked and that is malformed
   */
  protected parseQuery(params?: ServiceParams): ParsedQuery {
    const query: Query = params?.query ?? NO_QUERY
    const options = this.getOptions(params)
    const { parsed } = getServiceSlots(params, this)
    const tree = parsed?.query === query ? parsed.tree : parse(query, toQueryOptions(options))
    const limit = getLimit(tree.limit, options.paginate)

    if (limit === tree.limit) return tree

    const { where, sort, skip, select, filters, cursor } = tree

    // Not by spread: V8 copies a frozen object several times as slowly.
    return { where, sort, limit, skip, select, filters, cursor }
  }

  abstract _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]>
  abstract _get(id: IdType, params?: ServiceParams): Promise<Result>
  abstract _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  abstract _update(id: IdType, data: Data, params?: ServiceParams): Promise<Result>
  abstract _patch(id: IdType | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  abstract _remove(id: IdType | null, params?: ServiceParams): Promise<Result | Result[]>
}

/** Options without the id field of another service, whose hooks have passed their params on. */
function toOwn<Options extends { readonly by?: object | undefined }>(
  adapter: object,
  options: Options | undefined
): Options | undefined {
  if (!options?.by || options.by === adapter || !(adapter as { [SERVICE]?: unknown })[SERVICE]) return options

  return withoutLookupField(options) as Options
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The query, checked with the operators and filters of the adapter. */
    readonly parsed?: Parsed
  }
}

/** The params of a call, with a query that was checked. */
interface PreparedParams {
  readonly query: Query
}

interface Parsed {
  /** The frozen copy that was made of the query. */
  readonly query: Query
  readonly tree: ParsedQuery
}

/** An adapter of any records. */
export type AnyAdapter = AdapterBase<any, any, any, AdapterParams, AdapterOptions, any>

/**
 * Prepares a call for a public method: checks its query and parses it, once. Only `find` has `$limit` and `$skip`. Returns the
 * params to pass on, with a frozen copy of the query; a promise where the adapter has its own `sanitizeQuery`. Throws
 * BadRequest for anything malformed.
 */
export function prepare(
  adapter: AnyAdapter,
  method: string,
  params: AdapterParams | undefined
): PreparedParams | Promise<PreparedParams> {
  const query: Query = params?.query ?? NO_QUERY
  const isPage = method === 'find'

  if (adapter.sanitizeQuery !== AdapterBase.prototype.sanitizeQuery) {
    return adapter
      .sanitizeQuery(params)
      .then((checked) => copyWith(params, { query: isPage ? checked : withoutPage(checked) }))
  }
  if (isValidated(query)) return copyWith(params, { query: isPage ? query : withoutPage(query) })

  const options = toQueryOptions(adapter.getOptions(params))
  const parsed = isWithoutProperties(query) && !options.cursor ? PARSED_NO_QUERY : parseQuery(query, options)
  const tree = isPage || !hasPage(parsed) ? parsed : { ...parsed, limit: undefined, skip: 0 }
  const copy = parsed === PARSED_NO_QUERY && !isPage ? NO_QUERY : copyQuery(query, parsed, options)
  const checked = freezeDeep(isPage ? copy : withoutPage(copy))

  return addServiceSlots(params, adapter, { parsed: { query: checked, tree } }, { query: checked })
}

function parse(query: Query, options: QueryOptions): ParsedQuery {
  return query === NO_QUERY && !options.cursor
    ? PARSED_NO_QUERY
    : parseQuery(query, { ...options, trusted: isValidated(query) })
}

const PAGE_NAMES = ['$limit', '$skip', ...Object.keys(CURSOR_FILTERS)]

function hasPage({ limit, skip }: ParsedQuery): boolean {
  return limit !== undefined || skip !== 0
}

/** The same query for all records that match: without `$limit` and `$skip`. */
function withoutPage(query: Query): Query {
  if (PAGE_NAMES.every((name) => query[name] === undefined)) return query

  const { $limit, $skip, $after, $before, $total, ...rest } = query

  return keepValidated(query, rest)
}

/** Symbols count too: code marks queries with them. */
function isWithoutProperties(query: unknown): boolean {
  return isPlainObject(query) && Reflect.ownKeys(query).length === 0
}

/** Freezes plain objects and arrays, so that a change that would not count is an error. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (!Array.isArray(value) && !isPlainObject(value)) return value

  for (const nested of Object.values(value)) freezeDeep(nested)

  return Object.freeze(value)
}
