import type { HookContext } from '../core/types.ts'
import { copyWith } from '../utils/object.ts'
import { findAuthentication, type ParseAuthenticationOptions } from './authentication.ts'
import { addVarying, findSentHeader } from './encode.ts'
import type { HttpRequest, HttpResult, TransportApplication } from './http.ts'
import type { HttpSettings } from './options.ts'

/** The part of a request that decides how its response may be cached. */
type CachedRequest = Pick<HttpRequest, 'headers' | 'getResponseHeader'>

/**
 * Adds the headers that keep caches from giving the response to a call with a login to another user: `Cache-Control`, and in
 * `Vary` the header of the credentials (RFC 9111 §5.2.2.7 and §4.1). What hooks and earlier code have set stays.
 */
export function withCacheHeaders(
  app: TransportApplication,
  context: HookContext | undefined,
  request: CachedRequest,
  result: HttpResult,
  settings: HttpSettings
): HttpResult {
  const added = toCacheHeaders(app, context, request, result.headers, settings)

  if (!added) return result

  const { status, headers, body } = result

  return { status, headers: copyWith(headers, added), body }
}

/** Only the headers that are added, for a server that has those of the result already; `undefined` for none. */
export function toCacheHeaders(
  app: TransportApplication,
  context: HookContext | undefined,
  request: CachedRequest,
  headers: HttpResult['headers'],
  { cacheControl, authentication }: HttpSettings
): Record<string, string> | undefined {
  const params = context?.params

  if (cacheControl === false || !params || !(params.authentication || params.authenticated)) return undefined

  const isSet = findSentHeader(request, headers, 'cache-control') !== undefined
  const varying = toVarying(app, params.authentication?.strategy, request, authentication)
  const nameOfVary = Object.keys(headers).find((name) => name.toLowerCase() === 'vary') ?? 'Vary'

  const added: Record<string, string> = {}

  if (!isSet) added['Cache-Control'] = cacheControl
  added[nameOfVary] = addVarying(findSentHeader(request, headers, 'vary'), varying)

  return added
}

/** The headers that credentials come from. A cookie only counts without the header. */
function toVarying(
  app: TransportApplication,
  strategy: string | undefined,
  { headers }: CachedRequest,
  { service }: ParseAuthenticationOptions = {}
): readonly string[] {
  const configuration = findAuthentication(app, service)?.configuration
  const header: string = configuration?.[strategy as string]?.header ?? 'Authorization'
  const isSent = Boolean(headers[header.toLowerCase()])

  return isSent || headers.cookie === undefined ? [header] : [header, 'Cookie']
}
