import express, { type Request, type RequestHandler, type Response } from 'express'
import { callService } from '../core/call.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query, RouteLookup } from '../core/types.ts'
import type { ParseAuthenticationOptions } from '../transport/authentication.ts'
import {
  type AcceptedBodies,
  assertBodyLimit,
  assertJson,
  assertUtf8,
  BODY_LIMIT,
  isAcceptedForm,
  parseJson
} from '../transport/body.ts'
import { assertDoor, assertOptionNames } from '../transport/door.ts'
import { answer, splitTarget } from '../transport/exchange.ts'
import {
  createHttpContext,
  findRoute,
  type HttpResponse,
  hasData,
  type TransportApplication,
  toHttpError,
  toHttpResponse,
  toServiceCall
} from '../transport/http.ts'
import { parseQueryString } from '../transport/querystring.ts'
import { readText } from '../transport/read.ts'
import { sendJson } from '../transport/send.ts'
import { createParser, parseAuthentication } from './authentication.ts'
import { type ErrorHandlerOptions, errorHandler } from './handlers.ts'

declare global {
  namespace Express {
    interface Request {
      /** Params for the service call, from middleware in front of it. */
      feathers?: Partial<Params> & { [key: string]: any }
      /** What the path of the request leads to. */
      lookup?: RouteLookup
    }
    interface Response {
      /** The context of the service call, also of one that failed. */
      hook?: HookContext
      /** The body of the answer; middleware behind the service may replace it. */
      data?: any
    }
  }
}

/** What Express does to JSON on the way out. */
const JSON_SETTINGS = ['json escape', 'json replacer', 'json spaces']

/** The options of {@link rest}. */
export interface RestOptions {
  /** Sends `response.data`; JSON when left out. */
  formatter?: RequestHandler
  /** Whose strategies look for credentials in requests, instead of those of the default authentication service. */
  authentication?: ParseAuthenticationOptions
  /** How many bytes of a body are read when no middleware has parsed it. */
  bodyLimit?: number
}

/** The options of {@link toMiddleware}. */
export interface MiddlewareOptions extends RestOptions {
  /** Where errors are written to, `console` by default; `false` for nowhere. */
  logger?: ErrorHandlerOptions['logger']
}

interface ServiceDoor {
  readonly getQuery: (request: Request) => Query
  /** Looks for credentials in a request for a service, unless that was done for all requests. */
  readonly authenticate?: RequestHandler
  readonly format: RequestHandler
  readonly bodyLimit: number
}

/** The applications that `rest` was configured on. */
const reachable = new WeakSet<object>()

/** Says so when nothing leads to the services of an application whose server has started. */
export function warnOfMissingTransport(app: { readonly services: object; readonly io?: unknown }): void {
  if (reachable.has(app) || app.io || Object.keys(app.services).length === 0) return

  process.emitWarning(
    'No request reaches the services of this application: configure a transport, for example app.configure(rest())',
    { code: 'ALULA_NO_TRANSPORT' }
  )
}

/**
 * Makes the services of an Express application reachable over HTTP. A body that no middleware has parsed is
 * read as JSON.
 *
 * @param options A formatter, or options
 * @throws Error when it is configured on an application that `express(app)` did not make
 */
export function rest(options?: RequestHandler | RestOptions | null): (app: any) => void {
  const restOptions = toRestOptions(options)
  const { formatter: format = formatter, bodyLimit = BODY_LIMIT, authentication } = restOptions

  assertOptionNames('rest', restOptions)
  assertBodyLimit(bodyLimit)

  return (app) => {
    if (typeof app.route !== 'function')
      throw new Error('alula/express rest needs an Express compatible app.')

    reachable.add(app)

    // For all requests, and not for those of services alone: middleware may ask who it is.
    app.use(parseAuthentication(authentication))
    app.use(
      createServiceHandler(app, {
        // Not parsed here: middleware may have put another query in its place.
        getQuery: (request) => request.query,
        format,
        bodyLimit
      })
    )
  }
}

/**
 * Makes the services of an application reachable from an Express server that exists already. A request for a
 * path that is not a service goes on to the next middleware; errors are answered here, as JSON.
 *
 * @param app An application
 * @param options A formatter, a limit for bodies, a logger
 * @throws TypeError for what is no application, and for an option with a value that it cannot have
 * @example
 * server.use('/api', toMiddleware(app))
 */
export function toMiddleware(app: TransportApplication, options: MiddlewareOptions = {}): RequestHandler {
  const { formatter: format, bodyLimit = BODY_LIMIT, authentication, logger = console } = options

  assertOptionNames('toMiddleware', options)
  assertDoor('toMiddleware', app, { bodyLimit })

  const respond = errorHandler({ html: false, logger })
  const handle = createServiceHandler(app, {
    // The other server may have a parser that does not know brackets.
    getQuery: ({ url }) => parseQueryString(splitTarget(url).search),
    authenticate: createParser(() => app, authentication),
    format: format ?? formatter,
    bodyLimit
  })

  return (request, response, next) => {
    const target = splitTarget(request.url)
    const route = findRoute(app, target.path)

    if (!route) {
      next()
      return
    }

    // Without anything that works on the request and the response of Express there is no need to touch them: they are
    // slow since Express has changed their prototypes.
    if (
      !format &&
      !hasMiddleware(route.service) &&
      !request.headers['content-encoding'] &&
      isUsual(request.app)
    ) {
      const exchange = { bodyLimit, logger: logger ?? false, ...toSendOptions(request.app) }

      const getDetails = () => ({ ...target, route, params: request.feathers, authentication })

      void answer(app, request, response, getDetails, exchange)
      return
    }

    handle(request, response, (error?: unknown) => {
      if (error === undefined) next()
      else respond(error, request, response, next)
    })
  }
}

/**
 * Checks the middleware that a service is registered with.
 *
 * @param location The path of the service
 * @param middleware The service option `express`
 * @throws TypeError for anything but arrays under `before` and `after`: what stands guard would be left out
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
  if (response.data !== undefined) send(request, response)
  else if (response.hook) response.end()
  else next()
}

/** The quick way, unless the application has settings that only Express knows how to follow. */
function send(request: Request, response: Response): void {
  const { statusCode: status, data: body } = response

  if (isUsual(request.app))
    sendJson(request, response, { status, headers: {}, body }, toSendOptions(request.app))
  else response.json(body)
}

function isUsual({ settings }: express.Application): boolean {
  const isKnownTag = settings.etag === 'weak' || settings.etag === true || settings.etag === false

  return isKnownTag && JSON_SETTINGS.every((name) => !settings[name])
}

function toSendOptions({ settings }: express.Application): { etag: boolean } {
  return { etag: settings.etag !== false }
}

function createServiceHandler(app: TransportApplication, door: ServiceDoor): RequestHandler {
  const chains = new WeakMap<object, RequestHandler>()

  return (request, response, next) => {
    const lookup = findRoute(app, request.path)

    if (!lookup) {
      next()
      return
    }

    request.lookup = lookup

    let chain = chains.get(lookup.service)

    // Made at the first request, so that a service may be registered before or after `rest()`.
    if (!chain) {
      chain = inSequence(door.authenticate, createChain(lookup.service, door))
      chains.set(lookup.service, chain)
    }

    chain(request, response, next)
  }
}

function inSequence(first: RequestHandler | undefined, second: RequestHandler): RequestHandler {
  if (!first) return second

  return (request, response, next) =>
    first(request, response, (error?: unknown) => (error ? next(error) : second(request, response, next)))
}

/** The middleware of a service: before, the call, after, formatter. */
function createChain(service: object, door: ServiceDoor): RequestHandler {
  // A router costs more than all else here, and most services have no middleware.
  if (!hasMiddleware(service)) {
    return (request, response, next) => {
      callMethod(request, response, door)
        .then(() => door.format(request, response, next))
        .catch(next)
    }
  }

  const serve: RequestHandler = async (request, response, next) => {
    await callMethod(request, response, door)
    next()
  }

  const { before = [], after = [] } = getServiceOptions(service).express ?? {}

  return express.Router().use(...before, serve, ...after, door.format)
}

function hasMiddleware(service: object): boolean {
  const { before = [], after = [] } = getServiceOptions(service).express ?? {}

  return before.length + after.length > 0
}

/** Runs the service method and prepares the response. */
async function callMethod(request: Request, response: Response, door: ServiceDoor): Promise<void> {
  const lookup = request.lookup as RouteLookup
  const { method, headers, feathers: params } = request

  try {
    const query = door.getQuery(request)
    const body = hasData(method)
      ? await readBody(request, response, door, getServiceOptions(lookup.service))
      : undefined
    const call = toServiceCall({ method, headers, query, body, params }, lookup)

    response.hook = createHttpContext(lookup, call)

    const answer = toHttpResponse(await callService(lookup.service, call, response.hook))

    // Before middleware behind the service runs.
    setHead(response, answer)
    response.data = answer.body
  } catch (error) {
    setHead(response, toHttpError(error, request, lookup))
    // The rest of a body that was refused would be taken for the next request.
    if (!request.complete) response.setHeader('Connection', 'close')
    throw toErrorObject(error)
  }
}

function setHead(response: Response, { status, headers }: HttpResponse): void {
  response.statusCode = status

  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] as string | string[])
}

/** For Express nothing was thrown when a falsy value was, and `'route'` and `'router'` are commands. */
function toErrorObject(error: unknown): object {
  if (typeof error === 'object' && error !== null) return error

  return new Error(typeof error === 'string' ? error : '')
}

async function readBody(
  request: Request,
  response: Response,
  { bodyLimit }: ServiceDoor,
  accepted: AcceptedBodies
): Promise<unknown> {
  const { headers } = request
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

  if (request.body !== undefined || !isThere) return request.body

  if (isAcceptedForm(headers['content-type'], accepted)) {
    assertUtf8(headers['content-type'], headers['content-encoding'])

    return parseQueryString(await readText(request, bodyLimit))
  }

  assertJson(headers['content-type'])

  if (headers['content-encoding'] !== undefined) await inflate(request, response, bodyLimit)
  else request.body = parseJson(await readText(request, bodyLimit))

  return request.body
}

/** Express knows how to read what is compressed. */
function inflate(request: Request, response: Response, limit: number): Promise<void> {
  return new Promise((resolve, reject) => {
    express.json({ limit })(request, response, (error?: unknown) => (error ? reject(error) : resolve()))
  })
}

function toRestOptions(options: RequestHandler | RestOptions | null | undefined): RestOptions {
  return typeof options === 'function' ? { formatter: options } : (options ?? {})
}
