import type { Params } from '../core/types.ts'
import type { LoginBudgetOptions } from '../login-budget/options.ts'
import type { RefreshOptions } from '../sessions/options.ts'
import type { RevocationStore } from './revocation.ts'
import type { Secret } from './secret-keys.ts'

export type { ConnectionEvent } from '../authentication-hooks/connection.ts'
export type { AuthenticationRequest } from '../core/types.ts'

/** What a strategy returns for a request that is valid: usually the entity, and what it went by. */
export interface AuthenticationResult {
  [key: string]: any
}

/** The params of a call of the authentication service. Only `query` can come from a client. */
export interface AuthenticationParams extends Params {
  /** The payload of the access token. */
  payload?: { [key: string]: any }
  /** Options for the access token, over those of the configuration. */
  jwtOptions?: JwtOptions
  /** The strategies that may create an access token, instead of those of the configuration. */
  authStrategies?: string[]
  /** Another secret for the access token. */
  secret?: string
  /** Whether the login begins a session, whatever its data and the configuration say. With `false` it also ends none. */
  refresh?: boolean
  [key: string]: any
}

/**
 * What an access token is signed and verified with: the options of the package `jsonwebtoken`, which refuses most of them
 * when they are `undefined`. Leave them out.
 */
export interface JwtOptions {
  /** Further names in the header (RFC 7515). `typ` is checked. */
  header?: { [name: string]: any }
  /** `aud`: who the token is for. */
  audience?: string | string[]
  /** `iss`: who made the token. */
  issuer?: string | string[]
  /** `sub`: the id of the entity. */
  subject?: string
  /** `jti`; a random one when left out. */
  jwtid?: string
  /** `kid`. */
  keyid?: string
  /** The algorithm, or several for tokens that were signed before it was changed; the first one signs. */
  algorithm?: string | string[] | undefined
  /** For how long the token is valid: seconds, a duration like `'1h'`, or `'never'` for no end; a day when left out. */
  expiresIn?: string | number | undefined
  [option: string]: any
}

/** Options for verifying a token. */
export interface JwtVerifyOptions extends JwtOptions {
  /** The algorithms to accept; `algorithm` when left out. */
  algorithms?: string[] | undefined
  /** How many seconds a clock may be wrong. */
  clockTolerance?: number | undefined
  /** Whether a token that has expired is accepted. */
  ignoreExpiration?: boolean | undefined
}

/** The configuration of an authentication service: the setting `authentication`. */
export interface AuthenticationConfiguration {
  /**
   * What tokens are signed with. Required. A key in PEM for the algorithms that are not HMAC. In a list the first one signs, and
   * what was made with a later one stays valid.
   */
  secret?: Secret | undefined
  /** The path of the service that holds the entities. */
  service?: string | undefined
  /** Under which name the entity is in results and on params, usually `user`; `null` for tokens without an entity. */
  entity?: string | null | undefined
  /** The name of the id of an entity; that of the entity service when left out. */
  entityId?: string | undefined
  /** The strategies that may create an access token. */
  authStrategies: string[]
  /** The strategies that look for credentials in requests; `authStrategies` when left out. */
  parseStrategies?: string[] | undefined
  /** Replaces the default as a whole. */
  jwtOptions?: JwtOptions | undefined
  /** Whether an entity may log in and be logged in; everyone may when left out. */
  isActive?: ((entity: any, params: AuthenticationParams) => boolean | Promise<boolean>) | undefined
  /**
   * Where revoked tokens are remembered; in the memory of the process when left out. `false` switches revocation
   * off: a token is good until it expires, as in Feathers v5.
   */
  revocation?: false | RevocationStore | undefined
  /** The path of the service, of an adapter, that keeps codes with digits. */
  codes?: string | undefined
  /** How many logins may fail; `false` for as many as clients like. */
  budget?: false | LoginBudgetOptions | undefined
  /** Logins that last, and are refreshed; off when left out. */
  refresh?: RefreshOptions | undefined
  /** The configuration of the strategies by their name, and options of your own. */
  [key: string]: any
}
