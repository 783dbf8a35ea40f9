import type { Application } from '../core/types.ts'
import { isFunction } from '../utils/check.ts'
import { fillDefaults } from '../utils/object.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { AuthenticationClient, type AuthenticationClientOptions } from './authentication-client.ts'
import { populateHeader, waitForAuthentication } from './hooks.ts'
import { defaultStorage, type Storage } from './storage.ts'

/** The options of `authentication()` that are left out. */
export const defaults: AuthenticationClientOptions = {
  header: 'Authorization',
  scheme: 'Bearer',
  storageKey: 'feathers-jwt',
  locationKey: 'access_token',
  locationErrorKey: 'error',
  locationCodeKey: 'oauth_code',
  oauthPath: 'oauth',
  jwtStrategy: 'jwt',
  refresh: true,
  path: '/authentication',
  Authentication: AuthenticationClient,
  storage: defaultStorage
}

const CHECKS: OptionChecks = {
  storage: [
    (storage) => isFunction((storage as Partial<Storage> | null)?.getItem),
    'an object with getItem and setItem',
    'required'
  ],
  service: [
    (service) => isFunction((service as { create?: unknown } | null)?.create),
    "a service over HTTP, rest(url).fetch(fetch).service('authentication')"
  ]
}

/** The hooks that `authentication()` registers, by their names in Feathers v5. */
export const hooks = { authentication: waitForAuthentication, populateHeader }

/**
 * Gives an application `authenticate`, `reAuthenticate` and `logout`. It is configured after the connection.
 *
 * @param options What differs from the defaults
 * @throws TypeError for a storage that is none
 *
 * @example
 * const app = alula().configure(rest('https://api.example.org').fetch(fetch)).configure(authentication())
 *
 * await app.authenticate({ strategy: 'local', email, password })
 */
export function authentication(
  options: Partial<AuthenticationClientOptions> = {}
): (app: Application) => void {
  const settings = fillDefaults(options, defaults)

  assertOptions('authentication', settings, CHECKS, {
    further: Object.keys(defaults),
    others: 'unlike'
  })

  return (app: any) => {
    const client = new settings.Authentication(app, settings)

    app.authentication = client
    app.authenticate = client.authenticate.bind(client)
    app.reAuthenticate = client.reAuthenticate.bind(client)
    app.logout = client.logout.bind(client)
    app.hooks([hooks.authentication(), hooks.populateHeader()])
  }
}
