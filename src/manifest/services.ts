// What is registered, as plain data: for audits and documents, which read nothing else.
import { findGuard } from '../access/guard.ts'
import { getLayers, listProtected } from '../core/gate.ts'
import { getInternals } from '../core/internals.ts'
import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { getPublisher } from '../core/publish.ts'
import { takesKey } from '../core/repeatable.ts'
import type { MethodRoute } from '../core/routes.ts'
import { getIdField, getMethodRoutes, getServiceOptions, isUpsert } from '../core/service.ts'
import type {
  Application,
  FeathersService,
  HookContext,
  NormalizedServiceOptions,
  PaginationOptions,
  PaginationParams,
  Parent
} from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import type { Layer } from '../hooks/types.ts'
import { getMethodDefinition, getSchemaDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { isFunction, isStringList } from '../utils/check.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of an adapter: whether its store takes a method, as far as it is known. Calls of others are a 405. */
    readonly takes?: (method: string) => boolean
  }
}

/** A service as it is registered. */
export interface ManifestService {
  readonly path: string
  /** The name of the id field. */
  readonly id: string
  /** The field that stands in place of the id in external calls. */
  readonly by?: string
  /** The records that placeholders of its path name, by the field that holds their id. */
  readonly parent?: { readonly [field: string]: Parent }
  /** Whether it is one record for each caller, whose path has no id. */
  readonly isSingleton: boolean
  /** Whether its records are in a store: an adapter decides what queries mean and what pages are. */
  readonly isStored: boolean
  /** What a page of an adapter has; missing where `find` returns a list, or it is not known. */
  readonly page?: { readonly hasTotal: boolean; readonly hasCursors: boolean }
  /** Whether its `upsert` is that of adapters: it makes one call of `create` or `patch`. */
  readonly hasUpsert: boolean
  /** The operators that the adapter has beside those of all. */
  readonly operators: readonly string[]
  /** Whether it is a service of the library that says itself who may call its methods, such as that of logins. */
  readonly hasOwnAccess: boolean
  /** Whether data may come as an HTML form. */
  readonly acceptsForms: boolean
  /** What its schema says; missing for a service without one. */
  readonly definition?: SchemaDefinition
  /** Whether some client finds its records, by `find` or through relations of other services. */
  readonly isFound: boolean
  /** The paths of fields that a hook `protect` takes out of the records that relations find; empty where they find none. */
  readonly protects: readonly string[]
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
  /** Who may call it: `nobody`, `anyone`, `user`, `owner('f')`, `role('r')`, `role('r', { field: 'f' })`, `hook authenticate('jwt')`, or the name of a function. */
  readonly who: string
  /** The names of its arguments, in their order: `id`, `data`, `params`. */
  readonly args: readonly ('id' | 'data' | 'params')[]
  /** Its verb, where `routes` has no other. */
  readonly verb: string
  /** Whether it takes data. */
  readonly hasData: boolean
  /** Whether one call may write several records. */
  readonly several: boolean
  /** Whether calls may have an idempotency key. */
  readonly takesKey: boolean
  /** Its verbs and paths; empty where it is called as every method of its kind. */
  readonly routes: readonly MethodRoute[]
  /** The paths of fields that a hook `protect` takes out of what clients get. */
  readonly protects: readonly string[]
  /** The event that it sends; missing where it sends none, or nothing publishes it. */
  readonly event?: { readonly name: string; readonly publisher: string }
}

/** Keeps what is made of the services of an application: at the first call, and again when services have come or gone. */
export function keepMade<Made>(app: Application, make: () => Made): () => Made {
  let kept: { readonly made: Made; readonly services: readonly unknown[] } | undefined

  return () => {
    const services = Object.values(app.services)

    if (
      services.length !== kept?.services.length ||
      services.some((one, index) => one !== kept?.services[index])
    )
      kept = { made: make(), services }

    return kept.made
  }
}

/**
 * Reads the services of an application.
 *
 * @param app The application; its hooks are read as they are at this moment
 * @param paths The paths of the services to read; all when left out
 */
export function readServices(app: Application, paths?: ReadonlySet<string>): readonly ManifestService[] {
  // HTTP always: a handler can be made of any application.
  const transports = hasSockets(app) ? ['rest', 'socketio'] : ['rest']

  return Object.entries(app.services as { [path: string]: FeathersService }).flatMap(([path, service]) => {
    const options = paths?.has(path) === false ? undefined : getServiceOptions(service)

    if (!options) return []

    const adapter = service as object as Adapter
    const { paginate, operators } = adapter.options ?? {}
    const paging: PaginationOptions = paginate || {}
    const of: Readable = {
      app,
      path,
      service,
      transports,
      isStored: isFunction(adapter.allowsMulti)
    }
    const canFind = isFound(options, of)

    // All have the same properties: V8 makes a hidden class for each object that gets some by spreading what may be missing.
    return {
      path,
      id: getIdField(service),
      by: options.by,
      parent: options.parent,
      isSingleton: options.singleton !== undefined,
      isStored: of.isStored,
      hasUpsert: isUpsert(service, 'upsert'),
      hasOwnAccess: getTraits(service).access !== undefined,
      acceptsForms: options.forms === true,
      operators: isStringList(operators) ? operators : [],
      definition: getSchemaDefinition(service),
      page:
        paging.default === undefined
          ? undefined
          : { hasTotal: paging.total !== false, hasCursors: Boolean(paging.cursor) },
      cap: paging.max,
      isFound: canFind,
      protects: canFind ? listProtected(getLayers(service, 'find') ?? []) : [],
      methods: options.methods.map((name) => readMethod(name, of))
    }
  })
}

/**
 * Reads the services that clients reach, without the methods that are closed to all of them, and without those that the
 * store refuses.
 */
export function readOpenServices(app: Application): readonly ManifestService[] {
  return readServices(app)
    .map((service) => {
      const { takes } = getTraits(app.services[service.path])

      return {
        ...service,
        methods: service.methods.filter(({ name, who }) => who !== 'nobody' && takes?.(name) !== false)
      }
    })
    .filter(({ methods }) => methods.length > 0)
}

/** Reads the services whose records clients get through relations alone, because no method of theirs is open. */
export function readRelatedServices(
  app: Application,
  services: readonly ManifestService[]
): readonly ManifestService[] {
  const known = new Set(services.map(({ path }) => path))
  const listOthers = (some: readonly ManifestService[]) =>
    some
      .flatMap(({ definition }) => Object.values(definition?.relations ?? {}))
      .filter(({ path }) => !known.has(path))
  const related: ManifestService[] = []

  for (let others = listOthers(services); others.length > 0; ) {
    const paths = new Set(others.map(({ path }) => path))
    const found = readServices(app, paths).filter(({ isFound }) => isFound)

    for (const path of paths) known.add(path)

    related.push(...found.map((service) => ({ ...service, methods: [] })))
    others = listOthers(found)
  }

  return related
}

/** Whether an application has Socket.IO, also before it listens. */
export function hasSockets(app: Application): boolean {
  return getInternals(app).plugins.has('socketio') || Boolean(app.io)
}

/**
 * Why a method is no tool for clients of MCP: only what is declared is one. `undefined` for a method that is, and for one that
 * is closed to all clients.
 */
export function findToolFault(service: FeathersService, method: string, who: string): string | undefined {
  const definition = getSchemaDefinition(service)

  if (isClosed(service, who)) return undefined
  if (!definition?.enforce) return 'no schema'
  if (!getServiceOptions(service).access) return 'no access rule'
  if (!isStandardMethod(method) && !getMethodDefinition(definition, method)?.result)
    return 'no schema of its result'

  return undefined
}

/** Whether a method is closed to clients of MCP, whatever is declared, as the methods of a login are. */
function isClosed(service: FeathersService, who: string): boolean {
  return who === 'nobody' || getTraits(service).access !== undefined
}

/** A service whose methods are read. */
interface Readable {
  readonly app: Application
  readonly path: string
  readonly service: FeathersService
  readonly transports: readonly string[]
  readonly isStored: boolean
}

function readMethod(name: string, of: Readable): ManifestMethod {
  const { app, service, path, transports } = of
  const { args, event, verb } = getDefinition(name)
  const layers = getLayers(service, name)
  const publisher = event && getPublisher(app, service, event)
  const who = readWho(name, layers, of)
  const isTool =
    getInternals(app).reachesByMcp?.(path) && !isClosed(service, who) && !findToolFault(service, name, who)

  return {
    name,
    transports: isTool ? [...transports, 'mcp'] : transports,
    who,
    args,
    verb,
    hasData: args.includes('data'),
    several: mayConcernSeveral(name, of),
    takesKey: getTraits(service).repeats !== undefined && takesKey(service, name),
    routes: getMethodRoutes(service, name),
    protects: listProtected(layers ?? []),
    event: event && publisher ? { name: event, publisher: publisher.name || 'a function' } : undefined
  }
}

/** Relations ask the rule of `find`, whether or not clients have the method. */
function isFound({ methods, access }: NormalizedServiceOptions, of: Readable): boolean {
  if (!isFunction((of.service as Partial<FeathersService>).find)) return false
  if (!methods.includes('find') && !access) return false

  return readWho('find', getLayers(of.service, 'find'), of) !== 'nobody'
}

/** What cannot be read is open: this must never say of an open method that it is closed. */
function readWho(
  method: string,
  layers: readonly Layer<HookContext>[] | undefined,
  { service, isStored }: Readable
): string {
  if (!layers) return 'anyone'

  const who = findGuard(service, method, layers) ?? 'anyone'

  return who.startsWith('owner(') && !isStored ? `${who}, looked up first` : who
}

/** Of a service that is no adapter it is not known. */
function mayConcernSeveral(method: string, { service, isStored }: Readable): boolean {
  if (!isStandardMethod(method) || method === 'find' || method === 'get') return false
  if (getServiceOptions(service).singleton) return false

  return isStored ? Boolean((service as object as Adapter).allowsMulti?.(method)) : true
}

/** What is read of a service that may be an adapter. */
interface Adapter {
  allowsMulti?(method: string): boolean
  readonly options?: { readonly paginate?: PaginationParams; readonly operators?: unknown }
}
