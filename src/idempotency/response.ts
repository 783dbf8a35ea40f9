// What leaves of a call, as it is stored, and how it leaves again.
import { getResponse } from '../core/call.ts'
import { isLostInJson } from '../core/json-result.ts'
import type { HookContext, Id } from '../core/types.ts'
import { convert, type FeathersError } from '../errors.ts'
import { type FormattingApplication, toClientError } from '../transport/error.ts'
import { setSlots } from '../utils/call-state.ts'
import { findPath } from '../utils/object.ts'
import { findTokenResponse } from '../utils/token-response.ts'

/** A response as it is stored: what a client got, or the error that it got. */
interface StoredResponse {
  /** The id of the record, where the call has named it by another field. */
  readonly id?: Id | undefined
  readonly http?: { readonly status?: number; readonly headers?: object; readonly location?: string }
  readonly body?: unknown
  readonly error?: object
}

/**
 * A JSON Web Token: its header and its claims are objects of JSON. The header is looked for from its end: from each of its
 * beginnings, which clients may repeat, the time would grow with the square of the length.
 */
const TOKEN = /\.eyJ(?<=\beyJ[\w-]+\.eyJ)[\w-]+\.[\w-]/

/** For a response that is not kept. */
export const NOT_KEPT = ''

/**
 * The response of a finished call as it is stored, in JSON; {@link NOT_KEPT} for one that is too large, that is not to be
 * stored, that has a token, or that JSON cannot hold. `id` is that of its record, where the call has named it by another field.
 */
export function toStoredResponse(context: HookContext, id: Id | undefined, maxSize: number): string {
  const { http: { status, headers, location } = {}, result, dispatch } = context
  const body = getResponse(context)
  const isPrivate =
    !mayBeStored(headers) ||
    findTokenResponse(result) !== undefined ||
    findTokenResponse(dispatch) !== undefined

  // Sockets send bytes as they are.
  if (isPrivate || isLostInJson(body) || findPath([body], ArrayBuffer.isView) !== undefined) return NOT_KEPT

  return toBoundedJson({ id, http: { status, headers, location }, body }, maxSize)
}

/** The error that a hook after the method has thrown, as clients see it. `id` is as in {@link toStoredResponse}. */
export function toStoredError(
  error: unknown,
  app: FormattingApplication,
  id: Id | undefined,
  maxSize: number
): string {
  return toBoundedJson({ id, error: toClientError(error, app).body }, maxSize)
}

/** What was stored of a call. */
export function readResponse(
  response: string
): Pick<StoredResponse, 'id' | 'body'> & { readonly error?: FeathersError } {
  const { id, body, error } = JSON.parse(response) as StoredResponse

  // A class of the application is not known here. Without the brand, its error would be an unexpected one.
  return error ? { id, error: Object.assign(convert(error), { type: 'FeathersError' }) } : { id, body }
}

/** Has a stored response, which is no error, leave again when all hooks are through. */
export function restoreResponse(context: HookContext, response: string): void {
  const { http, body } = JSON.parse(response) as StoredResponse

  context.http = Object.assign(context.http ?? {}, http)
  context.result = body
  delete context.dispatch
  setSlots(context, { response: body })
}

/** Cookies are credentials. */
function mayBeStored(headers: { readonly [name: string]: unknown } = {}): boolean {
  return Object.entries(headers).every(
    ([name, value]) =>
      !/^set-cookie$/i.test(name) && !(/^cache-control$/i.test(name) && /no-store/i.test(String(value)))
  )
}

function toBoundedJson(stored: StoredResponse, maxSize: number): string {
  try {
    const text = JSON.stringify(stored)

    return Buffer.byteLength(text) > maxSize || TOKEN.test(text) ? NOT_KEPT : text
  } catch {
    // A `bigint`, which transports write in several ways.
    return NOT_KEPT
  }
}
