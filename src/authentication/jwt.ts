import type { Params, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import { getServiceSlots } from '../utils/call-state.ts'
import { hasCode, isGiven } from '../utils/check.ts'
import { parseCookies } from '../utils/cookie.ts'
import { createError } from '../utils/developer-error.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { copyWith } from '../utils/object.ts'
import { toEntityName } from './connection-logins.ts'
import { getRunningCall } from './connections.ts'
import { type EntityPlace, withoutProvider } from './entities.ts'
import { assertIssuers, assertJose, Issuers, type TokenIssuer } from './issuers.ts'
import { REFRESH } from './session-users.ts'
import type { StrategySettings } from './settings.ts'
import type { IncomingRequest } from './strategies.ts'
import { AuthenticationBaseStrategy, assertOwnService } from './strategy.ts'
import { toExpiration, toTokenId } from './tokens.ts'
import type {
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent
} from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Whose tokens count in place of those of the option `issuers`, for a resource with issuers of its own. */
    readonly resourceIssuers?: readonly TokenIssuer[]
  }
}

const OPTION_NAMES = ['entity', 'entityId', 'service', 'header', 'schemes', 'cookie', 'issuers']

/** The claim that ties a token to the password hash of its entity, or to what else strategies go by. */
export const FINGERPRINT = 'fingerprint'

/** Authenticates with an access token that the service has made, from a header or in the data of a call. */
export class JWTStrategy extends AuthenticationBaseStrategy {
  /** Whether `get` shows the server the hash that `find` has shown; unknown until a login has compared them. */
  private showsCredentials: boolean | undefined
  private readonly issuers = new Issuers()

  override get configuration(): any {
    const { service, entity, entityId, [this.name as string]: own } = this.auth.configuration

    return { service, entity, entityId, header: 'Authorization', schemes: ['Bearer', 'JWT'], ...own }
  }

  /** @throws Error for an option that the strategy does not know or that has a value it cannot have */
  verifyConfiguration(): void {
    assertOwnService(this)

    const { configuration } = this

    for (const option of Object.keys(configuration)) {
      if (!OPTION_NAMES.includes(option)) {
        throw createError(
          'ALULA_UNKNOWN_OPTION',
          `Invalid JwtStrategy option 'authentication.${this.name}.${option}'. ` +
            `Did you mean to set it in 'authentication.jwtOptions'?`
        )
      }
    }

    const { header, schemes, cookie } = configuration
    const checks = [
      ['header', typeof header === 'string', 'a string'],
      ['schemes', Array.isArray(schemes), 'an array'],
      ['cookie', cookie === undefined || isCookieName(cookie), 'the name of a cookie']
    ] as const

    for (const [option, isValid, expected] of checks) {
      if (!isValid) {
        throw createError(
          'ALULA_INVALID_OPTION',
          `The '${option}' option for the ${this.name} strategy must be ${expected}`
        )
      }
    }

    if (configuration.issuers !== undefined) {
      const own = [this.auth.configuration.jwtOptions?.issuer].flat()

      assertIssuers(`the '${this.name}' strategy`, configuration.issuers, own, configuration.entity !== null)
    }
  }

  /** @throws Error with the option `issuers`, when the package `jose` is missing */
  async setup(): Promise<void> {
    if (this.configuration.issuers?.length > 0) await assertJose()
  }

  /** The query that the entity is loaded with, for example to load related records. */
  async getEntityQuery(_params: Params): Promise<any> {
    return {}
  }

  /**
   * Loads an entity. For an external call it is loaded twice: as the server sees it, unless it is on the params already,
   * and then as the caller may.
   *
   * @throws NotAuthenticated when no entity service is configured
   */
  async getEntity(id: any, params: AuthenticationParams): Promise<any> {
    const { entities } = this.auth
    const settings = this.getSettings(params)
    const { entityService: service } = settings
    const { entity: name } = settings.configuration

    if (service === null) throw new NotAuthenticated('Could not find entity service')

    const place: EntityPlace = { service, id, name }
    const known = params.provider ? params[name] : undefined
    const isKnown = known && String(known[settings.idName]) === String(id)
    const entity = isKnown ? known : await entities.load(place, params, await this.getEntityQuery(params))

    return params.provider ? entities.show(place, params, entity) : entity
  }

  /** The id of the entity that a token is for. */
  async getEntityId(result: AuthenticationResult, _params: Params): Promise<any> {
    return result.authentication.payload.sub
  }

  async authenticate(
    authentication: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const { auth } = this
    const { connections, sessionLogins, entities } = auth
    const { accessToken } = authentication
    const settings = this.getSettings(params)
    const { entity, issuers } = settings.configuration
    const { resourceIssuers = issuers } = getServiceSlots(params, auth.strategies)

    if (!accessToken) throw new NotAuthenticated('No access token')

    const issuer = this.issuers.find(resourceIssuers, accessToken)

    if (issuer) return this.authenticateForeign(issuer, accessToken, settings, params)

    // Most calls have no connection, and nothing to wait for.
    if (params.connection) await connections.checkSession(authentication, params.connection)

    const options = connections.toVerifyOptions(authentication, params)
    const payload = await auth.verifyAccessToken(accessToken, options)
    const session = getSessionClaim(payload)
    const result = { accessToken, authentication: { strategy: this.name, accessToken, payload } }

    // What the server keeps for a connection shows nothing of what its client has received.
    if (session && !connections.isHeld(authentication, params.connection)) await sessionLogins.see(session)

    if (entity === null) return result

    const id = await this.getEntityId(result, params)
    const current = await this.admit(id, payload[FINGERPRINT], params)
    const shown = await this.showEntity(id, current, params)

    return entities.setVerified(copyWith(result, { [entity]: shown }), current)
  }

  /**
   * Loads the entity of a login that goes on.
   *
   * @param id Its id
   * @param fingerprints What it had to go by when the login began
   * @param params Those of the call
   * @returns The entity as the server sees it
   * @throws NotAuthenticated when it is gone or not active, or has other credentials
   */
  async admit(id: unknown, fingerprints: unknown, params: AuthenticationParams): Promise<any> {
    if (!isSubject(id)) throw new NotAuthenticated('jwt subject missing')

    const { auth } = this
    const current = await this.loadEntity(id, params)

    if (!(await auth.isActive(current, params))) {
      throw new NotAuthenticated('The entity of the access token is not active')
    }
    if (!auth.entities.hasFingerprints(current, fingerprints, params)) {
      throw new NotAuthenticated('jwt revoked')
    }

    return current
  }

  /**
   * The entity of a login that goes on as the caller may see it.
   *
   * @param id Its id
   * @param current The entity as the server sees it
   * @param params Those of the call
   * @throws What hooks of the entity service throw
   */
  async showEntity(id: unknown, current: any, params: AuthenticationParams): Promise<any> {
    if (!params.provider) return current

    const { entity } = this.getSettings(params).configuration

    return this.getEntity(id, copyWith(params, { [entity]: current }))
  }

  /** Ties new tokens to the password hash that was verified, as long as that is still the one of the entity. */
  async getClaims(
    result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<{ [claim: string]: any }> {
    const { entities } = this.auth
    const settings = this.getSettings(params)
    const { entity } = settings.configuration
    const id = entity && result[entity]?.[settings.idName]

    if (!isGiven(id) || !entities.areTied(params)) return {}

    const name = toNameAmongLogins(settings, id)
    const fingerprints = entities.toFingerprints(await this.getCurrent(id, name, result, params), params)

    return fingerprints ? { [FINGERPRINT]: fingerprints } : {}
  }

  /**
   * Finds `Authorization: Bearer <token>`, or the header and schemes of the configuration; and without that header the
   * cookie, when the configuration names one.
   */
  async parse({ headers }: IncomingRequest): Promise<AuthenticationRequest | null> {
    const { header, schemes, cookie } = this.configuration
    const value = headers?.[header.toLowerCase()]

    if (typeof value !== 'string' || value.trim() === '') {
      const accessToken = cookie && parseCookies(headers?.cookie).get(cookie)

      return accessToken ? { strategy: this.name, accessToken } : null
    }

    // Cut by hand: an expression that looks for the parts can take time that grows with the square of the spaces.
    const text = value.trim()
    const end = text.search(/\s/)
    const scheme = text.slice(0, Math.max(end, 0)).toLowerCase()

    if (scheme && !schemes.some((known: string) => scheme.includes(known.toLowerCase()))) return null

    return { strategy: this.name, accessToken: text.slice(end + 1).trim() }
  }

  /** A signature cannot be guessed: tokens that are no longer valid do not count as failed logins. */
  get isGuessable(): boolean {
    return false
  }

  /** Whether a cookie may hold the token. A class that looks for tokens itself may read any. */
  get readsCookies(): boolean {
    const { cookie, header } = this.configuration

    return Boolean(cookie) || header.toLowerCase() === 'cookie' || this.parse !== JWTStrategy.prototype.parse
  }

  async handleConnection(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result: AuthenticationResult = {}
  ): Promise<void> {
    const { accessToken } = result
    // The event may be the end of a connection, which is no call.
    const settings = this.getSettings(undefined)
    const { entity } = settings.configuration

    if (event === 'login' && accessToken) {
      const payload = result.authentication?.payload ?? (await this.auth.verifyAccessToken(accessToken))
      const authentication = { strategy: this.name as string, accessToken }
      const isForeign = this.issuers.find(settings.configuration.issuers, accessToken) !== undefined
      const session = isForeign ? undefined : getSessionClaim(payload)
      // What clients get may lack the id.
      const toEntity = (found: AuthenticationResult) => {
        const user = this.auth.entities.getVerified(found) ?? found[entity]

        return toNameAmongLogins(settings, user?.[settings.idName] ?? payload.sub)
      }

      await this.auth.connections.start(connection, {
        tokenId: toTokenId(accessToken, isForeign ? {} : payload),
        entity: toEntity(result),
        toEntity,
        authentication,
        session,
        expiresAt: session
          ? this.auth.sessionLogins.toNextCheck(session.end * 1000)
          : toExpiration(payload, isForeign ? {} : (this.auth.configuration.jwtOptions ?? {}))
      })

      connection.authentication = authentication
      if (entity) connection[entity] = result[entity]
    } else if (event === 'disconnect' || isLogoutOf(connection, event, accessToken)) {
      this.auth.connections.stop(connection)

      // Listeners of `disconnect` still see whose connection it was.
      await new Promise((resolve) => process.nextTick(resolve))

      if (entity) delete connection[entity]
      delete connection.authentication
    }
  }

  /** Authenticates with a token that another has made. */
  private async authenticateForeign(
    issuer: TokenIssuer,
    accessToken: string,
    settings: StrategySettings,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const { tokens, entities } = this.auth
    const { entity } = settings.configuration
    const token = await this.issuers.verify(issuer, accessToken)
    const { payload } = token
    const result = { accessToken, authentication: { strategy: this.name, accessToken, payload } }

    tokens.foreign.set(result.authentication, token)
    if (await tokens.isRevoked(token.id)) throw new NotAuthenticated('jwt revoked')
    if (entity === null) return result

    // That there is none is no matter of the service that was called.
    const user = await findOrNothing(async () => issuer.toUser?.(payload, params))
    const id = user?.[settings.idName]

    if (!isGiven(id)) {
      throw new NotAuthenticated('The entity of the access token does not exist')
    }
    if (!(await this.auth.isActive(user, params))) {
      throw new NotAuthenticated('The entity of the access token is not active')
    }

    const shown = await this.showEntity(id, user, params)

    return entities.setVerified(copyWith(result, { [entity]: shown }), user)
  }

  /**
   * The entity of a new token. The one that was verified is loaded again when it may have changed since, and when a token has
   * to be tied to what only `getEntity` of this strategy shows. Throws NotAuthenticated for credentials that were changed, or
   * taken away, while they were verified.
   */
  private async getCurrent(
    id: unknown,
    name: string | undefined,
    result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<any> {
    const { auth } = this
    const verified = auth.entities.getVerified(result)

    // Changes are seen from the set-up on.
    const call = getRunningCall(auth, params)
    const isFresh = verified && auth.isReady && call && !call.hasChanged(name)

    if (isFresh && this.showsCredentials) return verified

    // As with the new token: a subclass with `getEntity` may expect its subject, which is a string.
    const ownId = this.getEntityId === JWTStrategy.prototype.getEntityId ? String(id) : id
    const current = await this.loadEntity(ownId, copyWith(params, { authenticated: true, query: {} }))

    if (verified && !auth.entities.haveSameCredentials(verified, current, params)) {
      throw new NotAuthenticated('Invalid login')
    }

    // Hooks, and the query of a subclass, may show less. What a refresh has verified was read by `get` too.
    if (verified && result.authentication?.strategy !== REFRESH)
      this.showsCredentials ??= auth.entities.haveSameCredentials(current, verified, params)

    return current
  }

  /** Loads the entity as the server sees it. That it is gone is no matter of the service that was called. */
  private async loadEntity(id: unknown, params: AuthenticationParams): Promise<any> {
    try {
      return await this.getEntity(id, withoutProvider(params))
    } catch (error) {
      if (hasCode(error, 404)) throw new NotAuthenticated('The entity of the access token does not exist')
      throw error
    }
  }
}

/** The name of an entity among logins; `undefined` for tokens without an entity. */
function toNameAmongLogins({ configuration }: StrategySettings, id: unknown): string | undefined {
  const { entity, service } = configuration

  return entity && service ? toEntityName(service, id) : undefined
}

function isLogoutOf(connection: RealTimeConnection, event: ConnectionEvent, accessToken: unknown): boolean {
  return (
    event === 'logout' &&
    connection.authentication !== undefined &&
    connection.authentication.accessToken === accessToken
  )
}

function isCookieName(name: unknown): boolean {
  return typeof name === 'string' && /^[\w-]+$/.test(name)
}

function isSubject(id: unknown): boolean {
  return (typeof id === 'string' && id !== '') || typeof id === 'number'
}
