import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertApplication } from '../core/assert-application.ts'
import { logUnexpected } from '../transport/error.ts'
import { type HttpHandler, serveHttp } from '../transport/handler.ts'
import type { HttpRequest, TransportApplication } from '../transport/http.ts'
import { type HttpOptions, toHttpSettings } from '../transport/options.ts'
import { createPipelineGate } from './pipelining.ts'
import { NodeRequest } from './request.ts'
import { sendResponse } from './send.ts'

/** The options of {@link toListener}. */
export interface ListenerOptions extends HttpOptions<IncomingMessage> {}

/**
 * Makes the services of an application reachable from a server of Node, without a framework. Call `app.setup()` before
 * the first request, and `app.teardown()` when the server has closed.
 *
 * @param app An application
 * @param options The options of the transport
 * @returns A request listener for `http.createServer` and `https.createServer`
 * @throws TypeError for an object that is not an application, and for an option with a value that it cannot have
 * @example
 * const server = createServer(toListener(app))
 */
export function toListener(
  app: TransportApplication,
  options: ListenerOptions = {}
): (request: IncomingMessage, response: ServerResponse) => void {
  assertApplication('toListener', app)

  const settings = toHttpSettings('toListener', options)
  const { trustProxy, logger } = settings
  const handle = serveHttp(app, settings)
  const details = { trustProxy }
  const limit = createPipelineGate()
  const onError = (error: unknown) => logUnexpected(logger, error)

  return (request, response) =>
    limit(request, response, () => {
      void respond(handle, new NodeRequest(request, response, details), request, response, onError)
    })
}

/**
 * Responds to a request of a server of Node.
 *
 * @param handle Turns the request into a response
 * @param httpRequest The request for it
 * @param request The same, of the server
 * @param response The response of the server
 * @param onError Called when the response cannot be written
 */
export async function respond(
  handle: HttpHandler,
  httpRequest: HttpRequest,
  request: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void
): Promise<void> {
  const sent = await handle(httpRequest)

  try {
    sendResponse(request, response, sent)
  } catch (error) {
    onError(error)
    // Code that wraps the response has failed: the client must not wait for the rest.
    response.destroy()
  }
}
