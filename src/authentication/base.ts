import { reportError } from '../core/events.ts'
import type { Application, RealTimeConnection } from '../core/types.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import { createError } from '../utils/developer-error.ts'
import { mergePlain } from '../utils/object.ts'
import { AccessTokens } from './access-tokens.ts'
import { Attempts } from './attempts.ts'
import { type CodeClaim, type CodeOptions, Codes, type RedeemedCode } from './codes.ts'
import { Connections } from './connections.ts'
import { Entities } from './entities.ts'
import { assertOptions } from './options.ts'
import { SecretKeys, type TokenSecret } from './secret-keys.ts'
import { SessionLogins } from './session-logins.ts'
import { createReader, watchSetting, withSettings } from './settings.ts'
import { createInvalid, type IncomingRequest, Strategies, type Strategy } from './strategies.ts'
import type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent,
  JwtOptions,
  JwtVerifyOptions
} from './types.ts'

/** One way to prove who sent a request. A strategy has the members that it needs. */
export interface AuthenticationStrategy extends Strategy<AuthenticationBase> {}

interface State {
  isReady: boolean
  readonly read: ReturnType<typeof createReader>
  readonly strategies: Strategies<AuthenticationBase>
  readonly attempts: Attempts
  readonly codes: Codes
}

/** The members of an authentication service as Feathers v5 has them. What they do is in the parts of the state. */
export class AuthenticationBase {
  app: Application
  /** The strategies by name; without a prototype, because clients choose the name. */
  readonly strategies: { [name: string]: AuthenticationStrategy }
  /** The name of the setting that holds the configuration. */
  configKey: string
  /** The access tokens. For this package. */
  readonly tokens: AccessTokens
  /** The sessions of real-time connections, and the logins and logouts that run on them. For this package. */
  readonly connections: Connections
  /** The entities: how strategies load them, and what ties tokens to them. For this package. */
  readonly entities: Entities
  /** The logins that last. For this package. */
  readonly sessionLogins: SessionLogins
  /** What is made of the secrets. For this package. */
  protected readonly keys: SecretKeys
  /** Shared with the registered service, which inherits from this object. */
  private readonly state: State

  /**
   * @param app The application
   * @param configKey The name of the setting that holds the configuration
   * @param options Options over those of the setting
   * @throws Error without an application, and for a configuration that is not valid
   */
  constructor(
    app: Application,
    configKey = 'authentication',
    options: Partial<AuthenticationConfiguration> = {}
  ) {
    if (typeof app?.use !== 'function') {
      throw createError(
        'ALULA_INVALID_APPLICATION',
        'An application instance has to be passed to the authentication service'
      )
    }

    const given = app.get(configKey) ?? {}

    assertOptions(given, configKey)

    const setting = mergePlain(given, options)

    assertOptions(setting, configKey)

    this.app = app
    this.configKey = configKey
    this.keys = new SecretKeys()
    this.tokens = new AccessTokens(this, this.keys)
    this.connections = new Connections(this)
    this.entities = new Entities(this, this.keys)
    this.sessionLogins = new SessionLogins(this)

    const strategies = new Strategies<AuthenticationBase>(this)
    const attempts = new Attempts(this)

    this.strategies = strategies.byName
    this.state = {
      isReady: false,
      read: createReader(),
      strategies,
      attempts,
      codes: new Codes(this, attempts)
    }

    app.set('defaultAuthentication', app.get('defaultAuthentication') || configKey)
    app.set(configKey, setting)
    watchSetting(
      app.settings,
      configKey,
      (value) => {
        assertOptions(value, configKey)

        // What a later setting leaves out stays as it was given here.
        return Object.keys(options).length > 0 ? mergePlain(options, value) : value
      },
      () => this.verifyConfiguration()
    )
  }

  /** The configuration as it is now, with defaults for what it leaves out. It is frozen: set the setting instead. */
  get configuration(): AuthenticationConfiguration {
    return this.state.read(this.app.get(this.configKey))
  }

  /** Whether `setup` has run. */
  get isReady(): boolean {
    return this.state.isReady
  }

  /** The names of the registered strategies. */
  get strategyNames(): string[] {
    return Object.keys(this.strategies)
  }

  /**
   * Registers a strategy under a name.
   *
   * @throws Error for what is no strategy, and when the strategy finds its configuration not valid
   */
  register(name: string, strategy: AuthenticationStrategy): void {
    this.state.strategies.register(name, strategy)

    if (this.isReady) void this.setUpLate(name, strategy)
  }

  /** The strategies with these names, without names that are not registered. */
  getStrategies(...names: string[]): AuthenticationStrategy[] {
    return this.state.strategies.find(names)
  }

  /** The strategy with a name, or `undefined`. */
  getStrategy(name: string): AuthenticationStrategy | undefined {
    return this.strategies[name]
  }

  /**
   * Creates an access token. It has a random `jti` unless the options have one.
   *
   * @param payload The claims
   * @param options Options over those of the configuration
   * @param secret Another secret than that of the configuration
   * @throws Error for options that `jsonwebtoken` does not accept
   */
  async createAccessToken(
    payload: string | Buffer | object,
    options?: JwtOptions,
    secret?: TokenSecret
  ): Promise<string> {
    return this.tokens.create(payload, options, secret)
  }

  /**
   * Verifies an access token.
   *
   * @param accessToken The token
   * @param options Options over those of the configuration
   * @param secret Another secret than that of the configuration
   * @returns The payload
   * @throws NotAuthenticated for a token that is not valid, or was revoked
   */
  async verifyAccessToken(
    accessToken: string,
    options?: JwtVerifyOptions,
    secret?: TokenSecret
  ): Promise<any> {
    const payload = await this.tokens.verify(accessToken, options, secret)

    this.sessionLogins.assertCurrent(payload, options)

    return payload
  }

  /**
   * Makes an access token unusable until it would have expired, and closes the real-time connections that are logged in with
   * it. The session of a token ends with it.
   *
   * @param accessToken The token
   * @param options Options over those of the configuration
   * @param secret Another secret than that of the configuration
   * @param staying A connection that stays: the one whose user logs out
   * @throws NotAuthenticated for a token that is not valid
   */
  async revokeAccessToken(
    accessToken: string,
    options?: JwtVerifyOptions,
    secret?: TokenSecret,
    staying?: RealTimeConnection
  ): Promise<void> {
    const { tokens, connections, sessionLogins } = this
    const token = tokens.read(accessToken, options, secret)
    const { payload } = token
    const session = getSessionClaim(payload)

    if (session && sessionLogins.isOn) return sessionLogins.end(session.id, 'logout', payload.sub, staying)

    await tokens.revoke(token, (id) => connections.endToken(id, staying))
  }

  /**
   * Uses an id that may be used once, such as that of a code.
   *
   * @param id The id
   * @param expiresAt When it expires anyway, in milliseconds since 1970
   * @returns Whether this was the first time, and before `expiresAt`: of several callers at once, in all processes, one gets `true`
   */
  async useOnce(id: string, expiresAt: number): Promise<boolean> {
    return this.tokens.useOnce(id, expiresAt)
  }

  /**
   * Issues a code that works once: for a link in an email, or to be typed.
   *
   * @param options What it is for, and whom
   * @returns The code, which is to be sent and not to be stored
   * @throws TypeError for an option that is not valid; Error for `digits` where the configuration has no `codes`; NotFound
   * for an entity that there is not
   * @example
   * const code = await authentication.issueCode({ purpose: 'new-password', subject: user.id, expiresIn: '1h' })
   */
  async issueCode(options: CodeOptions): Promise<string> {
    return this.state.codes.issue(options)
  }

  /**
   * Uses a code: of several callers at once one succeeds. Codes that are not valid count as failed logins.
   *
   * @param claim The code, its purpose, and for a code with digits its subject
   * @param params Those of the call
   * @returns The subject, and the entity under its name, with all fields
   * @throws BadRequest for a subject that is not an id; NotAuthenticated for a code that is not valid, was used, is too old,
   * or is bound to what has changed since; TooManyRequests when the budget for failed logins is used up
   * @example
   * const { user } = await authentication.redeemCode({ code, purpose: 'new-password' }, params)
   */
  async redeemCode(claim: CodeClaim, params: AuthenticationParams): Promise<RedeemedCode> {
    return this.state.codes.redeem(claim, params)
  }

  /**
   * Verifies the sessions of an entity again, in all processes that share the store of revoked tokens, and closes the
   * real-time connections whose token is no longer valid. Events of the entity service do so by themselves.
   *
   * @param id The id of the entity; without one the sessions of all entities
   * @param path The path of the entity service; that of the configuration when left out
   * @example
   * await knex('users').where({ id }).update({ banned: true })
   * await app.service('authentication').verifySessions(id)
   */
  async verifySessions(id?: unknown, path: string = this.configuration.service ?? ''): Promise<void> {
    await this.connections.verify(path, id)
  }

  /**
   * Ends the sessions of a user, in all processes.
   *
   * @param userId The id of the user
   * @param except The id of a session that goes on
   */
  async endSessions(userId: unknown, except?: string): Promise<void> {
    await this.sessionLogins.endOfUser(String(userId), 'removed', except)
  }

  /** Whether the option `isActive` lets an entity in. */
  isActive(entity: any, params: AuthenticationParams): Promise<boolean> {
    return this.entities.isActive(entity, params)
  }

  /**
   * Verifies credentials with the strategy that they name, those of a client within the budget for failed logins.
   *
   * @param authentication The credentials, with `strategy`
   * @param params The params of the call
   * @param allowed The names of the strategies that may be used
   * @throws NotAuthenticated when the strategy is missing or not allowed, or refuses the credentials; TooManyRequests when the
   * budget is used up, with `retryAfter` in seconds as its data
   */
  async authenticate(
    authentication: AuthenticationRequest | null | undefined,
    params: AuthenticationParams,
    ...allowed: string[]
  ): Promise<AuthenticationResult> {
    return this.state.attempts.run(authentication, withSettings(this, params), allowed, async (own) => {
      const { strategy, result } = await this.state.strategies.authenticate(authentication, own, allowed)

      if (!(await this.entities.isActiveIn(result, own))) throw createInvalid()

      return strategy.getEntity ? result : this.entities.showIn(result, own)
    })
  }

  /** Passes what happened to a real-time connection to all strategies, one after another. */
  async handleConnection(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result?: AuthenticationResult
  ): Promise<void> {
    await this.state.strategies.handleConnection(event, connection, result)
  }

  /**
   * Looks for credentials in a request.
   *
   * @param request Something with `headers`
   * @param response The response, for strategies that need it
   * @param names The strategies that may look, in order
   * @returns What the first strategy that finds something found, or `null`
   */
  parse(
    request: IncomingRequest,
    response: unknown,
    ...names: string[]
  ): Promise<AuthenticationRequest | null> {
    return this.state.strategies.parse(request, response, names)
  }

  /**
   * Whether {@link parse} may find credentials in a cookie. A class that overrides it may read any.
   *
   * @param names The strategies that may look
   */
  mayReadCookies(...names: string[]): boolean {
    return (
      this.parse !== AuthenticationBase.prototype.parse ||
      this.getStrategies(...names).some(({ parse, readsCookies }) => parse && readsCookies !== false)
    )
  }

  /**
   * Checks the configuration, and lets the strategies check theirs.
   *
   * @throws Error with a sentence that names the option
   */
  verifyConfiguration(): void {
    assertOptions(this.app.get(this.configKey), this.configKey)

    this.state.strategies.verifyConfiguration()
  }

  /** Sets the strategies up. */
  async setup(): Promise<void> {
    this.state.isReady = true
    this.watchEntities()

    await this.state.strategies.setup()
  }

  /** Tears the strategies down. */
  async teardown(): Promise<void> {
    this.state.isReady = false
    this.connections.stopListening()
    this.sessionLogins.close()

    await this.state.strategies.teardown()
  }

  /** Of all strategies. */
  protected watchEntities(): void {
    const sources = this.entities.findSources()

    this.connections.listen(sources)
    this.sessionLogins.watch(sources)
  }

  private async setUpLate(name: string, strategy: AuthenticationStrategy): Promise<void> {
    try {
      this.watchEntities()
      await strategy.setup?.(this, name)
    } catch (error) {
      reportError(this.app, error)
    }
  }
}
