import { AdapterBase } from '../adapter/base.ts'
import { type KeyedStore, toTotalSort } from '../adapter/cursor-page.ts'
import { type AdapterMethods, type FindMethod, implementService } from '../adapter/methods.ts'
import {
  ADAPTER_CHECKS,
  type AdapterOptions,
  type AdapterParams,
  type Cursored,
  type Paged,
  toPage,
  type Unpaged
} from '../adapter/options.ts'
import { OPERATORS, pickConditions } from '../adapter/query.ts'
import type { CursorPage, Id, Paginated, Query } from '../core/types.ts'
import { BadRequest, Conflict, NotFound } from '../errors.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { compileComparator } from '../query/comparator.ts'
import type { ToReader } from '../query/field.ts'
import { LIST_PREDICATES } from '../query/lists.ts'
import { LIST_OPERATORS } from '../query/operators.ts'
import { type CustomPredicates, compilePredicate, type Predicate } from '../query/predicate.ts'
import { type RecordSet, returnSet } from '../query/related.ts'
import { toSelection } from '../query/select.ts'
import { getServiceSlots } from '../utils/call-state.ts'
import { isFunction, isGiven, isObject, isStringList, isSyncFunction } from '../utils/check.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { assertOption, assertOptions, type OptionChecks } from '../utils/options.ts'
import { assertSync } from '../utils/promise.ts'
import { clone, cloneRecord } from './clone.ts'
import { fromKey, toKey, toValuesComparator, toValuesReader } from './keys.ts'
import { warnOfMissingSign } from './missing-sign.ts'
import { takeSorted } from './page.ts'
import type { Entry, Stored } from './record-index.ts'
import { filterRecords, Records } from './records.ts'
import { MemorySet, toRelatedReader } from './set.ts'
import { UniqueFields } from './unique.ts'

/** The options of a memory service. */
export interface MemoryOptions<Result = any> extends AdapterOptions {
  /** Records to begin with, by id or as an array. They are copied. */
  store?: { readonly [id: string]: Result } | readonly Result[] | undefined
  /** The first id to generate; 0 by default. */
  startId?: number | undefined
  /** Fields on which equality and `$in` do not look at every record. */
  indexes?: readonly string[] | undefined
  /** The meaning of operators that `operators` lists and that have none of their own. */
  predicates?: CustomPredicates | undefined
  /** Makes the test for the conditions of a query, instead of the one that is built in. */
  matcher?: ((query: Query) => (record: any) => boolean) | undefined
  /** Makes the comparison for a `$sort`, instead of the one that is built in. */
  sorter?: ((sort: Query) => (a: any, b: any) => number) | undefined
}

const CHECKS: OptionChecks = {
  ...ADAPTER_CHECKS,
  store: [isStore, 'records by id, or an array of records'],
  startId: [Number.isSafeInteger, 'a whole number'],
  indexes: [isStringList, 'an array of field names'],
  predicates: [isObject, 'functions by operator'],
  matcher: [isSyncFunction, 'a function that is not async'],
  sorter: [isSyncFunction, 'a function that is not async']
}

/** Operators that need no meaning of their own. */
const KNOWN_OPERATORS = [...OPERATORS, '$not', '$nor', ...LIST_OPERATORS]

/**
 * Keeps records in memory. Nothing that is stored is shared with callers: they get copies, and what they pass in
 * is copied. Each method does its reading and writing in one step.
 */
export class MemoryAdapter<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
> extends AdapterBase<Result, Data, PatchData, ServiceParams, MemoryOptions> {
  private readonly _records: Records
  /** The number that the next record gets. An object, because the service at another path is another one, with the same records. */
  private readonly _counter: { next: number }
  /** The keys of which no two records have the same values, beside the id. */
  private readonly _unique: UniqueFields
  /** Whether a query that lacks a `$` was warned of: once is enough. */
  private _hasWarned = false

  /**
   * @param options The options
   * @param further The names of options that a subclass adds: any other that is unknown is then refused
   * @throws TypeError for an option that is not valid, and for an operator without a meaning
   */
  constructor(options: MemoryOptions = {}, further?: readonly string[]) {
    super(options)

    const { store = {}, startId = 0, indexes = [] } = options

    assertOptions(this.constructor.name, options, CHECKS, further ? { further } : { others: 'unlike' })
    assertMeaning(this.constructor.name, options)
    this._counter = { next: startId }
    this._records = new Records(indexes)
    this._unique = new UniqueFields(this._records)
    this.store = store
    if (options.upsert) this._unique.add(options.upsert.by as [string, ...string[]])
  }

  /**
   * All records by id: a copy. Setting it replaces all records.
   *
   * @throws Conflict when two of the new records have the same key of `upsert` or `by`: then nothing is replaced
   */
  get store(): Record<string, Result> {
    return Object.fromEntries(
      this._records.getEntries().map(({ key, record }) => [key, clone(record) as Result])
    )
  }

  set store(store: { readonly [id: string]: any } | readonly any[]) {
    // A map, because of two records with one id the last one counts.
    const records = new Map(
      Object.entries(store).map(([key, record]): [string, Stored] => [
        String(record[this.id] ?? key),
        clone(record)
      ])
    )

    this._unique.assertDistinct(records)
    this._records.clear()
    for (const [key, record] of records) this._records.set(key, record)
  }

  /**
   * The records that a call of `find` selects, for relations of other services.
   *
   * @param params The params of the call
   */
  asSet(params: ServiceParams): RecordSet {
    return new MemorySet(this, () => this._match(this.parseQuery(params), params))
  }

  async _find(params: ServiceParams & { paginate: false }): Promise<Result[]>
  async _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]>
  async _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]> {
    const { sets, relatedSorts } = getServiceSlots(params, this)

    if (params && sets) return returnSet(sets, this.asSet(params))

    const query = this.parseQuery(params)
    const toReader = relatedSorts
      ? await toRelatedReader(relatedSorts, this._records.toReader)
      : this._records.toReader
    const { skip, limit } = query
    const end = skip + (limit ?? Number.POSITIVE_INFINITY)
    const matches = this._match(query, params)

    if (matches.length === 0 && !this._hasWarned)
      this._hasWarned = warnOfMissingSign(params?.query, this._records.values())

    if (query.cursor)
      return await this.findCursorPage(query, params, this._toKeyedStore(query, matches, toReader))

    const sorted = this._sort(matches, query, params, end, toReader).slice(skip, end)
    const data = sorted.map(this._toResult(query))

    return toPage(this.getOptions(params).paginate, { total: matches.length, limit, skip, data })
  }

  async _get(id: Id, params?: ServiceParams): Promise<Result> {
    const query = this.parseQuery(params)

    return this._toResult(query)(this._findEntry(id, query, params).record)
  }

  async _create(data: Data, params?: ServiceParams): Promise<Result>
  async _create(data: Data[], params?: ServiceParams): Promise<Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]> {
    const query = this.parseQuery(params)
    const records = this._withIds(
      (Array.isArray(data) ? data : [data]).map((item) => cloneRecord(item as Stored))
    )

    this._unique.assertFree(records.map((record) => [undefined, record]))
    for (const record of records) this._records.set(record[this.id], record)

    const results = records.map(this._toResult(query))

    return Array.isArray(data) ? results : (results[0] as Result)
  }

  async _update(id: Id, data: Data, params?: ServiceParams): Promise<Result> {
    const query = this.parseQuery(params)
    const entry = this._findEntry(id, query, params)
    const replacement = cloneRecord(data as Stored)
    const by = this.getBy(params)

    // What the call has named the record by stays, unless the data has another value.
    if (by !== undefined && replacement[by] === undefined) replacement[by] = entry.record[by]
    this._keepIds(replacement, entry, params)
    this._unique.assertFree([[entry, replacement]])
    this._records.replace(entry, replacement)

    return this._toResult(query)(replacement)
  }

  async _patch(id: Id, data: PatchData, params?: ServiceParams): Promise<Result>
  async _patch(id: null, data: PatchData, params?: ServiceParams): Promise<Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]> {
    const query = this.parseQuery(params)
    const entries = this._findEntries(id, query, params)
    // What is inside is shared with the record before, and between records: it is replaced, never changed.
    const changes = cloneRecord(data as Stored)
    const patches = entries.map((entry): [Entry, Stored] => {
      const { record } = entry
      const patched = isPlainObject(record) ? copyWith(record, changes) : patchInstance(record, changes)

      this._keepIds(patched, entry, params)

      return [entry, patched]
    })

    this._unique.assertFree(patches)
    for (const [entry, patched] of patches) this._records.replace(entry, patched)

    return this._toResults(id, entries, query)
  }

  async _remove(id: Id, params?: ServiceParams): Promise<Result>
  async _remove(id: null, params?: ServiceParams): Promise<Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]> {
    const query = this.parseQuery(params)
    const entries = this._findEntries(id, query, params)

    for (const entry of entries) this._records.delete(entry)

    return this._toResults(id, entries, query)
  }

  private _findEntry(id: Id, query: ParsedQuery, params: ServiceParams | undefined): Entry {
    const { id: idField } = this.getOptions(params)
    const named = idField === this.id ? [this._records.get(id)] : this._records.findBy(idField, id, this.id)
    const matches = this._toPredicate(query, params)
    const [entry, another] = named.filter((one) => one && matches(one.record))

    if (another) throw new Conflict(`Several records have '${id}' as '${idField}'`)
    if (!entry) throw new NotFound(`No record found for id '${id}'`)

    return entry
  }

  private _findEntries(
    id: Id | null,
    query: ParsedQuery,
    params: ServiceParams | undefined
  ): readonly Entry[] {
    if (id !== null) return [this._findEntry(id, query, params)]

    const { matcher, predicates } = this.getOptions(params)

    if (!matcher) return this._records.findEntries(query.where, this.id, withLists(predicates))

    const matches = this._toPredicate(query, params)

    return this._records.getEntries().filter(({ record }) => matches(record))
  }

  /** Neither the id of the service nor that of the call changes, unless a client has named the record by another field. */
  private _keepIds(changed: Stored, { record }: Entry, params: ServiceParams | undefined): void {
    const fields = this.getBy(params) === undefined ? [this.id, this.getOptions(params).id] : [this.id]

    for (const field of fields) changed[field] = record[field]
  }

  override _identifyBy(field: string): void {
    this._unique.add([field])
  }

  /** The records that match, in order. */
  private _match(query: ParsedQuery, params: ServiceParams | undefined): readonly Stored[] {
    const { matcher, predicates } = this.getOptions(params)

    if (!matcher) return this._records.find(query.where, this.id, withLists(predicates))

    return filterRecords(this._records.values(), this._toPredicate(query, params))
  }

  private _toPredicate({ where }: ParsedQuery, params: ServiceParams | undefined): Predicate {
    const { matcher, predicates, filters } = this.getOptions(params)

    if (!matcher) return compilePredicate(where, withLists(predicates), this._records.toReader)

    const conditions = pickConditions(params?.query ?? {}, filters)
    const matches = assertSync(matcher(conditions), "The option 'matcher' has to return a test")

    return (record) =>
      assertSync(matches(record), "A test of the option 'matcher' has to return true or false")
  }

  /** The records that match, as pages with cursors read them. */
  private _toKeyedStore(
    query: ParsedQuery,
    matches: readonly Stored[],
    toReader: ToReader
  ): KeyedStore<Result> {
    const sort = toTotalSort(query.sort, this.id)
    const compare = toValuesComparator(sort)
    const read = toValuesReader(sort, toReader)
    const toResult = this._toResult(query)
    const rows = matches.map((record) => ({ record, values: read(record) }))

    return {
      length: sort.length,
      async read({ after, before, fromEnd, limit }) {
        const [low, high] = [after && fromKey(after), before && fromKey(before)]
        const within = rows.filter(
          ({ values }) => (!low || compare(values, low) > 0) && (!high || compare(values, high) < 0)
        )
        const sign = fromEnd ? -1 : 1
        const part = takeSorted(within, (a, b) => compare(a.values, b.values) * sign, limit)

        return {
          rows: (fromEnd ? part.toReversed() : part).map(({ record, values }) => ({
            record: toResult(record),
            key: toKey(values)
          })),
          hasMore: within.length > limit
        }
      },
      async hasBeside(key, side) {
        const place = fromKey(key)

        return rows.some(({ values }) => compare(values, place) * side >= 0)
      },
      count: async () => rows.length
    }
  }

  /** At least the first `count` records in the order of the query. */
  private _sort(
    records: readonly Stored[],
    { sort }: ParsedQuery,
    params: ServiceParams | undefined,
    count: number,
    toReader: ToReader
  ): readonly Stored[] {
    if (sort.length === 0) return records

    const { sorter } = this.getOptions(params)
    const compare = sorter
      ? toComparator(sorter, params?.query?.$sort ?? {})
      : compileComparator(sort, toReader)

    return takeSorted(records, compare, count)
  }

  /** Gives each record an id. Nothing is stored before all ids are known to be free. */
  private _withIds(records: Stored[]): Stored[] {
    const taken = new Set<string>()

    for (const record of records) {
      if (!isGiven(record[this.id])) continue

      const id = String(record[this.id])

      if (taken.has(id)) throw new Conflict('Two of the records have the same id')
      if (this._records.get(id)) throw new Conflict(`A record with the id '${id}' exists already`)

      taken.add(id)
    }

    for (const record of records) {
      if (!isGiven(record[this.id])) record[this.id] = this._generateId(taken)
    }

    return records
  }

  private _generateId(taken: ReadonlySet<string>): number {
    const { _counter: counter } = this

    while (this._records.get(counter.next) || taken.has(String(counter.next))) counter.next++

    return counter.next++
  }

  private _toResults(id: Id | null, entries: readonly Entry[], query: ParsedQuery): Result | Result[] {
    const toResult = this._toResult(query)
    const results = entries.map(({ record }) => toResult(record))

    return id === null ? results : (results[0] as Result)
  }

  private _toResult({ select }: ParsedQuery): (record: Stored) => Result {
    const selection = toSelection(select, this.id)

    return (record) => clone(selection(record))
  }
}

/** A memory adapter with the public methods, ready for `app.use`. */
export class MemoryService<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
> extends MemoryAdapter<Result, Data, ServiceParams, PatchData> {}

/** What `implementService` defines below. */
export interface MemoryService<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
> extends AdapterMethods<Result, Data, PatchData, ServiceParams> {}

implementService(MemoryService)

/**
 * Creates a service that keeps its records in memory. `find` returns a page where the options have a page size.
 *
 * @param options Id field, pagination, multi, records to begin with, indexes, …
 * @throws Error for an option that is not valid
 * @example
 * app.use('messages', memory({ paginate: { default: 10, max: 50 } }))
 */
export function memory<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
>(
  options: Cursored<MemoryOptions>
): FindMethod<CursorPage<Result>, ServiceParams> & MemoryService<Result, Data, ServiceParams, PatchData>
export function memory<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
>(options: Paged<MemoryOptions>): MemoryService<Result, Data, ServiceParams, PatchData>
export function memory<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
>(
  options?: Unpaged<MemoryOptions>
): FindMethod<Result[], ServiceParams> & MemoryService<Result, Data, ServiceParams, PatchData>
export function memory<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AdapterParams = AdapterParams,
  PatchData = Partial<Data>
>(
  options: MemoryOptions
): FindMethod<Paginated<Result> | Result[], ServiceParams> &
  MemoryService<Result, Data, ServiceParams, PatchData>
export function memory(options: MemoryOptions = {}): MemoryService {
  return new MemoryService(options, [])
}

/**
 * Copies an instance of a class, with changes. A client may name what the class only has a getter for, or one of its methods:
 * a `toJSON` that is no function would show what that of the class hides.
 */
function patchInstance(record: Stored, changes: Stored): Stored {
  const patched: Stored = Object.assign(Object.create(Object.getPrototypeOf(record)), record)

  for (const [name, value] of Object.entries(changes)) {
    if (!Reflect.set(patched, name, value) || isFunction(record[name])) {
      throw new BadRequest(`Invalid data: '${name}' cannot be set`, { errors: { [name]: 'cannot be set' } })
    }
  }

  return patched
}

function toComparator(
  sorter: NonNullable<MemoryOptions['sorter']>,
  sort: Query
): (a: unknown, b: unknown) => number {
  const compare = assertSync(sorter(sort), "The option 'sorter' has to return a comparison")

  return (a, b) => assertSync(compare(a, b), "A comparison of the option 'sorter' has to return a number")
}

/** A predicate of the options replaces the built-in meaning of a list operator. */
function withLists(predicates: CustomPredicates | undefined): CustomPredicates {
  return predicates ? { ...LIST_PREDICATES, ...predicates } : LIST_PREDICATES
}

function assertMeaning(owner: string, { operators, predicates = {}, matcher }: MemoryOptions): void {
  if (!operators || matcher) return

  const known = [...KNOWN_OPERATORS, ...Object.keys(predicates)]

  assertOption(owner, 'operators', operators, [
    () => operators.every((name) => known.includes(name)),
    "names that have a meaning in 'predicates'"
  ])
}

function isStore(store: unknown): boolean {
  return isObject(store) || (Array.isArray(store) && store.every(isObject))
}
