// What is registered, as plain data: for audits and documents, which read nothing else.
import { findGuard } from '../access/guard.ts'
import { getLayers, visitHooks } from '../core/gate.ts'
import { getInternals } from '../core/internals.ts'
import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { getPublisher } from '../core/publish.ts'
import type { MethodRoute } from '../core/routes.ts'
import { getIdField, getMethodRoutes, getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, HookContext } from '../core/types.ts'
import { type Layer, PROTECTS } from '../hooks/types.ts'
import { getSchemaDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { isFunction, isStringList } from '../utils/check.ts'

/** A service as it is registered. */
export interface ManifestService {
  readonly path: string
  /** The name of the id field. */
  readonly id: string
  /** The field that stands in place of the id in calls from outside. */
  readonly by?: string
  /** Whether its records are in a store: an adapter decides what queries mean and what pages are. */
  readonly isStored: boolean
  /** What a page of an adapter has; missing where `find` returns a list, or it is not known. */
  readonly page?: { readonly hasTotal: boolean }
  /** The operators that the adapter has beside those of all. */
  readonly operators: readonly string[]
  /** What its schema says; missing for a service without one. */
  readonly definition?: SchemaDefinition
  /** The methods that clients have. */
  readonly methods: readonly ManifestMethod[]
  /** The most records of a page; missing where there is no limit. */
  readonly cap?: number
}

/** A method that clients have. */
export interface ManifestMethod {
  readonly name: string
  /** The names of the transports, as in `params.provider`. */
  readonly transports: readonly string[]
  /** Who may call it: `nobody`, `anyone`, `user`, `owner('f')`, `role('r')`, `hook authenticate('jwt')`, or the name of a function. */
  readonly who: string
  /** Whether it takes data. */
  readonly hasData: boolean
  /** Whether one call may write several records. */
  readonly several: boolean
  /** Its verbs and paths; empty where it is called as every method of its kind. */
  readonly routes: readonly MethodRoute[]
  /** The paths of fields that a hook `protect` takes out of what clients get. */
  readonly protects: readonly string[]
  /** The event that it sends; missing where it sends none, or nothing publishes it. */
  readonly event?: { readonly name: string; readonly publisher: string }
}

/**
 * Reads the services of an application.
 *
 * @param app The application; its hooks are read as they are at this moment
 */
export function readServices(app: Application): readonly ManifestService[] {
  const transports = readTransports(app)

  return Object.entries(app.services as { [path: string]: FeathersService }).flatMap(([path, service]) => {
    const options = getServiceOptions(service)

    if (!options) return []

    const definition = getSchemaDefinition(service)
    const { by } = options
    const { max: cap, ...page } = readPaging(service)

    return {
      path,
      id: getIdField(service),
      ...(by !== undefined && { by }),
      isStored: isStored(service),
      operators: readOperators(service),
      ...(definition && { definition }),
      ...page,
      ...(cap !== undefined && { cap }),
      methods: options.methods.map((name) => readMethod(app, service, name, transports))
    }
  })
}

/**
 * Reads the services that clients reach, without the methods that are closed to all of them.
 *
 * @param app The application
 */
export function readOpenServices(app: Application): readonly ManifestService[] {
  return readServices(app)
    .map((service) => ({ ...service, methods: service.methods.filter(({ who }) => who !== 'nobody') }))
    .filter(({ methods }) => methods.length > 0)
}

/** Whether an application has Socket.IO, also before it listens. */
export function hasSockets(app: Application): boolean {
  return getInternals(app).plugins.has('socketio') || Boolean(app.io)
}

/** HTTP always: a handler can be made of any application. */
function readTransports(app: Application): readonly string[] {
  return hasSockets(app) ? ['rest', 'socketio'] : ['rest']
}

function readMethod(
  app: Application,
  service: FeathersService,
  name: string,
  transports: readonly string[]
): ManifestMethod {
  const { args, event } = getDefinition(name)
  const layers = getLayers(service, name)
  const publisher = event && getPublisher(app, service, event)

  return {
    name,
    transports,
    who: readWho(service, name, layers),
    hasData: args.includes('data'),
    several: mayConcernSeveral(service, name),
    routes: getMethodRoutes(service, name),
    protects: readProtected(layers ?? []),
    ...(event && publisher && { event: { name: event, publisher: publisher.name || 'a function' } })
  }
}

/** What cannot be read is open: this must never say of an open method that it is closed. */
function readWho(
  service: FeathersService,
  method: string,
  layers: readonly Layer<HookContext>[] | undefined
): string {
  if (!layers) return 'anyone'

  const who = findGuard(service, method, layers) ?? 'anyone'

  return who.startsWith('owner(') && !isStored(service) ? `${who}, looked up first` : who
}

function readProtected(layers: readonly Layer<HookContext>[]): readonly string[] {
  const paths: string[] = []

  visitHooks(layers, 'after', ({ [PROTECTS]: protects }: { readonly [PROTECTS]?: readonly string[] }) => {
    if (protects) paths.push(...protects)
  })

  return paths
}

function isStored(service: FeathersService): boolean {
  return isFunction(getMembers(service).allowsMulti)
}

interface Multi {
  allowsMulti(method: string): boolean
}

/** Of a service that is no adapter it is not known. */
function mayConcernSeveral(service: FeathersService, method: string): boolean {
  const { allowsMulti } = getMembers(service)

  if (!isStandardMethod(method) || method === 'find' || method === 'get') return false

  return isFunction(allowsMulti) ? Boolean((service as object as Multi).allowsMulti(method)) : true
}

function readPaging(service: FeathersService): { max?: number; page?: { hasTotal: boolean } } {
  const { options } = getMembers(service) as { options?: { paginate?: Paging | false } }
  const { default: usual, max, total } = (options?.paginate || {}) as Paging

  return {
    ...(max !== undefined && { max }),
    ...(usual !== undefined && { page: { hasTotal: total !== false } })
  }
}

interface Paging {
  readonly default?: number
  readonly max?: number
  readonly total?: boolean
}

function readOperators(service: FeathersService): readonly string[] {
  const { options } = getMembers(service) as { options?: { operators?: unknown } }

  return isStringList(options?.operators) ? options.operators : []
}

function getMembers(service: FeathersService): { readonly [name: string]: unknown } {
  return service as object as { readonly [name: string]: unknown }
}
