import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import { assertCalled } from '../core/assert-application.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, RouteLookup } from '../core/types.ts'
import { respond } from '../node/listener.ts'
import { createPipelineGate } from '../node/pipelining.ts'
import { markReachable } from '../node/reachable.ts'
import { splitTarget } from '../node/request.ts'
import { toCacheHeaders } from '../transport/caching.ts'
import { assertStatus, toHead } from '../transport/encode.ts'
import { logUnexpected, toClientError } from '../transport/error.ts'
import { runCall, serveHttp } from '../transport/handler.ts'
import {
  type HttpResult,
  type TransportApplication,
  toErrorHeaders,
  toHttpResult
} from '../transport/http.ts'
import { type HttpOptions, type HttpSettings, toHttpSettings } from '../transport/options.ts'
import { createSetupCheck } from '../transport/setup-check.ts'
import { findTarget, isMounted } from '../transport/target.ts'
import { isFunction, isNever } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { createParser } from './authentication.ts'
import type { FeathersContext, FeathersKoaContext, Middleware } from './context.ts'
import { KoaRequest } from './request.ts'
import { dropResult, serveResult } from './send.ts'

/** The options of {@link rest}: those of every HTTP transport that Koa has nothing else for. */
export interface RestOptions extends Omit<HttpOptions<IncomingMessage>, 'cors' | 'trustProxy'> {
  /** Runs last, and may change `ctx.body`; without it nothing does. */
  formatter?: Middleware
}

/** What the transport for Koa has beside options of others, or instead. */
const CHECKS: OptionChecks = {
  formatter: [isFunction, 'middleware'],
  cors: [isNever, 'the middleware cors() instead'],
  trustProxy: [isNever, 'app.proxy of Koa instead']
}

/** Middleware that leaves the response as it is. */
export const formatter: Middleware = () => undefined

/**
 * Makes the services of a Koa application reachable over HTTP. Requests for other paths go on to the next middleware, and
 * errors to the middleware before: see `errorHandler`.
 *
 * @param options A formatter, or options
 * @throws TypeError for an option with a value that it cannot have; Error when it is configured on an application that
 * `koa(app)` did not make
 */
export function rest(options?: Middleware | RestOptions | null): (app: any) => void {
  assertCalled('rest', options)

  const given = typeof options === 'function' ? { formatter: options } : (options ?? {})
  const { formatter: format = formatter } = given
  const settings = toHttpSettings('rest', given, CHECKS)

  return (app) => {
    if (typeof app.callback !== 'function')
      throw createError('ALULA_INVALID_APPLICATION', 'alula/koa rest needs a Koa compatible app.')

    const checkSetup = createSetupCheck(app)
    const handle = serveHttp(app, settings)
    const onError = (error: unknown) => logUnexpected(settings.logger, error)
    // Servers that `app.listen()` did not start have no limits.
    const limit = createPipelineGate()
    // The parser below has looked for credentials already.
    const serve = serveServices(app, { ...settings, parsesCredentials: false }, format)

    /** A request that is held when its connection closes is never run. */
    function pass(context: FeathersKoaContext, run: () => Promise<unknown>): Promise<unknown> {
      return new Promise((resolve) => limit(context.req, context.res, () => resolve(run())))
    }

    markReachable(app)

    // For all requests, and not only for services: middleware may need the credentials.
    app.use(createParser(() => app, settings.authentication))
    app.use(((context, next) => {
      const target = findTarget(app, splitTarget(context.req.url ?? '/').path, settings.prefix)

      if (!target) return next()

      if (isMounted(target)) {
        const request = new KoaRequest(context, { target, params: context.feathers })

        context.respond = false

        return pass(context, () => respond(handle, request, context.req, context.res, onError))
      }

      checkSetup()
      setLookup(context, target)

      return pass(context, () => serve(context, target, next))
    }) satisfies Middleware)
  }
}

/**
 * Checks the middleware that a service is registered with.
 *
 * @param location The path of the service
 * @param middleware The service option `koa`
 * @throws TypeError for anything but arrays of functions under `before` and `after`: a guard would be dropped
 */
export function assertMiddleware(location: string, middleware: unknown): void {
  assertOptions(`service '${location}'`, middleware, {}, { under: 'koa', others: 'any' })

  for (const [name, list] of Object.entries(middleware)) {
    const isList = Array.isArray(list) && list.every((step) => typeof step === 'function')

    if (!['before', 'after'].includes(name) || !(list === undefined || isList)) {
      throw createTypeError(
        'ALULA_INVALID_OPTION',
        `Invalid option 'koa' of service '${location}': expected arrays of middleware, 'before' and 'after'`
      )
    }
  }
}

type ServeService = (context: FeathersKoaContext, route: RouteLookup, next: Koa.Next) => Promise<unknown>

/** Runs a service call between the middleware of the service: before, call, after, formatter. */
function serveServices(app: any, settings: HttpSettings, format: Middleware): ServeService {
  const chains = new WeakMap<object, ServeService>()

  function createChain(service: object): ServeService {
    const { before = [], after = [] } = getServiceOptions(service).koa ?? {}

    if (before.length + after.length === 0 && format === formatter)
      return (context, route) => runService(app, context, route, settings)

    const serve: Middleware = (context, next) =>
      runService(app, context, context.lookup as RouteLookup, settings).then(next)
    const chain = app.compose([...before, serve, ...after, format])

    return async (context, _route, next) => {
      try {
        return await chain(context, next)
      } catch (error) {
        // What the call has set is about a body that is not sent now: its type, its place, how long caches keep it.
        dropResult(context)
        throw error
      }
    }
  }

  return (context, route, next) => {
    let chain = chains.get(route.service)

    // Created at the first request, so that a service may be registered before or after `rest()`.
    if (!chain) {
      chain = createChain(route.service)
      chains.set(route.service, chain)
    }

    return chain(context, route, next)
  }
}

async function runService(
  app: TransportApplication,
  context: FeathersKoaContext,
  route: RouteLookup,
  settings: HttpSettings
): Promise<void> {
  try {
    const request = new KoaRequest(context, { target: route, params: context.feathers, query: context.query })
    const call = await runCall(app, request, route, settings, (started) => setHook(context, started))
    const { status, headers, body } = toHttpResult(call)
    const toCaching = (given: HttpResult['headers']) => toCacheHeaders(app, call, request, given, settings)
    const caching = toCaching(headers)

    assertStatus(status)
    serveResult(context, { status, headers: toHead(headers), body }, settings, () => toCaching({}) ?? {})
    // Not among those of the call, which an error after it drops.
    if (caching) context.set(toHead(caching))
  } catch (error) {
    // Before the error, because only this transport knows its strategies.
    const headers = toErrorHeaders(toClientError(error), context, route, app, settings.authentication)
    const caching = toCacheHeaders(app, context.hook, new KoaRequest(context), headers, settings)

    context.set(toHead({ ...headers, ...caching }))
    // Koa takes a missing error for none, and would not respond.
    throw error ?? new Error('')
  }
}

/** Not `context.lookup = …`: the types of `@feathersjs/koa`, where they are loaded, declare other ones. */
function setLookup(context: FeathersContext, route: RouteLookup): void {
  context.lookup = route
}

function setHook(context: FeathersContext, hook: HookContext): void {
  context.hook = hook
}
