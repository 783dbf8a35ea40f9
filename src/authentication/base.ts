import { randomUUID } from 'node:crypto'
import { reportError } from '../core/events.ts'
import type { Application, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { createDebug } from '../utils/debug.ts'
import { mergePlain } from '../utils/object.ts'
import { Connections, type EntitySource, type RunningCall } from './connections.ts'
import { Credentials } from './credentials.ts'
import { hasDispatch } from './dispatch.ts'
import { assertJwtOptions, assertOptions, MISSING_SECRET } from './options.ts'
import { MemoryRevocationStore, type RevocationStore } from './revocation.ts'
import { toEntityName } from './sessions.ts'
import { createReader, watchSetting } from './settings.ts'
import { signToken, type TokenSecret, toTokenId, type VerifiedToken, verifyToken } from './tokens.ts'
import type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent,
  JwtOptions,
  JwtVerifyOptions
} from './types.ts'
import { VerifiedTokens } from './verified.ts'

/** One way to prove who sent a request. A strategy has the members that it needs. */
export interface AuthenticationStrategy {
  /** Hears the name under which the strategy is registered. */
  setName?(name: string): void
  /** Gets the application. */
  setApplication?(app: Application): void
  /** Gets the service that the strategy is registered on. */
  setAuthentication?(auth: AuthenticationBase): void
  /** Throws when the configuration of the strategy is not valid: at registration, and whenever it is set. */
  verifyConfiguration?(): void
  /** Runs when the service is set up, or at registration when it is set up already. */
  setup?(auth: AuthenticationBase, name: string): Promise<void>
  /** Runs when the service is torn down. */
  teardown?(): Promise<void>
  /** Verifies credentials. Throws `NotAuthenticated` when they are not valid. */
  authenticate?(
    authentication: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<AuthenticationResult>
  /**
   * Finds credentials in a request; `null` when there are none. Headers are by lower-case name; what else a request
   * and a response have depends on the transport.
   */
  parse?(request: IncomingRequest, response?: any): Promise<AuthenticationRequest | null>
  /** Notes on a real-time connection who it belongs to, or that it belongs to nobody any more. */
  handleConnection?(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result?: AuthenticationResult
  ): Promise<void>
  /**
   * What of an entity the caller sees. A strategy that has it shows the entity itself; for one that has not, an entity
   * is loaded once more for a call from outside, as that may see it.
   */
  getEntity?(entity: any, params: AuthenticationParams): Promise<any>
  /** What of an entity proves who it is, for example a password hash. Tokens are void once it changes. */
  getCredential?(entity: any): unknown
  /** Claims for every new token of the service, whichever strategy led to it. */
  getClaims?(result: AuthenticationResult, params: AuthenticationParams): Promise<{ [claim: string]: any }>
}

/** The part of a request that every transport has. */
export interface IncomingRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  [key: string]: any
}

interface State {
  isReady: boolean
  readonly readConfiguration: () => AuthenticationConfiguration
  /** Used unless the configuration has a store. */
  readonly revocations: RevocationStore
  readonly verified: VerifiedTokens
  readonly credentials: Credentials
  readonly connections: Connections
}

const debug = createDebug('alula:authentication')

/** Keeps strategies, runs them, and makes and verifies access tokens. */
export class AuthenticationBase {
  app: Application
  /** The strategies by name; without a prototype, because clients choose the name. */
  strategies: { [name: string]: AuthenticationStrategy } = Object.create(null)
  /** The name of the setting that holds the configuration. */
  configKey: string
  /** Shared with the registered service, which inherits from this object. */
  private readonly state: State = {
    isReady: false,
    readConfiguration: createReader(() => this.app.get(this.configKey)),
    revocations: new MemoryRevocationStore(),
    verified: new VerifiedTokens(),
    credentials: new Credentials(this),
    connections: new Connections(this)
  }

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

    this.app = app
    this.configKey = configKey

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
    this.assertStrategy(name, strategy)

    strategy.setName?.(name)
    strategy.setApplication?.(this.app)
    strategy.setAuthentication?.(this)
    strategy.verifyConfiguration?.()

    this.strategies[name] = strategy

    if (this.isReady) void this.setUpLate(name, strategy)
  }

  /** The strategies with these names, without names that are not registered. */
  getStrategies(...names: string[]): AuthenticationStrategy[] {
    return names.map((name) => this.getStrategy(name)).filter((strategy) => strategy !== undefined)
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
    const { jwtOptions, secret: usual } = this.configuration
    const merged = mergePlain(jwtOptions, options)

    if (!merged.jwtid) merged.jwtid = randomUUID()

    return signToken(payload, secret || getSecret(usual), merged)
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
    const { payload, id } = this.readToken(accessToken, options, secret)

    if (await this.revocations?.isRevoked(id)) throw new NotAuthenticated('jwt revoked')

    return payload
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
    const { id, expiresAt } = this.readToken(accessToken, options, secret)

    if (!this.revocations) return

    await this.revocations.revoke(id, expiresAt)
    this.state.verified.forget(accessToken)
    this.state.connections.endToken(id, staying)
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
    return !(await this.revocations?.isRevoked(id)) && this.credentials.match(fingerprints, entity)
  }

  /**
   * Notes that something was used that may be used once, such as a code.
   *
   * @param id What it is
   * @param expiresAt When it is good no more anyway, in milliseconds since 1970
   * @returns Whether this was the first time: of several callers at once, in all processes, one gets `true`
   */
  async useOnce(id: string, expiresAt: number): Promise<boolean> {
    return (this.revocations ?? this.state.revocations).revoke(id, expiresAt)
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

  /** The sessions of real-time connections. */
  protected get connections(): Connections {
    return this.state.connections
  }

  /** What proves the identity of entities, as the strategies see it. */
  get credentials(): Credentials {
    return this.state.credentials
  }

  /** Whether the option `isActive` lets an entity in. */
  async isActive(entity: any, params: AuthenticationParams): Promise<boolean> {
    const { isActive } = this.configuration

    return !isActive || Boolean(await isActive(entity, params))
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
    const name = authentication?.strategy

    if (!authentication || !name) throw invalid(' (no `strategy` set)')
    if (!allowed.includes(name)) throw invalid(' (strategy not allowed in authStrategies)')

    const strategy = this.getStrategy(name)

    if (typeof strategy?.authenticate !== 'function') throw invalid('')

    debug('Authenticating with strategy %s', name)

    const result = await strategy.authenticate(authentication, { ...params, authenticated: true })

    // A strategy that says nothing has not said yes.
    if (!result) throw invalid('')

    await this.assertActive(result, params)

    return strategy.getEntity ? result : this.showEntity(result, params)
  }

  /** Tells all strategies, one after another, what happened to a real-time connection. */
  async handleConnection(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result?: AuthenticationResult
  ): Promise<void> {
    for (const strategy of Object.values(this.strategies)) {
      await strategy.handleConnection?.(event, connection, result)
    }
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
    for (const strategy of this.getStrategies(...names)) {
      const found = (await strategy.parse?.(request, response)) ?? null

      if (found !== null) return found
    }

    return null
  }

  /**
   * Checks the configuration, and lets the strategies check theirs.
   *
   * @throws Error with a sentence that names the option
   */
  verifyConfiguration(): void {
    assertOptions(this.app.get(this.configKey), this.configKey)

    for (const strategy of Object.values(this.strategies)) strategy.verifyConfiguration?.()
  }

  /** Sets the strategies up. */
  async setup(): Promise<void> {
    this.state.isReady = true
    this.listen()

    for (const [name, strategy] of Object.entries(this.strategies)) await strategy.setup?.(this, name)
  }

  /** Tears the strategies down. */
  async teardown(): Promise<void> {
    this.state.isReady = false
    this.state.connections.stopListening()

    for (const strategy of Object.values(this.strategies)) await strategy.teardown?.()
  }

  /** Where revoked tokens are remembered; `undefined` when revocation is off. */
  get revocations(): RevocationStore | undefined {
    const { revocation = this.state.revocations } = this.configuration

    return revocation || undefined
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

  private assertStrategy(name: string, strategy: unknown): void {
    if (typeof name !== 'string' || name === '' || typeof strategy !== 'object' || strategy === null) {
      throw new Error(
        `Invalid strategy '${String(name)}': expected a name and a strategy object. Did you forget 'new'?`
      )
    }
  }

  /** For strategies that do not ask themselves. The entity of a result may lack what clients must not see. */
  private async assertActive(result: AuthenticationResult, params: AuthenticationParams): Promise<void> {
    const found = this.configuration.isActive && this.findEntity(result)

    if (!found || this.credentials.recall(result.authentication)) return

    const current = await found.service.get(found.id, { query: {} }).catch((error: any) => {
      // Without an id, and for one that is gone.
      if (error?.code === 400 || error?.code === 404) throw invalid('')
      throw error
    })

    if (!(await this.isActive(current, params))) throw invalid('')
  }

  /** Shows the entity of a result to a call from outside as that may see it, for strategies that do not do so themselves. */
  protected async showEntity(
    result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const found = params.provider ? this.findEntity(result) : undefined

    if (!found || found.id === undefined || hasDispatch(found.entity)) return result

    const { name, service, id, entity } = found

    return { ...result, [name]: await service.get(id, { ...params, authenticated: true, [name]: entity }) }
  }

  /** The entity of a result, and where it is; `undefined` for a result without one. */
  private findEntity(
    result: AuthenticationResult
  ): { name: string; service: any; id: any; entity: any } | undefined {
    const { entity: name, entityId, service: path } = this.configuration
    const entity = name && result[name]

    if (!name || !entity || !path) return undefined

    const service: any = this.app.service(path)

    return { name, service, id: entity[entityId ?? service.id], entity }
  }

  private readToken(accessToken: string, options?: JwtVerifyOptions, secret?: TokenSecret): VerifiedToken {
    const { jwtOptions, secret: usual } = this.configuration

    if (!options && !secret) {
      return this.state.verified.verify(accessToken, getSecret(usual), jwtOptions ?? {})
    }

    const merged = mergePlain(jwtOptions, options)

    // Those of the configuration were checked when it was set.
    if (options) assertJwtOptions(merged, 'jwtOptions')

    return verifyToken(accessToken, secret || getSecret(usual), merged)
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

function invalid(reason: string): NotAuthenticated {
  return new NotAuthenticated(`Invalid authentication information${reason}`)
}

function getSecret(secret: string | undefined): string {
  if (!secret) throw new Error(MISSING_SECRET)

  return secret
}

/** A strategy may name a service that does not exist: its first login says so. */
function findService(app: Application, path: string): unknown {
  try {
    return app.service(path)
  } catch {
    return undefined
  }
}
