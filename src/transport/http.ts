import { withBy } from '../core/by.ts'
import { getResponse } from '../core/call.ts'
import { createContext } from '../core/hooks.ts'
import { getInternals, type Internals } from '../core/internals.ts'
import { defaultServiceMethods, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { fillRoute } from '../core/routes.ts'
import { getMethodRoutes, getServiceOptions } from '../core/service.ts'
import type { HookContext, Http, MethodRoutes, MountedHandler, Query, RouteLookup } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.ts'
import { stripPrefix } from '../utils/path.ts'
import { isTokenResponse } from '../utils/token-response.ts'
import { type Authenticating, getSchemes, type ParseAuthenticationOptions } from './authentication.ts'
import { toData } from './body.ts'
import { type ClientError, type FormattingApplication, MALFORMED_PATH, toErrorResponse } from './error.ts'

/** The header that names a custom method on a `POST`. */
const METHOD_HEADER = 'x-service-method'

/** An entity tag (RFC 9110 §8.8.3). */
const ETAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** The headers of a request by lower-case name. */
export interface IncomingHeaders {
  readonly [name: string]: string | string[] | undefined
}

/** A request, whatever server it came through. */
export interface HttpRequest {
  /** The verb. */
  readonly method: string
  /** The path as it was sent, without the query string: not decoded, not normalised. */
  readonly path: string
  /** The query string, without the question mark. */
  readonly search: string
  readonly headers: IncomingHeaders
  /** The host that the client asked for, with the port. */
  readonly host?: string | undefined
  /** The address of the client, where the server knows it. */
  readonly address?: string | undefined
  /** A body that middleware has parsed. */
  readonly body?: unknown
  /** A query that middleware has parsed. */
  readonly query?: Query | undefined
  /** Params from trusted code in front of the service, such as middleware. */
  readonly params?: object | undefined
  /** What the path leads to, if that was looked up already. */
  readonly target?: HttpTarget | undefined
  /** The request of the server, for the option `params`; and, from Node, the response, for strategies. */
  readonly native?: { readonly request: any; readonly response?: unknown } | undefined

  /** Whether the client has gone without waiting for the response. */
  readonly isAborted?: boolean

  /** A header that earlier code has set on the response. */
  getResponseHeader?(name: string): unknown

  /**
   * Reads the body.
   *
   * @param limit How many bytes are read
   * @throws PayloadTooLarge past the limit
   */
  readText(limit: number): Promise<string>

  /**
   * Converts the request for a mounted Fetch function.
   *
   * @param path The path without the prefix of the transport
   */
  toRequest(path: string): Request
}

/** The result of a request, not encoded yet. A `body` that is `undefined` is not sent. */
export interface HttpResult {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: unknown
}

/** A response that is ready to be written. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** JSON, or the stream of a mounted function; nothing is sent when it is `undefined`. */
  readonly body: string | ReadableStream<Uint8Array> | undefined
}

/** What a path leads to: a service, or a mounted function. */
export type HttpTarget = RouteLookup | MountedTarget

/** A mounted function, and the path that it gets. */
export interface MountedTarget {
  readonly mounted: MountedHandler
  readonly path: string
}

/** The part of an application that a transport needs. */
export interface TransportApplication extends Authenticating, FormattingApplication {
  lookup(path: string): RouteLookup | null
  /** Whether `setup` has run. */
  readonly _isSetup?: boolean
}

/** What strategies look for credentials in: on Node the request of the server, where middleware may have added to it. */
export function toCredentialSource(
  request: Pick<HttpRequest, 'headers' | 'native'>
): readonly [{ readonly headers: IncomingHeaders }, unknown] {
  const { native } = request

  return native?.response === undefined ? [request, undefined] : [native.request, native.response]
}

/**
 * Whether the body of a request is read: where its verb carries data, and where a method is called by `DELETE`.
 *
 * @param verb The verb
 * @param route What the path of the request leads to
 */
export function readsBody(verb: string, { params, routes }: RouteLookup): boolean {
  return (
    hasData(verb) ||
    (verb === 'DELETE' && routes?.find(verb, params.__rest ?? params.__id ?? '') !== undefined)
  )
}

const VERBS_WITH_DATA: readonly string[] = ['POST', 'PUT', 'PATCH']

/** Whether requests with this verb carry data. */
function hasData(verb: string): boolean {
  return VERBS_WITH_DATA.includes(verb)
}

/**
 * Finds the service of a request path, or `null`. A path with an empty segment has none: middleware that guards `/users`
 * does not see `//users`.
 *
 * @param app The application
 * @param path The path, without the prefix of the transport
 */
export function findRoute(app: TransportApplication, path: string): RouteLookup | null {
  return path.includes('//') ? null : app.lookup(path)
}

/** Finds what a request path leads to: a mounted function, or else a service; `null` for neither. */
export function findTarget(app: TransportApplication, path: string): HttpTarget | null {
  return findMounted(getInternals(app).mounts, path) ?? findRoute(app, path)
}

/** Whether a target is a mounted function. */
export function isMounted(target: HttpTarget): target is MountedTarget {
  return 'mounted' in target
}

/** The longest prefix wins. */
function findMounted(mounts: Internals['mounts'], path: string): MountedTarget | null {
  if (mounts.size === 0 || path.includes('//')) return null

  let found: MountedHandler | undefined
  let longest = 0

  // Prefix by prefix and not segment by segment: clients decide on the number of segments.
  for (const [prefix, mounted] of mounts) {
    if (prefix.length > longest && stripPrefix(path, prefix) !== null) {
      found = mounted
      longest = prefix.length
    }
  }

  return found ? { mounted: found, path } : null
}

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
  const { methods, routeParams, by } = getServiceOptions(route.service)
  const { __id } = route.params
  const segment = __id === undefined ? null : decode(__id)
  const routed = findMethodRoute(request, route, segment)
  const method = routed?.method ?? toMethod(request, route, segment)
  const custom = request.headers[METHOD_HEADER]

  if ((!routed && !methods.includes(method)) || (custom !== undefined && isStandardMethod(String(custom)))) {
    throw new MethodNotAllowed(`Method \`${method}\` is not supported by this endpoint.`)
  }

  const takesData = getDefinition(method).args.includes('data') && !(routed && isWithoutData(request))
  const data = takesData ? toData(request.body, method) : undefined
  const inPath = toRouteParams(route.params, routeParams)
  const named = routed ? [] : getMethodRoutes(route.service, method)
  // Most calls have no routes: they pay for no objects.
  const filled = named.length > 0 ? fillRoute(named, data) : undefined
  const placeholders = routed ? decodeAll(routed.params) : filled?.values

  return {
    method,
    id: segment,
    data: filled ? filled.data : data,
    params: withBy(route.service, by, method, segment, {
      query: request.query,
      headers: request.headers,
      route: placeholders ? Object.assign(inPath, placeholders) : inPath,
      provider: 'rest',
      ...request.params
    })
  }
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

/** Creates the context of a call that came over HTTP. */
export function createHttpContext(
  route: RouteLookup,
  call: ServiceCall,
  request: Pick<HttpRequest, 'isAborted'> = {}
): HookContext {
  return createContext(route.service, call.method, { http: new HttpDetails(request) })
}

/** Empty, as in Feathers v5, until hooks set something. */
class HttpDetails {
  readonly #request: Pick<HttpRequest, 'isAborted'>

  constructor(request: Pick<HttpRequest, 'isAborted'>) {
    this.#request = request
  }

  get isAborted(): boolean {
    return this.#request.isAborted ?? false
  }
}

/**
 * Converts the context of a finished call into the result of the request. The body is that of a view, `dispatch`, or else
 * the result. The status is `http.status`, or else 303 with a location, 204 without a body, 201 for `create`, and 200.
 */
export function toHttpResult(context: HookContext): HttpResult {
  const { http = {}, dispatch, result, method } = context
  const body = getResponse(context)
  const headers = toResultHeaders(http, isTokenResponse(result) || isTokenResponse(dispatch))

  return { status: http.status || defaultStatus(headers, body, method), headers, body }
}

/** No cache may keep an access token (RFC 6749 §5.1). */
function toResultHeaders({ headers = {}, location }: Http, hasToken: boolean): { [name: string]: any } {
  if (location === undefined && !hasToken) return headers

  return {
    ...(hasToken && { 'Cache-Control': 'no-store' }),
    ...headers,
    ...(location !== undefined && { Location: encodeUrl(location) })
  }
}

/**
 * Converts anything that was thrown into the result of the request, with the headers that its status asks for.
 *
 * @param error Anything that was thrown
 * @param request The request
 * @param route The service that the path of the request leads to, when it is known
 * @param app The application: its setting `formatError` decides on the body, and its strategies on `WWW-Authenticate`
 * @param options Which strategies look for credentials
 */
export function toHttpError(
  error: unknown,
  request: Pick<HttpRequest, 'method' | 'headers'> & { readonly path?: string },
  route?: RouteLookup | null,
  app: Partial<TransportApplication> = {},
  options: ParseAuthenticationOptions = {}
): HttpResult {
  const {
    method,
    headers: { ...sent },
    path = ''
  } = request
  const { status, body, shown } = toErrorResponse(app, error, {
    provider: 'rest',
    method,
    path,
    headers: sent
  })

  return { status, headers: toErrorHeaders({ status, body: shown }, request, route, app, options), body }
}

/** The headers that the status of an error asks for (RFC 9110 §15.5.6, §15.5.2 and §13.1.1). */
export function toErrorHeaders(
  { status, body }: ClientError,
  request: Pick<HttpRequest, 'method' | 'headers'>,
  route?: RouteLookup | null,
  app: Partial<TransportApplication> = {},
  options: ParseAuthenticationOptions = {}
): Record<string, string> {
  const { etag } = body.data ?? {}

  if (status === 405 && route) return { Allow: allowedVerbs(request, route).join(', ') }
  if (status === 401) return { 'WWW-Authenticate': getSchemes(app, options).join(', ') }
  // Services may throw this error too, with anything as its data.
  if (status === 412 && typeof etag === 'string' && ETAG.test(etag)) return { ETag: etag }

  return {}
}

/** The error for a path that leads to no service. */
export function createNotFound(url: string, verbose?: boolean): NotFound {
  return new NotFound(verbose ? `Page not found: ${url}` : 'Page not found', { url })
}

function toMethod(
  { method: verb, headers }: Pick<CallRequest, 'method' | 'headers'>,
  { service, params }: RouteLookup,
  segment: string | null
): string {
  if (verb === 'POST' && isNamed(headers)) return String(headers[METHOD_HEADER])
  if (params.__rest !== undefined) {
    throw new MethodNotAllowed(`Method ${verb} not allowed for this path${toHint(verb, headers)}`)
  }
  if (verb === 'POST') {
    if (segment === null) return 'create'
    if (isCustomMethod(segment, service)) return segment

    throw new MethodNotAllowed('Method POST not allowed for this path')
  }
  if (verb === 'GET' || verb === 'HEAD') return segment === null ? 'find' : 'get'

  const method = defaultServiceMethods.find((name) => getDefinition(name).verb === verb)

  if (method === undefined) throw new MethodNotAllowed(`Method ${verb} not allowed${toHint(verb, headers)}`)

  return method
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

/** The verbs that the path of a route accepts, without one that has just been refused. */
function allowedVerbs(
  { method: verb, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { service, params, routes }: RouteLookup
): string[] {
  const { __id, __rest } = params
  // With the header the method was refused, not the verb.
  const refused = headers[METHOD_HEADER] === undefined ? verb : undefined
  const elsewhere = __id === undefined ? ['get'] : ['find', 'create']
  const ofMethods = getServiceOptions(service)
    .methods.filter((method) => !elsewhere.includes(method))
    .map((method) => getDefinition(method).verb)
  const verbs = [
    ...(__rest === undefined ? ofMethods : []),
    ...(routes?.verbs(__rest ?? __id ?? '') ?? [])
  ].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))

  return [...new Set(verbs)].filter((name) => name !== refused)
}

function defaultStatus(headers: HttpResult['headers'], body: unknown, method: string): number {
  if (headers.Location !== undefined) return 303
  if (!body) return 204

  return method === 'create' ? 201 : 200
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

/** Escapes characters that a URL cannot contain, line breaks included, and keeps existing escapes. */
function encodeUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]|["<>\\^`{|}]|%(?![\da-f]{2})/giu, encodeURIComponent)
}
