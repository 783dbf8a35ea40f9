// What services have over HTTP beside the paths of the standard methods. Clients do without it: their size counts.
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { warnOnce } from './internals.ts'
import { isStandardMethod } from './methods.ts'
import type { RegisteredRoute, RegisteringApplication } from './register.ts'
import { Router } from './router.ts'
import { type MethodRoute, toRouteError } from './routes.ts'
import { getRoutes, getServiceOptions } from './service.ts'
import type { FeathersService, MethodRoutes } from './types.ts'

/**
 * Refuses a service whose path is that of a route already; before anything is registered. Throws an Error that names the route.
 */
export function assertNoRoute(this: RegisteringApplication, _service: FeathersService, path: string): void {
  for (const full of [path, `${path}/:__id`]) {
    const other = this.routes.getAll(full).find(({ name }) => name !== undefined)

    if (other)
      throw createError(
        'ALULA_PATH_TAKEN',
        `Invalid path '${path}': the same requests lead to ${toLabel(other)}`
      )
  }
}

/**
 * Adds the routes of a service that is registered. Throws an Error that names both, for two patterns that the same requests
 * lead to; for a route of a method that clients do not have, or of a standard method.
 */
export function addMethodRoutes(this: RegisteringApplication, service: FeathersService, path: string): void {
  const all = getRoutes(service)
  const { by } = getServiceOptions(service)

  if (by !== undefined) identifyBy(service, path, by, all, this)
  if (all.length === 0) return

  for (const route of all) assertRoute(service, path, route)

  const paths = toPaths(path, all)

  // Of two patterns that the same paths lead to, requests would reach only one.
  for (const [full, name] of paths) {
    const [other] = this.routes.getAll(full)

    if (other) throw toRouteError(path, name, `the same requests lead to ${toLabel(other)}`)
  }

  const route = this.routes.get(path) as RegisteredRoute
  const routes = new RouteMatcher(path, all, this.routes.caseSensitive)

  // Both paths of the service have this object.
  Object.assign(route, { routes, paths: [...paths.keys()] })

  for (const [full, name] of paths) {
    // Without regard to case, two of them may be one.
    if (!this.routes.get(full)) this.routes.insert(full, { ...route, name })
  }
}

/** The part of an adapter that keeps the values of a field apart. */
interface Identifying {
  _identifyBy?(field: string): void
}

/** The verbs of methods that have an id in the path. */
const VERBS_WITH_ID: readonly string[] = ['GET', 'PUT', 'PATCH', 'DELETE']

/**
 * Tells a service the field whose values stand in place of its ids. A route with a path that such a value could have is warned
 * of, once for an application. Throws an Error when two records have the same value already, as far as the service can tell.
 */
function identifyBy(
  service: object,
  path: string,
  by: string,
  routes: readonly MethodRoute[],
  app: object
): void {
  const route = routes.find(
    ({ verb, segments, placeholders }) =>
      VERBS_WITH_ID.includes(verb) && segments.length === 1 && placeholders.length === 0
  )

  if (route) {
    warnOnce(
      app,
      'ALULA_ROUTE_BEFORE_ID',
      `The route '${route.name}' of service '${path}' wins over a record whose '${by}' is '${route.segments[0]}': refuse that value where it is written`
    )
  }

  ;(service as Identifying)._identifyBy?.(by)
}

function assertRoute(
  service: object,
  location: string,
  { name, verb, method, segments, placeholders }: MethodRoute
): void {
  const { methods, routeParams = {} } = getServiceOptions(service)
  const refuse = (reason: string) => toRouteError(location, name, reason)
  const inPath = listPlaceholders(location)
  const taken = [...Object.keys(routeParams), ...inPath]
  const [first = ''] = segments
  const isShort = segments.length < 2
  const double = placeholders.find((one, index) => taken.includes(one) || placeholders.indexOf(one) < index)

  if (isStandardMethod(method))
    throw refuse(`'${method}' is a standard method, whose route cannot be changed`)
  if (!methods.includes(method))
    throw refuse(`'methods' does not list '${method}'${didYouMean(method, methods)}`)
  if (double !== undefined) throw refuse(`the placeholder ':${double}' is there twice`)
  if (segments.length === 0 || (isShort && first.startsWith(':') && verb !== 'POST')) {
    throw refuse(`'${verb} ${first === '' ? '/' : '/:id'}' is the route of a standard method`)
  }
  if (isShort && verb === 'POST' && first !== method && methods.includes(first)) {
    throw refuse(`'POST /${first}' calls the method '${first}' by its name`)
  }
}

/** Finds the route of a request in a tree for each verb: how many routes there are makes no difference. */
class RouteMatcher implements MethodRoutes {
  private readonly routers = new Map<string, Router<MethodRoute>>()

  /**
   * `caseSensitive`: whether static segments match in their own case alone. Throws for two routes that the same requests lead
   * to.
   */
  constructor(location: string, routes: readonly MethodRoute[], caseSensitive: boolean) {
    for (const route of routes) {
      const router = this.routers.get(route.verb) ?? new Router<MethodRoute>()
      const path = toPositions(route.segments)

      router.caseSensitive = caseSensitive

      const other = router.get(path)

      if (other) throw toRouteError(location, route.name, `the same requests lead to '${other.name}'`)

      router.insert(path, route)
      this.routers.set(route.verb, router)
    }
  }

  find(verb: string, rest: string): { method: string; params: { [name: string]: string } } | undefined {
    const match = this.routers.get(verb === 'HEAD' ? 'GET' : verb)?.lookup(rest)

    if (!match) return undefined

    const { method, placeholders } = match.data
    const params: { [name: string]: string } = {}

    for (const [position, name] of placeholders.entries()) params[name] = match.params[position] as string

    return { method, params }
  }

  verbs(rest: string): string[] {
    return [...this.routers].flatMap(([verb, router]) => (router.lookup(rest) ? [verb] : []))
  }
}

/** A path in which placeholders have the same names, whatever their author calls them. */
function toPositions(segments: readonly string[]): string {
  let position = 0

  return segments.map((segment) => (segment.startsWith(':') ? `:${position++}` : segment)).join('/')
}

/**
 * The paths under which routes are found, each with one of the routes that it stands for. Their placeholders have one
 * name, that of ids, so that there is one branch of them. A single placeholder is an id.
 */
function toPaths(path: string, routes: readonly MethodRoute[]): Map<string, string> {
  const paths = new Map<string, string>()

  for (const { name, segments } of routes) {
    const full = [path, ...segments.map((segment) => (segment.startsWith(':') ? ':__id' : segment))].join('/')

    if (full !== `${path}/:__id`) paths.set(full, name)
  }

  return paths
}

function toLabel({ path, name }: RegisteredRoute): string {
  return name === undefined ? `the service '${path}'` : `'${name}' of service '${path}'`
}

/** The names of the placeholders in the path of a service. */
export function listPlaceholders(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []))
}
