import { isBoolean, isFunction, isObject, isString, isStringList } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOptions, type CheckSettings, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { isPromise } from '../utils/promise.ts'
import { EmitterClass } from './emitter.ts'
import { defaultServiceEvents, defaultServiceMethods } from './methods.ts'
import { isRoutes, type MethodRoute, parseRoutes } from './routes.ts'
import type {
  FeathersService,
  NormalizedServiceOptions,
  Query,
  ServiceExtension,
  ServiceOptions
} from './types.ts'

/** Where the options of a registered service are kept; shared with Feathers v5. */
export const SERVICE: unique symbol = Symbol.for('@feathersjs/service')

/** Where the options of a registered service have its routes, parsed. */
const ROUTES: unique symbol = Symbol('routes')

const NO_ROUTES: readonly MethodRoute[] = []

const LIFECYCLE_METHODS = ['setup', 'teardown']

/** The name of the id field of a service, as adapters have it. */
export function getIdField(service: object): string {
  const { id } = service as { id?: unknown }

  return typeof id === 'string' ? id : 'id'
}

/** The key of a call of `upsert`. A hook or a class that writes another record, with the same params, has another key. */
export interface UpsertKey {
  readonly values: Query
  /** The same of the data of the call, by which another record is known. */
  readonly data: Query
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Of a call of `upsert`: the values of its key in the record that `create` would make, as a schema says. */
    readonly upsertKey?: UpsertKey
  }
}

/** Whether a method is the `upsert` of an adapter that names a key: it makes one call of `create` or `patch`. */
export function isUpsert(service: object, method: string): boolean {
  return method === 'upsert' && getUpsertKey(service).length > 0
}

/** The fields of the key of `upsert`; none for a service that has no such method of an adapter. */
export function getUpsertKey(service: object): readonly string[] {
  const { options } = service as {
    readonly options?: { readonly upsert?: { readonly by?: readonly string[] } }
  }

  return options?.upsert?.by ?? []
}

const NAMES: OptionCheck = [isStringList, 'an array of names']

const EXTENSION_PARTS: readonly (keyof ServiceExtension)[] = [
  'output',
  'admit',
  'complete',
  'input',
  'innermost',
  'show',
  'install',
  'setup'
]

/** An invalid option must not be ignored: every method would be open to clients, or `access` would be missing. */
const CHECKS: OptionChecks = {
  methods: NAMES,
  events: NAMES,
  serviceEvents: NAMES,
  routeParams: [isObject, 'an object'],
  schema: [isExtension, 'what schema() returns, as in schema(z.object({ … }))'],
  access: [isExtension, 'what access() returns'],
  routes: [isRoutes, 'an object with the name of a method for each route'],
  by: [isFieldName, 'the name of a field'],
  forms: [isBoolean, 'true or false']
}

/** A guard that is given in another way would be dropped. Express takes nested lists too. */
const MIDDLEWARE_CHECKS: { readonly [option: string]: OptionChecks } = {
  express: /* @__PURE__ */ createMiddlewareChecks(Number.POSITIVE_INFINITY),
  koa: /* @__PURE__ */ createMiddlewareChecks(0)
}

const CHECKED_ELSEWHERE = ['express', 'koa', 'parent', 'singleton']

/** The names of the options of services. */
export const SERVICE_OPTIONS: readonly string[] = /* @__PURE__ */ Object.keys(CHECKS).concat(
  CHECKED_ELSEWHERE
)

/** Plugins have options of their own. */
const NAMES_OF_OTHERS: CheckSettings = { further: CHECKED_ELSEWHERE, others: 'unlike' }

/** Names that registration gives a meaning of its own, or that every object has. */
const RESERVED: ReadonlySet<string> = /* @__PURE__ */ listReserved()

interface MarkedService {
  readonly [SERVICE]?: NormalizedServiceOptions
}

/** The options that a service was registered with; `undefined` for an object that is not registered. */
export function getServiceOptions(service: object): NormalizedServiceOptions {
  return (service as MarkedService)[SERVICE] as NormalizedServiceOptions
}

/** The routes of a registered service beside those of the standard methods. */
export function getRoutes(service: object): readonly MethodRoute[] {
  const options = getServiceOptions(service) as { [ROUTES]?: readonly MethodRoute[] } | undefined

  return options?.[ROUTES] ?? NO_ROUTES
}

/** Those of one method. */
export function getMethodRoutes(service: object, method: string): readonly MethodRoute[] {
  const routes = getRoutes(service)

  // Most services have none, and each request asks.
  return routes.length === 0 ? routes : routes.filter((route) => route.method === method)
}

/**
 * Fills in what the options of a service leave out.
 *
 * @param service The object with the service methods
 * @param options The options given to `app.use`
 */
export function normalizeServiceOptions(
  service: object,
  options: ServiceOptions = {}
): NormalizedServiceOptions {
  const {
    methods = defaultServiceMethods.filter((name) => hasMethod(service, name)),
    events = (service as { events?: readonly string[] }).events ?? []
  } = options

  return {
    ...options,
    methods,
    events,
    serviceEvents: options.serviceEvents ?? [...defaultServiceEvents, ...events]
  } as NormalizedServiceOptions
}

/**
 * Derives the registered service from the object that its author wrote, which stays as it is. A service that
 * is registered already is returned unchanged.
 *
 * @throws Error when the object has no service method, for an option with a value that it cannot have, when
 * `methods` lists a name that is not allowed, and for a malformed route
 */
export function wrapService(location: string, service: unknown, options?: ServiceOptions): FeathersService {
  const marked = (service as MarkedService | null | undefined)?.[SERVICE]

  if (marked) return takeOver(service as object, marked)

  if (options !== undefined) assertServiceOptions(`service '${location}'`, options)
  assertService(location, service, options)

  const registered = mark(Object.create(service), options)
  const { methods, routes } = getServiceOptions(registered)
  const reserved = methods.find((name) => !canBeMethod(name))

  if (reserved !== undefined)
    throw createError(
      'ALULA_RESERVED_NAME',
      `'${reserved}' on service '${location}' is not allowed as a custom method name`
    )

  if (routes) {
    Object.defineProperty(getServiceOptions(registered), ROUTES, { value: parseRoutes(location, routes) })
  }

  return registered
}

/**
 * Completes what a plugin has left out of the mark that it put on a service itself. The service stays the same object,
 * as in Feathers v5, unless hooks cannot be put on it.
 */
function takeOver(service: object, marked: NormalizedServiceOptions): FeathersService {
  const value = normalizeServiceOptions(service, marked)
  const isComplete =
    isOpen(service) &&
    (marked.serviceEvents ||
      Reflect.defineProperty(service, SERVICE, { value }) ||
      // feathers-pinia defines a mark that is neither writable nor configurable.
      (Object.isExtensible(marked) && Object.assign(marked, value)))

  return isComplete ? (service as FeathersService) : mark(Object.create(service), marked)
}

/** Whether hooks and events can be put on an object: it is not frozen or sealed, and its methods can be replaced. */
function isOpen(service: object): boolean {
  return (
    Object.isExtensible(service) &&
    Object.values(Object.getOwnPropertyDescriptors(service)).every(({ configurable }) => configurable)
  )
}

/** The methods that get hooks: all standard ones that exist, even if closed to clients, and the listed custom ones. */
export function getHookMethods(service: object, { methods }: { methods: readonly string[] }): string[] {
  const internal = defaultServiceMethods.filter((name) => hasMethod(service, name) && !methods.includes(name))

  return [...internal, ...methods]
}

function mark(service: object, options: ServiceOptions | undefined): FeathersService {
  const value = normalizeServiceOptions(service, options)

  return Object.defineProperty(service, SERVICE, { value }) as FeathersService
}

function assertServiceOptions(owner: string, options: ServiceOptions): void {
  assertOptions(owner, options, CHECKS, NAMES_OF_OTHERS)

  for (const [under, checks] of Object.entries(MIDDLEWARE_CHECKS)) {
    const middleware: unknown = options[under as keyof ServiceOptions]

    if (middleware !== undefined) assertOptions(owner, middleware, checks, { under })
  }
}

function createMiddlewareChecks(depth: number): OptionChecks {
  const check: OptionCheck = [
    (list) => Array.isArray(list) && list.flat(depth).every(isFunction),
    'an array of functions'
  ]

  return { before: check, after: check }
}

function assertService(
  location: string,
  service: unknown,
  options?: ServiceOptions
): asserts service is object {
  const canHaveMethods = (typeof service === 'object' && service !== null) || typeof service === 'function'
  const names = [...defaultServiceMethods, ...LIFECYCLE_METHODS]

  // An array has a `find` of its own.
  if (
    !canHaveMethods ||
    Array.isArray(service) ||
    !(options?.methods?.length || names.some((name) => hasMethod(service, name)))
  ) {
    throw createError(
      'ALULA_INVALID_SERVICE',
      `Invalid service object passed for path \`${location}\`: ${describeNoService(service)}`
    )
  }
}

/** Why a value is no service, and what to do. */
function describeNoService(service: unknown): string {
  if (isFunction(service)) return 'call the function that makes it'

  return isPromise(service)
    ? 'await the promise'
    : `it has none of the methods ${defaultServiceMethods.join(', ')}`
}

/**
 * Whether a custom method may have a name. `_find` and the other underscore methods skip hooks and checks: no list may open
 * them to clients.
 */
export function canBeMethod(name: string): boolean {
  return !RESERVED.has(name) && !name.startsWith('_')
}

function listReserved(): ReadonlySet<string> {
  return new Set([
    ...Object.getOwnPropertyNames(Object.prototype),
    ...Object.getOwnPropertyNames(EmitterClass.prototype),
    ...['all', 'around', 'before', 'after', 'error', 'hooks', 'publish'],
    ...LIFECYCLE_METHODS
  ])
}

function hasMethod(service: object, name: string): boolean {
  return typeof (service as { [name: string]: unknown })[name] === 'function'
}

/** An object without any of the functions would check nothing. */
function isExtension(value: unknown): boolean {
  return isObject(value) && EXTENSION_PARTS.some((name) => isFunction(value[name]))
}

/** Whether a value is the name of a field. A path into objects is none: the value has to be unique, and to be written. */
export function isFieldName(value: unknown): boolean {
  return isString(value) && !/[.$]/.test(value)
}
