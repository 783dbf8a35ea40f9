import { randomBytes } from 'node:crypto'
import { reportError } from '../core/events.ts'
import type { Params, Query } from '../core/types.ts'
import { BadRequest, NotAuthenticated } from '../errors.ts'
import { getServiceSlots } from '../utils/call-state.ts'
import { hasCode, isFunction } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith, fillDefaults, getPath } from '../utils/object.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { assertSync } from '../utils/promise.ts'
import { getRunningCall } from './connections.ts'
import { toInternal, withoutProvider } from './entities.ts'
import { BcryptHasher, type Hasher, isCost } from './hasher.ts'
import type { StrategySettings } from './settings.ts'
import { warnOfShownPassword } from './shown-passwords.ts'
import { AuthenticationBaseStrategy, assertOwnService } from './strategy.ts'
import type { AuthenticationParams, AuthenticationRequest, AuthenticationResult } from './types.ts'

/** How long a username or a password may be, in UTF-16 units: hashing a longer one would take long. */
const MAX_CREDENTIAL = 4096

const CHECKS: OptionChecks = {
  hashSize: [isCost, 'an integer from 4 to 31', 'required'],
  hasher: [isHasher, "an object with 'hash' and 'compare'"]
}

/**
 * Authenticates with a username and a password. Whatever is wrong with them, the response is the same, and takes as
 * long: it does not tell whether there is such a user (OWASP ASVS 5.0, 6.3.8).
 */
export class LocalStrategy extends AuthenticationBaseStrategy {
  private bcrypt?: BcryptHasher
  /** For hashers of others, a hash to compare with when there is no user. */
  private dummy?: { readonly hasher: Hasher; readonly hash: Promise<string> }

  /** @throws Error when a field name is missing, or an option has a value that it cannot have */
  verifyConfiguration(): void {
    assertOwnService(this)

    const config = this.configuration

    for (const option of ['usernameField', 'passwordField']) {
      if (typeof config[option] !== 'string') {
        throw createError(
          'ALULA_MISSING_OPTION',
          `'${this.name}' authentication strategy requires a '${option}' setting`
        )
      }
    }

    assertOptions(`the '${this.name}' strategy`, config, CHECKS, { others: 'any' })
  }

  async setup(): Promise<void> {
    const { configuration, entityService } = this.getSettings(undefined)
    const { service, entityPasswordField } = configuration

    if (entityService !== null) warnOfShownPassword(entityService, service, entityPasswordField)
  }

  override get configuration(): any {
    const { service, entity, entityId, [this.name as string]: config = {} } = this.auth.configuration

    const defaults = {
      hashSize: 10,
      service,
      entity,
      entityId,
      errorMessage: 'Invalid login',
      entityPasswordField: config.passwordField,
      entityUsernameField: config.usernameField
    }

    // Each call with a token comes here.
    return fillDefaults(config, defaults)
  }

  /**
   * The query that finds the entity.
   *
   * @param query The username by the name of its field
   */
  async getEntityQuery(query: Query, _params: Params): Promise<Query> {
    return { $limit: 1, ...query }
  }

  /**
   * Finds the entity with a username as it came, or else in another form that it may be stored in (RFC 8265 §3.3). Each form
   * is looked for, also after the first one that is found: otherwise the time would tell whether there is such an entity.
   *
   * @throws NotAuthenticated when there is none
   */
  async findEntity(username: string, params: Params): Promise<any> {
    // Without a username the query would match any user.
    if (!username) throw this.createError(params)

    const { configuration, entityService } = this.getSettings(params)

    let entity: any

    for (const form of toUsernames(username)) {
      const query = await this.getEntityQuery({ [configuration.entityUsernameField]: form }, params)
      const found = await entityService.find(copyWith(toInternal(params), { query }))
      const [first] = Array.isArray(found) ? found : (found?.data ?? [])

      entity ||= first
    }

    if (!entity) throw this.createError(params)

    return entity
  }

  /** The entity as the caller may see it: for an external call it is loaded as one, with the hooks for that. */
  async getEntity(result: any, params: AuthenticationParams): Promise<any> {
    const { configuration, entityService } = this.getSettings(params)
    const { entityId = entityService.id, entity } = configuration

    if (!entityId || result[entityId] === undefined) throw new NotAuthenticated('Could not get local entity')

    return this.auth.entities.show(
      { service: entityService, id: result[entityId], name: entity },
      params,
      result
    )
  }

  /**
   * Compares a password with that of an entity.
   *
   * @param entity The entity
   * @param password The password
   * @param params Those of the login
   * @returns The entity
   * @throws NotAuthenticated when they differ
   */
  async comparePassword(entity: any, password: string, params: AuthenticationParams = {}): Promise<any> {
    const hash = this.getCredential(entity, params)

    if (typeof hash !== 'string' || hash === '') await this.compareWithNothing(password, params)
    else {
      const hasher = this.getHasher(this.getSettings(params).configuration)
      const isAborted = this.toAbortCheck(params)
      const { isKnown } = getServiceSlots(params, this.auth.strategies)

      for (const form of toPasswords(password)) {
        if ((await hasher.compare(form, hash, isAborted, isKnown)) === true) return entity
      }
    }

    throw this.createError(params)
  }

  /**
   * Hashes a new password, in NFC (RFC 8265 §4.2): keyboards differ in how they send a letter with an accent.
   *
   * @param password The password
   * @param params Those of the call
   * @param isAborted Whether the client of the call has gone
   * @throws BadRequest for anything but a string that the hasher can hash as a whole
   */
  async hashPassword(password: unknown, params?: Params, isAborted?: () => boolean): Promise<string> {
    const { configuration } = this.getSettings(params)
    const { passwordField } = configuration

    if (typeof password !== 'string' || password === '') {
      throw new BadRequest(`Invalid '${passwordField}': expected a string that is not empty`)
    }
    if (password.length > MAX_CREDENTIAL) {
      throw new BadRequest(`Invalid '${passwordField}': expected at most ${MAX_CREDENTIAL} characters`)
    }
    if (!isCredential(password)) throw new BadRequest(`Invalid '${passwordField}': expected no NUL character`)

    const hash = await this.getHasher(configuration).hash(password.normalize('NFC'), isAborted)

    if (typeof hash !== 'string' || hash === '')
      throw createError('ALULA_INVALID_RETURN_VALUE', 'The hasher returned no hash')

    return hash
  }

  async authenticate(
    data: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const settings = this.getSettings(params)
    const { usernameField, passwordField, entity } = settings.configuration
    const username = getPath(data, usernameField.split('.'))
    const password = getPath(data, passwordField.split('.'))

    if (settings.entityService === null) throw new NotAuthenticated('Could not find entity service')

    // An operator object as a username would match any user.
    if (!isCredential(username) || !isCredential(password)) {
      await this.compareWithNothing('', params)
      throw this.createError(params)
    }

    const internal = withoutProvider(params)
    const found = await this.findKnown(username, password, internal)

    await this.comparePassword(found, password, params)
    if (!(await this.auth.isActive(found, params))) throw this.createError(params)

    const current = await this.renewHash(found, username, password, settings, internal)
    const result = {
      authentication: { strategy: this.name },
      [entity]: await this.getEntity(current, params)
    }

    return this.auth.entities.setVerified(result, current)
  }

  /** The username, by which failed logins are counted. */
  getAccount(data: AuthenticationRequest, params: AuthenticationParams): string | undefined {
    const username = getPath(data, this.getSettings(params).configuration.usernameField.split('.'))

    return isCredential(username) ? username : undefined
  }

  getCredential(entity: any, params?: object): unknown {
    return getPath(entity, this.getSettings(params).configuration.entityPasswordField.split('.'))
  }

  async teardown(): Promise<void> {
    await this.bcrypt?.close()
    await this.configuration.hasher?.close?.()
  }

  /** What hashes and compares: the option `hasher`, or bcrypt. */
  private getHasher({ hasher, hashSize }: { hasher?: Hasher; hashSize: number }): Hasher {
    if (hasher) return hasher

    if (this.bcrypt?.cost === hashSize) return this.bcrypt

    void this.bcrypt?.close()
    this.bcrypt = new BcryptHasher(hashSize)

    return this.bcrypt
  }

  /** Finds the entity, and takes as long as for a known one when there is none. */
  private async findKnown(username: string, password: string, params: AuthenticationParams): Promise<any> {
    try {
      return await this.findEntity(username, params)
    } catch (error) {
      if (hasCode(error, 401)) await this.compareWithNothing(password, params)
      throw error
    }
  }

  private async compareWithNothing(password: string, params: AuthenticationParams): Promise<void> {
    const hasher = this.getHasher(this.getSettings(params).configuration)
    const isAborted = this.toAbortCheck(params)

    if (hasher instanceof BcryptHasher) {
      for (const form of toPasswords(password)) await hasher.compare(form, '', isAborted)
      return
    }

    if (this.dummy?.hasher !== hasher) {
      this.dummy = { hasher, hash: hasher.hash(randomBytes(16).toString('hex')) }
    }

    try {
      const hash = await this.dummy.hash

      for (const form of toPasswords(password)) await hasher.compare(form, hash, isAborted)
    } catch (error) {
      // Not kept: what failed for once must not fail for every unknown user from now on.
      delete this.dummy
      throw error
    }
  }

  /**
   * Hashes the password anew when the cost was raised since. Only where the hash can be stored without hooks, one of which
   * might hash it again, and only in a field of its own, so that nothing beside it is written. Returns the entity as it is
   * afterwards.
   */
  private async renewHash(
    entity: any,
    username: string,
    password: string,
    { configuration, entityService }: StrategySettings,
    params: AuthenticationParams
  ): Promise<any> {
    const { entityId = entityService.id, entityPasswordField: field, service } = configuration

    if (typeof entityService._patch !== 'function' || field.includes('.')) return entity

    const hasher = this.getHasher(configuration)
    const hash = this.getCredential(entity, params) as string

    try {
      const isWeak = assertSync(
        hasher.needsRehash?.(hash),
        "'needsRehash' of a hasher has to return true or false"
      )

      if (!isWeak) return entity

      // With the old hash in the query, so that a password that was changed meanwhile is not put back.
      const change = { [field]: await hasher.hash(password.normalize('NFC')) }

      await entityService._patch(entity[entityId], change, { query: { [field]: hash } })
      // Without hooks there is no event.
      await this.auth.verifySessions(entity[entityId], service)
    } catch (error) {
      // Another call was faster: a login with the same password, or a change of the password.
      if (hasCode(error, 404)) {
        return this.comparePassword(await this.findEntity(username, params), password, params)
      }

      // The password was right all the same.
      if (this.app) reportError(this.app, error)

      return entity
    }

    return this.findEntity(username, params)
  }

  /** Whether the client of a login has gone; `undefined` where that is not known. */
  private toAbortCheck(params: AuthenticationParams): (() => boolean) | undefined {
    const call = getRunningCall(this.auth, params)

    return call && (() => call.isAborted())
  }

  private createError(params: object): NotAuthenticated {
    return new NotAuthenticated(this.getSettings(params).configuration.errorMessage)
  }
}

/** In NFC, and as it was received where that differs: it may have been hashed like that once. */
function toPasswords(password: string): readonly string[] {
  return [...new Set([password.normalize('NFC'), password])]
}

/** As it was received, so that another user whose name looks alike is not found in its place; then in NFC and NFD. */
function toUsernames(username: string): readonly string[] {
  return [...new Set([username, username.normalize('NFC'), username.normalize('NFD')])]
}

function isCredential(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CREDENTIAL && !value.includes('\0')
}

function isHasher(value: unknown): boolean {
  const { hash, compare } = (value ?? {}) as Partial<Hasher>

  return isFunction(hash) && isFunction(compare)
}
