import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response
} from 'express'
import { assertApplication } from '../core/assert-application.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query, RouteLookup } from '../core/types.ts'
import { describeHook } from '../hooks/traits.ts'
import { createForEach, toFailedHead } from '../node/framework.ts'
import { createResponder } from '../node/listener.ts'
import { createPipelineGate } from '../node/pipelining.ts'
import { markReachable } from '../node/reachable.ts'
import { removeCallHeaders, setHeaders, withEarlierCookies } from '../node/send.ts'
import { toCacheHeaders, withCacheHeaders } from '../transport/caching.ts'
import { toHead } from '../transport/encode.ts'
import { runCall } from '../transport/handler.ts'
import { type HttpResult, type TransportApplication, toHttpResult } from '../transport/http.ts'
import { type HttpOptions, type HttpSettings, toHttpSettings } from '../transport/options.ts'
import { findTarget, isMounted } from '../transport/target.ts'
import { isFunction, isNever } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import type { OptionChecks } from '../utils/options.ts'
import { parseInto } from './authentication.ts'
import { createErrorHandler } from './handlers.ts'
import { warnOfNotFound } from './middleware-order.ts'
import { ExpressRequest, getOwnQuery } from './request.ts'
import { isUsual, sendResult } from './send.ts'

declare global {
  namespace Express {
    interface Request {
      /** Params for the service call, which middleware adds to. The server of an application sets it; one with `toMiddleware` does not. */
      feathers: Partial<Params> & { [key: string]: any }
      /** What the path of the request leads to. */
      lookup?: RouteLookup
    }
    interface Response {
      /** The context of the service call, also of one that failed. */
      hook?: HookContext
      /** The body of the response; middleware after the service may replace it. */
      data?: any
    }
  }
}

/** The options of {@link rest}: those of every HTTP transport that are no settings of Express. */
export interface RestOptions extends Omit<HttpOptions<Request>, 'cors' | 'etag' | 'trustProxy'> {
  /** Sends `response.data`; JSON when left out. */
  formatter?: RequestHandler
}

/** The options of {@link toMiddleware}: those of every HTTP transport that Express has nothing else for, and `etag`. */
export interface MiddlewareOptions extends Omit<HttpOptions<Request>, 'cors' | 'trustProxy'> {
  /** Sends `response.data`; JSON when left out. */
  formatter?: RequestHandler
}

/** What the transport for Express has beside options of others, or instead. */
const CHECKS: OptionChecks = {
  formatter: [isFunction, 'middleware'],
  cors: [isNever, "the middleware 'cors' of Express instead"],
  trustProxy: [isNever, "app.set('trust proxy', …) of Express instead"]
}

const REST_CHECKS: OptionChecks = {
  ...CHECKS,
  etag: [isNever, "app.set('etag', …) of Express instead"]
}

/**
 * Makes the services of an Express application reachable over HTTP. Requests for other paths go on to the next
 * middleware, and so do errors.
 *
 * @param options A formatter, or options
 * @throws TypeError for an option with a value that it cannot have; Error when it is configured on an application that
 * `express(app)` did not make
 */
export function rest(options?: RequestHandler | RestOptions | null): (app: any) => void {
  const restOptions: RestOptions = typeof options === 'function' ? { formatter: options } : (options ?? {})
  const settings = toHttpSettings('rest', restOptions, REST_CHECKS)
  const { formatter: format = formatter } = restOptions

  return (app) => {
    if (typeof app.route !== 'function')
      throw createError('ALULA_INVALID_APPLICATION', 'alula/express rest needs an Express compatible app.')

    // `parseInto` has looked for credentials already.
    const parsed = { ...settings, parsesCredentials: false }
    const respond = createResponder(app, parsed)
    // Servers that `app.listen()` did not start have no limits.
    const limit = createPipelineGate()
    const serve = serveServices(app, parsed, format, getOwnQuery)

    function enter(own: ExpressRequest, next: NextFunction): void {
      const { incoming: request, response } = own
      const target = findTarget(app, own.path, settings.prefix)

      if (!target) {
        next()
      } else if (isMounted(target)) {
        own.target = target
        limit(request, response, () => void respond(own))
      } else {
        limit(request, response, () => serve(own, target, next))
      }
    }

    markReachable(app)
    warnOfNotFound(app)

    const handler: RequestHandler = (request, response, next) => {
      const own = new ExpressRequest(request, response, getOwnQuery)

      // For all requests, and not only for services: middleware may need the credentials.
      parseInto(app, own, settings.authentication, (error?: unknown) =>
        error === undefined ? enter(own, next) : next(error)
      )
    }

    app.use(describeHook(handler, { isRest: true }))
  }
}

/**
 * Makes the services of an application reachable from an Express server that exists already. A request for a
 * path that is not a service goes on to the next middleware; errors are sent here, as JSON. One that cannot be sent goes on.
 *
 * @param app An application
 * @param options The options of the transport, and a formatter
 * @throws TypeError for an object that is not an application, and for an option with a value that it cannot have
 * @example
 * server.use('/api', toMiddleware(app))
 */
export function toMiddleware(app: TransportApplication, options: MiddlewareOptions = {}): RequestHandler {
  assertApplication('toMiddleware', app)

  const settings = toHttpSettings('toMiddleware', options, CHECKS)
  const { formatter: format } = options
  const respond = createResponder(app, settings)
  const limit = createPipelineGate()
  const sendError = createErrorHandler({ html: false, logger: settings.logger }, () => app)
  const sendData: RequestHandler = (...args) => formatData(...args, settings.etag)
  const serve = serveServices(app, settings, format ?? sendData)

  const fail: ErrorRequestHandler = (error, request, response, next) => {
    try {
      sendError(error, request, response, next)
    } catch (failure) {
      // A setting of Express, such as 'json replacer', can throw for an error too. Nothing catches that after the call.
      next(toErrorObject(failure))
    }
  }

  return (request, response, next) => {
    const own = new ExpressRequest(request, response)
    const target = findTarget(app, own.path, settings.prefix)

    if (!target) {
      next()
    } else if (isMounted(target) || (!format && !hasMiddleware(target.service) && isUsual(request.app))) {
      own.target = target
      limit(request, response, () => void respond(own))
    } else {
      limit(request, response, () =>
        // A router that middleware leaves has `null` for no error.
        serve(own, target, (error?: unknown) => (error ? fail(error, request, response, next) : next()))
      )
    }
  }
}

/** Middleware that sends `response.data` as JSON. Without data and without a service call it goes on. */
export const formatter: RequestHandler = (request, response, next) => formatData(request, response, next)

function formatData(request: Request, response: Response, next: NextFunction, etag?: boolean): void {
  const { statusCode: status, data: body } = response

  if (body === undefined && !response.hook) next()
  else sendResult(request, response, { status, body }, etag)
}

type ServeService = (own: ExpressRequest, route: RouteLookup, next: NextFunction) => void

/** Runs a service call between the middleware of the service: before, call, after, formatter. */
function serveServices(
  app: TransportApplication,
  settings: HttpSettings,
  format: RequestHandler,
  getQuery?: (request: Request) => Query | undefined
): ServeService {
  /** The responses whose call has failed. */
  const failed = new WeakSet<Response>()
  const getChain = createForEach((service) => createChain(service, call, format, getQuery))

  async function call(own: ExpressRequest): Promise<void> {
    const { incoming: request, response } = own
    const route = request.lookup as RouteLookup

    try {
      const context = await runCall(app, own, route, settings, (started) => {
        response.hook = started
        response.once('close', () => forgetCall(response))
      })
      const result = withCacheHeaders(app, context, own, toHttpResult(context), settings)

      // Before middleware after the service runs.
      setHead(response, result.status, toHead(result.headers))
      response.data = result.body
    } catch (error) {
      const { status, headers } = toFailedHead(app, error, own, route, response.hook, settings)

      failed.add(response)
      setHead(response, status, headers)
      throw toErrorObject(error)
    }
  }

  /** Removes the headers of a call that has succeeded, from a response that became an error after it. */
  function replaceHead(own: ExpressRequest, response: Response, context: HookContext): void {
    if (response.headersSent) return

    removeCallHeaders(response, toHttpResult(context).headers)
    setHead(response, response.statusCode, toHead(toCacheHeaders(app, context, own, {}, settings) ?? {}))
  }

  return (own, route, next) => {
    const { incoming: request, response } = own

    request.lookup = route
    getChain(route.service)(own, (error?: unknown) => {
      // What the call has set is about a body that is not sent now: its type, its place, how long caches keep it.
      if (error && response.hook && !failed.has(response)) replaceHead(own, response, response.hook)
      next(error)
    })
  }
}

type Chain = (own: ExpressRequest, next: NextFunction) => void

/** The middleware of a service: before, the call, after, formatter. */
function createChain(
  service: object,
  call: (own: ExpressRequest) => Promise<void>,
  format: RequestHandler,
  getQuery: ((request: Request) => Query | undefined) | undefined
): Chain {
  // A router costs more than everything else here, and most services have no middleware.
  if (!hasMiddleware(service)) {
    return (own, next) => {
      const { incoming: request, response } = own

      call(own)
        .then(() => format(request, response, next))
        .catch(next)
    }
  }

  const { before = [], after = [] } = getServiceOptions(service).express ?? {}
  const serve: RequestHandler = async (request, response, next) => {
    // A new one: middleware before the service may have changed the URL.
    await call(new ExpressRequest(request, response, getQuery))
    next()
  }
  const router = express.Router().use(...before, serve, ...after, format)

  return ({ incoming, response }, next) => router(incoming, response, next)
}

function hasMiddleware(service: object): boolean {
  const { before, after } = getServiceOptions(service).express ?? {}

  return Boolean(before?.length || after?.length)
}

/**
 * Removes the call from a response that has left. V8 may place objects of each request among those that live long: all that
 * they refer to stays in memory until the next full garbage collection, and makes every small one slower.
 */
function forgetCall(response: Response): void {
  if (response.writableFinished) response.hook = undefined
}

function setHead(response: Response, status: number, headers: HttpResult['headers']): void {
  const own = withEarlierCookies(response, headers)

  response.statusCode = status
  setHeaders(response, own)
}

/** Express takes a falsy error for none, and `'route'` and `'router'` for commands. */
function toErrorObject(error: unknown): object {
  if (typeof error === 'object' && error !== null) return error

  return new Error(typeof error === 'string' ? error : '')
}
