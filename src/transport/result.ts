// What of a result clients get, on transports that send JSON.
import { getResponse } from '../core/call.ts'
import type { HookContext } from '../core/types.ts'
import { describeValue } from '../query/operators.ts'
import { isFunction, isIterator, isLostInJson } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { attempt } from '../utils/promise.ts'

/**
 * What the client that called gets of a finished call.
 *
 * @param context The context of the call
 * @throws TypeError for a result that JSON does not have
 */
export function getJsonResponse(context: HookContext): unknown {
  const response = getResponse(context)

  assertJson(context, response)

  return response
}

/**
 * Checks the body of a response. Streams are ended, which nothing would read.
 *
 * @param context The context of the call
 * @param body The body
 * @throws TypeError for a body of which JSON would have the inner state or nothing, such as a stream or a `Map`
 */
export function assertJson({ path, method }: HookContext, body: unknown): void {
  if (!isLostInJson(body)) return

  endStream(body)

  throw createTypeError(
    'ALULA_INVALID_RETURN_VALUE',
    `The result of '${path}' (${method}) does not leave: expected a value that JSON has, got ${
      isIterator(body) ? 'an iterator' : describeValue(body)
    }. Functions of app.mount send files and streams`
  )
}

const ignore = (): void => undefined

/** Ends a stream of Node or of the Fetch API, a response, or a generator. */
function endStream(value: unknown): void {
  const body = value instanceof Response ? value.body : value
  const { on, destroy, cancel, return: end } = (body ?? {}) as { readonly [name: string]: unknown }

  attempt(() => {
    if (isFunction(destroy)) {
      // A file that cannot be opened says so later, and would end the process.
      if (isFunction(on)) (body as NodeJS.ReadableStream).on('error', ignore)

      return destroy.call(body)
    }
    if (isFunction(cancel)) return cancel.call(body)

    return isFunction(end) ? end.call(body) : undefined
  }, ignore)
}
