// Old names, which are removed in the next minor version.

import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Query, RouteLookup } from '../core/types.ts'
import { deprecate } from '../utils/deprecate.ts'
import { createError } from '../utils/developer-error.ts'
import type { ParseAuthenticationOptions } from './authentication.ts'
import { type AcceptedBodies, BODY_LIMIT as LIMIT } from './body.ts'
import { readsBody } from './call.ts'
import { runCall } from './handler.ts'
import {
  createNotFound,
  type HttpRequest,
  type HttpResult,
  type IncomingHeaders,
  type TransportApplication,
  toHttpError,
  toHttpResult
} from './http.ts'
import { toHttpSettings } from './options.ts'
import { findRoute } from './target.ts'

/**
 * How many bytes of a body are read by default.
 *
 * @deprecated Choose the limit of your transport yourself
 */
export const BODY_LIMIT = LIMIT

/** The request that {@link handleHttp} takes. */
export interface HandledRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHeaders
  readonly query: Query
  readonly params?: object | Promise<object> | undefined
  readonly route?: RouteLookup
  readonly native?: { readonly request: object & { headers: any }; readonly response: unknown } | undefined
  readonly authentication?: ParseAuthenticationOptions | undefined
}

/**
 * Runs a request up to a result that is not encoded yet.
 *
 * @deprecated Use `createHttpHandler`, which encodes the response too
 */
export const handleHttp: (
  app: TransportApplication,
  request: HandledRequest,
  readBody: (accepted: AcceptedBodies) => Promise<unknown>,
  onError: (error: unknown) => void
) => Promise<HttpResult> = deprecate(
  runRequest,
  'handleHttp is deprecated: use createHttpHandler of alula/transport'
)

/**
 * Converts the context of a finished call into what the client gets.
 *
 * @deprecated The new name is `toHttpResult`
 */
export const toHttpResponse: (context: HookContext) => HttpResult = deprecate(
  toHttpResult,
  'toHttpResponse is deprecated: its name is toHttpResult now'
)

async function runRequest(
  app: TransportApplication,
  request: HandledRequest,
  readBody: (accepted: AcceptedBodies) => Promise<unknown>,
  onError: (error: unknown) => void
): Promise<HttpResult> {
  const { path, authentication } = request
  const route = request.route ?? findRoute(app, path)

  try {
    if (!route) throw createNotFound(path)

    const converted: HttpRequest = {
      ...request,
      params: await request.params,
      search: '',
      body: readsBody(request.method, route) ? await readBody(getServiceOptions(route.service)) : undefined,
      readText: async () => '',
      toRequest: () => {
        throw createError(
          'ALULA_DEPRECATED',
          'handleHttp does not serve mounted functions: use createHttpHandler'
        )
      }
    }
    const settings = toHttpSettings('handleHttp', { ...(authentication && { authentication }) })

    return toHttpResult(await runCall(app, converted, route, settings, () => undefined))
  } catch (error) {
    onError(error)

    return toHttpError(error, request, route, app, authentication)
  }
}
