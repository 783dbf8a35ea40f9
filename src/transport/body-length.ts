import { createError } from '../utils/developer-error.ts'
import { BODILESS_STATUSES } from './encode.ts'

/** A length as a header has it (RFC 9110 §8.6). */
const LENGTH = /^\d{1,15}$/

/**
 * The length that a mounted function has set, where the response may have it. In the response to a `HEAD` it is that of the
 * body that a `GET` gets.
 *
 * @param response The response of the function
 * @param method The verb of the request
 * @returns `undefined` for a response without a length, and for a header that is no length
 */
export function findLength({ status, headers, body }: Response, method: string): number | undefined {
  const length = headers.get('content-length')

  if (length === null || !LENGTH.test(length) || BODILESS_STATUSES.includes(status)) return undefined

  return body || method === 'HEAD' ? Number(length) : 0
}

/**
 * A body that fails as soon as its length is another one than the response says. Clients would take what is too much for the next
 * response of the connection (RFC 9112 §6.3), and would wait for what is missing.
 *
 * @param body The body
 * @param length The length that the response says, in bytes
 * @param path The path of the mounted function, for the error
 * @returns A body that reads nothing before it is asked for it
 */
export function withLength(
  body: ReadableStream<Uint8Array>,
  length: number,
  path: string
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const encoder = new TextEncoder()
  let size = 0

  const fail = (difference: string): Error =>
    createError(
      'ALULA_INVALID_RESPONSE',
      `The body of the function that is mounted for '${path}' ${difference}. Correct the header, or leave it out`
    )

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // A body that fails does not wait until it is read.
        reader.closed.catch((error) => controller.error(error))
      },
      async pull(controller) {
        const { done, value } = await reader.read()

        if (done) {
          if (size !== length) throw fail(`is ${size} bytes long, and its Content-Length is ${length}`)

          controller.close()
          return
        }

        // Streams of Node may contain strings.
        const chunk = typeof value === 'string' ? encoder.encode(value) : value

        size += chunk.byteLength

        if (size > length) {
          const error = fail(`is longer than its Content-Length, which is ${length}`)

          reader.cancel(error).catch(() => undefined)
          throw error
        }

        controller.enqueue(chunk)
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}
