/** The profile of a user at a provider. */
export interface OAuthProfile {
  /** The id, in OpenID Connect. */
  sub?: string | number
  /** The id, elsewhere. */
  id?: string | number
  email?: string
  /** Whether the provider has seen that the address belongs to the one who has logged in. */
  email_verified?: boolean
  [claim: string]: any
}

/** The record that logs in, usually a user. It has the type of the application: strategies that override methods name it. */
export type Entity = any

/** What an OAuth strategy authenticates with: the profile, and what the provider has sent. */
export interface OAuthData {
  strategy: string
  profile: OAuthProfile
  access_token: string
  refresh_token?: string
  id_token?: string
  /** The response of the provider to the exchange of the code. */
  raw?: { [name: string]: any }
  [name: string]: any
}

/** The query of a callback. It comes from the browser, and may hold anything. */
export interface CallbackQuery {
  readonly [name: string]: unknown
}

/** How to reach a provider. What is left out comes from the preset of that name, if there is one. */
export interface ProviderSettings {
  /** The id of the client. */
  key?: string
  /** The secret of the client. A client without one has `'none'` as its `token_endpoint_auth_method`. */
  secret?: string
  /** The issuer of an OpenID Connect provider; all else is found there. */
  issuer?: string
  /** The authorization endpoint of a provider without OpenID Connect. */
  authorize_url?: string
  /** The token endpoint. */
  access_url?: string
  /** Where the profile is. */
  profile_url?: string
  /** What is asked for. */
  scope?: string | readonly string[]
  /** What stands between scopes; a space when left out. */
  scope_delimiter?: string
  /** Further parameters for the authorization endpoint. */
  custom_params?: { readonly [name: string]: string }
  /** How the client proves who it is, as registered: `client_secret_basic`, `client_secret_post` or `none`. */
  token_endpoint_auth_method?: string
  /** The callback, as it is registered at the provider; that of the prefix when left out. */
  redirect_uri?: string
  /** Further options, for strategies of your own. */
  [option: string]: any
}

/** How the access token gets to the page. */
export type TokenDelivery = 'hash' | 'code' | 'cookie'

/** The configuration under `oauth` of an authentication service: what is said here, and the providers by name. */
export interface OAuthConfiguration {
  /** Where the browser goes after a login: a URL, or a path on the server. For several, `origins`. */
  redirect?: string
  /** The origins of the pages from which a login may be started, and to which it leads back. */
  origins?: readonly string[]
  /** What the paths begin with; `oauth` when left out. */
  prefix?: string
  /** What holds for all providers, and `origin`: the URL under which clients reach the server. */
  defaults?: ProviderSettings & { readonly origin?: string; readonly prefix?: string }
  /**
   * How the access token gets to the page: in its hash, as a code that is exchanged once, or in a cookie that scripts
   * cannot read; `hash` when left out.
   */
  delivery?: TokenDelivery
  /** The name of the e-mail address of an entity, to find users who have an account already. */
  email?: string
  /** The name of the field of an entity that says that its e-mail address was verified. */
  emailVerified?: string
  [provider: string]: any
}
