import {
  BadRequest,
  convert,
  errors,
  GeneralError,
  isFeathersError,
  Timeout,
  Unavailable
} from '../errors.ts'
import type { RestRequest } from './http.ts'

/** What libraries and Node say of a request that failed. */
interface LibraryError {
  readonly name?: string
  readonly message?: string
  readonly code?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly crossDomain?: unknown
  readonly errors?: readonly unknown[]
  readonly cause?: unknown
}

/** What libraries call a request that took longer than its caller allows. */
const TIMED_OUT: readonly unknown[] = ['ECONNABORTED', 'ETIMEDOUT']

/** How many causes of an error are looked at. */
const MAX_CAUSES = 10

/** Mistakes in the request itself have such codes too. */
const MISTAKE = /^ERR_(?!NETWORK|TLS)/

/**
 * Revives the error that a response stands for: that of its parsed body, which is `undefined` when it could not be parsed. One
 * that does not say its name gets that of its status. The response is a property that shows in no JSON.
 */
export function toResponseError(body: unknown, status: number, response: unknown): Error {
  const ErrorClass = errors[status] ?? (status >= 400 && status < 500 ? BadRequest : GeneralError)
  const error: Error =
    typeof body === 'object' && body !== null
      ? convert({ name: new ErrorClass().name, ...body })
      : new ErrorClass('JSON parsing error')

  return setHidden(error, 'response', response)
}

/**
 * Says what became of a request that got no response. Errors that are not about the connection, and those by which the caller
 * has given up with a signal, are returned as they are.
 */
export function toRequestError(
  error: unknown,
  { method, url }: Pick<RestRequest, 'method' | 'url'>,
  signal?: { readonly reason?: unknown }
): unknown {
  if (typeof error !== 'object' || error === null) return error
  if (isFeathersError(error) || error === signal?.reason) return error

  const failure: LibraryError = error
  const reason = toReason(failure)
  const { code = failure.code, address, port } = reason
  const message = reason.message || failure.message
  const data = { code, address, port, method, url }

  if (TIMED_OUT.includes(failure.code)) return setHidden(new Timeout(message, data), 'cause', error)
  if (isUnreachable(failure, code)) return setHidden(new Unavailable(message, data), 'cause', error)

  return error
}

/** Sets a property that shows in no JSON. */
export function setHidden<T extends object>(target: T, name: string, value: unknown): T {
  return Object.defineProperty(target, name, { value, configurable: true, writable: true })
}

/**
 * What lies below: `fetch` says no more than that it failed, and of several addresses each failed for a reason. An error may
 * be its own cause.
 */
function toReason(error: LibraryError, left = MAX_CAUSES): LibraryError {
  const below = error.errors?.[0] ?? error.cause

  return below instanceof Error && left > 0 ? toReason(below, left - 1) : error
}

function isUnreachable(error: LibraryError, code: unknown): boolean {
  if (typeof code === 'string') return !MISTAKE.test(code)

  // Browsers say nothing more, and hide from superagent even that.
  return error.name === 'TypeError' || error.crossDomain === true
}
