import type { Secret } from '../authentication/secret-keys.ts'
import { AuthenticationBaseStrategy, assertOwnService } from '../authentication/strategy.ts'
import type {
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult
} from '../authentication/types.ts'
import type { Query } from '../core/types.ts'
import { Conflict, NotAuthenticated } from '../errors.ts'
import { hasCode } from '../utils/check.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { KeyedMutex } from '../utils/keyed-mutex.ts'
import { sealCode } from './code.ts'
import { assertConfiguration, getOrigins, getPrefix } from './options.ts'
import { findOrigin, toPage, withResult } from './redirect.ts'
import type { Entity, OAuthConfiguration, OAuthProfile } from './types.ts'

/** The params of a login through a provider. */
export interface OAuthParams extends AuthenticationParams {
  /** Proof that the provider was asked: only the callback of a flow that was started here sets it. */
  oauth?: {
    readonly provider: string
    /** The id of the entity that was logged in when the flow began. */
    readonly entityId?: string | number | undefined
  }
  /** The path that the browser goes to afterwards. */
  redirect?: string
}

/**
 * Logs in users who have logged in at a provider. It is registered under the name of the provider, and configured
 * under `authentication.oauth` by that name. Its methods may be overridden one by one.
 *
 * @example
 * authentication.register('github', new OAuthStrategy())
 * app.configure(oauth())
 */
export class OAuthStrategy extends AuthenticationBaseStrategy {
  /** The logins that are on their way, by the id at the provider. */
  private readonly turns = new KeyedMutex<string>()

  /** The settings of the provider, and those of the entity. */
  override get configuration(): any {
    const { entity, service, entityId } = this.auth.configuration

    return { entity, service, entityId, ...this.oauth[this.name as string] }
  }

  /** The name of the id of an entity. */
  get entityId(): string {
    const { entityId } = this.configuration

    return entityId || this.entityService?.id
  }

  /** @throws Error with a sentence that names the option */
  verifyConfiguration(): void {
    assertOwnService(this)
    if (this.auth.configuration.oauth !== undefined) assertConfiguration(this.auth.configuration.oauth)
  }

  /** No client can guess what a provider says. */
  get isGuessable(): boolean {
    return false
  }

  /**
   * The profile of the user at the provider.
   *
   * @param data The response of the provider: the `profile`, its tokens, and all of it as `raw`
   */
  async getProfile(data: AuthenticationRequest, _params: OAuthParams): Promise<OAuthProfile> {
    return data.profile
  }

  /** The query that finds the entity of a profile. */
  async getEntityQuery(profile: OAuthProfile, _params: OAuthParams): Promise<Query> {
    return { [this.idField]: toId(profile) }
  }

  /**
   * What is stored of a profile: the id, and for a new entity the e-mail address, when the configuration says where, and
   * when it was verified. Otherwise a user could have an account under the address of another person.
   *
   * @param existing The entity that there is; `null` for a new one
   */
  async getEntityData(
    profile: OAuthProfile,
    existing: Entity | null,
    _params: OAuthParams
  ): Promise<Partial<Entity>> {
    const { email, emailVerified } = this.oauth
    const data = { [this.idField]: toId(profile) }

    if (existing || !email || !isAddress(profile.email) || profile.email_verified !== true) return data

    // As it is looked for: another provider may write the same address in another way.
    return { ...data, [email]: toLowerCase(profile.email), ...(emailVerified && { [emailVerified]: true }) }
  }

  /** Finds the entity of a profile; `null` when there is none. */
  async findEntity(profile: OAuthProfile, params: OAuthParams): Promise<Entity | null> {
    return this.findOne(await this.getEntityQuery(profile, params), params)
  }

  /** Creates an entity for a profile. */
  async createEntity(profile: OAuthProfile, params: OAuthParams): Promise<Entity> {
    const data = await this.getEntityData(profile, null, params)

    return this.entityService.create(data, withoutQuery(params))
  }

  /** Notes on an entity what its profile says now. */
  async updateEntity(entity: Entity, profile: OAuthProfile, params: OAuthParams): Promise<Entity> {
    const data = await this.getEntityData(profile, entity, params)

    return this.entityService.patch(entity[this.entityId], data, withoutQuery(params))
  }

  /** Whether an entity belongs to a profile already, however it was found. */
  async isLinked(entity: Entity, profile: OAuthProfile): Promise<boolean> {
    const id = entity[this.idField]

    return id !== undefined && id !== null && String(id) === String(toId(profile))
  }

  /** The entity that was logged in when the flow began; `null` when there was none. */
  async getCurrentEntity({ oauth, ...params }: OAuthParams): Promise<Entity | null> {
    const { authentication } = params
    const id = oauth?.entityId

    if (id !== undefined) {
      const entity = await findOrNothing(() => this.entityService.get(id, withoutQuery(params)))

      if (!entity) throw new NotAuthenticated('The account to connect no longer exists')

      return entity
    }
    if (oauth || !authentication?.strategy) return null

    // A call by the server itself, as in Feathers v5.
    const result = await this.auth.authenticate(authentication, params, authentication.strategy)

    return result[this.configuration.entity] ?? null
  }

  /** The entity as the caller may see it: for an external call it is loaded as one, with the hooks for that. */
  async getEntity(result: Entity, params: OAuthParams): Promise<Entity> {
    const id = result[this.entityId]

    if (id === undefined) throw new NotAuthenticated('Could not get OAuth entity')

    const { entityService: service, configuration } = this

    return this.auth.entities.show({ service, id, name: configuration.entity }, withoutQuery(params), result)
  }

  /**
   * The URL of the page that a login leads back to, without a path: the origin of the page that it was started from,
   * or else the first one that is allowed.
   *
   * @returns `null` when none is configured
   * @throws NotAuthenticated when the login was started from another page
   */
  async getAllowedOrigin(params: OAuthParams = {}): Promise<string | null> {
    const origins = getOrigins(this.oauth, this.auth.app)
    const [first] = origins
    const { referer } = params.headers ?? {}

    if (first === undefined) return this.oauth.redirect ?? null
    if (!referer) return first

    const origin = findOrigin(origins, String(referer))

    if (origin === undefined) {
      throw new NotAuthenticated("The login was started from a page whose origin is not among the 'origins'")
    }

    return origin
  }

  /**
   * Where the browser goes after a login, with what the page needs to know of it.
   *
   * @param data The result, or an error
   * @param params With the path as `redirect`
   * @returns `null` when no page is configured
   */
  async getRedirect(data: AuthenticationResult | Error, params: OAuthParams = {}): Promise<string | null> {
    const page = await this.getAllowedOrigin(params)

    return page && withResult(toPage(page, params.redirect), this.toParameters(data))
  }

  /**
   * Finds, creates or connects the entity of a profile.
   *
   * @param authentication What the provider has sent
   * @param originalParams The params of the call; for an external one with what the callback has set as `oauth`
   * @throws NotAuthenticated for an external call that is not the callback of a flow, and for an account that may not
   * be linked; Conflict for a profile of another user
   */
  async authenticate(
    authentication: AuthenticationRequest,
    originalParams: OAuthParams
  ): Promise<AuthenticationResult> {
    const { entity } = this.configuration

    // What a request says of itself is not what a provider says.
    if (originalParams.provider && originalParams.oauth?.provider !== this.name) {
      throw new NotAuthenticated(`Login with '${this.name}' begins at /${getPrefix(this.oauth)}/${this.name}`)
    }

    const { provider, ...params } = originalParams
    const profile = await this.getProfile(authentication, params)

    // An empty query would match any user.
    if (!isId(profile && toId(profile))) throw new NotAuthenticated('The profile has no id')

    const result = { authentication: { strategy: this.name } }

    if (entity === null) return result
    if (this.entityService === null) throw new NotAuthenticated('Could not find entity service')

    // Each looks for an entity first, and creates one when there is none.
    const found = await this.turns.run(String(toId(profile)), () => this.findOrCreate(profile, params))

    return { ...result, [entity]: await this.getEntity(found, originalParams) }
  }

  private get oauth(): OAuthConfiguration {
    return this.auth.configuration.oauth ?? {}
  }

  /** The field of an entity that holds the id at the provider. */
  private get idField(): string {
    return `${this.name}Id`
  }

  private async findOrCreate(profile: OAuthProfile, params: OAuthParams, attempts = 2): Promise<Entity> {
    const current = await this.getCurrentEntity(params)
    const found = await this.findEntity(profile, params)

    if (found && (await this.isLinked(found, profile))) {
      if (current && String(current[this.entityId]) !== String(found[this.entityId])) {
        throw new Conflict(`This account of '${this.name}' belongs to another user`)
      }

      return this.updateActive(found, profile, params)
    }

    if (current) return this.updateActive(current, profile, params)

    const owner = found ?? (await this.findByEmail(profile, params))

    if (owner) {
      if (this.isVerified(owner, profile)) return this.updateActive(owner, profile, params)

      throw new NotAuthenticated(
        `There is an account with this e-mail address already. Log in to it, and connect '${this.name}' from there`
      )
    }

    try {
      return await this.createEntity(profile, params)
    } catch (error) {
      if (!hasCode(error, 409) || attempts === 1) throw error

      // Another process, or another provider, was faster.
      return this.findOrCreate(profile, params, attempts - 1)
    }
  }

  /** Updates the account only if its user may log in. */
  private async updateActive(entity: Entity, profile: OAuthProfile, params: OAuthParams): Promise<Entity> {
    if (!(await this.auth.isActive(entity, params)))
      throw new NotAuthenticated('Invalid authentication information')

    return this.updateEntity(entity, profile, params)
  }

  /**
   * The user has proved to own the address, here and at the provider, so the account is not made in the name of another
   * person. But an address can change its owner, so an entity that is connected to another account at the provider is
   * not linked (OpenID Connect Core §5.7).
   */
  private isVerified(entity: Entity, profile: OAuthProfile): boolean {
    const { email, emailVerified } = this.oauth
    const isConnected = (entity[this.idField] ?? null) !== null

    if (isConnected || !email || !emailVerified || !isAddress(profile.email)) return false

    return (
      profile.email_verified === true &&
      entity[emailVerified] === true &&
      toLowerCase(String(entity[email])) === toLowerCase(profile.email)
    )
  }

  private async findByEmail(profile: OAuthProfile, params: OAuthParams): Promise<Entity | null> {
    const { email } = this.oauth

    if (!email || !isAddress(profile.email)) return null

    const spellings = [...new Set([profile.email, toLowerCase(profile.email)])]

    return this.findOne({ [email]: { $in: spellings }, $limit: 1 }, params)
  }

  private async findOne(query: object, params: OAuthParams): Promise<Entity | null> {
    const result = await this.entityService.find({ ...params, query })
    const [entity = null] = Array.isArray(result) ? result : result.data

    return entity
  }

  private toParameters(data: { accessToken?: string; message?: string }): { [name: string]: string } {
    const { accessToken, message } = data

    if (!accessToken) return { error: message || 'OAuth Authentication not successful' }

    switch (this.oauth.delivery) {
      case 'cookie':
        return {}
      case 'code':
        return { oauth_code: sealCode(accessToken, this.auth.configuration.secret as Secret) }
      default:
        return { access_token: accessToken }
    }
  }
}

function toId({ sub, id }: OAuthProfile): unknown {
  return sub || id
}

/** Beyond the safe integers one number would stand for several. The longest text is that of OpenID Connect Core §2. */
function isId(id: unknown): boolean {
  return (typeof id === 'string' && id !== '' && id.length <= 255) || Number.isSafeInteger(id)
}

/** One address, and no longer than mail can be sent to (RFC 5321 §4.5.3.1.3). */
function isAddress(email: unknown): email is string {
  return typeof email === 'string' && email.length <= 254 && /^[^\s,@\p{Cc}]+@[^\s,@\p{Cc}]+$/u.test(email)
}

/** Of ASCII alone: other letters have lower cases that are those of ASCII, which are other addresses. */
function toLowerCase(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function withoutQuery({ query, ...params }: OAuthParams): OAuthParams {
  return params
}
