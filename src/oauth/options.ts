import { isObject, isString, isStringList } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { assertOption, assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { stripSlashes, stripTrailingSlashes } from '../utils/path.ts'
import { assertSync } from '../utils/promise.ts'
import { isSafeUrl, parseUrl } from '../utils/url.ts'
import { type Provider, providers } from './providers.ts'
import type { OAuthConfiguration, ProviderSettings, TokenDelivery } from './types.ts'

const OWNER = 'authentication.oauth'

const DELIVERIES: readonly unknown[] = ['hash', 'code', 'cookie'] satisfies TokenDelivery[]

const AUTH_METHODS: readonly unknown[] = ['client_secret_basic', 'client_secret_post', 'none']

/** What a configuration holds beside providers. */
const CHECKS: OptionChecks = {
  redirect: [isPage, 'a URL, or a path that begins with one slash'],
  origins: [
    (origins) => origins === null || isOrigins(origins),
    "an array of origins like 'https://example.org'"
  ],
  prefix: [(prefix) => isString(prefix) && /[^/]/.test(prefix), 'a path with a name'],
  defaults: [isObject, 'an object'],
  delivery: [(delivery) => DELIVERIES.includes(delivery), `one of ${DELIVERIES.join(', ')}`],
  email: [isString, 'the name of a field'],
  emailVerified: [isString, 'the name of a field']
}

const DEFAULTS_CHECKS: OptionChecks = {
  origin: [isBase, 'a URL without a query string and a hash']
}

const PROVIDER_CHECKS: OptionChecks = {
  key: [isString, 'the id of the client, as the provider has given it', 'required'],
  token_endpoint_auth_method: [
    (method) => AUTH_METHODS.includes(method),
    `one of ${AUTH_METHODS.join(', ')}`
  ],
  scope: [(scope) => isString(scope) || isStringList(scope), 'a string or an array of strings'],
  // With this option of Grant, any request would change the settings.
  dynamic: [(dynamic) => !dynamic, 'false, because requests must not change settings'],
  redirect_uri: [(uri) => isString(uri) && parseUrl(uri) !== undefined, 'a URL']
}

const ENDPOINT: OptionCheck = [isSafeUrl, 'a URL with https, or with http on this machine']

const PARAM: OptionCheck = [(param) => typeof param === 'string', 'a string']

/** Parameters of the authorization endpoint that every login has its own of. */
const OWN_PARAMS = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method']
]

const OWN_PARAM: OptionCheck = [() => false, 'nothing, because every login has its own']

/** What is asked of an OpenID provider when nothing else is set: who it is, the name and the address. */
const OPENID_SCOPE = ['openid', 'profile', 'email']

/** The path of the service that exchanges codes. */
export const CODE_PATH = 'code'

/** The part of an application that has settings. */
interface Settings {
  get(name: string): unknown
}

/** The settings of a provider, with those of its preset. */
export type ResolvedProvider = Provider & { readonly key: string }

/** The names of the providers that a configuration holds. */
export function getProviderNames(oauth: OAuthConfiguration): string[] {
  return Object.keys(oauth).filter((name) => !Object.hasOwn(CHECKS, name))
}

/**
 * The settings of a provider: its own, over those for all, over those of its preset. The name is from a request: `undefined`
 * for a provider that is not configured.
 */
export function getProvider(name: string, oauth: OAuthConfiguration): ResolvedProvider | undefined {
  if (Object.hasOwn(CHECKS, name) || !Object.hasOwn(oauth, name)) return undefined

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

/** The secret of a client, which some providers want to be made anew each time. */
export function createSecret(settings: ResolvedProvider): string | undefined {
  const { secret } = settings

  return (
    assertSync(settings.createSecret?.(settings), "'createSecret' of a provider has to return a string") ??
    secret
  )
}

/** The origins of the pages that logins lead back to; none when the configuration has another way. */
export function getOrigins({ origins }: OAuthConfiguration, app: Settings): readonly string[] {
  const given = origins ?? app.get('origins')

  if (!Array.isArray(given)) return []

  // Those of the application were not checked with the rest.
  assertOption('the application', 'origins', given, CHECKS.origins as OptionCheck)

  return given
}

/**
 * The URL under which clients reach the server. It is never taken from a request, because clients choose the `Host`. Throws an
 * Error when nothing says what it is.
 */
export function getServerUrl({ defaults }: OAuthConfiguration, app: Settings): string {
  const { origin } = defaults ?? {}

  if (origin) return stripTrailingSlashes(origin)

  const [host, port] = [app.get('host'), app.get('port')]

  if (!host) {
    throw createError(
      'ALULA_UNKNOWN_ORIGIN',
      "The URL of the server is not known: set 'authentication.oauth.defaults.origin', for example to 'https://api.example.org'"
    )
  }
  if (process.env.NODE_ENV === 'production') return `https://${host}`

  return `http://${host}${port ? `:${port}` : ''}`
}

/** Checks the configuration under `oauth`. Throws a TypeError with a sentence that names the option. */
export function assertConfiguration(oauth: unknown): asserts oauth is OAuthConfiguration {
  assertOptions(OWNER, oauth, CHECKS, { others: 'any' })

  const { defaults, email, emailVerified } = oauth as OAuthConfiguration

  assertOptions(OWNER, defaults ?? {}, DEFAULTS_CHECKS, { others: 'any', under: 'defaults' })
  if (emailVerified !== undefined) {
    assertOption(OWNER, 'email', email, [isString, "the name of a field, beside 'emailVerified'"])
  }

  for (const name of getProviderNames(oauth as OAuthConfiguration)) {
    assertProvider(name, oauth as OAuthConfiguration)
  }
}

function assertProvider(name: string, oauth: OAuthConfiguration): void {
  if (name === CODE_PATH || !/^[\w.~-]+$/.test(name)) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid name '${name}' of a provider in ${OWNER}: expected letters and digits, and not '${CODE_PATH}'`
    )
  }

  assertOptions(OWNER, oauth[name], {}, { others: 'any', under: name })

  const settings = getProvider(name, oauth) as ResolvedProvider

  assertOptions(OWNER, settings, PROVIDER_CHECKS, { others: 'any', under: name })
  assertOption(OWNER, `${name}.secret`, createSecret(settings), [
    (secret) => isString(secret) || settings.token_endpoint_auth_method === 'none',
    "the secret of the client, or 'token_endpoint_auth_method' to be 'none' for a client without one",
    'secret'
  ])

  for (const [param, value] of Object.entries(settings.custom_params ?? {})) {
    const check = OWN_PARAMS.includes(param) ? OWN_PARAM : PARAM

    assertOption(OWNER, `${name}.custom_params.${param}`, value, check)
  }

  assertEndpoints(name, settings)
}

const ENDPOINTS = ['authorize_url', 'access_url', 'profile_url'] as const

function assertEndpoints(name: string, settings: ResolvedProvider): void {
  const { issuer, scope } = settings
  const isUnknown = issuer === undefined && ENDPOINTS.every((option) => settings[option] === undefined)

  if (isUnknown && !providers.has(name)) {
    // Grant, which Feathers uses, has presets for some two hundred providers.
    const advice =
      didYouMean(name, [...providers.keys()]) ||
      `: there is no preset of this name. Set '${name}.issuer' for OpenID Connect, as in 'https://id.example.org', or else '${ENDPOINTS.join("', '")}'`

    throw createTypeError('ALULA_UNKNOWN_PROVIDER', `Unknown provider '${name}' of ${OWNER}${advice}`)
  }

  if (issuer === undefined) {
    for (const option of ENDPOINTS) {
      assertOption(OWNER, `${name}.${option}`, settings[option], ENDPOINT)
    }
    return
  }

  assertOption(OWNER, `${name}.issuer`, issuer, ENDPOINT)
  // With this path the document is used unchecked, even if it names another issuer (OpenID Connect Discovery §4.3).
  assertOption(OWNER, `${name}.issuer`, issuer, [
    () => !issuer.includes('/.well-known/'),
    "the issuer, without '/.well-known/' and what follows"
  ])
  assertOption(OWNER, `${name}.scope`, scope, [
    () => toScopes(settings).includes('openid'),
    "'openid' among others, without which the provider does not say who has logged in"
  ])
}

/** What is asked for, one by one. */
export function toScopes({ scope = [], scope_delimiter = ' ' }: ProviderSettings): string[] {
  return [scope].flat().flatMap((scopes) => scopes.split(scope_delimiter))
}

function isOrigins(origins: unknown): boolean {
  return Array.isArray(origins) && origins.every(isOrigin)
}

function isPage(redirect: unknown): boolean {
  return isString(redirect) && (/^\/(?!\/)/.test(redirect) || parseUrl(redirect) !== undefined)
}

function isOrigin(text: unknown): boolean {
  const url = isString(text) ? parseUrl(text) : undefined

  return url?.pathname === '/' && url.search === '' && url.hash === ''
}

/** Whether a path can be appended to it. */
function isBase(text: unknown): boolean {
  const url = isString(text) ? parseUrl(text) : undefined

  return url !== undefined && !/[?#]/.test(url.href)
}
