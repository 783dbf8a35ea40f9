import {
  type AuthenticateHookSettings,
  authenticate as authenticateHook
} from '../authentication-hooks/authenticate.ts'
import { assertNoRequest, authenticateRequest, findCredentials } from '../node/framework.ts'
import { mayAuthenticate, type ParseAuthenticationOptions } from '../transport/authentication.ts'
import type { TransportApplication } from '../transport/http.ts'
import { AUTHENTICATION_CHECKS } from '../transport/options.ts'
import { copyWith } from '../utils/object.ts'
import { assertOptions } from '../utils/options.ts'
import type { FeathersKoaContext, Middleware } from './context.ts'
import { KoaRequest } from './request.ts'

/**
 * Middleware that looks for credentials in the request and puts what it finds on `ctx.feathers.authentication`. `rest()`
 * includes it.
 *
 * @param options Which strategies look, instead of those of the default authentication service
 * @throws Error when it is used as middleware itself, and a TypeError for an option that is not valid
 */
export function parseAuthentication(options: ParseAuthenticationOptions = {}): Middleware {
  assertNoRequest('parseAuthentication', options)
  assertOptions('parseAuthentication', options, AUTHENTICATION_CHECKS)

  return async (context, next) => {
    await parseInto(context.app, new KoaRequest(context), context, options)

    return next()
  }
}

/** The same for one request. */
export async function parseInto(
  app: TransportApplication,
  own: KoaRequest,
  context: FeathersKoaContext,
  options: ParseAuthenticationOptions | undefined
): Promise<void> {
  const authentication = mayAuthenticate(app, options) && (await findCredentials(app, own, options))

  if (authentication) context.feathers = copyWith(context.feathers, { authentication })
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
    const own = new KoaRequest(context)

    context.feathers = await authenticateRequest(hook, context.app, context.feathers, own)

    return next()
  }
}
