import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AcceptedBodies, parseBody } from './body.ts'
import { type Logger, logUnexpected } from './error.ts'
import {
  type HttpRequest,
  type HttpResponse,
  handleHttp,
  type TransportApplication,
  toHttpError
} from './http.ts'
import { parseQueryString } from './querystring.ts'
import { readText } from './read.ts'
import { sendJson } from './send.ts'

/** How a request of a server of Node is answered. */
export interface ExchangeOptions {
  /** How many bytes of a body are read. */
  readonly bodyLimit: number
  /** Whether answers to `GET` carry an `ETag`. */
  readonly etag: boolean
  /** Where unexpected errors are written to; `false` for nowhere. */
  readonly logger: Logger | false
}

/** What of a request is not said by Node itself. */
export interface RequestDetails extends Pick<HttpRequest, 'params' | 'authentication' | 'route'> {
  readonly path: string
  /** The query string, without the question mark. */
  readonly search: string
}

/**
 * Answers a request of a server of Node from the services of an application, whatever goes wrong.
 *
 * @param app The application
 * @param request The request; its body is read unless it has one already
 * @param response The response; it is ended here
 * @param getDetails Where the request goes, and what else is known of it; what it throws is answered too
 */
export async function answer(
  app: TransportApplication,
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  getDetails: () => RequestDetails,
  options: ExchangeOptions
): Promise<void> {
  const { etag, logger } = options

  const report = (error: unknown) => logUnexpected(logger, error)

  try {
    const result = await handle(app, request, response, getDetails, options, report)

    sendJson(request, response, result, { etag })
  } catch (error) {
    // A result or a header that cannot be sent.
    report(error)
    if (response.headersSent) response.destroy()
    else sendJson(request, response, toHttpError(error, { method: 'GET', headers: {} }))
  }
}

function handle(
  app: TransportApplication,
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  getDetails: () => RequestDetails,
  { bodyLimit }: ExchangeOptions,
  report: (error: unknown) => void
): Promise<HttpResponse> | HttpResponse {
  const { method = 'GET', headers } = request
  let call: HttpRequest

  try {
    const { search, path, route, params, authentication } = getDetails()
    const query = parseQueryString(search)

    call = { method, path, headers, query, params, route, native: { request, response }, authentication }
  } catch (error) {
    report(error)

    return toHttpError(error, { method, headers })
  }

  return handleHttp(app, call, (accepted) => readBody(request, bodyLimit, accepted), report)
}

/** Cuts the target of a request at the question mark. */
export function splitTarget(url: string): Pick<RequestDetails, 'path' | 'search'> {
  const mark = url.indexOf('?')

  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) }
}

async function readBody(
  request: IncomingMessage & { body?: unknown },
  limit: number,
  accepted: AcceptedBodies
): Promise<unknown> {
  // Middleware in front has read it.
  if (request.body !== undefined) return request.body

  const { headers } = request

  const text = await readText(request, limit)

  return parseBody(text, headers['content-type'], headers['content-encoding'], accepted)
}
