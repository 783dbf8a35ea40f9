// The logins that last: what sessions need of an authentication service, and what its logins need of sessions.
import { emitSafely, reportError } from '../core/events.ts'
import type { RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import {
  getSessionClaim,
  type SessionClaim,
  type SessionClaims,
  toSessionClaims,
  toSessionName
} from '../sessions/claim.ts'
import { type RefreshCookie, writeRefreshCookie } from '../sessions/cookie.ts'
import type { RefreshSettings } from '../sessions/options.ts'
import { Sessions } from '../sessions/sessions.ts'
import { createRefreshToken, isRefreshToken, type RefreshToken, readRefreshToken } from '../sessions/token.ts'
import type { EndedSession, SessionEndCause, SessionStore, StoredSession } from '../sessions/types.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { isFault } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { markTokenResponse } from '../utils/token-response.ts'
import type { AccessTokens } from './access-tokens.ts'
import { type Connections, type EntitySource, getRunningCall, type RunningCall } from './connections.ts'
import type { Entities } from './entities.ts'
import { assertCanGetCookie, findOwnCookie, readOwnCookie } from './session-cookie.ts'
import { SessionSettings } from './session-settings.ts'
import { REFRESH, SessionUsers, toText } from './session-users.ts'
import type { AuthService } from './strategies.ts'
import { toExpiration, type VerifiedToken } from './tokens.ts'
import type {
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  JwtOptions,
  JwtVerifyOptions
} from './types.ts'

/** How far the clocks of two processes may differ, in milliseconds. */
const MAX_SKEW = 60_000

/** How much is kept of a `User-Agent`, and of an address. */
const MAX_LABEL = 255

/** The part of an authentication service that is needed here. */
interface Service extends AuthService {
  readonly tokens: AccessTokens
  readonly connections: Connections
  readonly entities: Entities
}

/** What a login asks for, beside its credentials. */
export interface SessionRequest {
  readonly [name: string]: unknown
  /** Whether the login shall last. */
  readonly refresh?: unknown
  /** The refresh token of a session that this login replaces. */
  readonly refreshToken?: unknown
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The session of the user who logs in once more, such as to connect an account. */
    readonly within?: SessionClaims
  }
}

/** What the access token of a session is made with. */
export interface SessionToken {
  readonly refreshToken: string
  readonly claims: SessionClaims
  readonly options: JwtOptions
}

/** The sessions of an authentication service. They are off unless its configuration has `refresh`. */
export class SessionLogins {
  private readonly service: Service
  private readonly sessions: Sessions
  private readonly settings: SessionSettings
  private readonly users: SessionUsers

  constructor(service: Service) {
    this.service = service
    this.settings = new SessionSettings(service)
    this.users = new SessionUsers(service, {
      keep: async (id, fingerprints) => {
        if (this.isOn) await this.sessions.keep(id, fingerprints)
      },
      endOfUser: (userId) => this.endOfUser(userId, 'user')
    })
    this.sessions = new Sessions({
      getSettings: () => this.settings.last as RefreshSettings,
      getStore: () => this.settings.store,
      now: Date.now,
      onEnd: (ended, isFirst) => this.handleEnd(ended, isFirst)
    })
  }

  /** Whether there are sessions. */
  get isOn(): boolean {
    return this.settings.current !== undefined
  }

  /** Checks that sessions can be kept, refreshed and ended. Throws an Error with a sentence that says what is missing. */
  assertComplete(): void {
    const { strategies, configuration } = this.service

    if (!this.isOn) return

    if (configuration.revocation === false) {
      throw createError(
        'ALULA_INVALID_OPTION',
        "The option 'refresh' of the authentication configuration needs a store of revoked tokens: remove 'revocation: false'"
      )
    }
    if (configuration.entity === null || !this.users.strategy) {
      throw createError(
        'ALULA_INVALID_OPTION',
        "The option 'refresh' of the authentication configuration needs an 'entity', and a JWTStrategy that is registered"
      )
    }
    if (strategies[REFRESH]) {
      throw createError(
        'ALULA_STRATEGY_TAKEN',
        "The strategy 'refresh' is that of the option 'refresh': register yours under another name"
      )
    }

    this.settings.assertStore()
  }

  /**
   * Connects to the store, where it needs that, and warns of what does not reach other processes. Throws an Error when the
   * store does not respond in time.
   */
  async open(): Promise<void> {
    this.settings.warnOfOwnRevocations()
    await this.settings.open()
  }

  /** Ends the connection to the store. */
  close(): void {
    this.settings.close()
  }

  /** Whether credentials ask for a refresh. */
  isRefresh(data: AuthenticationRequest | null | undefined): boolean {
    return data?.strategy === REFRESH && this.isOn
  }

  /**
   * Refreshes the session of the `refreshToken` in the data, or in a cookie. Throws NotAuthenticated for a token that is
   * refused, with `data.reason`; BadRequest or Forbidden for a call that cannot get a cookie, or must not.
   */
  async refresh(
    data: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<{ session: StoredSession; result: AuthenticationResult }> {
    const { cookie } = this.settings.current as RefreshSettings

    if (cookie) assertCanGetCookie(params)

    const token = this.read(data.refreshToken ?? readOwnCookie(cookie, params))

    if (!token) throw new NotAuthenticated('Invalid refresh token', { reason: 'invalid' })

    return this.sessions.refresh(token, (session) => this.users.admit(session, params))
  }

  /**
   * Begins a session for a login that asks for one, and ends the one that the login replaces. With `refresh: false` in the
   * params it does neither. Returns `undefined` for a login that does not last.
   */
  async begin(
    userId: string | undefined,
    fingerprints: unknown,
    request: SessionRequest,
    params: AuthenticationParams
  ): Promise<StoredSession | undefined> {
    if (!this.isOn || userId === undefined) return undefined

    this.assertDeliverable(request, params)
    // A login for MCP, for example, does not replace the session of the browser.
    if (params.refresh === false) return undefined
    await this.replace(userId, request, params)

    if (!this.isLasting(request, params)) return undefined

    const { 'user-agent': device } = params.headers ?? {}

    return this.sessions.begin({
      userId,
      fingerprints: toText(fingerprints),
      device: toLabel(device),
      address: toLabel(params.address)
    })
  }

  /**
   * Checks that a login can get the cookie that it asks for. Throws BadRequest for a socket; Forbidden for a page of another
   * origin.
   */
  assertDeliverable(request: SessionRequest, params: AuthenticationParams): void {
    if (this.cookie && this.isLasting(request, params)) assertCanGetCookie(params)
  }

  /** Whether a login begins a session. */
  isLasting(request: SessionRequest, params: AuthenticationParams): boolean {
    const { current } = this.settings
    const { refresh = current?.always || request.refresh === true } = params

    return current !== undefined && refresh
  }

  /**
   * Ends the sessions of a user that the request of a login carries: by a refresh token in its data, an access token in its
   * params or a cookie.
   */
  async replace(
    userId: string,
    { refreshToken }: SessionRequest,
    params: AuthenticationParams
  ): Promise<void> {
    const { authentication, connection, jwt } = params
    const carried = new Set([
      this.read(refreshToken)?.id,
      this.read(findOwnCookie(this.cookie, params))?.id,
      getSessionClaim(this.readClaims(authentication?.accessToken, jwt))?.id
    ])

    for (const id of carried) {
      const session = id === undefined ? undefined : await this.store.get(id)

      if (session?.userId === userId) await this.end(session.id, 'replaced', userId, connection)
    }
  }

  /** Has a client get its refresh token in a cookie, where the configuration says so. */
  deliver<Result extends { readonly refreshToken?: string }>(
    result: Result,
    params: AuthenticationParams
  ): Result | Omit<Result, 'refreshToken'> {
    const { refreshToken, ...others } = result

    if (!params.provider || refreshToken === undefined) return result

    const { cookie, idle = 0, expiresIn = 0 } = this.settings.last ?? {}

    if (!cookie) return result

    const { accessToken } = others as { accessToken?: string }
    const text = writeRefreshCookie(cookie, refreshToken, Math.min(idle, expiresIn))

    return this.withCookie(others, { text, accessToken }, params)
  }

  /** The refresh token of a session, and what its access token is made with: it does not outlive the session. */
  toToken(session: StoredSession): SessionToken {
    return {
      refreshToken: createRefreshToken(session, this.settings.key),
      claims: toSessionClaims(session),
      options: this.toTokenOptions(session.expiresAt)
    }
  }

  /**
   * Copies the params of a login whose user is logged in by a session that goes on: its access token belongs to that session,
   * and ends with it.
   */
  addSession<Params extends object>(params: Params, claims: SessionClaims): Params {
    return addServiceSlots(params, this.service.strategies, { within: claims })
  }

  /** What the access token of a login is made with that belongs to the session of its user; `undefined` for others. */
  findSession(params: AuthenticationParams): Omit<SessionToken, 'refreshToken'> | undefined {
    const { within: claims } = getServiceSlots(params, this.service.strategies)

    return claims && { claims, options: this.toTokenOptions(claims.session.end * 1000) }
  }

  /**
   * The refresh token that a logout names: as its id, or in the place of the access token. Throws NotAuthenticated for one that
   * is not ours.
   */
  findToken(id: string | null, { authentication }: AuthenticationParams): RefreshToken | undefined {
    const given = id ?? authentication?.accessToken

    if (!isRefreshToken(given) || !this.isOn) return undefined

    const token = this.read(given)

    if (!token) throw new NotAuthenticated('Invalid refresh token', { reason: 'invalid' })

    return token
  }

  /** Logs out by a refresh token. The result has the user where the token would still be refreshed. */
  async logOut({ id, counter }: RefreshToken, params: AuthenticationParams): Promise<AuthenticationResult> {
    const { connections, configuration } = this.service
    const session = await this.store.get(id)
    // A token that was replaced long ago does not tell whose it is any more.
    const isKnown = session && this.sessions.accepts(session, counter)
    const held = connections.getLogin(params.connection)
    const isOwn = held?.session?.id === id

    await this.end(id, 'logout', session?.userId, params.connection)

    // Only then: hooks may refuse to show the user.
    const admission = isKnown && (await this.users.admit(session, params).catch(ignoreRefusal))

    return {
      ...(isOwn && { accessToken: held?.authentication.accessToken }),
      authentication: { strategy: REFRESH },
      ...(admission &&
        'result' in admission && {
          [configuration.entity as string]: admission.result[configuration.entity as string]
        })
    }
  }

  /**
   * Logs out by the cookie of a request, and clears it, also when the session has ended already; `undefined` for a request
   * without the cookie, and for a logout whose `id` names a token. Throws Forbidden for a request that no page of this server
   * has made.
   */
  async logOutByCookie(
    id: string | null,
    params: AuthenticationParams
  ): Promise<AuthenticationResult | undefined> {
    const refreshToken = id === null ? readOwnCookie(this.cookie, params) : undefined

    if (refreshToken === undefined) return undefined

    const token = this.read(refreshToken)

    return this.clearCookie(
      token ? await this.logOut(token, params) : { authentication: { strategy: REFRESH } },
      params
    )
  }

  /** Has the response to a logout clear the cookie. Scripts cannot. */
  clearCookie(result: AuthenticationResult, params: AuthenticationParams): AuthenticationResult {
    const { cookie } = this.settings.last ?? {}

    return cookie ? this.withCookie(result, { text: writeRefreshCookie(cookie) }, params) : result
  }

  /** Ends a session: its tokens are refused, and its connections close, except `staying`, whose user logs out. */
  async end(
    id: string,
    cause: SessionEndCause,
    userId: string | undefined,
    staying?: RealTimeConnection
  ): Promise<void> {
    const { connections } = this.service

    const login = connections.getLogin(staying)
    const isOwn = staying && login?.session?.id === id

    if (isOwn) connections.stop(staying)

    try {
      await this.sessions.end(id, cause, userId)
    } catch (error) {
      // The connection is still logged in, and has to close when that ends.
      if (isOwn) connections.resume(staying, login)
      throw error
    }
  }

  /** Ends the sessions of a user, except the one with the id `except`. */
  async endOfUser(userId: string, cause: SessionEndCause, except?: string): Promise<void> {
    if (!this.isOn) return

    for (const { id } of await this.sessions.findByUser(userId)) {
      if (id !== except) await this.sessions.end(id, cause, userId)
    }
  }

  /**
   * The sessions of the user of a verified call that can be refreshed, the last one first. A token that another issuer or
   * service has made has none.
   */
  async list(params: AuthenticationParams): Promise<readonly StoredSession[]> {
    const { sub: userId } = this.readClaims(params.authentication?.accessToken, params.jwt) ?? {}
    const sessions = this.isOn && userId !== undefined ? await this.sessions.findByUser(userId) : []

    return sessions
      .filter((session) => this.users.isCurrent(session, params))
      .sort((one, other) => other.loginAt - one.loginAt)
  }

  /**
   * Checks that a token of a session is not from before `accessExpiresIn` became shorter: the revocation of a session that has
   * ended lasts no longer than that. Throws NotAuthenticated for an older token.
   */
  assertCurrent(payload: VerifiedToken['payload'], options?: JwtVerifyOptions): void {
    const { iat } = payload

    if (iat === undefined || !getSessionClaim(payload)) return

    const { jwtOptions } = this.service.configuration
    const { accessExpiresIn = Number.POSITIVE_INFINITY } = this.settings.current ?? {}
    const exp = iat + accessExpiresIn / 1000

    if (toExpiration({ exp }, { ...jwtOptions, ...options, maxAge: undefined }) <= Date.now()) {
      throw new NotAuthenticated('jwt expired')
    }
  }

  /**
   * Notes that a client has used an access token. Without the store the call goes on, and the next one tries again: what refuses
   * the tokens of a session that has ended is not this, but its revocation.
   */
  async see(claim: SessionClaim): Promise<void> {
    if (!this.isOn) return

    try {
      await this.sessions.see(claim)
    } catch (error) {
      reportError(this.service.app, error)
    }
  }

  /**
   * When a connection is looked at again whose session lasts until `end`, in milliseconds since 1970. That another process has
   * ended the session is not remembered for much longer.
   */
  toNextCheck(end: number): number {
    return Math.min(end, Date.now() + (this.settings.current?.accessExpiresIn ?? Number.POSITIVE_INFINITY))
  }

  /** The same, of a session as it is now; `undefined` when it is over. */
  async getEnd(id: string): Promise<number | undefined> {
    const end = this.isOn ? await this.sessions.getEnd(id) : undefined

    return end === undefined ? undefined : this.toNextCheck(end)
  }

  /** Has a session go on when its user sets a new password in a call of this session. */
  watch(sources: readonly EntitySource[]): void {
    if (this.isOn) this.users.watch(sources)
  }

  /** Also where a hook of the login or logout returns a copy of the result. */
  private withCookie<Result extends object>(
    result: Result,
    cookie: NonNullable<RunningCall['cookie']>,
    params: AuthenticationParams
  ): Result {
    const call = getRunningCall(this.service, params)

    if (call) call.cookie = cookie

    return markTokenResponse(result, { cookie: cookie.text })
  }

  /** What a token of this service says. */
  private readClaims(
    accessToken: unknown,
    options: JwtOptions | undefined
  ): VerifiedToken['payload'] | undefined {
    try {
      return this.service.tokens.read(accessToken as string, { ...options, ignoreExpiration: true }).payload
    } catch {
      // No token, or one of others.
      return undefined
    }
  }

  private async handleEnd(ended: EndedSession, isFirst: boolean): Promise<void> {
    const { tokens, connections, app } = this.service
    const { accessExpiresIn } = this.settings.last as RefreshSettings
    const name = toSessionName(ended.id)
    // That of an access token that is made at this moment.
    const exp = (Date.now() + accessExpiresIn) / 1000

    try {
      await tokens.revocations?.revoke(name, tokens.toEnd({ exp }) + MAX_SKEW)
    } finally {
      // The call may be one of a connection of the session: its reply comes first.
      setImmediate(() => connections.endToken(name))
      if (isFirst) emitSafely(app, app, 'session:ended', [ended])
    }
  }

  /** An access token does not outlive its session. */
  private toTokenOptions(end: number): SessionToken['options'] {
    const { accessExpiresIn } = this.settings.last as RefreshSettings
    const rest = Math.min(accessExpiresIn, end - Date.now())

    return { expiresIn: Math.max(1, Math.floor(rest / 1000)) }
  }

  private read(refreshToken: unknown): RefreshToken | undefined {
    return readRefreshToken(refreshToken, this.settings.key)
  }

  private get store(): SessionStore {
    return this.settings.store
  }

  private get cookie(): RefreshCookie | undefined {
    return this.settings.current?.cookie
  }
}

/** No longer than a column is. */
function toLabel(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_LABEL) : null
}

function ignoreRefusal(error: unknown): undefined {
  if (isFault(error)) throw error
}
