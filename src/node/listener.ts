import type { IncomingMessage, ServerResponse } from 'node:http'
import { BadRequest } from '../errors.ts'
import { BODY_LIMIT } from '../transport/body.ts'
import { assertDoor, type DoorOptions } from '../transport/door.ts'
import { answer, type RequestDetails, splitTarget } from '../transport/exchange.ts'
import { createNotFound, type TransportApplication } from '../transport/http.ts'
import { stripPrefix, toPrefix } from '../utils/path.ts'

/** The options of {@link toListener}. */
export interface ListenerOptions extends DoorOptions<IncomingMessage> {
  /** Whether answers to `GET` carry an `ETag`, so that a client that has one already gets a 304; they do by default. */
  etag?: boolean
}

/**
 * Makes the services of an application reachable from a server of Node, without a framework in between. Call
 * `app.setup()` before the first request, and `app.teardown()` when the server has closed.
 *
 * @param app An application
 * @returns A request listener for `http.createServer` and `https.createServer`
 * @throws TypeError for what is no application, and for an option with a value that it cannot have
 * @example
 * const server = createServer(toListener(app))
 */
export function toListener(
  app: TransportApplication,
  options: ListenerOptions = {}
): (request: IncomingMessage, response: ServerResponse) => void {
  const {
    prefix = '',
    bodyLimit = BODY_LIMIT,
    etag = true,
    authentication,
    params,
    logger = console
  } = options

  assertDoor('toListener', app, options)

  const base = toPrefix(prefix)
  const exchange = { bodyLimit, etag, logger }

  return (request, response) => {
    function getDetails(): RequestDetails {
      const { path, search } = splitTarget(toOriginForm(request.url ?? '/'))
      const inside = stripPrefix(path, base)

      if (inside === null) throw createNotFound(path)

      return { path: inside, search, params: params?.(request), authentication }
    }

    void answer(app, request, response, getDetails, exchange)
  }
}

/** A client that takes the server for a proxy sends a whole URL (RFC 9112 §3.2.2). */
function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url
  if (!URL.canParse(url)) throw new BadRequest('Invalid request target: expected a path or a URL')

  // Cut, because `URL` would resolve dots that a path keeps.
  const target = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')

  return target.startsWith('/') ? target : `/${target}`
}
