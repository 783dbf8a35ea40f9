import { assertApplication } from '../core/assert-application.ts'
import { callService } from '../core/call.ts'
import { noteMountedParams } from '../core/caller.ts'
import { type ClientPlace, withClientPlace } from '../core/client-place.ts'
import { getInternals, warnOnce } from '../core/internals.ts'
import { assertJsonResult } from '../core/json-result.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, RouteLookup } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { setInherited, setSlots } from '../utils/call-state.ts'
import { copyWith } from '../utils/object.ts'
import { mayAuthenticate, parseAuthentication } from './authentication.ts'
import { assertUtf8, parseBody } from './body.ts'
import { withCacheHeaders } from './caching.ts'
import { readsBody, toServiceCall } from './call.ts'
import type { Cors } from './cors.ts'
import { encodeResponse } from './encode.ts'
import { type LogContext, logUnexpected, toErrorResponse } from './error.ts'
import {
  createHttpContext,
  createNotFound,
  getReadPosition,
  type HttpRequest,
  type HttpResponse,
  QUERY_VERB,
  type TransportApplication,
  toCredentialSource,
  toHttpError,
  toHttpResult
} from './http.ts'
import { runMounted } from './mount.ts'
import { type HttpOptions, type HttpSettings, toHttpSettings } from './options.ts'
import { assertOwnOrigin, findPage } from './origin.ts'
import { isConditional, runConditionally } from './precondition.ts'
import { readQuery } from './query-method.ts'
import { parseQueryString } from './querystring.ts'
import { withRequestId } from './request-id.ts'
import { findTarget, type HttpTarget, isMounted } from './target.ts'

/** Turns a request into a response. It never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Serves an application over HTTP, on any server: from the path of a request to the response that is ready to be written. Call `app.setup()` before the first request.
 *
 * @param app An application
 * @param options The options of the transport
 * @returns Turns a request into a response; errors become responses too
 * @throws TypeError for an object that is not an application, and for an option with a value that it cannot have
 */
export function createHttpHandler(app: TransportApplication, options: HttpOptions = {}): HttpHandler {
  assertApplication('createHttpHandler', app)

  return serveHttp(app, toHttpSettings('createHttpHandler', options))
}

/** The same, for a transport that has checked its options under its own name. */
export function serveHttp(app: TransportApplication, settings: HttpSettings): HttpHandler {
  const { cors, etag } = settings

  async function respond(request: HttpRequest): Promise<HttpResponse> {
    let target: HttpTarget | null = null
    let call: HookContext | undefined
    let mountedParams: Params | undefined

    try {
      target = request.target ?? findInside(app, request, settings)

      if (isMounted(target)) {
        mountedParams = await toMountedParams(app, request, settings)

        return await runMounted(app, request, target, mountedParams, settings)
      }

      const context = await runCall(app, request, target, settings, (started) => {
        call = started
      })

      const result = toHttpResult(context)

      assertJsonResult(context, result.body)

      return encodeResponse(request, withCacheHeaders(app, context, request, result, settings), etag)
    } catch (error) {
      const route = target && !isMounted(target) ? target : null

      return toFailure(app, settings, request, error, route, call, mountedParams)
    }
  }

  async function respondWithCors(request: HttpRequest, cors: Cors): Promise<HttpResponse> {
    try {
      const preflight = cors.preflight(request)

      if (preflight) return preflight

      const allow = cors.allow(request)

      return allow(await respond(request))
    } catch (error) {
      return toPlainFailure(app, settings, request, error)
    }
  }

  return cors ? (request) => respondWithCors(request, cors) : respond
}

/** The response to a request that failed. */
function toFailure(
  app: TransportApplication,
  settings: HttpSettings,
  request: HttpRequest,
  error: unknown,
  route: RouteLookup | null,
  call: HookContext | undefined,
  mountedParams: Params | undefined
): HttpResponse {
  const { logger, authentication, etag } = settings

  try {
    const { method, path, headers } = request
    const called = toLogContext(app, call, request, mountedParams)
    const { requestId } = called

    logUnexpected(logger, error, called, app)

    const result = toHttpError(error, { method, path, headers, requestId }, route, app, authentication)

    return encodeResponse(request, withCacheHeaders(app, call, request, result, settings), etag)
  } catch (failure) {
    return toPlainFailure(app, settings, request, failure)
  }
}

/** For the function `cors.origin`, and for headers that configuration makes invalid. */
function toPlainFailure(
  app: TransportApplication,
  { logger, etag }: HttpSettings,
  request: HttpRequest,
  error: unknown
): HttpResponse {
  logUnexpected(logger, error, { provider: 'rest' }, app)

  const { method, path, headers } = request
  const { status, body } = toErrorResponse(app, error, { provider: 'rest', method, path, headers })

  return encodeResponse(request, { status, headers: {}, body }, etag)
}

/**
 * The call of a request that has failed, as a log may show it. Params that are left out are those of the context; a request
 * without any gets its id here.
 */
export function toLogContext(
  app: { get?(name: any): any },
  context: HookContext | undefined,
  request: Pick<HttpRequest, 'headers' | 'isFromProxy'>,
  params: Params | undefined = context?.params
): Omit<LogContext, 'status'> {
  const { requestId } = withRequestId(app, params ?? {}, request)

  return copyWith(
    context ? { path: context.path, method: context.method } : {},
    requestId === undefined ? { provider: 'rest' } : { provider: 'rest', requestId }
  )
}

/**
 * Runs a request for a service: credentials, body, the call itself; and returns the context of the finished call. `onCall` gets
 * the context before the call begins. Throws what the call rejects with, and the errors of a request that cannot become a call.
 */
export async function runCall(
  app: TransportApplication,
  request: HttpRequest,
  route: RouteLookup,
  settings: HttpSettings,
  onCall: (context: HookContext) => void
): Promise<HookContext> {
  warnOfMissingSetup(app)

  const { method, headers } = request
  const inUrl = request.query ?? parseQueryString(request.search)
  const hasBody = readsBody(method, route)
  const isSearched = mayAuthenticate(app, settings.authentication)
  const hasCredentials = isSearched && (settings.parsesCredentials || headers.cookie !== undefined)
  const given =
    settings.params || hasCredentials ? await toParams(app, request, settings, isSearched) : request.params
  const params = withRequestId(app, given ?? {}, request)
  const body = hasBody ? await readBody(request, route, settings) : undefined
  const query = method === QUERY_VERB ? await readQuery(request, inUrl, settings.bodyLimit) : inUrl
  const call = toServiceCall({ method, headers, query, body, params }, route)

  // A service may compare what is in any request with a secret.
  if (isSearched) setInherited(call.params, { client: toClientPlace(app, request, settings) })

  const context = createHttpContext(route, call, request)
  const position = getReadPosition(app, call.method)
  const run = (unmet?: Error) => {
    if (unmet) setSlots(context, { unmet })

    return callService(route.service, call, context)
  }

  if (position !== undefined) setSlots(context, { position })

  onCall(context)

  return isConditional(request)
    ? await runConditionally(app, request, route, call, context.path, settings.etag, run)
    : await run()
}

function findInside(
  app: TransportApplication,
  { path, search }: HttpRequest,
  { prefix }: HttpSettings
): HttpTarget {
  if (!path.startsWith('/')) throw new BadRequest('Invalid request target: expected a path or a URL')

  const target = findTarget(app, path, prefix)

  if (target) return target

  // A service that `setup` registers is missing.
  warnOfMissingSetup(app)
  throw createNotFound(search === '' ? path : `${path}?${search}`)
}

/** Warns once of an application that was never set up: its services may lack what their `setup` prepares. */
function warnOfMissingSetup(app: TransportApplication): void {
  if (app._isSetup !== false || getInternals(app).teardowns > 0) return

  warnOnce(
    app,
    'ALULA_NOT_SET_UP',
    'The application receives requests but was never set up: await app.setup() before the server listens'
  )
}

/** The params that earlier code has set, and credentials unless it has set those too. */
async function toParams(
  app: TransportApplication,
  request: HttpRequest,
  { authentication, params: getParams, cors, parsesCredentials }: HttpSettings,
  isSearched = mayAuthenticate(app, authentication)
): Promise<Params> {
  const own = await getParams?.(request.native?.request, { address: request.address })
  const given: Params = copyWith(request.params, own ?? {})

  if (!isSearched) return given

  // Most requests have no cookie, and nothing to wait for.
  if (request.headers.cookie !== undefined) await assertOwnOrigin(app, request, authentication, cors)

  if (given.authentication !== undefined) return given

  // `params` may have returned none, as undefined.
  const { authentication: earlier }: Partial<Params> = request.params ?? {}
  const found =
    earlier === undefined && parsesCredentials
      ? await parseAuthentication(app, ...toCredentialSource(request), authentication)
      : earlier

  return found || earlier === null ? copyWith(given, { authentication: found }) : given
}

/** A mounted function calls services for its client: without a provider these would be internal calls. */
async function toMountedParams(
  app: TransportApplication,
  request: HttpRequest,
  settings: HttpSettings
): Promise<Params> {
  warnOfMissingSetup(app)

  const params = withRequestId(app, await toParams(app, request, settings), request)

  return noteMountedParams(
    app,
    withClientPlace(
      { provider: 'rest', headers: request.headers, ...params },
      toClientPlace(app, request, settings)
    )
  )
}

function toClientPlace(
  app: TransportApplication,
  request: HttpRequest,
  { authentication, cors }: HttpSettings
): ClientPlace {
  const { address, isBehindProxy = false } = request

  return { address, isBehindProxy, getPage: () => findPage(app, request, authentication, cors) }
}

async function readBody(
  request: HttpRequest,
  { service }: RouteLookup,
  { bodyLimit }: HttpSettings
): Promise<unknown> {
  const { body, headers } = request
  const contentType = headers['content-type'] as string | undefined

  if (body === undefined)
    return parseBody(await request.readText(bodyLimit), contentType, getServiceOptions(service))

  // Parsers of JSON and forms accept other charsets, which can hide data from a filter in front.
  if (/json|x-www-form-urlencoded/i.test(contentType ?? '')) assertUtf8(contentType)

  return body
}
