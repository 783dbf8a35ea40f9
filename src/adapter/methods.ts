import type { Id, NormalizedServiceOptions, Paginated, PaginationOptions, Parent } from '../core/types.ts'
import { BadRequest, MethodNotAllowed } from '../errors.ts'
import { describeHook } from '../hooks/traits.ts'
import { describeValue } from '../query/operators.ts'
import { refuseUndefined } from '../query/undefined.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { getPath, isComposite, isRecordLike } from '../utils/object.ts'
import { type AnyAdapter, prepare, SERVICE } from './base.ts'
import type { AdapterOptions, AdapterParams, NormalizedOptions, UpsertOptions } from './options.ts'
import { pickConditions } from './query.ts'
import { holdToKey, type UpsertingService, upsertRecord } from './upsert.ts'

/** The public methods of a database service. */
export interface AdapterMethods<
  Result = any,
  Data = Partial<Result>,
  PatchData = Partial<Data>,
  ServiceParams extends AdapterParams = AdapterParams,
  IdType = Id
> {
  /** Returns a page of the records that match, or all of them as an array when pagination is off. */
  find(params?: ServiceParams & { paginate?: undefined }): Promise<Paginated<Result>>
  find(params: ServiceParams & { paginate: PaginationOptions }): Promise<Paginated<Result>>
  find(params: ServiceParams & { paginate: false }): Promise<Result[]>
  find(params?: ServiceParams): Promise<Paginated<Result> | Result[]>
  /**
   * Returns one record.
   *
   * @throws NotFound when there is none, or when it does not match the query
   */
  get(id: IdType, params?: ServiceParams): Promise<Result>
  /**
   * Stores a record, or several where `multi` allows it.
   *
   * @throws MethodNotAllowed for an array that `multi` does not allow, Conflict for an id that is taken
   */
  create(data: Data, params?: ServiceParams): Promise<Result>
  create<List extends Data[]>(data: List, params?: ServiceParams): Promise<ResultsOf<List, Result>>
  create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  /**
   * Replaces one record. Its id stays.
   *
   * @throws BadRequest for no id or an array, NotFound when there is none that matches
   */
  update(id: IdType, data: Data, params?: ServiceParams): Promise<Result>
  /**
   * Changes fields of a record, or of all that match where `multi` allows it. The id stays.
   *
   * @throws MethodNotAllowed for no id where `multi` does not allow it, NotFound when there is none that matches
   */
  patch(id: IdType, data: PatchData, params?: ServiceParams): Promise<Result>
  patch(id: null, data: PatchData, params?: ServiceParams): Promise<Result[]>
  patch(id: IdType | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  /**
   * Removes a record, or all that match where `multi` allows it, and returns what was removed.
   *
   * @throws MethodNotAllowed for no id where `multi` does not allow it, NotFound when there is none that matches
   */
  remove(id: IdType, params?: ServiceParams): Promise<Result>
  remove(id: null, params?: ServiceParams): Promise<Result[]>
  remove(id: IdType | null, params?: ServiceParams): Promise<Result | Result[]>
  /**
   * Creates a record, or patches the one that has the same values of the key that the option `upsert` names. Without that
   * option the service does not have the method.
   *
   * @throws BadRequest for an array, and for data without a value of the key; what `create` or `patch` throws
   */
  upsert(data: Data, params?: ServiceParams): Promise<Result>
}

/**
 * Written so that a class may create one record at a time, and replace `create` without its other overloads. Data of the type
 * `any` is one record, as in Feathers v5: TypeScript chooses this overload for it.
 */
type ResultsOf<Data, Result> = 0 extends 1 & Data
  ? Result
  : Data extends readonly unknown[]
    ? Result[]
    : Result

/**
 * What `find` resolves to where the params have no `paginate`. The type of a service without a page size begins with it:
 * `FindMethod<Note[]> & MemoryService<Note>`.
 */
export interface FindMethod<FindResult = any, ServiceParams extends AdapterParams = AdapterParams> {
  find(params?: ServiceParams & { paginate?: undefined }): Promise<FindResult>
}

/**
 * The six methods, once for all adapters: every check that an external call needs is made here, with nothing
 * awaited between a check of the data and the method that takes it.
 */
const methods = {
  async find(this: AnyAdapter, params?: AdapterParams) {
    return await this._find(askForSet(this, params, await prepare(this, 'find', params)))
  },

  async get(this: AnyAdapter, id: unknown, params?: AdapterParams) {
    const prepared = await prepare(this, 'get', params)

    assertId(id)

    return await this._get(id, prepared)
  },

  async create(this: AnyAdapter, data: unknown, params?: AdapterParams) {
    const prepared = await prepare(this, 'create', params)

    if (!Array.isArray(data)) return await this._create(toNewData(data, this.id), prepared)

    assertMulti(this, 'create', params)

    const items = data.map((item) => toNewData(item, this.id))

    return await this._create(items, prepared)
  },

  async update(this: AnyAdapter, id: unknown, data: unknown, params?: AdapterParams) {
    const prepared = await prepare(this, 'update', params)

    if (id === null || Array.isArray(data)) {
      throw new BadRequest("You can not replace multiple instances. Did you mean 'patch'?")
    }

    assertId(id)

    return await this._update(id, toChange(this, id, data, params), prepared)
  },

  async patch(this: AnyAdapter, id: unknown, data: unknown, params?: AdapterParams) {
    const prepared = await prepare(this, 'patch', holdToKey(this, id, params))

    if (id === null) assertSeveral(this, 'patch', params)
    else assertId(id)

    return await this._patch(id, toChange(this, id, data, params), prepared)
  },

  async remove(this: AnyAdapter, id: unknown, params?: AdapterParams) {
    const prepared = await prepare(this, 'remove', params)

    if (id === null) assertSeveral(this, 'remove', params)
    else assertId(id)

    return await this._remove(id, prepared)
  }
}

/** Has an adapter return a set in place of records, in the one call that a relation asks for it. */
function askForSet<Prepared extends object>(
  adapter: AnyAdapter,
  params: AdapterParams | undefined,
  prepared: Prepared
): Prepared {
  const { setRequest } = getServiceSlots(params, adapter)

  if (!setRequest || setRequest.context.params !== params) return prepared

  return addServiceSlots(prepared, adapter, { sets: setRequest.sets })
}

/** The method of a service with the option `upsert`. */
async function upsert(this: AnyAdapter, data: unknown, params?: AdapterParams): Promise<unknown> {
  const { by } = this.options.upsert as UpsertOptions
  const { methods, parent } = (this as { [SERVICE]?: Partial<NormalizedServiceOptions> })[SERVICE] ?? {}

  return await upsertRecord(this as unknown as UpsertingService, by, data, params, {
    isOpen: methods?.includes('get') !== false,
    parents: listNamed(parent, params)
  })
}

/** The fields of the parents that the path of a call names. */
function listNamed(
  parents: NormalizedServiceOptions['parent'] = {},
  params?: AdapterParams
): readonly string[] {
  return Object.keys(parents).filter(
    (field) => (getPath(params?.route, [(parents[field] as Parent).placeholder]) ?? null) !== null
  )
}

/**
 * Gives an adapter class the public methods that it does not define itself. A class that only extends the adapter
 * exposes none of them.
 *
 * @param Service A class that extends an adapter
 * @example
 * class FileService extends FileAdapter {}
 * interface FileService extends AdapterMethods<Message> {}
 * implementService(FileService)
 */
export function implementService(Service: abstract new (...args: any[]) => AnyAdapter): void {
  for (const [name, value] of Object.entries(methods)) {
    if (!Object.hasOwn(Service.prototype, name)) {
      describeHook(value, { isOfAdapter: true })
      Object.defineProperty(Service.prototype, name, { value, configurable: true, writable: true })
    }
  }

  if (Object.hasOwn(Service.prototype, 'upsert')) return

  Object.defineProperty(Service.prototype, 'upsert', {
    configurable: true,
    get(this: Partial<AnyAdapter>) {
      return this.options?.upsert && upsert
    }
  })
}

function assertMulti(adapter: AnyAdapter, method: string, params?: AdapterParams): void {
  if (!adapter.allowsMulti(method, params)) throw new MethodNotAllowed(`Can not ${method} multiple entries`)
}

/** Refuses a change of several records that `multi` does not allow, and one with an undefined condition. */
function assertSeveral(adapter: AnyAdapter, method: string, params?: AdapterParams): void {
  assertMulti(adapter, method, params)

  refuseUndefined(pickConditions(params?.query ?? {}, adapter.getOptions(params).filters), method)
}

/**
 * An id is a string or a number, or an instance of a class of the database; never an object that a client made, and
 * sockets bring bytes as well.
 */
function assertId(id: unknown): void {
  const isInstance = typeof id === 'object' && id !== null && !isComposite(id)

  if (typeof id !== 'string' && typeof id !== 'bigint' && !Number.isFinite(id) && !isInstance) {
    throw new BadRequest(`Invalid id: expected a string or a number, got ${describeValue(id)}`)
  }
}

function toNewData(data: unknown, idField: string): Record<string, unknown> {
  const checked = toData(data)
  const id = checked[idField]

  if (id !== undefined && id !== null) assertId(id)

  return checked
}

/**
 * The data of `update` and `patch`. A field that only this call takes for the id cannot be changed, and a value that is
 * left out without a word would be lost.
 */
function toChange(
  adapter: AnyAdapter,
  id: unknown,
  data: unknown,
  params?: AdapterParams
): Record<string, unknown> {
  const checked = toData(data)
  const { id: field, by } = adapter.getOptions(params) as NormalizedOptions<AdapterOptions> & { by?: object }

  if (field === adapter.id || by || checked[field] === undefined) return checked
  if (id !== null && String(checked[field]) === String(id)) return checked

  throw new BadRequest(
    `Invalid data: '${field}' is the id of this call, which cannot be changed. Use the id '${adapter.id}' of the service`,
    { errors: { [field]: 'cannot be changed' } }
  )
}

/** Data without what is `undefined`: no client can send that, and to some databases it would be `null`. */
function toData(data: unknown): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || !isRecordLike(data)) {
    throw new BadRequest(`Invalid data: expected an object, got ${describeValue(data)}`)
  }

  const checked = data as Record<string, unknown>

  if (!Object.values(checked).includes(undefined)) return checked

  return Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== undefined))
}
