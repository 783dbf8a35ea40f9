import { callService } from '../core/call.ts'
import { createContext } from '../core/hooks.ts'
import { defaultServiceMethods, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Query, RouteLookup } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.ts'
import { isPromise } from '../utils/check.ts'
import {
  type Authenticating,
  type ParseAuthenticationOptions,
  parseAuthentication
} from './authentication.ts'
import { type AcceptedBodies, toData } from './body.ts'
import { MALFORMED_PATH, toClientError } from './error.ts'

/** The header that names a custom method on a `POST`. */
export const METHOD_HEADER = 'x-service-method'

/** The headers of a request by lower-case name. */
export interface IncomingHeaders {
  readonly [name: string]: string | string[] | undefined
}

/** A request, whatever server it came through. */
export interface HttpRequest {
  /** The verb. */
  readonly method: string
  /** The path as it came, without the query string: not decoded, not normalised. */
  readonly path: string
  readonly headers: IncomingHeaders
  readonly query: Query
  /** The parsed body. */
  readonly body?: unknown
  /** Further params of the call, from trusted code in front of the service, also as a promise. */
  readonly params?: object | Promise<object> | undefined
  /** What the path leads to, when that was looked up already. */
  readonly route?: RouteLookup
  /** The request and the response of the server, for strategies that look at more than headers. */
  readonly native?: { readonly request: object & { headers: any }; readonly response: unknown } | undefined
  /** Whose strategies look for credentials, instead of those of the default authentication service. */
  readonly authentication?: ParseAuthenticationOptions | undefined
}

/** A response, before a server turns it into bytes. A `body` that is `undefined` is not sent. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: unknown
}

/** The part of an application that a transport needs. */
export interface TransportApplication extends Authenticating {
  lookup(path: string): RouteLookup | null
}

const VERBS_WITH_DATA: readonly string[] = ['POST', 'PUT', 'PATCH']

/** Whether requests with this verb carry data. */
export function hasData(verb: string): boolean {
  return VERBS_WITH_DATA.includes(verb)
}

/**
 * Runs a request from lookup to response. Whatever goes wrong becomes a response too.
 *
 * @param app The application
 * @param request The request; `body` is not looked at
 * @param readBody Reads and parses the body. It is called only for a known path and a verb that carries data, with what
 * the service accepts
 * @param onError Hears of every error, for a log
 */
export async function handleHttp(
  app: TransportApplication,
  request: HttpRequest,
  readBody: (accepted: AcceptedBodies) => Promise<unknown>,
  onError: (error: unknown) => void
): Promise<HttpResponse> {
  const route = request.route ?? findRoute(app, request.path)

  try {
    if (!route) throw createNotFound(request.path)

    const { method, headers, query } = request
    const authentication = app.defaultAuthentication
      ? await parseAuthentication(
          app,
          request.native?.request ?? request,
          request.native?.response,
          request.authentication
        )
      : null
    const given = isPromise(request.params) ? await request.params : request.params
    const params = authentication ? { authentication, ...given } : given
    const body = hasData(method) ? await readBody(getServiceOptions(route.service)) : undefined
    const call = toServiceCall({ method, headers, query, body, params }, route)
    const context = await callService(route.service, call, createHttpContext(route, call))

    return toHttpResponse(context)
  } catch (error) {
    onError(error)

    return toHttpError(error, request, route)
  }
}

/**
 * Finds the service of a request path, or `null`. A path with an empty segment leads nowhere: to what stands guard
 * in front of `/users` it would be another path than `//users`.
 */
export function findRoute(app: TransportApplication, path: string): RouteLookup | null {
  return path.includes('//') ? null : app.lookup(path)
}

/**
 * Converts a request for a service into a call of one of its methods.
 *
 * @param request The request, with its parsed body
 * @param route What its path leads to
 * @throws MethodNotAllowed for a method that the service does not offer to clients, BadRequest for a malformed
 * escape in the path and for a body that is not data
 */
export function toServiceCall(
  request: Omit<HttpRequest, 'path' | 'params'> & { readonly params?: object | undefined },
  route: RouteLookup
): ServiceCall {
  const { methods, routeParams } = getServiceOptions(route.service)
  const { __id } = route.params
  const id = __id === undefined ? null : decode(__id)
  const method = toMethod(request, id)
  const custom = request.headers[METHOD_HEADER]

  if (!methods.includes(method) || (custom !== undefined && isStandardMethod(String(custom)))) {
    throw new MethodNotAllowed(`Method \`${method}\` is not supported by this endpoint.`)
  }

  const takesData = getDefinition(method).args.includes('data')

  return {
    method,
    id,
    data: takesData ? toData(request.body, method) : undefined,
    params: {
      query: request.query,
      headers: request.headers,
      route: toRouteParams(route.params, routeParams),
      provider: 'rest',
      ...request.params
    }
  }
}

/** What stood for placeholders, decoded, and what the service was registered with, as it is. */
function toRouteParams(
  params: RouteLookup['params'],
  registered: { readonly [name: string]: any } | undefined
): { [name: string]: any } {
  const route: { [name: string]: any } = {}

  for (const name in params) {
    if (name !== '__id')
      route[name] = params[name] === registered?.[name] ? params[name] : decode(params[name])
  }

  return route
}

/** Creates the context of a call that came over HTTP. */
export function createHttpContext(route: RouteLookup, call: ServiceCall): HookContext {
  return createContext(route.service, call.method, { http: {} })
}

/**
 * Converts the context of a finished call into a response. The body is `dispatch`, or else the result. The
 * status is `http.status`, or else 303 with a location, 204 without a body, 201 for `create`, and 200.
 */
export function toHttpResponse(context: HookContext): HttpResponse {
  const { http = {}, dispatch, result, method } = context
  const body: unknown = dispatch !== undefined ? dispatch : result
  const headers =
    http.location === undefined
      ? (http.headers ?? {})
      : { ...http.headers, Location: encodeUrl(http.location) }

  return { status: http.status || defaultStatus(headers, body, method), headers, body }
}

/**
 * Converts anything that was thrown into a response, with the headers that its status asks for.
 *
 * @param error Anything that was thrown
 * @param request The request
 * @param route What the path of the request leads to, when it is known
 */
export function toHttpError(
  error: unknown,
  request: Pick<HttpRequest, 'method' | 'headers'>,
  route?: RouteLookup | null
): HttpResponse {
  const { status, body } = toClientError(error)
  const headers: Record<string, string> = {}

  // RFC 9110 asks for both: §15.5.6 and §15.5.2.
  if (status === 405 && route) headers.Allow = allowedVerbs(request, route).join(', ')
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer'

  return { status, headers, body }
}

/** The error for a path that leads nowhere. */
export function createNotFound(url: string, verbose?: boolean): NotFound {
  return new NotFound(verbose ? `Page not found: ${url}` : 'Page not found', { url })
}

function toMethod(
  { method: verb, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  id: string | null
): string {
  const custom = headers[METHOD_HEADER]

  if (verb === 'POST' && typeof custom === 'string' && custom !== '') return custom
  if (verb === 'GET' || verb === 'HEAD') return id === null ? 'find' : 'get'

  const method = defaultServiceMethods.find((name) => getDefinition(name).verb === verb)

  if (method === undefined) throw new MethodNotAllowed(`Method ${verb} not allowed`)

  return method
}

/** The verbs that the path of a route takes, without one that hooks have just refused. */
function allowedVerbs(
  { method: verb, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { service, params }: RouteLookup
): string[] {
  // With the header it was the method that was refused, and not the verb.
  const refused = headers[METHOD_HEADER] === undefined ? verb : undefined
  const notHere = params.__id === undefined ? 'get' : 'find'
  const verbs = getServiceOptions(service)
    .methods.filter((method) => method !== notHere)
    .map((method) => getDefinition(method).verb)
    .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))

  return [...new Set(verbs)].filter((name) => name !== refused)
}

function defaultStatus(headers: HttpResponse['headers'], body: unknown, method: string): number {
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

/** Escapes what a URL cannot hold, line breaks among it, and leaves escapes that are there. */
function encodeUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]|["<>\\^`{|}]|%(?![\da-f]{2})/giu, encodeURIComponent)
}
