import { createError } from '../utils/developer-error.ts'
import { BODILESS_STATUSES } from './encode.ts'

/** A length as a header has it (RFC 9110 §8.6). */
const LENGTH = /^\d{1,15}$/

/**
 * The body of a mounted function, checked against the length that the function has set, and the header with it. There is no
 * header where the response cannot have one.
 */
export function takeLength(
  response: Response,
  method: string,
  path: string
): { readonly body: Response['body']; readonly headers: { readonly [name: string]: string } } {
  const { body } = response
  const length = findLength(response, method)

  if (length === undefined) return { body, headers: {} }

  return { body: body && withLength(body, length, path), headers: { 'content-length': `${length}` } }
}

/** The length, where the response may have one. In the response to a `HEAD` it is that of the body that a `GET` gets. */
function findLength({ status, headers, body }: Response, method: string): number | undefined {
  const length = headers.get('content-length')

  if (length === null || !LENGTH.test(length) || BODILESS_STATUSES.includes(status)) return undefined

  return body || method === 'HEAD' ? Number(length) : 0
}

/**
 * A body that fails as soon as its length is another one than the response says. Clients would take what is too much for the next
 * response of the connection (RFC 9112 §6.3), and would wait for what is missing.
 */
function withLength(
  body: ReadableStream<Uint8Array>,
  length: number,
  path: string
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let size = 0

  const fail = (difference: string): Error =>
    createError(
      'ALULA_INVALID_RESPONSE',
      `The body of the function that is mounted for '${path}' ${difference}. Correct the header, or leave it out`
    )

  return body.pipeThrough(
    new TransformStream<Uint8Array | string, Uint8Array>({
      // Streams of Node may contain strings.
      transform(value, controller) {
        const chunk = typeof value === 'string' ? encoder.encode(value) : value

        size += chunk.byteLength
        if (size > length) throw fail(`is longer than its Content-Length, which is ${length}`)

        controller.enqueue(chunk)
      },
      flush() {
        if (size !== length) throw fail(`is ${size} bytes long, and its Content-Length is ${length}`)
      }
    })
  )
}
