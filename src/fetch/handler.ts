import { type AcceptedBodies, BODY_LIMIT, parseBody } from '../transport/body.ts'
import { assertDoor, type DoorOptions } from '../transport/door.ts'
import { createAborted, createTooLarge, logUnexpected } from '../transport/error.ts'
import {
  createNotFound,
  type HttpResponse,
  handleHttp,
  type IncomingHeaders,
  type TransportApplication,
  toHttpError
} from '../transport/http.ts'
import { parseQueryString } from '../transport/querystring.ts'
import { stripPrefix, toPrefix } from '../utils/path.ts'

/** Statuses whose responses cannot have a body (Fetch standard). */
const BODILESS = [101, 103, 204, 205, 304]

/** The options of {@link createHandler}. */
export interface HandlerOptions extends DoorOptions<Request> {}

/**
 * Makes the services of an application reachable through the Fetch API: on Deno, Bun, Workers, in tests
 * without a port. It sets no CORS headers. Call `app.setup()` before the first request, and `app.teardown()`
 * when the server has closed.
 *
 * @param app An application
 * @returns Answers a request; never rejects
 * @throws TypeError for what is no application, and for an option with a value that it cannot have
 * @example
 * const handler = createHandler(app)
 * const response = await handler(new Request('http://localhost/messages'))
 */
export function createHandler(
  app: TransportApplication,
  options: HandlerOptions = {}
): (request: Request) => Promise<Response> {
  const { prefix = '', bodyLimit = BODY_LIMIT, authentication, params, logger = console } = options

  assertDoor('createHandler', app, options)

  const base = toPrefix(prefix)

  const report = (error: unknown) => logUnexpected(logger, error)

  return async (request) => {
    const { method, url } = request

    try {
      const { pathname, search } = new URL(url)
      const path = stripPrefix(pathname, base)

      if (path === null) throw createNotFound(pathname)

      const answer = await handleHttp(
        app,
        {
          method,
          path,
          headers: toHeaders(request.headers),
          query: parseQueryString(search.slice(1)),
          params: params?.(request),
          authentication
        },
        (accepted) => readBody(request, bodyLimit, accepted),
        report
      )

      return toResponse(answer, method)
    } catch (error) {
      report(error)

      return toResponse(toHttpError(error, { method, headers: {} }), method)
    }
  }
}

function toHeaders(headers: Headers): IncomingHeaders {
  return Object.assign(Object.create(null), Object.fromEntries(headers))
}

async function readBody(request: Request, limit: number, accepted: AcceptedBodies): Promise<unknown> {
  const text = await readText(request.body, limit)

  return parseBody(
    text,
    request.headers.get('content-type') ?? undefined,
    request.headers.get('content-encoding') ?? undefined,
    accepted
  )
}

/** Reads no further than the limit, whatever the client says about the length. */
async function readText(body: Request['body'], limit: number): Promise<string> {
  if (!body) return ''

  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''

  for (let size = 0; ; ) {
    const { done, value } = await read(reader)

    if (done) return text + decoder.decode()

    size += value.byteLength

    if (size > limit) {
      await reader.cancel()
      throw createTooLarge()
    }

    text += decoder.decode(value, { stream: true })
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw createAborted()
  }
}

function toResponse({ status, headers, body }: HttpResponse, method: string): Response {
  const responseHeaders = new Headers()

  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) responseHeaders.append(name, value)
  }

  if (body === undefined || BODILESS.includes(status)) {
    return new Response(null, { status, headers: responseHeaders })
  }

  const text = JSON.stringify(body)

  if (!responseHeaders.has('content-type'))
    responseHeaders.set('content-type', 'application/json; charset=utf-8')

  return new Response(method === 'HEAD' ? null : text, { status, headers: responseHeaders })
}
