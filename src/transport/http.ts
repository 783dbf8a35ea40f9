import { getOwnResponse, getResponse } from '../core/call.ts'
import { createContext } from '../core/hooks.ts'
import { getInternals } from '../core/internals.ts'
import { getDefinition, type ServiceCall } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Http, Query, RouteLookup } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { getSlots } from '../utils/call-state.ts'
import { isCount } from '../utils/check.ts'
import { addSetCookie } from '../utils/cookie.ts'
import { copyWith } from '../utils/object.ts'
import { findTokenResponse, type TokenResponse } from '../utils/token-response.ts'
import { type Authenticating, getSchemes, type ParseAuthenticationOptions } from './authentication.ts'
import { type ClientError, type FormattingApplication, toErrorResponse } from './error.ts'
import { toRequestIdHeader } from './request-id.ts'
import type { HttpTarget } from './target.ts'

/** The header that names a custom method on a `POST`. */
export const METHOD_HEADER = 'x-service-method'

/** The header that says which events what was read reflects: all up to this position. */
export const POSITION_HEADER = 'Event-Position'

/** The method that finds records by a query in its body (RFC 10008). */
export const QUERY_VERB = 'QUERY'

/** The header of a response whose path takes `QUERY`, with the type of its body. */
export const QUERY_HEADER = 'Accept-Query'

/** That header, with its value. */
const ACCEPTS_QUERY: Readonly<Record<string, string>> = Object.freeze({
  [QUERY_HEADER]: 'application/json'
})

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
  /** Whether a proxy has passed the request on, and no setting says how many proxies are in front. */
  readonly isBehindProxy?: boolean
  /** Whether a proxy that the application trusts has sent the request: it may name it. */
  readonly isFromProxy?: boolean
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
  /** JSON, or the reader of what a mounted function sends; nothing is sent when it is `undefined`. */
  readonly body: string | ReadableStreamDefaultReader<Uint8Array> | undefined
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

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** Where the log of events was before the call, if it reads. */
    readonly position?: string
  }
}

/** Where the log of events is, before a call that reads: the result reflects all events up to there. None without a log. */
export function getReadPosition(app: object, method: string): string | undefined {
  return method === 'find' || method === 'get' ? getInternals(app).log?.position : undefined
}

/** Creates the context of a call that came over HTTP. It has its params from the beginning: the call may fail before its hooks. */
export function createHttpContext(
  route: RouteLookup,
  call: ServiceCall,
  request: Pick<HttpRequest, 'isAborted'> = {}
): HookContext {
  return createContext(route.service, call.method, { http: new HttpDetails(request), params: call.params })
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
 * the result.
 */
export function toHttpResult(context: HookContext): HttpResult {
  const { http = {}, dispatch, result, method, params, app } = context
  const body = getResponse(context)
  const { position } = getSlots(context)
  const own = toResultHeaders(http, findTokenResponse(result) ?? findTokenResponse(dispatch))
  const headers = method === 'find' ? withDefault(ACCEPTS_QUERY, 'accept-query', own) : own
  const named = toRequestIdHeader(app, params?.requestId)
  const placed =
    position === undefined ? headers : withDefault({ [POSITION_HEADER]: position }, 'event-position', headers)

  return {
    status: toStatus(context, body),
    headers: named ? withDefault(named, 'x-request-id', placed) : placed,
    body
  }
}

/**
 * The status of a finished call: `http.status`, or else 303 with a location, 204 without a body, 201 for `create`, and 200. When
 * the body is left out, no record is looked at: one that cannot be sent has a status all the same.
 */
export function toStatus(context: HookContext, body: unknown = getOwnResponse(context)): number {
  const { status, location, headers } = context.http ?? {}

  if (status) return status
  if (location !== undefined || headers?.Location !== undefined) return 303
  if (!body) return 204

  return context.method === 'create' ? 201 : 200
}

/** Adds a header, unless a hook has set it, in whatever case. */
function withDefault(
  header: Readonly<Record<string, string>>,
  name: string,
  headers: HttpResult['headers']
): HttpResult['headers'] {
  return findHeader(headers, name) === undefined ? copyWith(headers, header) : headers
}

/** Header names are case-insensitive, and hooks may write them as they like. One that is `undefined` is not sent. */
export function findHeader(headers: HttpResult['headers'], wanted: string): string | undefined {
  for (const name in headers) {
    const value: unknown = headers[name]

    if (value !== undefined && name.length === wanted.length && name.toLowerCase() === wanted)
      return String(value)
  }

  return undefined
}

/** No cache may keep an access token (RFC 6749 §5.1). */
function toResultHeaders(
  { headers = {}, location }: Http,
  ofToken: TokenResponse | undefined
): HttpResult['headers'] {
  if (location === undefined && !ofToken) return headers

  const own = addSetCookie(headers, ofToken?.cookie)
  const cached = ofToken ? withDefault({ 'Cache-Control': 'no-store' }, 'cache-control', own) : own

  if (location === undefined) return cached

  // As in Feathers v5, it goes before a header that a hook has set.
  const others = Object.entries(cached ?? {}).filter(([name]) => name.toLowerCase() !== 'location')

  return { ...Object.fromEntries(others), Location: encodeUrl(location) }
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
  request: Pick<HttpRequest, 'method' | 'headers'> & {
    readonly path?: string
    readonly requestId?: string | undefined
  },
  route?: RouteLookup | null,
  app: Partial<TransportApplication> = {},
  options: ParseAuthenticationOptions = {}
): HttpResult {
  const { method, headers, path = '', requestId } = request
  const { status, body, shown } = toErrorResponse(app, error, {
    provider: 'rest',
    method,
    path,
    headers,
    ...(requestId !== undefined && { requestId })
  })
  const shownHeaders = toErrorHeaders(shown, request, route, app, options)
  const named = toRequestIdHeader(app, requestId)

  return { status, headers: named ? withDefault(named, 'x-request-id', shownHeaders) : shownHeaders, body }
}

/** The headers of an error, or else those that its status asks for (RFC 9110 §15.5.6, §15.5.2 and §13.1.1). */
export function toErrorHeaders(
  { status, body, headers }: ClientError,
  request: Pick<HttpRequest, 'method' | 'headers'>,
  route?: RouteLookup | null,
  app: Partial<TransportApplication> = {},
  options: ParseAuthenticationOptions = {}
): Readonly<Record<string, string>> {
  const { etag, retryAfter } = body.data ?? {}

  if (headers) return headers
  if (status === 405 && route) return { Allow: allowedVerbs(request, route).join(', ') }
  if (status === 401) return { 'WWW-Authenticate': getSchemes(app, options).join(', ') }
  if (status === 415 && request.method === QUERY_VERB) return ACCEPTS_QUERY
  if (status === 429 && isCount(retryAfter)) return { 'Retry-After': `${retryAfter}` }
  // Services may throw this error too, with anything as its data.
  if (status === 412 && typeof etag === 'string' && ETAG.test(etag)) return { ETag: etag }

  return {}
}

/** The error for a path that leads to no service. */
export function createNotFound(url: string, verbose?: boolean): NotFound {
  return new NotFound(verbose ? `Page not found: ${url}` : 'Page not found', { url })
}

/** The verbs that the path of a route accepts, without one that has just been refused. */
function allowedVerbs(
  { method: verb, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { service, params, routes }: RouteLookup
): string[] {
  const { __id, __rest } = params
  // With the header the method was refused, not the verb.
  const refused = headers[METHOD_HEADER] === undefined ? verb : undefined
  const { methods, singleton } = getServiceOptions(service)
  const elsewhere = singleton ? [] : __id === undefined ? ['get'] : ['find', 'create']
  const ofMethods = methods
    .filter((method) => !elsewhere.includes(method))
    .flatMap((method) => (method === 'find' ? ['GET', QUERY_VERB] : getDefinition(method).verb))
  const verbs = [
    ...(__rest === undefined ? ofMethods : []),
    ...(routes?.verbs(__rest ?? __id ?? '') ?? [])
  ].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))

  return [...new Set(verbs)].filter((name) => name !== refused)
}

/** Escapes characters that a URL cannot contain, line breaks included, and keeps existing escapes. Hooks may set a `URL`. */
function encodeUrl(url: string | URL): string {
  return String(url)
    .toWellFormed()
    .replace(/[^\x21-\x7e]|["<>\\^`{|}]|%(?![\da-f]{2})/giu, encodeURIComponent)
}
