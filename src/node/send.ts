import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { HttpResponse } from '../transport/http.ts'
import { copyWith } from '../utils/object.ts'

/** Headers about the body of a response (RFC 9110 §8). */
const BODY_HEADERS = [
  ...['Content-Type', 'Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location'],
  ...['Content-Range', 'Content-Disposition', 'ETag', 'Last-Modified']
]

/** Removes what middleware has said about a body that an error replaces. */
export function removeBodyHeaders(response: Pick<ServerResponse, 'removeHeader'>): void {
  for (const name of BODY_HEADERS) response.removeHeader(name)
}

/**
 * Writes a response. Head and JSON leave in one write to the socket.
 *
 * @param request The request: a `HEAD` gets no body
 * @param response The response of the server, which is ended; headers that are set on it stay unless `sent` has others
 * @param sent What is sent
 */
export function sendResponse(
  request: Pick<IncomingMessage, 'method' | 'complete'>,
  response: ServerResponse,
  { status, headers, body }: HttpResponse
): void {
  const head: OutgoingHttpHeaders = copyWith(headers)

  // The server would read the rest of a refused body as the next request.
  if (!request.complete) head.Connection = 'close'

  if (typeof body === 'string') head['Content-Length'] = Buffer.byteLength(body)

  response.writeHead(status, head)

  if (typeof body === 'string' || body === undefined)
    response.end(request.method === 'HEAD' ? undefined : body)
  else if (request.method === 'HEAD') {
    response.end()
    body.cancel().catch(() => undefined)
  } else {
    // The first chunk may come late, as that of events does.
    response.flushHeaders()
    sendChunks(response, body)
  }
}

/**
 * Sends what a stream has, no faster than the client reads. A stream that fails closes the connection, so that the client
 * sees that the body is not whole; a client that goes away cancels the stream.
 */
async function sendChunks(
  response: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>
): Promise<void> {
  let wake = (): void => undefined
  const cancel = () => {
    wake()
    reader.cancel().catch(() => undefined)
  }

  response.on('drain', () => wake())
  response.on('error', cancel)
  response.on('close', cancel)

  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (response.destroyed) return
      if (response.write(value)) continue

      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }

    if (!response.destroyed) response.end()
  } catch {
    // After what has been written.
    setImmediate(() => response.destroy())
  }
}
