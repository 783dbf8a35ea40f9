// What the calls of a proof are about: records, placeholders, data, queries.
import type { Application, Id } from 'alula'
import { createTypeError, type ManifestService } from 'alula/plugin'
import { hasCode, isFunction, isObject } from '../check.ts'
import type { ProofOptions } from '../exposure.ts'
import type { Operation } from './operation.ts'

/** One call, without its caller. */
export interface Call {
  /** What clients write in place of the id. */
  readonly id: Id
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
  /** As its service returns it to internal calls; missing where it is not there any more, or there is no `get`. */
  readonly record?: object
}

/** An id that no record has. */
const NO_ID = '2147483000'

/** Stands for a placeholder that no value is known of. */
const ANY_SEGMENT = '1'

/** Prepares the calls of a proof. */
export class Targets {
  private readonly app: Application
  private readonly services: ReadonlyMap<string, ManifestService>
  private readonly options: ProofOptions
  /** The last value that stood in place of an id: a record that is removed is called for once more. */
  private readonly last = new Map<string, Id>()

  constructor(app: Application, services: readonly ManifestService[], options: ProofOptions) {
    this.app = app
    this.services = new Map(services.map((service) => [service.path, service]))
    this.options = options
  }

  /**
   * Refuses ids of records that are not there: every caller gets a 404 then, which proves nothing.
   *
   * @throws TypeError that names the service
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
    const ofPath = await this.fillPath(service)
    const ofMethod = this.fillRoute(service, route?.segments ?? [], own)
    const values = { ...ofPath, ...ofMethod }
    const open = Object.keys(values).filter((one) => values[one] === undefined)

    return {
      id: this.toLookup(service, own) ?? NO_ID,
      route: Object.fromEntries(
        Object.entries(values).map(([one, value]) => [one, String(value ?? ANY_SEGMENT)])
      ),
      data: args.includes('data') ? pickOf(data?.[service.path], service, name, own?.record) : {},
      query: pickOf(query?.[service.path], service, name, own?.record),
      record: own?.record,
      open
    }
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

    if (!isFunction(found.get)) return { id }

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

  /** The placeholders of the path of a service. One after the path of another service names a record of that. */
  private async fillPath({ path }: ManifestService): Promise<Filled> {
    const values: { [name: string]: Id | undefined } = {}
    const segments = path.split('/')

    for (const [index, segment] of segments.entries()) {
      if (!segment.startsWith(':')) continue

      const name = segment.slice(1)
      const outer = this.services.get(segments.slice(0, index).join('/'))

      values[name] = this.getGiven(path, name) ?? (outer && this.toLookup(outer, await this.find(outer)))
    }

    return values
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

/** Values by the names of placeholders. */
interface Filled {
  readonly [name: string]: Id | undefined
}

type Given = NonNullable<ProofOptions['records']>[string]

/**
 * Takes what is for one method out of an option. A field with the name of a method that holds an object is for that method
 * alone; the others are for all methods.
 */
function pickOf(
  given: unknown,
  { methods }: ManifestService,
  name: string,
  record: object | undefined
): object {
  if (!isObject(given)) return isFunction(given) ? make(given, record) : {}

  const isOfMethod = (key: string) =>
    methods.some((method) => method.name === key) && (isFunction(given[key]) || isObject(given[key]))

  if (isOfMethod(name)) return make(given[name], record)

  return Object.fromEntries(Object.entries(given).filter(([key]) => !isOfMethod(key)))
}

function make(given: unknown, record: object | undefined): object {
  return (isFunction(given) ? (given as (record: unknown) => object)(record) : given) as object
}

function isId(value: unknown): value is Id {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

function toRecordError(fault: string): TypeError {
  return createTypeError('ALULA_INVALID_OPTION', `Invalid option 'records' of proveExposure: ${fault}`)
}
