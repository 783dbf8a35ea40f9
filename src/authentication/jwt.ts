import type { Params, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { parseCookies } from '../utils/cookie.ts'
import type { IncomingRequest } from './base.ts'
import { AuthenticationBaseStrategy, assertOwnService } from './strategy.ts'
import type {
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent
} from './types.ts'

const OPTIONS = ['entity', 'entityId', 'service', 'header', 'schemes', 'cookie']

/** The claim that ties a token to the password hash of its entity, or to what else strategies go by. */
export const FINGERPRINT = 'fingerprint'

/** Authenticates with an access token that the service has made, from a header or in the data of a call. */
export class JWTStrategy extends AuthenticationBaseStrategy {
  /** Entities that were loaded for a call already, by its params. */
  private readonly loaded = new WeakMap<object, any>()

  override get configuration(): any {
    const { service, entity, entityId } = this.auth.configuration

    return {
      service,
      entity,
      entityId,
      header: 'Authorization',
      schemes: ['Bearer', 'JWT'],
      ...super.configuration
    }
  }

  /** @throws Error for an option that the strategy does not know or that has a value it cannot have */
  verifyConfiguration(): void {
    assertOwnService(this)

    const { configuration } = this

    for (const option of Object.keys(configuration)) {
      if (!OPTIONS.includes(option)) {
        throw new Error(
          `Invalid JwtStrategy option 'authentication.${this.name}.${option}'. ` +
            `Did you mean to set it in 'authentication.jwtOptions'?`
        )
      }
    }

    if (typeof configuration.header !== 'string') {
      throw new Error(`The 'header' option for the ${this.name} strategy must be a string`)
    }
    if (!Array.isArray(configuration.schemes)) {
      throw new Error(`The 'schemes' option for the ${this.name} strategy must be an array`)
    }
    if (configuration.cookie !== undefined && !isCookieName(configuration.cookie)) {
      throw new Error(`The 'cookie' option for the ${this.name} strategy must be the name of a cookie`)
    }
  }

  /** The query that the entity is loaded with, for example to load related records. */
  async getEntityQuery(_params: Params): Promise<any> {
    return {}
  }

  /**
   * Loads an entity. For a call from outside it is loaded twice: as the server sees it, and then as the caller may.
   *
   * @throws NotAuthenticated when no entity service is configured
   */
  async getEntity(id: any, params: AuthenticationParams): Promise<any> {
    const { entityService } = this
    const { entity } = this.configuration

    if (entityService === null) throw new NotAuthenticated('Could not find entity service')

    const known =
      this.loaded.get(params) ??
      (await entityService.get(id, { ...withoutProvider(params), query: await this.getEntityQuery(params) }))

    return params.provider ? entityService.get(id, { ...params, [entity]: known }) : known
  }

  /** The id of the entity that a token is for. */
  async getEntityId(result: AuthenticationResult, _params: Params): Promise<any> {
    return result.authentication.payload.sub
  }

  async authenticate(
    authentication: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const { accessToken } = authentication
    const { entity } = this.configuration

    if (!accessToken) throw new NotAuthenticated('No access token')

    const payload = await this.auth.verifyAccessToken(accessToken, params.jwt)
    const result = { accessToken, authentication: { strategy: this.name, accessToken, payload } }

    if (entity === null) return result

    const id = await this.getEntityId(result, params)

    if (!isId(id)) throw new NotAuthenticated('jwt subject missing')

    const current = await this.loadEntity(id, withoutProvider(params))

    await this.assertActive(current, params)
    if (!this.auth.credentials.match(payload[FINGERPRINT], current)) throw new NotAuthenticated('jwt revoked')

    this.auth.credentials.remember(result.authentication, current)

    if (!params.provider) return { ...result, [entity]: current }

    const external = { ...params, [entity]: current }

    this.loaded.set(external, current)

    return { ...result, [entity]: await this.getEntity(id, external) }
  }

  /** Ties new tokens to the password hash as it is now, as long as the strategy that verified it saw the same. */
  async getClaims(
    result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<{ [claim: string]: any }> {
    const { entity, entityId = this.entityService?.id } = this.configuration
    const id = entity && result[entity]?.[entityId]

    if (!isId(id) || !this.auth.credentials.areTracked) return {}

    const { provider, query, ...internal } = params
    const current = await this.loadEntity(id, { ...internal, authenticated: true })
    const verified = this.auth.credentials.recall(result.authentication)

    // The password was changed, or taken away, while it was compared.
    if (verified && !this.auth.credentials.areSame(verified, current))
      throw new NotAuthenticated('Invalid login')

    const fingerprints = this.auth.credentials.toFingerprints(current)

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

    const { scheme, credentials } = splitHeader(value)

    if (scheme === undefined) return { strategy: this.name, accessToken: credentials }
    if (!schemes.some((known: string) => scheme.includes(known.toLowerCase()))) return null

    return { strategy: this.name, accessToken: credentials }
  }

  async handleConnection(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result: AuthenticationResult = {}
  ): Promise<void> {
    const { accessToken } = result
    const { entity } = this.configuration

    if (event === 'login' && accessToken) {
      const payload = result.authentication?.payload ?? (await this.auth.verifyAccessToken(accessToken))
      const authentication = { strategy: this.name as string, accessToken }

      await this.auth.startSession(connection, authentication, payload, this.toEntity(result, payload))

      connection.authentication = authentication
      if (entity) connection[entity] = result[entity]
    } else if (event === 'disconnect' || isLogoutOf(connection, event, accessToken)) {
      this.auth.stopSession(connection)

      // Listeners of `disconnect` still see whose connection it was.
      await new Promise((resolve) => process.nextTick(resolve))

      if (entity) delete connection[entity]
      delete connection.authentication
    }
  }

  /** Where the entity of a token is; `undefined` for a token without one. */
  private toEntity(
    result: AuthenticationResult,
    payload: { [claim: string]: any }
  ): { path: string; id: unknown } | undefined {
    const { entity, service: path, entityId = this.entityService?.id } = this.configuration

    if (!entity || !path) return undefined

    return { path, id: result[entity]?.[entityId] ?? payload.sub }
  }

  /** Loads the entity as the server sees it. That it is gone is no matter of the service that was called. */
  private async loadEntity(id: unknown, params: AuthenticationParams): Promise<any> {
    try {
      return await this.getEntity(id, params)
    } catch (error: any) {
      if (error?.code === 404) throw new NotAuthenticated('The entity of the access token does not exist')
      throw error
    }
  }

  private async assertActive(entity: any, params: AuthenticationParams): Promise<void> {
    if (!(await this.auth.isActive(entity, params))) {
      throw new NotAuthenticated('The entity of the access token is not active')
    }
  }
}

/** The params of a call by the server itself. Those that have no provider already are not copied. */
function withoutProvider(params: AuthenticationParams): AuthenticationParams {
  if (!params.provider) return params

  const { provider, ...internal } = params

  return internal
}

/** Cut by hand: an expression that looks for the parts can take time that grows with the square of the spaces. */
function splitHeader(value: string): { scheme?: string; credentials: string } {
  const text = value.trim()
  const end = text.search(/\s/)

  if (end === -1) return { credentials: text }

  return { scheme: text.slice(0, end).toLowerCase(), credentials: text.slice(end).trim() }
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

function isId(id: unknown): boolean {
  return (typeof id === 'string' && id !== '') || typeof id === 'number'
}
