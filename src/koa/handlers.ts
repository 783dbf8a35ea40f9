import { type FeathersError, NotFound } from '../errors.ts'
import { assertNoRequest, setErrorHeaders } from '../node/framework.ts'
import { fromParserError } from '../node/parser-errors.ts'
import { isBodyPending } from '../node/read.ts'
import { splitTarget } from '../node/request.ts'
import { LOGGER_CHECK, type Logger, logUnexpected } from '../transport/error.ts'
import { toLogContext } from '../transport/handler.ts'
import { type TransportApplication, toHttpError } from '../transport/http.ts'
import { assertOptions } from '../utils/options.ts'
import type { FeathersKoaContext, Middleware } from './context.ts'
import { KoaRequest } from './request.ts'
import { dropResult } from './served.ts'

/** The options of {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /** Where unexpected errors are written to, `console` when left out; `false` for nowhere. */
  logger?: Logger | false | null
}

/**
 * Middleware that responds to errors with JSON, and with `NotFound` when no other middleware has responded. Register it
 * before everything that may fail. What a client sees of an error is decided by `toClientError`, and by the application
 * settings `errorStatus` and `formatError`. It needs no package, and can be used in an application of `@feathersjs/koa`.
 *
 * @param options Where unexpected errors are written to
 * @throws Error when it is used as middleware itself, TypeError for a `logger` without the method `error`
 */
export function errorHandler(options: ErrorHandlerOptions = {}): Middleware {
  assertNoRequest('errorHandler', options)
  assertOptions('errorHandler', options, { logger: LOGGER_CHECK })

  const { logger = console } = options

  return async (context, next) => {
    try {
      await next()
      if (!hasResponse(context)) throw createNotFound(context)
    } catch (error) {
      // Koa closes the connection of a response that has begun.
      if (context.headerSent) throw error

      showError(context, error, logger || false)
    }
  }
}

/** Makes an error the response of a request. */
export function showError(context: FeathersKoaContext, thrown: unknown, logger: Logger | false): void {
  // Services may use parsers and zlib too: what these throw is no fault of the request.
  const error = context.hook ? thrown : fromParserError(thrown)
  const { method, headers } = context
  const app: Partial<TransportApplication> = context.app
  const called = toLogContext(app, context.hook, new KoaRequest(context))
  const { requestId } = called
  const request = { method, path: splitTarget(context.url).path, headers, requestId }
  const result = toHttpError(error, request, context.lookup, app)

  logUnexpected(logger, error, called, app)

  // Middleware around the call may have failed after it.
  dropResult(context)
  context.status = result.status
  setErrorHeaders(context.res, result.headers)
  // The server would read the rest of a refused body as the next request.
  if (isBodyPending(context.req)) context.set('Connection', 'close')

  context.body = result.body
}

/** Whether middleware has responded: with a body, a status, or by itself. */
function hasResponse({ body, status, hook, respond, headerSent }: FeathersKoaContext): boolean {
  return body !== undefined || status !== 404 || hook !== undefined || respond === false || headerSent
}

function createNotFound({ url }: FeathersKoaContext): FeathersError {
  // Koa finds no path in `http://`, and throws for a target that is no URL, such as `http://[`.
  return new NotFound(`Path ${splitTarget(url).path} not found`)
}
