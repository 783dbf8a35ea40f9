import type { Request, RequestHandler } from 'express'
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
import { assertCalled } from './handlers.ts'
import { ExpressRequest } from './request.ts'

/**
 * Middleware that looks for credentials in the request and puts what it finds on `request.feathers.authentication`.
 * `rest()` includes it.
 *
 * @param options Which strategies look, instead of those of the default authentication service
 * @throws Error when it is used as middleware itself, and a TypeError for an option that is not valid
 */
export function parseAuthentication(options: ParseAuthenticationOptions = {}): RequestHandler {
  assertCalled('parseAuthentication', options)
  assertOptions('parseAuthentication', options, AUTHENTICATION_CHECKS)

  return createParser((request) => request.app as unknown as TransportApplication, options)
}

/** The same, for an application that is found by the request. */
function createParser(
  getApp: (request: Request) => TransportApplication,
  options: ParseAuthenticationOptions = {}
): RequestHandler {
  return (request, response, next) => {
    const app = getApp(request)

    if (!app.defaultAuthentication) {
      next()
      return
    }

    parse(app, request, response, options)
      .then(async (authentication) => {
        // Calls of services are refused later; routes of one's own see a request without credentials.
        if (authentication && (await isOwnOrigin(app, new ExpressRequest(request, response), options)))
          request.feathers = copyWith(request.feathers, { authentication })
      })
      .then(() => next(), next)
  }
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

  return async (request, _response, next) => {
    // Without `rest()` there is no provider, and the hook would let every request pass as an internal call.
    const params = { provider: 'rest', ...request.feathers }
    const context = { app: request.app as any, params }

    await hook(context)
    request.feathers = context.params
    next()
  }
}
