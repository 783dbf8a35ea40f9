import { BadRequest } from '../errors.ts'
import { isObject, isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'

/** One entry of the option `routes`, parsed. */
export interface MethodRoute {
  /** As it is written: `POST /:id/favorite`. */
  readonly name: string
  readonly verb: string
  readonly method: string
  /** The segments after the path of the service. */
  readonly segments: readonly string[]
  /** The names of its placeholders, in order. */
  readonly placeholders: readonly string[]
}

/** What the data of a call by name becomes. */
export interface FilledRoute {
  /** The route that the placeholders are of; `undefined` where the method has none. */
  readonly route?: MethodRoute
  /** The values of the placeholders. */
  readonly values: { [name: string]: string }
  /** The data without them; `undefined` where nothing is left for a verb that needs no body. */
  readonly data: unknown
}

const VERBS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Requests with these verbs need no body. */
export const BODILESS_VERBS: readonly string[] = ['GET', 'DELETE']

/** A segment as clients send it, escaped; not `.` and `..`, which URLs resolve. */
const STATIC = /^(?!\.{1,2}$)(?:[\w.~!$&'()+,;=@-]|%[\da-f]{2})+$/i

const PLACEHOLDER = /^:(?!__)[a-z_]\w*$/i

/** Parses the option `routes` of a service. Throws an Error that names a route which is malformed. */
export function parseRoutes(
  location: string,
  routes: { readonly [route: string]: string }
): readonly MethodRoute[] {
  return Object.entries(routes).map(([name, method]) => parseRoute(location, name, method))
}

/** The error for a route that is refused when its service is registered. */
export function toRouteError(location: string, name: string, reason: string): Error {
  return createError('ALULA_INVALID_ROUTE', `Invalid route '${name}' of service '${location}': ${reason}`)
}

function parseRoute(location: string, name: string, method: string): MethodRoute {
  const [, verb = '', path = ''] = /^([A-Z]+) \/(.*)$/s.exec(name) ?? []
  const segments = path === '' ? [] : path.split('/')
  const isPath = segments.every((segment) => STATIC.test(segment) || PLACEHOLDER.test(segment))

  if (!VERBS.includes(verb) || !isPath) {
    throw toRouteError(
      location,
      name,
      "expected GET, POST, PUT, PATCH or DELETE and a path, such as 'POST /:id/favorite'"
    )
  }

  const placeholders = segments
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1))

  return { name, verb, method, segments, placeholders }
}

/** Whether a value can be the option `routes`. */
export function isRoutes(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((method) => typeof method === 'string')
}

/**
 * Takes the placeholders of a route out of the data of a call, which is not changed: of the first route of the method that the
 * data has all placeholders of. Throws BadRequest for a placeholder without a value, and for a value that is neither a string
 * nor a number.
 */
export function fillRoute(routes: readonly MethodRoute[], data: unknown): FilledRoute {
  if (routes.length === 0) return { values: {}, data }

  const sent = data ?? {}
  const given: Readonly<Record<string, unknown>> = isObject(sent) ? sent : {}
  const isGiven = (name: string) => Object.hasOwn(given, name) && isSegment(given[name])
  const route = routes.find(({ placeholders }) => placeholders.every(isGiven)) ?? (routes[0] as MethodRoute)
  const { name, verb, placeholders } = route
  const missing = placeholders.find((one) => !isGiven(one))

  if (missing !== undefined) {
    throw new BadRequest(`Invalid data: '${missing}' of the route '${name}' expects a string or a number`)
  }

  const values = Object.fromEntries(placeholders.map((one) => [one, String(given[one])]))
  const rest = Object.entries(given).filter(([one]) => !placeholders.includes(one))

  if (!isObject(sent)) return { route, values, data }

  const isEmpty = rest.length === 0 && BODILESS_VERBS.includes(verb)

  return { route, values, data: isEmpty ? undefined : Object.fromEntries(rest) }
}

/** Over HTTP it is a part of the path, and cannot be an operator of a query. */
function isSegment(value: unknown): boolean {
  return isString(value) || Number.isFinite(value)
}
