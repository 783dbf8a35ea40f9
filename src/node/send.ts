import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { HttpResponse } from '../transport/http.ts'
import { copyWith } from '../utils/object.ts'
import { isBodyPending } from './read.ts'

/** Headers with the cookies that earlier code has set on the response: each is one of its own, and none replaces another. */
export function withEarlierCookies<Headers extends HttpResponse['headers']>(
  response: Pick<ServerResponse, 'getHeader'>,
  headers: Headers
): Headers {
  const earlier = response.getHeader('Set-Cookie')

  // Most responses have none, and are not copied.
  if (earlier === undefined) return headers

  const name = Object.keys(headers).find((one) => one.toLowerCase() === 'set-cookie')

  return name === undefined ? headers : { ...headers, [name]: [earlier, headers[name]].flat() }
}

/** Removes the headers of a call from a response that became an error after it. Cookies that other code has set stay. */
export function removeCallHeaders(
  response: Pick<ServerResponse, 'getHeader' | 'setHeader' | 'removeHeader'>,
  headers: HttpResponse['headers']
): void {
  for (const [name, value] of Object.entries(headers)) {
    const set = name.toLowerCase() === 'set-cookie' ? response.getHeader(name) : undefined
    const others = [set ?? []].flat().filter((cookie) => ![value].flat().includes(String(cookie)))

    if (others.length > 0) response.setHeader(name, others as string[])
    else response.removeHeader(name)
  }
}

/**
 * Writes a response: head and JSON leave in one write to the socket. Headers that are set on it stay unless `sent` has others.
 */
export function sendResponse(
  request: Pick<IncomingMessage, 'method' | 'complete' | 'headers' | 'httpVersionMajor'>,
  response: ServerResponse,
  { status, headers, body }: HttpResponse
): void {
  const head: OutgoingHttpHeaders = copyWith(withEarlierCookies(response, headers))

  // The server would read the rest of a refused body as the next request.
  if (isBodyPending(request)) head.Connection = 'close'

  if (typeof body === 'string') head['Content-Length'] = Buffer.byteLength(body)

  if (hasListeners(response)) {
    setHeaders(response, head)
    response.writeHead(status)
  } else response.writeHead(status, head)

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

/** Sets each of some headers on a response, in place of those with the same name. */
export function setHeaders(response: Pick<ServerResponse, 'setHeader'>, headers: OutgoingHttpHeaders): void {
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] as string | string[])
}

/**
 * Whether code besides Node waits for the end of a response. Loggers ask for its headers then, and Node forgets those that only
 * `writeHead` gets. To set each of them takes longer. Node has one listener itself.
 */
function hasListeners(response: ServerResponse): boolean {
  return response.listenerCount('finish') > 1
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
  // A stream that fails does not wait for a client that has stopped reading.
  reader.closed.catch(() => wake())
  response.on('error', cancel)
  response.on('close', cancel)
  if (response.destroyed) cancel()

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
