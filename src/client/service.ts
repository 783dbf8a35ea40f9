import { fromArguments, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type {
  Id,
  NormalizedServiceOptions,
  NullableId,
  Params,
  Query,
  ServiceInterface,
  TransportConnection
} from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isObjectLike } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { findPath, isPlainObject, isRecordLike } from '../utils/object.ts'

/** Params of a call whose caller wants to know what comes with the result. */
export interface ResponseParams extends Params {
  /** The token of the login that the call is made with. */
  accessToken?: string
  /**
   * Called with the response of the HTTP library; over a socket with what is the header `Event-Position` there, if it is
   * known.
   */
  onResponse?(response: any): void
}

/** What the server returns. `any`, as in v5: the types of an application say what its services have. */
type ServerResult = any

/** A service that is on a server. Subclasses decide how a call is sent. */
export abstract class ClientService implements ServiceInterface<ServerResult, unknown, Params, unknown> {
  /**
   * Sends a call to the server.
   *
   * @returns The result
   * @throws The error of the server, or one that says why there is no response
   */
  abstract sendCall(call: ServiceCall): Promise<unknown>

  /** Finds records. */
  find(params?: Params): Promise<ServerResult> {
    return this._find(params)
  }

  /** Gets a record. */
  get(id: Id, params?: Params): Promise<ServerResult> {
    return this._get(id, params)
  }

  /** Creates a record, or several for an array. */
  create(data: unknown, params?: Params): Promise<ServerResult> {
    return this._create(data, params)
  }

  /** Replaces a record. */
  update(id: NullableId, data: unknown, params?: Params): Promise<ServerResult> {
    return this._update(id, data, params)
  }

  /** Changes parts of a record, or of all that the query selects. */
  patch(id: NullableId, data: unknown, params?: Params): Promise<ServerResult> {
    return this._patch(id, data, params)
  }

  /** Removes a record, or all that the query selects. */
  remove(id: NullableId, params?: Params): Promise<ServerResult> {
    return this._remove(id, params)
  }

  /** Finds records, without hooks and events. */
  _find(params?: Params): Promise<ServerResult> {
    return call(this, 'find', [params])
  }

  /** Gets a record, without hooks and events. */
  _get(id: Id, params?: Params): Promise<ServerResult> {
    return call(this, 'get', [id, params])
  }

  /** Creates a record, without hooks and events. */
  _create(data: unknown, params?: Params): Promise<ServerResult> {
    return call(this, 'create', [data, params])
  }

  /** Replaces a record, without hooks and events. */
  _update(id: NullableId, data: unknown, params?: Params): Promise<ServerResult> {
    return call(this, 'update', [id, data, params])
  }

  /** Changes parts of a record, without hooks and events. */
  _patch(id: NullableId, data: unknown, params?: Params): Promise<ServerResult> {
    return call(this, 'patch', [id, data, params])
  }

  /** Removes a record, without hooks and events. */
  _remove(id: NullableId, params?: Params): Promise<ServerResult> {
    return call(this, 'remove', [id, params])
  }

  /**
   * Adds custom methods, each with and without an underscore: `(data, params) => Promise`.
   *
   * @param names Their names
   * @throws Error for the name of a member that the service needs itself
   */
  methods(...names: string[]): this {
    for (const name of names.filter((name) => !isStandardMethod(name))) {
      if (name in this && !(`_${name}` in this)) {
        throw createError(
          'ALULA_RESERVED_NAME',
          `'${name}' is not allowed as a custom method name on a client service`
        )
      }

      Object.assign(this, {
        [`_${name}`](this: ClientService, data: unknown, params?: Params) {
          return call(this, name, [data, params])
        },
        [name](this: any, data: unknown, params?: Params) {
          return this[`_${name}`](data, params)
        }
      })
    }

    return this
  }

  /**
   * Always throws: only the server publishes. Every service has the method.
   *
   * @throws Error always
   */
  publish(): never {
    throw createError(
      'ALULA_NOT_ON_CLIENT',
      'A client service publishes nothing: the server chooses who receives its events'
    )
  }
}

/**
 * Creates what an application is configured with so that its services are those of a server. `name` is the member that holds the
 * connection, `Service` the class of the services, and `start` runs when an application is configured.
 */
export function createConnection<Services>(
  name: 'io' | 'rest',
  connection: unknown,
  Service: unknown,
  createService: (path: string) => ClientService,
  start: (app: any) => void = () => undefined
): TransportConnection<Services> {
  function configure(app: any): void {
    if (app.rest !== undefined || app.io !== undefined) {
      throw createError('ALULA_CONFIGURED_TWICE', 'Only one default client provider can be configured')
    }

    app[name] = connection
    app.defaultService = createService
    // In front, so that the methods are there when hooks are put around them.
    app.mixins.unshift(addCustomMethods)
    start(app)
  }

  return Object.assign(configure, { Service, service: createService as any })
}

function addCustomMethods(service: unknown, _path: string, { methods }: NormalizedServiceOptions): void {
  if (service instanceof ClientService) service.methods(...methods)
}

async function call(service: ClientService, method: string, args: readonly unknown[]): Promise<ServerResult> {
  const serviceCall = fromArguments(method, args)
  const { id, data, params } = serviceCall

  if (getDefinition(method).args.includes('id')) assertId(service, method, id)

  assertPlain('params', params)
  assertPlain('query', params.query ?? {})
  // On the wire a promise is `{}`, which would empty records.
  for (const record of [data].flat()) if (isObjectLike(record)) assertPlain('data', record)
  assertConditions(params.query, hasNoJson)

  return service.sendCall(serviceCall)
}

/**
 * Refuses what is no id, before it is sent: `NaN` and an empty array would arrive as none, which stands for all records.
 * The server takes the same ids. A single record has none.
 */
function assertId(service: object, method: string, id: unknown): void {
  const isSingle = getServiceOptions(service)?.singleton !== undefined

  if (id === undefined || id === '' || (id === null && method === 'get' && !isSingle)) {
    throw new BadRequest(`id for .${method} is required`)
  }
  if (id !== null && typeof id !== 'string' && typeof id !== 'bigint' && !Number.isFinite(id)) {
    throw new BadRequest(
      'Invalid id: expected a string that is not empty, a number, or null for several records'
    )
  }
}

/**
 * Without its conditions a call would reach all records: on the wire, a promise or a number has none, and neither has an
 * instance whose class has them as getters.
 */
function assertPlain(name: string, value: unknown): void {
  if (!isObjectLike(value) || !isRecordLike(value) || isInstanceWithoutFields(value)) {
    throw new BadRequest(`Invalid ${name}: expected a plain object. Is an 'await' missing?`)
  }
}

function isInstanceWithoutFields(value: object): boolean {
  return !isPlainObject(value) && Object.keys(value).length === 0
}

/** The names at the top of a query that select no records: one that is undefined is one that is not there. */
const RESULT_FILTERS = ['$limit', '$skip', '$sort', '$select']

/**
 * Refuses a condition that would be left out on the way, or arrive as null: the call would reach other records. A list of
 * fields that is left out stands for all of them. Throws BadRequest that names the first value that cannot be sent.
 */
export function assertConditions(query: Query | null | undefined, isLost: (value: unknown) => boolean): void {
  const conditions = Object.entries(query ?? {}).filter(
    ([name, value]) => !RESULT_FILTERS.includes(name) || (name === '$select' && Array.isArray(value))
  )
  const path = findPath(Object.fromEntries(conditions), isLost)

  if (path !== undefined) {
    throw new BadRequest(`Invalid query: '${path}' has no value that can be sent. Leave it out, or use null`)
  }
}

function hasNoJson(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (value instanceof Date) return Number.isNaN(value.getTime())

  return (
    value === undefined || typeof value === 'function' || typeof value === 'symbol' || isEmptyInstance(value)
  )
}

/** As a `Map` and a promise are: in JSON they are `{}`. */
function isEmptyInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false

  return isInstanceWithoutFields(value) && !('toJSON' in value) && !(value instanceof ArrayBuffer)
}
