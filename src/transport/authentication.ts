import type { AuthenticationRequest, DefaultAuthentication } from '../core/types.ts'

/** Which strategies look for credentials in a request. */
export interface ParseAuthenticationOptions {
  /** The path of the authentication service; the default one when left out. */
  service?: string
  /** The names of the strategies; those of the configuration when left out. */
  strategies?: readonly string[]
}

type Configuration = Partial<DefaultAuthentication['configuration']>

/** The part of an application that is needed to find credentials. */
export interface Authenticating {
  defaultAuthentication?(location?: string): DefaultAuthentication | null
  service?(location: string): any
}

/**
 * The authentication service of a transport: the default one when no path is given, or nothing where none is the default.
 * Throws an Error for a path without a service.
 */
export function findAuthentication(
  app: Authenticating,
  service?: string
): DefaultAuthentication | null | undefined {
  if (app.defaultAuthentication) return app.defaultAuthentication(service)

  // That of a sub-application, which is not the default of this one.
  return service === undefined ? undefined : app.service?.(service)
}

/** Whether a transport looks for credentials: the application has a default authentication service, or the options name one. */
export function mayAuthenticate(app: Authenticating, { service }: ParseAuthenticationOptions = {}): boolean {
  return app.defaultAuthentication !== undefined || service !== undefined
}

/**
 * Looks for credentials in a request. Whether they are valid is seen when a service asks for that.
 *
 * @param app An application, with or without authentication
 * @param request Something with headers by lower-case name
 * @param response The response, for strategies that need it
 * @returns The credentials, for `params.authentication`; `null` when there are none
 */
export function parseAuthentication(
  app: Authenticating,
  request: { readonly headers: { readonly [name: string]: unknown } },
  response?: unknown,
  { service, strategies }: ParseAuthenticationOptions = {}
): Promise<AuthenticationRequest | null> {
  const auth = findAuthentication(app, service)

  if (typeof auth?.parse !== 'function') return Promise.resolve(null)

  const names = strategies ?? listStrategies(auth.configuration)

  return names.length === 0 ? Promise.resolve(null) : auth.parse(request, response, ...names)
}

/**
 * Whether credentials may come from a cookie: a strategy that looks for them may read cookies, or does not say that it reads
 * none.
 */
export function mayReadCookies(
  app: Authenticating,
  { service, strategies }: ParseAuthenticationOptions = {}
): boolean {
  const auth = findAuthentication(app, service)

  if (!auth) return false

  return auth.mayReadCookies?.(...(strategies ?? listStrategies(auth.configuration))) !== false
}

/** The schemes that a client may use in `Authorization`: those that the configuration gives the strategies, or `Bearer`. */
export function getSchemes(
  app: Authenticating,
  { service, strategies }: ParseAuthenticationOptions = {}
): readonly string[] {
  const configuration: Configuration = findAuthentication(app, service)?.configuration ?? {}
  const names = strategies ?? listStrategies(configuration)
  const schemes = names.flatMap((name): readonly string[] => configuration[name]?.schemes ?? [])

  return schemes.length > 0 ? [...new Set(schemes)] : ['Bearer']
}

/** The strategies that look for credentials in requests, where a transport does not name them. */
function listStrategies({ parseStrategies, authStrategies = [] }: Configuration): readonly string[] {
  return parseStrategies ?? authStrategies
}
