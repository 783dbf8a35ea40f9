import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query, RouteLookup } from '../core/types.ts'
import { respond } from '../node/listener.ts'
import { markReachable } from '../node/reachable.ts'
import { splitTarget } from '../node/request.ts'
import { toHead } from '../transport/encode.ts'
import { type Logger, logUnexpected, toClientError } from '../transport/error.ts'
import { createHttpHandler, type HttpHandler, runCall } from '../transport/handler.ts'
import {
  findTarget,
  type HttpResult,
  type HttpTarget,
  isMounted,
  type TransportApplication,
  toErrorHeaders,
  toHttpResult
} from '../transport/http.ts'
import {
  assertApplication,
  type HttpOptions,
  type HttpSettings,
  toHttpSettings
} from '../transport/options.ts'
import { createSetupCheck } from '../transport/setup-check.ts'
import { stripPrefix } from '../utils/path.ts'
import { parseAuthentication } from './authentication.ts'
import { createErrorHandler } from './handlers.ts'
import { getOwnQuery } from './query.ts'
import { ExpressRequest } from './request.ts'
import { isUsual, sendResult } from './send.ts'

declare global {
  namespace Express {
    interface Request {
      /** Params for the service call, from middleware before it. */
      feathers?: Partial<Params> & { [key: string]: any }
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

/** The options of {@link toMiddleware}: those of every HTTP transport that are no settings of Express. */
export interface MiddlewareOptions extends Omit<HttpOptions<Request>, 'cors' | 'trustProxy'> {
  /** Sends `response.data`; JSON when left out. */
  formatter?: RequestHandler
}

/** Options of other transports, and what Express has instead. */
const SETTINGS_OF_EXPRESS: { readonly [option: string]: string } = {
  cors: "the middleware 'cors'",
  etag: "app.set('etag', …)",
  trustProxy: "app.set('trust proxy', …)"
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
  const { formatter: format = formatter, ...httpOptions } = toRestOptions(options)

  assertNotOfExpress('rest', httpOptions, ['cors', 'etag', 'trustProxy'])

  const settings = toHttpSettings('rest', httpOptions, ['formatter'])

  return (app) => {
    if (typeof app.route !== 'function')
      throw new Error('alula/express rest needs an Express compatible app.')

    const checkSetup = createSetupCheck(app)
    const handle = createHttpHandler(app, httpOptions)
    // The parser below has looked for credentials already.
    const serve = serveServices(app, { ...settings, parsesCredentials: false }, format, getOwnQuery)

    markReachable(app)

    // For all requests, and not only for services: middleware may need the credentials.
    app.use(parseAuthentication(settings.authentication))
    app.use(((request, response, next) => {
      const path = stripPrefix(splitTarget(request.url).path, settings.prefix)
      const target = path === null ? null : findTarget(app, path)

      if (!target) {
        next()
      } else if (isMounted(target)) {
        respondDirectly(handle, request, response, target, settings.logger)
      } else {
        checkSetup()
        serve(request, response, target, next)
      }
    }) satisfies RequestHandler)
  }
}

/**
 * Makes the services of an application reachable from an Express server that exists already. A request for a
 * path that is not a service goes on to the next middleware; errors are sent here, as JSON.
 *
 * @param app An application
 * @param options The options of the transport, and a formatter
 * @throws TypeError for an object that is not an application, and for an option with a value that it cannot have
 * @example
 * server.use('/api', toMiddleware(app))
 */
export function toMiddleware(app: TransportApplication, options: MiddlewareOptions = {}): RequestHandler {
  const { formatter: format, ...httpOptions } = options

  assertApplication('toMiddleware', app)
  assertNotOfExpress('toMiddleware', options, ['cors', 'trustProxy'])

  const settings = toHttpSettings('toMiddleware', httpOptions, ['formatter'])
  const handle = createHttpHandler(app, httpOptions)
  const checkSetup = createSetupCheck(app)
  const sendError = createErrorHandler({ html: false, logger: settings.logger }, () => app)
  const serve = serveServices(app, settings, format ?? formatter)

  return (request, response, next) => {
    const path = stripPrefix(splitTarget(request.url).path, settings.prefix)
    const target = path === null ? null : findTarget(app, path)

    if (!target) {
      next()
    } else if (isMounted(target) || (!format && !hasMiddleware(target.service) && isUsual(request.app))) {
      respondDirectly(handle, request, response, target, settings.logger)
    } else {
      checkSetup()
      serve(request, response, target, (error?: unknown) =>
        error === undefined ? next() : sendError(error, request, response, next)
      )
    }
  }
}

/**
 * Checks the middleware that a service is registered with.
 *
 * @param location The path of the service
 * @param middleware The service option `express`
 * @throws TypeError for anything but arrays under `before` and `after`: a guard would be dropped
 */
export function assertMiddleware(location: string, middleware: object = {}): void {
  for (const [name, list] of Object.entries(middleware)) {
    if (!['before', 'after'].includes(name) || !(list === undefined || Array.isArray(list))) {
      throw new TypeError(
        `Invalid option 'express' of service '${location}': expected arrays of middleware, 'before' and 'after'`
      )
    }
  }
}

/** Middleware that sends `response.data` as JSON. Without data and without a service call it goes on. */
export const formatter: RequestHandler = (request, response, next) => {
  const { statusCode: status, data: body } = response

  if (body === undefined && !response.hook) next()
  else sendResult(request, response, { status, headers: {}, body })
}

/** Responds without the response methods of Express, as a server of Node does. */
function respondDirectly(
  handle: HttpHandler,
  request: Request,
  response: Response,
  target: HttpTarget,
  logger: Logger | false
): void {
  const httpRequest = new ExpressRequest(request, response, { target, params: request.feathers })

  void respond(handle, httpRequest, request, response, (error) => logUnexpected(logger, error))
}

type ServeService = (request: Request, response: Response, route: RouteLookup, next: NextFunction) => void

/** Runs a service call between the middleware of the service: before, call, after, formatter. */
function serveServices(
  app: TransportApplication,
  settings: HttpSettings,
  format: RequestHandler,
  getQuery: (request: Request) => Query | undefined = () => undefined
): ServeService {
  const chains = new WeakMap<object, RequestHandler>()
  /** The responses whose call has failed. */
  const failed = new WeakSet<Response>()

  async function call(request: Request, response: Response): Promise<void> {
    const route = request.lookup as RouteLookup

    try {
      const details = { target: route, params: request.feathers, query: getQuery(request) }
      const httpRequest = new ExpressRequest(request, response, details)
      const context = await runCall(app, httpRequest, route, settings, (started) => {
        response.hook = started
      })
      const result = toHttpResult(context)

      // Before middleware after the service runs.
      setHead(response, result.status, result.headers)
      response.data = result.body
    } catch (error) {
      const shown = toClientError(error)

      failed.add(response)
      setHead(response, shown.status, toErrorHeaders(shown, request, route, app, settings.authentication))
      throw toErrorObject(error)
    }
  }

  return (request, response, route, next) => {
    let chain = chains.get(route.service)

    // Created at the first request, so that a service may be registered before or after `rest()`.
    if (!chain) {
      chain = createChain(route.service, call, format)
      chains.set(route.service, chain)
    }

    request.lookup = route
    chain(request, response, (error?: unknown) => {
      // What the call has set is about a body that is not sent now: its type, its place, how long caches keep it.
      if (error && response.hook && !failed.has(response)) removeHead(response, response.hook)
      next(error)
    })
  }
}

/** The middleware of a service: before, the call, after, formatter. */
function createChain(
  service: object,
  call: (request: Request, response: Response) => Promise<void>,
  format: RequestHandler
): RequestHandler {
  // A router costs more than everything else here, and most services have no middleware.
  if (!hasMiddleware(service)) {
    return (request, response, next) => {
      call(request, response)
        .then(() => format(request, response, next))
        .catch(next)
    }
  }

  const { before = [], after = [] } = getServiceOptions(service).express ?? {}
  const serve: RequestHandler = async (request, response, next) => {
    await call(request, response)
    next()
  }

  return express.Router().use(...before, serve, ...after, format)
}

function hasMiddleware(service: object): boolean {
  const { before = [], after = [] } = getServiceOptions(service).express ?? {}

  return before.length + after.length > 0
}

function setHead(response: Response, status: number, headers: HttpResult['headers']): void {
  const head = toHead(headers)

  response.statusCode = status
  for (const name of Object.keys(head)) response.setHeader(name, head[name] as string | string[])
}

/** Removes the headers of a call that has succeeded, from a response that became an error after it. */
function removeHead(response: Response, context: HookContext): void {
  if (response.headersSent) return

  for (const name of Object.keys(toHttpResult(context).headers)) response.removeHeader(name)
}

/** Express takes a falsy error for none, and `'route'` and `'router'` for commands. */
function toErrorObject(error: unknown): object {
  if (typeof error === 'object' && error !== null) return error

  return new Error(typeof error === 'string' ? error : '')
}

function toRestOptions(options: RequestHandler | RestOptions | null | undefined): RestOptions {
  return typeof options === 'function' ? { formatter: options } : (options ?? {})
}

function assertNotOfExpress(name: string, options: object, others: readonly string[]): void {
  const found = others.find((option) => Object.hasOwn(options, option))

  if (found)
    throw new TypeError(
      `Invalid option '${found}' of ${name}: on Express it is ${SETTINGS_OF_EXPRESS[found]}`
    )
}
