// Names each request, so that a line of a log, an error that a client has seen and a trace can be matched.
import { createTypeError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import type { IncomingHeaders } from './http.ts'

declare module '../core/types.ts' {
  interface Params {
    /** Names the request or the message of a socket; there with the setting `requestIds`. */
    requestId?: string
  }
}

/** The header in which proxies name a request. */
const REQUEST_ID_HEADER = 'x-request-id'

/** What is taken over: it goes into logs, where line breaks and long strings would do harm. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/

/**
 * Copies params with the id of their request: that of a trusted proxy, or a new one. Without the setting `requestIds`, and
 * for params that have one, they are the same object.
 *
 * @param app The application
 * @param params The params
 * @param request The headers, and whether a proxy that the application trusts has sent them; without one the id is new
 */
export function withRequestId<P extends object>(
  app: { get?(name: any): any },
  params: P,
  request?: { readonly headers: IncomingHeaders; readonly isFromProxy?: boolean }
): P & { readonly requestId?: string } {
  const { requestId } = params as { requestId?: string }

  if (requestId !== undefined || app.get?.('requestIds') !== true) return params

  return copyWith(params, { requestId: findSentId(request) ?? crypto.randomUUID() })
}

function findSentId(request: Parameters<typeof withRequestId>[2]): string | undefined {
  const sent = request?.isFromProxy ? request.headers[REQUEST_ID_HEADER] : undefined

  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : undefined
}

/**
 * Checks the setting `requestIds`.
 *
 * @param value What it is set to
 * @throws TypeError for a value that is no boolean
 */
export function assertRequestIds(value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return

  throw createTypeError(
    'ALULA_INVALID_OPTION',
    `Invalid value for the setting 'requestIds': expected true or false, got ${typeof value}`
  )
}
