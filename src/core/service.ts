import { EventEmitter } from 'events'
import { isObject, isStringList } from '../utils/check.ts'
import { assertSpelled } from '../utils/nearest.ts'
import { defaultServiceEvents, defaultServiceMethods } from './methods.ts'
import type { NormalizedServiceOptions, ServiceOptions } from './types.ts'

/** Where the options of a registered service are kept; shared with Feathers v5. */
export const SERVICE = Symbol.for('@feathersjs/service')

const LIFECYCLE_METHODS = ['setup', 'teardown']

const OPTIONS = ['methods', 'events', 'serviceEvents', 'routeParams', 'express', 'koa', 'forms']

/** Names that registration gives a meaning of its own, or that every object has. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(EventEmitter.prototype),
  ...['all', 'around', 'before', 'after', 'error', 'hooks', 'publish'],
  ...LIFECYCLE_METHODS
])

/** The options that a service was registered with; `undefined` for an object that is not registered. */
export function getServiceOptions(service: any): NormalizedServiceOptions {
  return service[SERVICE]
}

/**
 * Fills in what the options of a service leave out.
 *
 * @param service The object with the service methods
 * @param options The options given to `app.use`
 */
export function normalizeServiceOptions(
  service: any,
  options: ServiceOptions = {}
): NormalizedServiceOptions {
  const {
    methods = defaultServiceMethods.filter((name) => hasMethod(service, name)),
    events = service.events ?? []
  } = options

  return {
    ...options,
    methods,
    events,
    serviceEvents: options.serviceEvents ?? [...defaultServiceEvents, ...events]
  }
}

/**
 * Derives the registered service from the object that its author wrote, which stays as it is. A service that
 * is registered already is returned unchanged.
 *
 * @throws Error when the object has no service method, for an option with a value that it cannot have, and when
 * `methods` lists a name that is not allowed
 */
export function wrapService(location: string, service: any, options?: ServiceOptions): any {
  if (service?.[SERVICE]) return service

  assertOptions(location, options)
  assertService(location, service, options)

  const normalized = normalizeServiceOptions(service, options)

  for (const name of normalized.methods) assertMethodName(location, name)

  return Object.defineProperty(Object.create(service), SERVICE, { value: normalized })
}

/** The methods that get hooks: the standard ones that exist, whoever may call them, and the custom ones listed. */
export function getHookMethods(service: any, { methods }: { methods: readonly string[] }): string[] {
  const internal = defaultServiceMethods.filter((name) => hasMethod(service, name) && !methods.includes(name))

  return [...internal, ...methods]
}

/** A list that is not seen as one would open every method to clients, or leave out what stands guard. */
function assertOptions(location: string, options: unknown = {}): void {
  if (!isObject(options)) throw new Error(`Invalid options of service '${location}': expected an object`)

  // Plugins have options of their own.
  assertSpelled(options, OPTIONS, (name) => `Unknown option '${name}' of service '${location}'`)

  for (const name of ['methods', 'events', 'serviceEvents']) {
    if (options[name] !== undefined && !isStringList(options[name])) {
      throw new Error(`Invalid option '${name}' of service '${location}': expected an array of names`)
    }
  }
}

function assertService(location: string, service: any, options?: ServiceOptions): void {
  const canHaveMethods = (typeof service === 'object' && service !== null) || typeof service === 'function'
  const names = [...defaultServiceMethods, ...LIFECYCLE_METHODS]

  // An array has a `find` of its own.
  if (
    !canHaveMethods ||
    Array.isArray(service) ||
    !(options?.methods?.length || names.some((name) => hasMethod(service, name)))
  ) {
    throw new Error(`Invalid service object passed for path \`${location}\``)
  }
}

function assertMethodName(location: string, name: string): void {
  // `_find` and its kin skip hooks and checks: no list may open them to clients.
  if (RESERVED.has(name) || name.startsWith('_')) {
    throw new Error(`'${name}' on service '${location}' is not allowed as a custom method name`)
  }
}

function hasMethod(service: any, name: string): boolean {
  return typeof service[name] === 'function'
}
