// What the calls of a proof are about: records, placeholders, data, queries.
import type { Application, Id } from 'alula'
import { createTypeError, type ManifestService } from 'alula/plugin'
import { hasCode, isFunction, isObject } from '../check.ts'
import { listRecords } from '../envelopes.ts'
import type { ProofOptions } from '../exposure.ts'
import { toData, toOptions } from './data.ts'
import { listOwn } from './leaks.ts'
import type { Operation } from './operation.ts'

/** One call, without its caller. */
export interface Call {
  /** What clients write in place of the id; `null` for a service that is one record for each caller. */
  readonly id: Id | null
  /** The values of the placeholders, of the path of the service and of the route of the method. */
  readonly route: { readonly [name: string]: string }
  readonly data: object
  readonly query: object
  /** The record that the call is about, with all its fields; missing without one. */
  readonly record?: object
  /** The placeholders that nothing has said a value for. */
  readonly open: readonly string[]
}

/** A record of a service. */
interface Target {
  readonly id: Id
  /** As its service returns it to internal calls, or as it was given where there is no `get`; missing if it is gone. */
  readonly record?: object
}

/** An id that no record has. */
export const NO_ID = '2147483000'

/** Stands for a placeholder that no value is known of. */
const ANY_SEGMENT = '1'

/** So many records of a response are read. */
const MAX_RETURNED = 10

/** Prepares the calls of a proof. */
export class Targets {
  private readonly app: Application
  private readonly services: ReadonlyMap<string, ManifestService>
  private readonly options: ProofOptions
  /** The last value in place of an id: it is asked for again after its record was removed. */
  private readonly last = new Map<string, Id>()

  constructor(app: Application, services: readonly ManifestService[], options: ProofOptions) {
    this.app = app
    this.services = new Map(services.map((service) => [service.path, service]))
    this.options = options
  }

  /**
   * Refuses ids of records that are not there: every caller gets a 404 then, which proves nothing. Throws a TypeError that
   * names the service.
   */
  async assertRecords(): Promise<void> {
    for (const [path, given] of Object.entries(this.options.records ?? {})) {
      if (isFunction(given)) continue

      const { id, record } = await this.read(this.getService(path), given)

      if (isFunction(this.app.service(path).get) && !record)
        throw toRecordError(`'${path}' has no record '${id}'`)
    }
  }

  /** Prepares a call of a method. */
  async prepare({ service, name, args, routes: [route] }: Operation): Promise<Call> {
    const { data, query } = this.options
    const own = await this.find(service)
    const ofPath = await this.fillPath(service, own)
    const ofMethod = this.fillRoute(service, route?.segments ?? [], own)
    const values = { ...ofPath, ...ofMethod }
    const open = Object.keys(values).filter((one) => values[one] === undefined)

    return {
      id: service.isSingleton ? null : (this.toLookup(service, own) ?? NO_ID),
      route: Object.fromEntries(
        Object.entries(values).map(([one, value]) => [one, String(value ?? ANY_SEGMENT)])
      ),
      data: args.includes('data') ? await toData(data?.[service.path], service, name, own?.record) : {},
      query: await toOptions(query?.[service.path], service, name, own?.record),
      record: own?.record,
      open
    }
  }

  /**
   * Finds what names another parent than that of a record, for the placeholder of its parent; `undefined` where there is no
   * other.
   */
  async findOtherParent(
    service: ManifestService,
    placeholder: string,
    record: object
  ): Promise<Id | undefined> {
    const parent = findParent(service, placeholder)
    const outer = parent && this.services.get(parent.service)

    if (!outer) return undefined

    const made = await this.find(outer)
    const id = (record as { [field: string]: unknown })[parent.field]
    // Ids of some databases are instances.
    const isOther = (one: unknown) => String(one) !== String(id)

    if (made && isOther(made.id)) return this.toLookup(outer, made)

    const found = this.app.service(outer.path)
    const query = { [outer.id]: { $ne: id } }
    const result = isFunction(found.find) ? await found.find({ query, paginate: false }) : []
    // A custom service may not know the query.
    const other = listRecords(result, undefined)
      .filter(isObject)
      .find((one) => isOther(one[outer.id]))

    return other && this.toLookup(outer, { id: other[outer.id], record: other })
  }

  /** Reads the first records of a response, with all their fields, by the ids that it has. */
  async readReturned(service: ManifestService, result: unknown): Promise<readonly object[]> {
    const found = this.app.service(service.path)
    const ids = new Set(
      listOwn(service, result)
        .map((object) => object[service.id])
        .filter(isId)
    )

    if (!isFunction(found.get)) return []

    const records = await Promise.all(
      // An internal call may need what only a client has.
      [...ids].slice(0, MAX_RETURNED).map((id) => found.get(id).catch(() => undefined))
    )

    return records.filter(isObject)
  }

  private getService(path: string): ManifestService {
    return this.services.get(path) as ManifestService
  }

  /** The record of a service that calls are about; a function makes one for each call. */
  private async find(service: ManifestService): Promise<Target | undefined> {
    const { records = {} } = this.options
    const given = Object.hasOwn(records, service.path) ? records[service.path] : undefined

    return given === undefined ? undefined : await this.read(service, given)
  }

  private async read(service: ManifestService, given: Given): Promise<Target> {
    const { path } = service
    const made = isFunction(given) ? await given() : given
    const id = isObject(made) ? made[service.id] : made

    if (!isId(id))
      throw toRecordError(`expected '${path}' to be an id, a record, or a function that returns one`)

    const found = this.app.service(path)

    if (!isFunction(found.get)) return isObject(made) ? { id, record: made } : { id }

    try {
      return { id, record: await found.get(id) }
    } catch (error) {
      if (hasCode(error, 404)) return { id }
      throw error
    }
  }

  /** What clients write in place of the id of a record. */
  private toLookup({ path, by }: ManifestService, target: Target | undefined): Id | undefined {
    if (!target) return undefined

    const { id, record } = target
    const found = by === undefined ? id : (record as { [field: string]: unknown } | undefined)?.[by]
    const value = isId(found) ? found : (this.last.get(path) ?? id)

    this.last.set(path, value)

    return value
  }

  /**
   * The placeholders of the path of a service: those of the parents of a record, or else of the records of the services in
   * the path. The last one is found first, because its record may say what those before it name.
   */
  private async fillPath(service: ManifestService, own: Target | undefined): Promise<Filled> {
    let values: Filled = {}

    for (const name of listPlaceholders(service.path).toReversed()) {
      const given = this.getGiven(service.path, name) ?? values[name]
      const outer = given === undefined ? await this.findOuter(service, name, own) : undefined
      const ofOuter = outer && (await this.fillPath(outer.service, outer.target))

      values = {
        ...ofOuter,
        ...values,
        [name]: given ?? (outer && this.toLookup(outer.service, outer.target))
      }
    }

    return values
  }

  /** The record that a placeholder in the path of a service names. */
  private async findOuter(
    service: ManifestService,
    name: string,
    own: Target | undefined
  ): Promise<{ readonly service: ManifestService; readonly target: Target | undefined } | undefined> {
    const parent = findParent(service, name)
    const outer = this.services.get(
      parent?.service ?? service.path.slice(0, service.path.indexOf(`/:${name}`))
    )
    const id = parent && (own?.record as { [field: string]: unknown } | undefined)?.[parent.field]

    if (!outer) return undefined

    return { service: outer, target: isId(id) ? await this.read(outer, id) : await this.find(outer) }
  }

  /** The placeholders of a route. The first segment of a route names a record. */
  private fillRoute(service: ManifestService, segments: readonly string[], own: Target | undefined): Filled {
    const values: { [name: string]: Id | undefined } = {}

    for (const [index, segment] of segments.entries()) {
      if (!segment.startsWith(':')) continue

      const name = segment.slice(1)

      values[name] =
        this.getGiven(service.path, name) ?? (index === 0 ? this.toLookup(service, own) : undefined)
    }

    return values
  }

  private getGiven(path: string, name: string): Id | undefined {
    const { route = {} } = this.options
    const given = Object.hasOwn(route, path) ? route[path] : undefined

    return given && Object.hasOwn(given, name) ? given[name] : undefined
  }
}

/** The parent that a placeholder names, and the field that holds its id. */
function findParent({ parent = {} }: ManifestService, placeholder: string) {
  const [field, found] = Object.entries(parent).find(([, one]) => one.placeholder === placeholder) ?? []

  return field === undefined || !found ? undefined : { ...found, field }
}

/** The names of the placeholders in the path of a service. */
function listPlaceholders(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []))
}

/** Values by the names of placeholders. */
interface Filled {
  readonly [name: string]: Id | undefined
}

type Given = NonNullable<ProofOptions['records']>[string]

function isId(value: unknown): value is Id {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

function toRecordError(fault: string): TypeError {
  return createTypeError('ALULA_INVALID_OPTION', `Invalid option 'records' of proveExposure: ${fault}`)
}
