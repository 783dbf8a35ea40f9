// What the transports for Express and Koa have in common.
import { IncomingMessage, type ServerResponse } from 'node:http'
import { type ClientPlace, withClientPlace } from '../core/client-place.ts'
import type { AuthenticationRequest, HookContext, Params, RouteLookup } from '../core/types.ts'
import { type ParseAuthenticationOptions, parseAuthentication } from '../transport/authentication.ts'
import { toCacheHeaders } from '../transport/caching.ts'
import { toHead } from '../transport/encode.ts'
import { toClientError } from '../transport/error.ts'
import {
  type HttpResult,
  type TransportApplication,
  toCredentialSource,
  toErrorHeaders
} from '../transport/http.ts'
import type { HttpSettings } from '../transport/options.ts'
import { isOwnOrigin } from '../transport/origin.ts'
import { isObject } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import type { NodeRequest } from './request.ts'

/** Keeps something for each service, made at its first request: services may be registered before their transport or after it. */
export function createForEach<T>(create: (service: object) => T): (service: object) => T {
  const made = new WeakMap<object, T>()

  return (service) => {
    let one = made.get(service)

    if (one === undefined) {
      one = create(service)
      made.set(service, one)
    }

    return one
  }
}

/**
 * Looks for credentials in a request, for its middleware and for its call. There are none in a cookie that a page of another
 * origin had sent: calls of services are refused later, and routes of the framework see a request without credentials.
 */
export async function findCredentials(
  app: TransportApplication,
  request: NodeRequest,
  options: ParseAuthenticationOptions | undefined
): Promise<AuthenticationRequest | null> {
  const found = await parseAuthentication(app, ...toCredentialSource(request), options)

  return found && (await isOwnOrigin(app, request, options)) ? found : null
}

/** Verifies the credentials of a request as the hook `authenticate` does. Returns its params with what the strategy has found. */
export async function authenticateRequest(
  hook: (context: any) => Promise<unknown>,
  app: unknown,
  given: object | undefined,
  client: ClientPlace
): Promise<Params> {
  // Without `rest()` there is no provider, and the hook would let every request pass as an internal call.
  const context = { app, params: withClientPlace({ provider: 'rest', ...given } as Params, client) }

  await hook(context)

  return context.params
}

/**
 * The status and the headers of the response to a call that has failed. Set before an error handler sees the error, because only
 * the transport knows its strategies.
 */
export function toFailedHead(
  app: TransportApplication,
  error: unknown,
  request: NodeRequest,
  route: RouteLookup,
  call: HookContext | undefined,
  settings: HttpSettings
): Pick<HttpResult, 'status' | 'headers'> {
  const shown = toClientError(error, app)
  const headers = toErrorHeaders(shown, request, route, app, settings.authentication)

  return {
    status: shown.status,
    headers: toHead({ ...headers, ...toCacheHeaders(app, call, request, headers, settings) })
  }
}

/** Headers about the body of a response (RFC 9110 §8). */
const BODY_HEADERS = [
  ...['Content-Type', 'Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location'],
  ...['Content-Range', 'Content-Disposition', 'ETag', 'Last-Modified']
]

/** Sets the headers of an error in place of those of the body that it replaces, and `X-Content-Type-Options`. */
export function setErrorHeaders(response: ServerResponse, headers: HttpResult['headers']): void {
  for (const name of BODY_HEADERS) response.removeHeader(name)

  for (const [name, value] of Object.entries(toHead(headers))) {
    // `rest` may have set it, with other strategies.
    if (!response.hasHeader(name)) response.setHeader(name, value)
  }

  if (!response.hasHeader('X-Content-Type-Options')) response.setHeader('X-Content-Type-Options', 'nosniff')
}

/**
 * Checks that a function that makes middleware is not used as middleware: requests would never get a response. Throws an Error
 * when its first argument is a request of Node, or the context of one of Koa.
 */
export function assertNoRequest(name: string, argument: unknown): void {
  if (argument instanceof IncomingMessage || (isObject(argument) && 'req' in argument)) {
    throw createError(
      'ALULA_NOT_CALLED',
      `${name} makes middleware and is none: call it, as in app.use(${name}())`
    )
  }
}
