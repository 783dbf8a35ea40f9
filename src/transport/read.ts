import type { IncomingMessage } from 'node:http'
import { createAborted, createTooLarge } from './error.ts'

/**
 * Reads the body of a request as text, no further than the limit, whatever the client says about its length.
 *
 * @param request A request whose body nobody has read
 * @param limit How many bytes may be read
 * @throws PayloadTooLarge past the limit, at once; BadRequest when the client goes away; Error when somebody has read
 * the body and kept it to himself
 */
export function readText(request: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isSettled = false

    function fail(error: Error): void {
      // What still comes is let through and forgotten: the answer has to get past it.
      request.removeListener('data', onData)
      request.resume()
      isSettled = true
      reject(error)
    }

    function onData(chunk: Buffer): void {
      size += chunk.length

      if (size > limit) fail(createTooLarge())
      else chunks.push(chunk)
    }

    if (Number(request.headers['content-length']) > limit) {
      fail(createTooLarge())
      return
    }

    if (request.readableEnded || request.destroyed) {
      fail(createLoss(request))
      return
    }

    request.on('data', onData)
    request.once('end', () => {
      isSettled = true
      resolve(toText(chunks))
    })
    // It comes for every request; an error, which takes long to make, is only for those whose body did not.
    request.once('close', () => {
      if (!isSettled) fail(createLoss(request))
    })
  })
}

function createLoss({ complete }: IncomingMessage): Error {
  return complete
    ? new Error('The body was read by middleware in front, which has left no request.body')
    : createAborted()
}

/** Most bodies come in one piece. */
function toText(chunks: readonly Buffer[]): string {
  const [first] = chunks
  const bytes = chunks.length === 1 ? (first as Buffer) : Buffer.concat(chunks)

  const text = bytes.toString('utf8')

  // A byte order mark is no part of the text (RFC 8259 §8.1).
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
