// What of a result can be sent as JSON.
import { describeValue } from '../query/operators.ts'
import { isFunction, isNodeStream, isObjectLike, isRaw } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { attempt } from '../utils/promise.ts'
import { getResponse } from './call.ts'
import type { HookContext } from './types.ts'

/**
 * What the client that called gets of a finished call, on a transport that sends JSON. Throws TypeError for a result that
 * cannot be sent as JSON.
 */
export function getJsonResponse(context: HookContext): unknown {
  const response = getResponse(context)

  assertJsonResult(context, response)

  return response
}

/**
 * Checks a result as a whole. Streams are ended, because nothing would read them. Throws TypeError for one that cannot be sent
 * as JSON, such as a stream or a `Map`.
 */
export function assertJsonResult({ path, method }: HookContext, result: unknown): void {
  if (!isLostInJson(result)) return

  endStream(result)

  throw createTypeError(
    'ALULA_INVALID_RETURN_VALUE',
    `The result of '${path}' (${method}) cannot be sent as JSON: got ${
      isIterator(result) ? 'an iterator' : describeValue(result)
    }. Functions of app.mount send files and streams`
  )
}

/**
 * Whether JSON would have the inner state of a value, or nothing of it: a stream, a `Map`, an iterator, a function. It
 * has what `toJSON` returns, and the fields of an instance.
 */
export function isLostInJson(value: unknown): boolean {
  // Without a call: this is asked of every result.
  if (typeof value !== 'object' || value === null)
    return typeof value === 'symbol' || (typeof value === 'function' && !hasJson(value))

  const prototype = Object.getPrototypeOf(value)

  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return false
  if (hasJson(value) || ArrayBuffer.isView(value)) return false

  return isRaw(value) || isHollow(value)
}

function hasJson(value: object): boolean {
  return isFunction((value as { readonly toJSON?: unknown }).toJSON)
}

/** Whether a value is an iterator without fields, such as a generator. */
function isIterator(value: unknown): boolean {
  return isObjectLike(value) && isHollow(value) && isFunction((value as { readonly next?: unknown }).next)
}

/** Whether a value has contents and no fields, such as a `Map`. A `String` is one too, and has a value. */
function isHollow(value: object): boolean {
  const hasContents = Symbol.iterator in value || Symbol.asyncIterator in value

  return hasContents && Object.keys(value).length === 0 && isObjectLike(value.valueOf())
}

/** Ends a stream of Node or of the Fetch API, a response, or a generator. */
function endStream(value: unknown): void {
  const body: any = value instanceof Response ? value.body : value

  attempt(() => {
    if (isNodeStream(body)) {
      // A file that cannot be opened says so later, and would end the process.
      body.on('error', ignore)

      return body.destroy?.()
    }
    if (body instanceof ReadableStream) return body.cancel()

    return isIterator(body) ? body.return?.() : undefined
  }, ignore)
}

function ignore(): void {}
