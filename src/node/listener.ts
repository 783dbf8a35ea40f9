import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertApplication } from '../core/assert-application.ts'
import { logUnexpected } from '../transport/error.ts'
import { serveHttp } from '../transport/handler.ts'
import type { TransportApplication } from '../transport/http.ts'
import { type HttpOptions, type HttpSettings, toHttpSettings } from '../transport/options.ts'
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
  const respond = createResponder(app, settings)
  const limit = createPipelineGate()

  return (request, response) =>
    limit(request, response, () => void respond(new NodeRequest(request, response, settings.trustProxy)))
}

/** Responds to requests on a server of Node, without what a framework would do. What it returns never rejects. */
export function createResponder(
  app: TransportApplication,
  settings: HttpSettings
): (request: NodeRequest) => Promise<void> {
  const handle = serveHttp(app, settings)

  return async (request) => {
    const sent = await handle(request)

    try {
      sendResponse(request.incoming, request.response, sent)
    } catch (error) {
      logUnexpected(settings.logger, error, {}, app)
      // Code that wraps the response has failed: the client must not wait for the rest.
      request.response.destroy()
    }
  }
}
