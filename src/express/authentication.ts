import type { NextFunction, RequestHandler } from 'express'
import {
  type AuthenticateHookSettings,
  authenticate as authenticateHook
} from '../authentication-hooks/authenticate.ts'
import { NotAuthenticated } from '../errors.ts'
import { assertNoRequest, authenticateRequest, findCredentials } from '../node/framework.ts'
import { mayAuthenticate, type ParseAuthenticationOptions } from '../transport/authentication.ts'
import type { TransportApplication } from '../transport/http.ts'
import { AUTHENTICATION_CHECKS } from '../transport/options.ts'
import { copyWith } from '../utils/object.ts'
import { assertOptions } from '../utils/options.ts'
import { ExpressRequest } from './request.ts'

/**
 * Middleware that looks for credentials in the request and puts what it finds on `request.feathers.authentication`.
 * `rest()` includes it.
 *
 * @param options Which strategies look, instead of those of the default authentication service
 * @throws Error when it is used as middleware itself, and a TypeError for an option that is not valid
 */
export function parseAuthentication(options: ParseAuthenticationOptions = {}): RequestHandler {
  assertNoRequest('parseAuthentication', options)
  assertOptions('parseAuthentication', options, AUTHENTICATION_CHECKS)

  return (request, response, next) =>
    parseInto(
      request.app as unknown as TransportApplication,
      new ExpressRequest(request, response),
      options,
      next
    )
}

/** The same for one request. `next` is called when that is done, with an error where it failed. */
export function parseInto(
  app: TransportApplication,
  own: ExpressRequest,
  options: ParseAuthenticationOptions | undefined,
  next: NextFunction
): void {
  if (!mayAuthenticate(app, options)) {
    next()
    return
  }

  const { incoming: request } = own

  findCredentials(app, own, options)
    .then((authentication) => {
      if (authentication) request.feathers = copyWith(request.feathers, { authentication })

      next()
    })
    .catch(next)
}

/**
 * Middleware that lets a request through only when its credentials are valid, and then puts what the strategy returns
 * (for example `user`) on `request.feathers`. Register it after `rest()`, on an application made by `express(app)`.
 *
 * @param settings The first strategy, or settings
 * @param names Further strategies
 * @throws Error when there is no strategy; the request fails with NotAuthenticated
 */
export function authenticate(
  settings: string | AuthenticateHookSettings,
  ...names: string[]
): RequestHandler {
  const hook = authenticateHook(settings, ...names)

  return async (request, response, next) => {
    const own = new ExpressRequest(request, response)

    try {
      request.feathers = await authenticateRequest(hook, request.app, request.feathers, own)
    } catch (error) {
      // Express 4 does not wait for the promise. Without an error it would go on to the route.
      next(error || new NotAuthenticated('Not authenticated'))
      return
    }

    next()
  }
}
