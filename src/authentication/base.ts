import { reportError } from '../core/events.ts'
import type { Application, RealTimeConnection } from '../core/types.ts'
import { mergePlain } from '../utils/object.ts'
import { AccessTokens } from './access-tokens.ts'
import { Connections, type EntitySource, type RunningCall } from './connections.ts'
import { Entities } from './entities.ts'
import { assertOptions } from './options.ts'
import type { RevocationStore } from './revocation.ts'
import { toEntityName } from './sessions.ts'
import { createReader, watchSetting } from './settings.ts'
import { createInvalid, type IncomingRequest, Strategies, type Strategy } from './strategies.ts'
import { type TokenSecret, toTokenId } from './tokens.ts'
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
  readonly readConfiguration: () => AuthenticationConfiguration
  readonly strategies: Strategies<AuthenticationBase>
  readonly tokens: AccessTokens
  readonly connections: Connections
  readonly entities: Entities
}

/** The members of an authentication service as Feathers v5 has them. What they do is in the four parts of the state. */
export class AuthenticationBase {
  app: Application
  /** The strategies by name; without a prototype, because clients choose the name. */
  readonly strategies: { [name: string]: AuthenticationStrategy }
  /** The name of the setting that holds the configuration. */
  configKey: string
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
      throw new Error('An application instance has to be passed to the authentication service')
    }

    const given = app.get(configKey) ?? {}

    assertOptions(given, configKey)

    const setting = mergePlain(given, options)

    assertOptions(setting, configKey)

    const readConfiguration = createReader(() => this.app.get(this.configKey))

    this.app = app
    this.configKey = configKey
    this.state = {
      isReady: false,
      readConfiguration,
      strategies: new Strategies(this),
      tokens: new AccessTokens(readConfiguration),
      connections: new Connections(this),
      entities: new Entities(this)
    }
    this.strategies = this.state.strategies.byName

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
    return this.state.readConfiguration()
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
    return this.state.tokens.create(payload, options, secret)
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
    return this.state.tokens.verify(accessToken, options, secret)
  }

  /**
   * Makes an access token unusable until it would have expired, and ends the real-time connections that live by it.
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
    const id = await this.state.tokens.revoke(accessToken, options, secret)

    if (id !== undefined) this.state.connections.endToken(id, staying)
  }

  /**
   * Whether a token still counts that was verified some time ago: it was not revoked, and the credentials of its entity
   * are what they were.
   *
   * @param id The id of the token, as `toTokenId` returns it
   * @param fingerprints What the token says of the credentials
   * @param entity The entity as it is now
   */
  async isCurrent(id: string, fingerprints: unknown, entity: any): Promise<boolean> {
    return !(await this.state.tokens.isRevoked(id)) && this.entities.hasFingerprints(entity, fingerprints)
  }

  /**
   * Notes that something was used that may be used once, such as a code.
   *
   * @param id What it is
   * @param expiresAt When it is good no more anyway, in milliseconds since 1970
   * @returns Whether this was the first time: of several callers at once, in all processes, one gets `true`
   */
  async useOnce(id: string, expiresAt: number): Promise<boolean> {
    return this.state.tokens.useOnce(id, expiresAt)
  }

  /**
   * Begins the session of a real-time connection: the application emits `disconnect` with the connection when the token
   * expires or is revoked, and when the entity has changed so that the token is not valid any more.
   *
   * @param connection The connection
   * @param authentication The credentials: `strategy` and `accessToken`
   * @param payload The payload of the token, which was verified
   * @param entity The entity, and the path of its service; nothing for a token without an entity
   * @throws NotAuthenticated for a token that is not valid any more
   */
  async startSession(
    connection: RealTimeConnection,
    authentication: AuthenticationRequest,
    payload: { [claim: string]: any },
    entity?: { readonly path: string; readonly id: unknown }
  ): Promise<void> {
    await this.state.connections.start(connection, {
      tokenId: toTokenId(authentication.accessToken, payload),
      entity: entity && toEntityName(entity.path, entity.id),
      authentication,
      expiresAt: payload.exp === undefined ? Number.POSITIVE_INFINITY : payload.exp * 1000
    })
  }

  /** Ends the session of a real-time connection, which stays open. */
  stopSession(connection: RealTimeConnection): void {
    this.state.connections.stop(connection)
  }

  /**
   * Verifies the sessions of an entity again, in all processes that share the store of revoked tokens, and closes the
   * real-time connections whose token is not valid any more. Events of the entity service do so by themselves.
   *
   * @param id The id of the entity; without one the sessions of all entities
   * @param path The path of the entity service; that of the configuration when left out
   * @example
   * await knex('users').where({ id }).update({ banned: true })
   * await app.service('authentication').verifySessions(id)
   */
  async verifySessions(id?: unknown, path: string = this.configuration.service ?? ''): Promise<void> {
    await this.state.connections.verify(path, id)
  }

  /** The login or logout that the calling code is a part of; `undefined` outside of one. */
  get call(): RunningCall | undefined {
    return this.state.connections.call
  }

  /** The sessions of real-time connections, and the logins and logouts that run on them. */
  protected get connections(): Connections {
    return this.state.connections
  }

  /** The claims of all strategies for a new token. */
  protected getClaims(
    result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<{ [claim: string]: any }> {
    return this.state.strategies.getClaims(result, params)
  }

  /** The entities: how strategies load them, and what ties tokens to them. */
  get entities(): Entities {
    return this.state.entities
  }

  /** Whether the option `isActive` lets an entity in. */
  async isActive(entity: any, params: AuthenticationParams): Promise<boolean> {
    return this.entities.isActive(entity, params)
  }

  /**
   * Verifies credentials with the strategy that they name.
   *
   * @param authentication The credentials, with `strategy`
   * @param params The params of the call
   * @param allowed The names of the strategies that may be used
   * @throws NotAuthenticated when the strategy is missing or not allowed, or refuses the credentials
   */
  async authenticate(
    authentication: AuthenticationRequest | null | undefined,
    params: AuthenticationParams,
    ...allowed: string[]
  ): Promise<AuthenticationResult> {
    const { strategy, result } = await this.state.strategies.authenticate(authentication, params, allowed)

    if (!(await this.entities.isActiveIn(result, params))) throw createInvalid()

    return strategy.getEntity ? result : this.entities.showIn(result, params)
  }

  /** Tells all strategies, one after another, what happened to a real-time connection. */
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
  async parse(
    request: IncomingRequest,
    response: unknown,
    ...names: string[]
  ): Promise<AuthenticationRequest | null> {
    return this.state.strategies.parse(request, response, names)
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
    this.listen()

    await this.state.strategies.setup()
  }

  /** Tears the strategies down. */
  async teardown(): Promise<void> {
    this.state.isReady = false
    this.state.connections.stopListening()

    await this.state.strategies.teardown()
  }

  /** Where revoked tokens are remembered; `undefined` when revocation is off. */
  get revocations(): RevocationStore | undefined {
    return this.state.tokens.revocations
  }

  private listen(): void {
    this.state.connections.listen([...this.findEntitySources()])
  }

  /** The services of the entities of all strategies. */
  private *findEntitySources(): Generator<EntitySource> {
    const { configuration } = this

    for (const options of [configuration, ...this.strategyNames.map((name) => configuration[name])]) {
      const { service: path = configuration.service, entityId = configuration.entityId } = options ?? {}
      const service: any = path && findService(this.app, path)

      if (typeof service?.on === 'function') yield { path, service, idName: entityId ?? service.id }
    }
  }

  private async setUpLate(name: string, strategy: AuthenticationStrategy): Promise<void> {
    try {
      this.listen()
      await strategy.setup?.(this, name)
    } catch (error) {
      reportError(this.app, error)
    }
  }
}

/** A strategy may name a service that does not exist: its first login says so. */
function findService(app: Application, path: string): unknown {
  try {
    return app.service(path)
  } catch {
    return undefined
  }
}
