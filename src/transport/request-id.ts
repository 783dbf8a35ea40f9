// Names each request, so that a line of a log, an error that a client has seen and a trace can be matched.
import { createTypeError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'

declare module '../core/types.ts' {
  interface Params {
    /** Names the request or the message of a socket; there with the setting `requestIds`. */
    requestId?: string
  }
}

/** The header in which proxies name a request, and responses say the name that it got. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** What is taken over: it goes into logs, where line breaks and long strings would do harm. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/

/**
 * Copies params with the id of their request: that of a trusted proxy, or a new one. Without the setting `requestIds`, and for
 * params that have one, they are the same object.
 */
export function withRequestId<P extends object>(
  app: { get?(name: any): any },
  params: P,
  request?: { readonly headers: { readonly [name: string]: unknown }; readonly isFromProxy?: boolean }
): P & { readonly requestId?: string } {
  const { requestId } = params as { requestId?: string }

  if (requestId !== undefined || app.get?.('requestIds') !== true) return params

  return copyWith(params, { requestId: findSentId(request) ?? crypto.randomUUID() })
}

function findSentId(request: Parameters<typeof withRequestId>[2]): string | undefined {
  const sent = request?.isFromProxy ? request.headers[REQUEST_ID_HEADER.toLowerCase()] : undefined

  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : undefined
}

/**
 * Makes the header of a response that names its request by an id that code outside of the library may have chosen. No header
 * without the setting `requestIds`, and for what is no id that a proxy could have sent.
 */
export function toRequestIdHeader(
  app: { get?(name: any): any },
  requestId: unknown
): Readonly<Record<string, string>> | undefined {
  if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) return undefined

  return app.get?.('requestIds') === true ? { [REQUEST_ID_HEADER]: requestId } : undefined
}

/** Checks the setting `requestIds`; a TypeError refuses what is no boolean. */
export function assertRequestIds(value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return

  throw createTypeError(
    'ALULA_INVALID_OPTION',
    `Invalid value for the setting 'requestIds': expected true or false, got ${typeof value}`
  )
}
