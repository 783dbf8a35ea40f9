import { isObject, isString, isStringList } from '../utils/check.ts'
import { askForNearest } from '../utils/nearest.ts'
import { stripSlashes, stripTrailingSlashes } from '../utils/path.ts'
import { type Provider, providers } from './providers.ts'
import { isSafeUrl, parseUrl } from './redirect.ts'
import type { Delivery, OAuthConfiguration, ProviderSettings } from './types.ts'

/** What a configuration holds beside providers. */
const COMMON = ['redirect', 'origins', 'prefix', 'defaults', 'delivery', 'email', 'emailVerified']

const DELIVERIES: readonly Delivery[] = ['hash', 'code', 'cookie']

/** Parameters of the authorization endpoint that every login has its own of. */
const OWN_PARAMS = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method']
]

/** What is asked of an OpenID provider when nothing else is set: who it is, the name and the address. */
const OPENID_SCOPE = ['openid', 'profile', 'email']

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** The path of the service that exchanges codes. */
export const CODE_PATH = 'code'

/** The part of an application that has settings. */
interface Settings {
  get(name: string): any
}

/** The settings of a provider, with those of its preset. */
export type ResolvedProvider = Provider & { readonly key: string }

/** The names of the providers that a configuration holds. */
export function getProviderNames(oauth: OAuthConfiguration): string[] {
  return Object.keys(oauth).filter((name) => !COMMON.includes(name))
}

/**
 * The settings of a provider: its own, over those for all, over those of its preset.
 *
 * @param name The name of the provider; from a request
 * @returns `undefined` for a provider that is not configured
 */
export function getProvider(name: string, oauth: OAuthConfiguration): ResolvedProvider | undefined {
  if (COMMON.includes(name) || !Object.hasOwn(oauth, name)) return undefined

  const layers: ProviderSettings[] = [providers.get(name) ?? {}, oauth.defaults ?? {}, oauth[name]]
  const custom_params = Object.assign({}, ...layers.map((layer) => layer.custom_params))

  const settings: ResolvedProvider = Object.assign({}, ...layers)
  const scope = settings.scope ?? (settings.issuer === undefined ? [] : OPENID_SCOPE)

  return { ...settings, scope, custom_params }
}

/** What the paths begin with, without slashes at its ends. */
export function getPrefix({ prefix, defaults }: OAuthConfiguration): string {
  return stripSlashes(prefix ?? defaults?.prefix ?? 'oauth')
}

/** The origins of the pages that logins lead back to; none when the configuration has another way. */
export function getOrigins({ origins }: OAuthConfiguration, app: Settings): readonly string[] {
  const given = origins ?? app.get('origins')

  if (!Array.isArray(given)) return []

  // Those of the application were not checked with the rest.
  assertOrigins(given)

  return given
}

/**
 * The URL under which clients reach the server. It is never that of a request, whose `Host` anybody can choose.
 *
 * @param app Has settings: `host` and `port`
 * @throws Error when nothing says what it is
 */
export function getServerUrl({ defaults }: OAuthConfiguration, app: Settings): string {
  const { origin } = defaults ?? {}

  if (origin) return stripTrailingSlashes(origin)

  const [host, port] = [app.get('host'), app.get('port')]

  if (!host) {
    throw new Error(
      "The URL of the server is not known: set 'authentication.oauth.defaults.origin', for example to 'https://api.example.org'"
    )
  }
  if (process.env.NODE_ENV === 'production') return `https://${host}`

  return `http://${host}${port ? `:${port}` : ''}`
}

/**
 * Checks the configuration under `oauth`.
 *
 * @param oauth The configuration
 * @throws Error with a sentence that names the option
 */
export function assertConfiguration(oauth: unknown): asserts oauth is OAuthConfiguration {
  assert(isObject(oauth), '', 'an object')

  const { redirect, origins, prefix, defaults, delivery, email, emailVerified } = oauth

  assert(
    redirect === undefined || isPage(redirect),
    'redirect',
    'a URL, or a path that begins with one slash'
  )
  assertOrigins(origins ?? [])
  assert(prefix === undefined || (isString(prefix) && /[^/]/.test(prefix)), 'prefix', 'a path with a name')
  assert(defaults === undefined || isObject(defaults), 'defaults', 'an object')
  assert(
    defaults?.origin === undefined || isBase(defaults.origin),
    'defaults.origin',
    'a URL without a query string and a hash'
  )
  assert(
    delivery === undefined || DELIVERIES.includes(delivery),
    'delivery',
    `one of ${DELIVERIES.join(', ')}`
  )
  assert(email === undefined || isString(email), 'email', 'the name of a field')
  assert(
    emailVerified === undefined || (isString(emailVerified) && email !== undefined),
    'emailVerified',
    "the name of a field, beside 'email'"
  )

  for (const name of getProviderNames(oauth)) assertProvider(name, oauth)
}

function assertOrigins(origins: unknown): void {
  assert(
    Array.isArray(origins) && origins.every(isOrigin),
    'origins',
    "an array of origins like 'https://example.org'"
  )
}

function assertProvider(name: string, oauth: OAuthConfiguration): void {
  assert(
    name !== CODE_PATH && /^[\w.~-]+$/.test(name),
    name,
    'a name of letters and digits, other than a path of ours'
  )
  assert(isObject(oauth[name]), name, 'an object')

  const settings = getProvider(name, oauth) as ResolvedProvider
  const { key, issuer, scope, custom_params, authorize_url, access_url, profile_url, redirect_uri } = settings

  assert(isString(key), `${name}.key`, 'the id of the client, as the provider has given it')
  assert(
    isString(settings.createSecret ? settings.createSecret(settings) : settings.secret) ||
      settings.token_endpoint_auth_method === 'none',
    `${name}.secret`,
    "the secret of the client, or 'token_endpoint_auth_method' to be 'none' for a client without one"
  )
  assert(
    settings.token_endpoint_auth_method === undefined ||
      AUTH_METHODS.includes(settings.token_endpoint_auth_method),
    `${name}.token_endpoint_auth_method`,
    `one of ${AUTH_METHODS.join(', ')}`
  )

  assert(isString(scope) || isStringList(scope), `${name}.scope`, 'a text or a list of texts')

  for (const [param, value] of Object.entries(custom_params ?? {})) {
    assert(!OWN_PARAMS.includes(param), `${name}.custom_params.${param}`, 'to be left out')
    assert(typeof value === 'string', `${name}.custom_params.${param}`, 'a text')
  }

  assert(
    issuer === undefined || toScopes(settings).includes('openid'),
    `${name}.scope`,
    "'openid' to be there, without which the provider does not say who has logged in"
  )

  // With this option of Grant whoever sends a request would change the settings.
  assert(!settings.dynamic, `${name}.dynamic`, 'to be left out: requests set nothing')

  const endpoints = issuer === undefined ? { authorize_url, access_url, profile_url } : { issuer }
  const question = providers.has(name) ? '' : askForNearest(name, [...providers.keys()])

  for (const [option, url] of Object.entries(endpoints)) {
    assert(
      isSafeUrl(url),
      `${name}.${option}`,
      `a URL with https, or with http on this machine${url === undefined ? question : ''}`
    )
  }

  // With it the document is taken as it is, whoever it speaks of (OpenID Connect Discovery §4.3).
  assert(
    !issuer?.includes('/.well-known/'),
    `${name}.issuer`,
    "the issuer, without '/.well-known/' and what follows"
  )
  assert(redirect_uri === undefined || parseUrl(redirect_uri), `${name}.redirect_uri`, 'a URL')
}

/** What is asked for, one by one. */
export function toScopes({ scope = [], scope_delimiter = ' ' }: ProviderSettings): string[] {
  return [scope].flat().flatMap((scopes) => scopes.split(scope_delimiter))
}

function assert(condition: unknown, option: string, expected: string): asserts condition {
  if (!condition) {
    throw new Error(`Invalid option 'authentication.oauth${option && `.${option}`}': expected ${expected}`)
  }
}

function isPage(redirect: unknown): boolean {
  return isString(redirect) && (/^\/(?!\/)/.test(redirect) || parseUrl(redirect) !== undefined)
}

function isOrigin(text: unknown): boolean {
  const url = isString(text) ? parseUrl(text) : undefined

  return url?.pathname === '/' && url.search === '' && url.hash === ''
}

/** Whether a path can be put behind it. */
function isBase(text: unknown): boolean {
  const url = isString(text) ? parseUrl(text) : undefined

  return url !== undefined && !/[?#]/.test(url.href)
}
