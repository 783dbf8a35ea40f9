import type { ConnectionEvent } from '../authentication-hooks/connection.ts'
import { reportError } from '../core/events.ts'
import { getInternals } from '../core/internals.ts'
import type { Application, HookContext, NextFunction, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { attachHooks } from '../hooks/interop.ts'
import { TRAITS, type Traits } from '../hooks/traits.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import type { StoredSession } from '../sessions/types.ts'
import { hasCode } from '../utils/check.ts'
import { mergePlain } from '../utils/object.ts'
import { mapAll } from '../utils/promise.ts'
import { isSameId } from '../utils/same-id.ts'
import { markTokenResponse } from '../utils/token-response.ts'
import { asLogin } from './attempts.ts'
import { AuthenticationBase } from './base.ts'
import { getRunningCall } from './connections.ts'
import { createFinder } from './default-service.ts'
import { toDispatch } from './dispatch.ts'
import { FINGERPRINT } from './jwt.ts'
import { runLogin } from './login.ts'
import { assertComplete, warnOfShortSecret, warnOfUnknownStrategies } from './options.ts'
import { toSecrets } from './secret-keys.ts'
import type { SessionRequest } from './session-logins.ts'
import { REFRESH } from './session-users.ts'
import { getConfiguration } from './settings.ts'
import { warnOfSharedTokens } from './shared-tokens.ts'
import { assertWorking, decodeToken } from './tokens.ts'
import type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  JwtOptions
} from './types.ts'

/**
 * The service that logs in and out: `create` turns valid credentials into an access token, `remove` makes one
 * unusable.
 *
 * @example
 * const authentication = new AuthenticationService(app)
 *
 * authentication.register('jwt', new JWTStrategy())
 * authentication.register('local', new LocalStrategy())
 * app.use('authentication', authentication)
 */
export class AuthenticationService extends AuthenticationBase {
  /** A login is for everyone; a logout verifies the token itself. */
  readonly [TRAITS]: Traits = { access: { create: 'anyone', remove: 'user' } }

  constructor(
    app: Application,
    configKey = 'authentication',
    options: Partial<AuthenticationConfiguration> = {}
  ) {
    super(app, configKey, options)

    // On the object, so that it is around the methods of a subclass too.
    const around = (event: ConnectionEvent) => (context: HookContext, next: NextFunction) =>
      runLogin(this, event, context, next)

    this.create = attachHooks(this.create, [around('login')])
    this.remove = attachHooks(this.remove, [around('logout')])

    app.on('disconnect', (connection) => {
      const work = async () => {
        await this.handleConnection('disconnect', connection)
        getInternals(app).channels.leaveAll(connection)
      }

      // After the login that runs on the connection, which may have joined channels since.
      this.connections.finish(connection, work).catch((error) => reportError(app, error))
    })

    if (typeof app.defaultAuthentication !== 'function') app.defaultAuthentication = createFinder()
  }

  /** The payload of a new access token: `params.payload`, or nothing. */
  async getPayload(
    _result: AuthenticationResult,
    params: AuthenticationParams
  ): Promise<{ [claim: string]: any }> {
    return params.payload ?? {}
  }

  /**
   * The options of a new access token: those of the params, and the id of the entity as the subject.
   *
   * @throws NotAuthenticated when the entity has no id
   */
  async getTokenOptions(result: AuthenticationResult, params: AuthenticationParams): Promise<JwtOptions> {
    const { service, entity, entityId } = getConfiguration(this, params)
    const options: JwtOptions = mergePlain(params.jwtOptions, params.jwt)
    const value = service && entity && result[entity]

    if (!value || options.subject) return options

    const idName = this.getIdName(service, entityId)
    const subject = value[idName]

    if (subject === undefined || subject === null)
      throw new NotAuthenticated(`Can not set subject from ${entity}.${idName}`)

    return { ...options, subject: `${subject}` }
  }

  /**
   * Logs in: creates an access token for valid credentials.
   *
   * @param data The credentials, with `strategy`; with `refresh: true` the login begins a session, where there are any
   * @param params `payload`, `jwtOptions`, `secret` and `authStrategies` count for this token
   * @returns The token as `accessToken`, of a session with `refreshToken`, and what the strategy returned
   * @throws NotAuthenticated when the strategy is not allowed or refuses the credentials
   */
  async create(
    data: AuthenticationRequest,
    params: AuthenticationParams = {}
  ): Promise<AuthenticationResult> {
    const { sessionLogins } = this
    const { session, result } = sessionLogins.isRefresh(data)
      ? await sessionLogins.refresh(data, params)
      : { session: undefined, result: await this.verifyLogin(data, params) }

    const login = result.accessToken
      ? result
      : sessionLogins.deliver(await this.addToken(result, params, data, session), params)

    this.leaveOthers(result, params)

    return login
  }

  private async verifyLogin(
    data: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<AuthenticationResult> {
    const strategies = params.authStrategies ?? getConfiguration(this, params).authStrategies

    if (!strategies.length) {
      throw new NotAuthenticated('No authentication strategies allowed for creating a JWT (`authStrategies`)')
    }

    return this.authenticate(data, asLogin(this, params), ...strategies)
  }

  /** Here, and not with what else a login changes on a connection: hooks after this let it join others. */
  private leaveOthers(result: AuthenticationResult, params: AuthenticationParams): void {
    const { connection } = params

    if (!connection || !this.isOther(connection, result, params)) return

    const { channels } = getInternals(this.app)
    const left = channels.leaveAll(connection)

    const call = getRunningCall(this, params)

    if (!call) return

    // Of several logins in one call the first one has left what is joined again.
    call.undo ??= () => {
      channels.leaveAll(connection)
      for (const channel of left) channel.join(connection)
    }
  }

  /**
   * Creates an access token for an entity that the server itself has verified: in a sign-up, or a login of your own. A
   * response that is the returned object gets `Cache-Control: no-store`, and its event reaches connections through a
   * publisher of its service alone.
   *
   * @param result The entity under its name, such as `{ user }`
   * @param params Those of the call: with a `provider`, the entity in the response is what the caller may see of it.
   * `payload`, `jwtOptions` and `secret` count for this token; with `refresh: true` it begins a session, and with
   * `refresh: false` the session of the caller goes on
   * @returns The token as `accessToken`, of a session with `refreshToken`, and the entity
   * @throws NotAuthenticated when the entity has no id
   * @example
   * app.use('signup', {
   *   async create(data, params) {
   *     const user = await app.service('users').create(data)
   *
   *     return app.service('authentication').issueToken({ user }, params)
   *   }
   * })
   */
  async issueToken(
    result: AuthenticationResult,
    params: AuthenticationParams = {}
  ): Promise<AuthenticationResult> {
    const { authentication, ...response } = await this.addToken(result, params)
    const shown = await this.entities.showIn(response, params)

    return this.sessionLogins.deliver(
      markTokenResponse<AuthenticationResult>(params.provider ? toDispatch(shown) : shown),
      params
    )
  }

  private async addToken(
    result: AuthenticationResult,
    params: AuthenticationParams,
    request: SessionRequest = {},
    current?: StoredSession
  ): Promise<AuthenticationResult> {
    const { sessionLogins } = this
    const payload = await this.getPayload(result, params)
    const options = await this.getTokenOptions(result, params)
    const all = await mapAll(Object.values(this.strategies), (each) => each.getClaims?.(result, params))
    const claims: { [claim: string]: any } = Object.assign({}, ...all)
    const session =
      current ?? (await sessionLogins.begin(options.subject, claims[FINGERPRINT], request, params))
    const token = session && sessionLogins.toToken(session)
    const { claims: own, options: lifetime } = token ?? sessionLogins.findSession(params) ?? {}
    const accessToken = await this.createAccessToken(
      { ...payload, ...claims, ...own },
      { ...options, ...lifetime },
      params.secret
    )

    return {
      accessToken,
      ...(token && { refreshToken: token.refreshToken }),
      ...result,
      authentication: { ...result.authentication, payload: decodeToken(accessToken) }
    }
  }

  /**
   * Logs out: the access token of the call is good for nothing afterwards.
   *
   * @param id `null`, the access token of the call, or a refresh token, whose session ends
   * @param params With `authentication`; a refresh token may be in the place of the access token
   * @throws NotAuthenticated when the call is not authenticated, or the id is another token; Forbidden for the cookie of a refresh
   * token that a page of others has sent
   */
  async remove(id: string | null, params: AuthenticationParams = {}): Promise<AuthenticationResult> {
    const refreshToken = this.sessionLogins.findToken(id, params)

    if (refreshToken) return this.sessionLogins.logOut(refreshToken, params)

    const byCookie = await this.sessionLogins.logOutByCookie(id, params)

    if (!byCookie) return this.logOut(id, params)

    try {
      // Another login of the request ends too.
      return this.sessionLogins.clearCookie(await this.logOut(id, params), params)
    } catch (error) {
      if (!hasCode(error, 401)) throw error

      return byCookie
    }
  }

  private async logOut(id: string | null, params: AuthenticationParams): Promise<AuthenticationResult> {
    const { authentication } = params

    if (id !== null && id !== authentication?.accessToken) throw new NotAuthenticated('Invalid access token')

    const { authStrategies } = getConfiguration(this, params)
    const result = await this.authenticate(authentication, params, ...authStrategies)

    // Only a token of this service: a custom strategy may accept credentials that are no token.
    const { payload } = result.authentication ?? {}
    const endToken = (tokenId: string) => this.connections.endToken(tokenId, params.connection)

    if (!payload) return result

    const foreign = this.tokens.foreign.get(result.authentication)

    if (foreign) {
      await this.tokens.revoke(foreign, endToken)

      return result
    }

    const session = getSessionClaim(payload)

    if (session && this.sessionLogins.isOn) {
      await this.sessionLogins.end(session.id, 'logout', payload.sub, params.connection)
    } else {
      await this.revokeAccessToken(result.accessToken, params.jwt, undefined, params.connection)
    }

    return result
  }

  /**
   * Checks that the configuration is complete, and sets the strategies up.
   *
   * @throws Error with a sentence that says what is missing
   */
  override async setup(): Promise<void> {
    this.assertComplete()
    warnOfShortSecret(this.configuration)
    warnOfUnknownStrategies(this.configuration, [
      ...this.strategyNames,
      ...(this.sessionLogins.isOn ? [REFRESH] : [])
    ])
    await this.sessionLogins.open()
    warnOfSharedTokens(this, Object.values(this.app.services))

    await super.setup()

    // Logins are sent to no connection.
    ;(this as { publish?: (publisher: () => null) => unknown }).publish?.(() => null)
  }

  override verifyConfiguration(): void {
    super.verifyConfiguration()
    if (!this.isReady) return

    this.assertComplete()
    // Sessions may be on from now on, and the store of revoked tokens and the service of entities may be others.
    this.watchEntities()
  }

  private assertComplete(): void {
    const { configuration } = this

    assertComplete(configuration, (path) => this.app.service(path))
    for (const secret of toSecrets(configuration.secret))
      assertWorking(secret, configuration.jwtOptions ?? {}, this.keys)
    this.sessionLogins.assertComplete()
  }

  /** Whether another user is logged in on a connection, or may be, whose channels the new user must not stay in. */
  private isOther(
    connection: RealTimeConnection,
    result: AuthenticationResult,
    params: AuthenticationParams
  ): boolean {
    const { service, entity, entityId } = getConfiguration(this, params)
    const former = entity && connection[entity]

    if (!entity || !former || !service) return false

    const idName = this.getIdName(service, entityId)

    // What clients may see of a user has no id in some applications.
    return former[idName] === undefined || !isSameId(former[idName], result[entity]?.[idName])
  }

  private getIdName(service: string, entityId: string | undefined): string {
    return entityId || (this.app.service(service) as any).id
  }
}
