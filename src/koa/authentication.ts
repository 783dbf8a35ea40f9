import {
  type AuthenticateHookSettings,
  authenticate as authenticateHook
} from '../authentication-hooks/authenticate.ts'
import { type ParseAuthenticationOptions, parseAuthentication as parse } from '../transport/authentication.ts'
import type { TransportApplication } from '../transport/http.ts'
import { AUTHENTICATION_CHECKS } from '../transport/options.ts'
import { isOwnOrigin } from '../transport/origin.ts'
import { copyWith } from '../utils/object.ts'
import { assertOptions } from '../utils/options.ts'
import type { FeathersKoaContext, Middleware } from './context.ts'
import { assertCalled } from './handlers.ts'
import { KoaRequest } from './request.ts'

/**
 * Middleware that looks for credentials in the request and puts what it finds on `ctx.feathers.authentication`. `rest()`
 * includes it.
 *
 * @param options Which strategies look, instead of those of the default authentication service
 * @throws Error when it is used as middleware itself, and a TypeError for an option that is not valid
 */
export function parseAuthentication(options: ParseAuthenticationOptions = {}): Middleware {
  assertCalled('parseAuthentication', options)
  assertOptions('parseAuthentication', options, AUTHENTICATION_CHECKS)

  return createParser((context) => context.app, options)
}

/** The same, for an application that is found by the request. */
export function createParser(
  getApp: (context: FeathersKoaContext) => TransportApplication,
  options: ParseAuthenticationOptions = {}
): Middleware {
  async function parseInto(context: FeathersKoaContext, app: TransportApplication): Promise<void> {
    const authentication = await parse(app, context.req, context.res, options)

    // Calls of services are refused later; routes of one's own see a request without credentials.
    if (authentication && (await isOwnOrigin(app, new KoaRequest(context), options)))
      context.feathers = copyWith(context.feathers, { authentication })
  }

  return (context, next) => {
    const app = getApp(context)

    return app.defaultAuthentication ? parseInto(context, app).then(next) : next()
  }
}

/**
 * Middleware that lets a request through only when its credentials are valid, and then puts what the strategy returns
 * (for example `user`) on `ctx.feathers`. Register it after `rest()` or `parseAuthentication()`. It asks the application that
 * responds, `ctx.app`: that is the outer one where an application is mounted.
 *
 * @param settings The first strategy, or settings
 * @param names Further strategies
 * @throws Error when there is no strategy; the request fails with NotAuthenticated
 */
export function authenticate(settings: string | AuthenticateHookSettings, ...names: string[]): Middleware {
  const hook = authenticateHook(settings, ...names)

  return async (context, next) => {
    // Without a provider the hook would let every request pass as an internal call.
    const call = { app: context.app, params: { provider: 'rest', ...context.feathers } }

    await hook(call)
    context.feathers = call.params

    return next()
  }
}
