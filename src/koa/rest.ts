import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import { assertCalled } from '../core/assert-application.ts'
import { getServiceOptions } from '../core/service.ts'
import type { RouteLookup } from '../core/types.ts'
import { createForEach, toFailedHead } from '../node/framework.ts'
import { createResponder } from '../node/listener.ts'
import { createPipelineGate } from '../node/pipelining.ts'
import { markReachable } from '../node/reachable.ts'
import { toCacheHeaders } from '../transport/caching.ts'
import { assertStatus, toHead } from '../transport/encode.ts'
import { runCall } from '../transport/handler.ts'
import { type HttpResult, type TransportApplication, toHttpResult } from '../transport/http.ts'
import { type HttpOptions, type HttpSettings, toHttpSettings } from '../transport/options.ts'
import { findTarget, isMounted } from '../transport/target.ts'
import { isFunction, isNever } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import type { OptionChecks } from '../utils/options.ts'
import { parseInto } from './authentication.ts'
import type { FeathersKoaContext, Middleware } from './context.ts'
import { KoaRequest } from './request.ts'
import { serveResult } from './send.ts'
import { dropResult } from './served.ts'

/** The options of {@link rest}: those of every HTTP transport that Koa has nothing else for. */
export interface RestOptions extends Omit<HttpOptions<IncomingMessage>, 'cors' | 'trustProxy'> {
  /** Runs last, and may change `ctx.body`; without it nothing does. */
  formatter?: Middleware
  /** `0` where there is no proxy; behind proxies `app.proxy` of Koa says so. Left out, it is not known whether there are any. */
  trustProxy?: 0
}

/** What the transport for Koa has beside options of others, or instead. */
const CHECKS: OptionChecks = {
  formatter: [isFunction, 'middleware'],
  cors: [isNever, 'the middleware cors() instead'],
  trustProxy: [(count) => count === 0, '0 for no proxy, and otherwise app.proxy of Koa instead']
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

    // `parseInto` has looked for credentials already.
    const parsed = { ...settings, parsesCredentials: false }
    const respond = createResponder(app, parsed)
    // Servers that `app.listen()` did not start have no limits.
    const limit = createPipelineGate()
    const serve = serveServices(app, parsed, format)

    /** A request that is held when its connection closes is never run: middleware before goes on then. */
    function pass({ req, res }: FeathersKoaContext, run: () => Promise<unknown>): Promise<unknown> {
      return new Promise((resolve) => {
        const drop = () => resolve(undefined)

        res.once('close', drop)
        limit(req, res, () => {
          res.off('close', drop)
          resolve(run())
        })
      })
    }

    markReachable(app)

    app.use((async (context, next) => {
      const own = new KoaRequest(context)

      if (settings.trustProxy === 0) context._isDirect = true
      // For all requests, and not only for services: middleware may need the credentials.
      await parseInto(app, own, context, settings.authentication)

      const target = findTarget(app, own.path, settings.prefix)

      if (!target) return next()

      if (isMounted(target)) {
        own.target = target
        context.respond = false

        return pass(context, () => respond(own))
      }

      // Not `context.lookup = …`: the types of `@feathersjs/koa`, where they are loaded, declare other ones.
      Object.assign(context, { lookup: target })

      return pass(context, () => serve(own, context, next))
    }) satisfies Middleware)
  }
}

type ServeService = (own: KoaRequest, context: FeathersKoaContext, next: Koa.Next) => Promise<unknown>

/** Runs a service call between the middleware of the service: before, call, after, formatter. */
function serveServices(app: any, settings: HttpSettings, format: Middleware): ServeService {
  const getChain = createForEach((service): ServeService => {
    const { before = [], after = [] } = getServiceOptions(service).koa ?? {}

    if (before.length + after.length === 0 && format === formatter)
      return (own, context) => runService(app, own, context, settings)

    // Middleware before the service may have changed the URL.
    const serve: Middleware = (context, next) =>
      runService(app, new KoaRequest(context), context, settings).then(next)
    const chain = app.compose([...before, serve, ...after, format])

    return async (_own, context, next) => {
      try {
        return await chain(context, next)
      } catch (error) {
        // What the call has set is about a body that is not sent now: its type, its place, how long caches keep it.
        dropResult(context)
        throw error
      }
    }
  })

  return (own, context, next) => getChain((context.lookup as RouteLookup).service)(own, context, next)
}

async function runService(
  app: TransportApplication,
  own: KoaRequest,
  context: FeathersKoaContext,
  settings: HttpSettings
): Promise<void> {
  const route = context.lookup as RouteLookup

  try {
    const call = await runCall(app, own, route, settings, (hook) => Object.assign(context, { hook }))
    const { status, headers, body } = toHttpResult(call)
    const toCaching = (given: HttpResult['headers']) => toCacheHeaders(app, call, own, given, settings)
    const caching = toCaching(headers)

    assertStatus(status)
    serveResult(context, { status, headers: toHead(headers), body }, settings, () => toCaching({}) ?? {})
    // Not among those of the call, which an error after it drops.
    if (caching) context.set(toHead(caching))
  } catch (error) {
    context.set(toFailedHead(app, error, own, route, context.hook, settings).headers)
    // Koa takes a missing error for none, and would not respond.
    throw error ?? new Error('')
  }
}
