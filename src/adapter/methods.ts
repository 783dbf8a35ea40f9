import type { Id, Paginated, PaginationOptions, Query } from '../core/types.ts'
import { BadRequest, MethodNotAllowed } from '../errors.ts'
import { describe } from '../query/operators.ts'
import { isPlainObject, isRecordLike } from '../utils/object.ts'
import { type AdapterBase, withoutPage } from './base.ts'
import type { AdapterParams } from './options.ts'

/** The public methods of a database service. */
export interface AdapterMethods<
  Result = any,
  Data = Partial<Result>,
  PatchData = Partial<Data>,
  ServiceParams extends AdapterParams = AdapterParams,
  IdType = Id
> {
  /** Returns a page of the records that match, or all of them as an array when pagination is off. */
  find(params?: ServiceParams & { paginate?: PaginationOptions }): Promise<Paginated<Result>>
  find(params?: ServiceParams & { paginate: false }): Promise<Result[]>
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
  create(data: Data[], params?: ServiceParams): Promise<Result[]>
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
}

type Adapter = AdapterBase<any, any, any, any, any, any>

/**
 * The six methods, once for all adapters: every check that a call from outside needs is made here, with nothing
 * awaited between a check of the data and the method that takes it.
 */
const methods = {
  async find(this: Adapter, params?: AdapterParams) {
    return await this._find({ ...params, query: await this.sanitizeQuery(params) })
  },

  async get(this: Adapter, id: unknown, params?: AdapterParams) {
    const checked = withQuery(params, await this.sanitizeQuery(params))

    assertId(id)

    return await this._get(id, checked)
  },

  async create(this: Adapter, data: unknown, params?: AdapterParams) {
    const checked = withQuery(params, await this.sanitizeQuery(params))

    if (!Array.isArray(data)) return await this._create(toNewData(data, this.id), checked)

    assertMulti(this, 'create', params)

    const items = data.map((item) => toNewData(item, this.id))

    return await this._create(items, checked)
  },

  async update(this: Adapter, id: unknown, data: unknown, params?: AdapterParams) {
    const checked = withQuery(params, await this.sanitizeQuery(params))

    if (id === null || Array.isArray(data)) {
      throw new BadRequest("You can not replace multiple instances. Did you mean 'patch'?")
    }

    assertId(id)

    return await this._update(id, toData(data), checked)
  },

  async patch(this: Adapter, id: unknown, data: unknown, params?: AdapterParams) {
    const checked = withQuery(params, await this.sanitizeQuery(params))

    if (id === null) assertMulti(this, 'patch', params)
    else assertId(id)

    return await this._patch(id, toData(data), checked)
  },

  async remove(this: Adapter, id: unknown, params?: AdapterParams) {
    const checked = withQuery(params, await this.sanitizeQuery(params))

    if (id === null) assertMulti(this, 'remove', params)
    else assertId(id)

    return await this._remove(id, checked)
  }
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
export function implementService(Service: abstract new (...args: any[]) => Adapter): void {
  for (const [name, value] of Object.entries(methods)) {
    if (!Object.hasOwn(Service.prototype, name)) {
      Object.defineProperty(Service.prototype, name, { value, configurable: true, writable: true })
    }
  }
}

/** The params for a method that returns no page: the same, with a query that was checked. */
function withQuery(params: AdapterParams | undefined, checked: Query): AdapterParams {
  return { ...params, query: withoutPage(checked) }
}

function assertMulti(adapter: Adapter, method: string, params?: AdapterParams): void {
  if (!adapter.allowsMulti(method, params)) throw new MethodNotAllowed(`Can not ${method} multiple entries`)
}

/**
 * An id is a string or a number, or an instance of a class of the database; never an object that a client made, and
 * sockets bring bytes as well.
 */
function assertId(id: unknown): void {
  const isMade = Array.isArray(id) || isPlainObject(id) || ArrayBuffer.isView(id)
  const isInstance = typeof id === 'object' && id !== null && !isMade

  if (typeof id !== 'string' && typeof id !== 'bigint' && !Number.isFinite(id) && !isInstance) {
    throw new BadRequest(`Invalid id: expected a string or a number, got ${describe(id)}`)
  }
}

function toNewData(data: unknown, idField: string): Record<string, unknown> {
  const checked = toData(data)
  const id = checked[idField]

  if (id !== undefined && id !== null) assertId(id)

  return checked
}

/** Data without what is `undefined`: no client can send that, and to some databases it would be `null`. */
function toData(data: unknown): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || !isRecordLike(data)) {
    throw new BadRequest(`Invalid data: expected an object, got ${describe(data)}`)
  }

  const checked = data as Record<string, unknown>

  if (!Object.values(checked).includes(undefined)) return checked

  return Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== undefined))
}
