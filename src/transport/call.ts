import { withLookupField } from '../core/by.ts'
import { defaultServiceMethods, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { type FilledRoute, fillRoute } from '../core/routes.ts'
import { getMethodRoutes, getServiceOptions } from '../core/service.ts'
import type { MethodRoutes, NormalizedServiceOptions, Query, RouteLookup } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.ts'
import { toCallData } from './body.ts'
import { MALFORMED_PATH } from './error.ts'
import { type IncomingHeaders, METHOD_HEADER, QUERY_VERB } from './http.ts'
import { toMethodHint } from './method-hint.ts'

/** The part of a request that decides on the call. */
interface CallRequest {
  readonly method: string
  readonly headers: IncomingHeaders
  readonly query: Query
  /** The parsed body. */
  readonly body?: unknown
  readonly params?: object | undefined
}

/**
 * Converts a request for a service into a call of one of its methods.
 *
 * @param request The request, with its parsed body
 * @param route What its path leads to
 * @throws MethodNotAllowed for a method that the service does not offer to clients, BadRequest for a malformed
 * escape in the path and for a body that is not data
 */
export function toServiceCall(request: CallRequest, route: RouteLookup): ServiceCall {
  const options = getServiceOptions(route.service)
  const { methods, routeParams, by, singleton } = options
  const { __id } = route.params
  const segment = __id === undefined ? null : decode(__id)
  const routed = findMethodRoute(request, route, segment)
  const method = routed?.method ?? toMethod(request, route, segment, options)
  const custom = request.headers[METHOD_HEADER]

  if ((!routed && !methods.includes(method)) || (custom !== undefined && isStandardMethod(String(custom)))) {
    throw new MethodNotAllowed(
      `Method \`${method}\` is not supported by this endpoint${toMethodHint(route.service, method) || '.'}`
    )
  }

  const takesData = getDefinition(method).args.includes('data') && !(routed && isWithoutData(request))
  const data = takesData ? toCallData(request.body, method) : undefined
  const inPath = toRouteParams(route.params, routeParams)
  const filled = routed ? undefined : fillNamedRoute(route.service, method, data)
  const placeholders = routed ? decodeAll(routed.params) : filled?.values

  return {
    method,
    id: singleton ? null : segment,
    data: filled ? filled.data : data,
    params: withLookupField(route.service, by, method, segment, {
      query: request.query,
      headers: request.headers,
      route: placeholders ? Object.assign(inPath, placeholders) : inPath,
      provider: 'rest',
      ...request.params
    }),
    refusal: filled?.refusal
  }
}

/**
 * Takes the placeholders of a route out of the data of a call by name. For data without placeholders there is a `refusal`, which
 * names the route; nothing for a method without routes: most calls pay for no objects.
 */
export function fillNamedRoute(
  service: object,
  method: string,
  data: unknown
): (Pick<FilledRoute, 'values' | 'data'> & Pick<ServiceCall, 'refusal'>) | undefined {
  const routes = getMethodRoutes(service, method)

  if (routes.length === 0) return undefined

  try {
    return fillRoute(routes, data)
  } catch (refusal) {
    return { values: {}, data, refusal: refusal as Error }
  }
}

/** Whether the body of a request is read: where its verb carries data, and where a method is called by `DELETE`. */
export function readsBody(verb: string, { params, routes }: RouteLookup): boolean {
  return (
    hasData(verb) ||
    (verb === 'DELETE' && routes?.find(verb, params.__rest ?? params.__id ?? '') !== undefined)
  )
}

/** The methods of `PUT`, `PATCH` and `DELETE`; other verbs have several. */
const METHODS_BY_VERB: ReadonlyMap<string, string> = new Map(
  defaultServiceMethods.map((name) => [getDefinition(name).verb, name])
)

const VERBS_WITH_DATA: readonly string[] = ['POST', 'PUT', 'PATCH']

/** Whether requests with this verb carry data. */
function hasData(verb: string): boolean {
  return VERBS_WITH_DATA.includes(verb)
}

/** The route of a method that a request matches. A name of a method is a static segment, and wins over a placeholder. */
function findMethodRoute(
  { method: verb, headers }: Pick<CallRequest, 'method' | 'headers'>,
  { service, params, routes }: RouteLookup,
  segment: string | null
): ReturnType<MethodRoutes['find']> {
  const rest: string | undefined = params.__rest ?? params.__id

  if (!routes || rest === undefined || (verb === 'POST' && isNamed(headers))) return undefined

  const found = routes.find(verb, rest)
  const isName = verb === 'POST' && segment !== null && isCustomMethod(segment, service)

  return isName && found && Object.keys(found.params).length > 0 ? undefined : found
}

/** Whether a request has a verb that says nothing without a body, and has none. */
function isWithoutData({ method: verb, body }: Pick<CallRequest, 'method' | 'body'>): boolean {
  return !hasData(verb) && (verb !== 'DELETE' || body === undefined)
}

function decodeAll(params: { readonly [name: string]: string }): { [name: string]: string } {
  const values: { [name: string]: string } = {}

  for (const name in params) values[name] = decode(params[name] as string)

  return values
}

/** The values of placeholders, decoded, and those that the service was registered with, unchanged. */
function toRouteParams(
  params: RouteLookup['params'],
  registered: { readonly [name: string]: unknown } | undefined
): { [name: string]: unknown } {
  const route: { [name: string]: unknown } = {}

  for (const name in params) {
    if (name !== '__id' && name !== '__rest')
      route[name] = params[name] === registered?.[name] ? params[name] : decode(params[name])
  }

  return route
}

function toMethod(
  { method: verb, headers }: Pick<CallRequest, 'method' | 'headers'>,
  { service, params }: RouteLookup,
  segment: string | null,
  { singleton }: NormalizedServiceOptions
): string {
  if (verb === 'POST' && isNamed(headers)) return String(headers[METHOD_HEADER])
  if (singleton) assertSingle(verb, segment, { service, params })
  if (params.__rest !== undefined) {
    throw new MethodNotAllowed(`Method ${verb} not allowed for this path${toHint(verb, headers)}`)
  }
  if (verb === 'POST') {
    if (segment === null) return 'create'
    if (isCustomMethod(segment, service)) return segment

    throw new MethodNotAllowed(`Method POST not allowed for this path${toMethodHint(service, segment)}`)
  }
  if (verb === 'GET' || verb === 'HEAD') {
    return segment === null && !singleton ? 'find' : 'get'
  }
  if (verb === QUERY_VERB && segment === null && !singleton) return 'find'

  const method = METHODS_BY_VERB.get(verb)

  if (method === undefined) throw new MethodNotAllowed(`Method ${verb} not allowed${toHint(verb, headers)}`)

  return method
}

/** A single record has no path but that of its service, and is not created there. */
function assertSingle(verb: string, segment: string | null, { service, params }: RouteLookup): void {
  if (verb === 'POST' && segment !== null && isCustomMethod(segment, service)) return
  if (verb === 'POST' || segment !== null || params.__rest !== undefined) throw new NotFound('Page not found')
}

/** Whether the headers name the method. */
function isNamed({ [METHOD_HEADER]: custom }: IncomingHeaders): boolean {
  return typeof custom === 'string' && custom !== ''
}

function isCustomMethod(name: string, service: object): boolean {
  return !isStandardMethod(name) && getServiceOptions(service).methods.includes(name)
}

/** A CORS preflight that reaches a service nearly always means that CORS is not set up. */
function toHint(verb: string, headers: IncomingHeaders): string {
  return verb === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    ? ": this is a CORS preflight, which the middleware or option 'cors' of the server has to respond to"
    : ''
}

/** Decodes a segment once, after the path was split: an encoded slash belongs to the segment. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment

  try {
    return decodeURIComponent(segment)
  } catch {
    throw new BadRequest(MALFORMED_PATH)
  }
}
