// The logins that last: what sessions need of an authentication service, and what its logins need of sessions.
import { emitSafely } from '../core/events.ts'
import type { Application, HookContext, NextFunction, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { getSessionClaim, type SessionClaim, toSessionClaims, toSessionName } from '../sessions/claim.ts'
import { MemorySessionStore } from '../sessions/memory-store.ts'
import { type RefreshOptions, type RefreshSettings, toRefreshSettings } from '../sessions/options.ts'
import { assertSessionService, ServiceSessionStore } from '../sessions/service-store.ts'
import { type Admission, Sessions } from '../sessions/sessions.ts'
import {
  createRefreshToken,
  isRefreshToken,
  type RefreshToken,
  type RefreshTokenKey,
  readRefreshToken
} from '../sessions/token.ts'
import type { EndedSession, SessionEndCause, SessionStore, StoredSession } from '../sessions/types.ts'
import { hasCode } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Connections, EntitySource } from './connections.ts'
import type { Entities } from './entities.ts'
import { toSecrets } from './secret-keys.ts'
import { getConfiguration } from './settings.ts'
import type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  JwtOptions
} from './types.ts'

/** The strategy of a refresh token. It is no registered one. */
export const REFRESH = 'refresh'

/** How far the clocks of two processes may differ, in milliseconds. */
const MAX_SKEW = 60_000

/** The part of an authentication service that is needed here. */
interface Service {
  readonly app: Application
  readonly configKey: string
  readonly configuration: AuthenticationConfiguration
  readonly strategies: { readonly [name: string]: object }
  readonly tokens: AccessTokens
  readonly connections: Connections
  readonly entities: Entities
}

/** The strategy of access tokens, which loads their users. */
interface UserStrategy {
  getEntityId(result: AuthenticationResult, params: AuthenticationParams): Promise<unknown>
  admit(
    id: unknown,
    fingerprints: unknown,
    params: AuthenticationParams
  ): Promise<{ current: any; shown: any }>
}

/** What a login asks for, beside its credentials. */
export interface SessionRequest {
  readonly [name: string]: unknown
  /** Whether the login shall last. */
  readonly refresh?: unknown
  /** The refresh token of a session that this login replaces. */
  readonly refreshToken?: unknown
}

/** What the access token of a session is made with. */
export interface SessionToken {
  readonly refreshToken: string
  readonly claims: ReturnType<typeof toSessionClaims>
  readonly options: JwtOptions
}

/** The sessions of an authentication service. They are off unless its configuration has `refresh`. */
export class SessionLogins {
  private readonly service: Service
  private readonly sessions: Sessions
  /** Used unless the configuration names a store. */
  private readonly ownStore = new MemorySessionStore()
  private known: { readonly options: RefreshOptions; readonly settings: RefreshSettings } | undefined
  /** The services of users that tell about new passwords. */
  private readonly watched = new WeakSet<object>()

  constructor(service: Service) {
    this.service = service
    this.sessions = new Sessions({
      getSettings: () => this.settings as RefreshSettings,
      getStore: () => this.store,
      now: Date.now,
      onEnd: (ended, isFirst) => this.handleEnd(ended, isFirst)
    })
  }

  /** Whether there are sessions. */
  get isOn(): boolean {
    return this.settings !== undefined
  }

  /**
   * Checks that sessions can be kept, refreshed and ended.
   *
   * @throws Error with a sentence that says what is missing
   */
  assertComplete(): void {
    const { settings } = this
    const { strategies, configuration, app } = this.service

    if (!settings) return

    if (configuration.revocation === false) {
      throw createError(
        'ALULA_INVALID_OPTION',
        "The option 'refresh' of the authentication configuration needs a store of revoked tokens: remove 'revocation: false'"
      )
    }
    if (configuration.entity === null || !this.strategy) {
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

    if (settings.store !== undefined) assertSessionService(app.service(settings.store), settings.store)
  }

  /** Names the time for which tokens of an ended session stay valid in other processes. */
  warnOfOwnRevocations(): void {
    const { configuration } = this.service

    if (this.settings?.store === undefined || configuration.revocation !== undefined) return

    process.emitWarning(
      `Sessions are in a store, but revoked tokens are in the memory of this process: in other processes the access tokens of ` +
        `a session that has ended are valid for another ${this.settings.accessExpiresIn / 1000} seconds. ` +
        `Configure 'alula/sync' or the option 'revocation'`,
      { code: 'ALULA_OWN_REVOCATIONS' }
    )
  }

  /** Whether credentials are a refresh token, for the strategy of this class. */
  isRefresh(data: AuthenticationRequest | null | undefined): boolean {
    return data?.strategy === REFRESH && this.isOn
  }

  /**
   * Refreshes the session of a refresh token.
   *
   * @param data With `refreshToken`
   * @param params Those of the call
   * @returns The session, and the result of a login, without tokens
   * @throws NotAuthenticated for a token that is refused, with `data.reason`
   */
  async refresh(
    { refreshToken }: AuthenticationRequest,
    params: AuthenticationParams
  ): Promise<{ session: StoredSession; result: AuthenticationResult }> {
    const token = this.read(refreshToken)

    if (!token) throw new NotAuthenticated('Invalid refresh token', { reason: 'invalid' })

    return this.sessions.refresh(token, (session) => this.admit(session, params))
  }

  /**
   * Begins a session for a login that asks for one, and ends the one that the login replaces.
   *
   * @param userId The subject of the access token
   * @param fingerprints Those of its claims
   * @param request What the login asks for
   * @param params Those of the call
   * @returns `undefined` for a login that does not last
   */
  async begin(
    userId: string | undefined,
    fingerprints: unknown,
    request: SessionRequest,
    params: AuthenticationParams
  ): Promise<StoredSession | undefined> {
    const settings = this.toSettings(getConfiguration(this.service, params))

    if (!settings || userId === undefined) return undefined

    await this.replace(userId, request, params)

    const { refresh = settings.always || request.refresh === true } = params

    if (!refresh) return undefined

    const { 'user-agent': device } = params.headers ?? {}

    return this.sessions.begin({
      userId,
      fingerprints: toText(fingerprints),
      device: typeof device === 'string' ? device : null,
      address: typeof params.address === 'string' ? params.address : null
    })
  }

  /** The refresh token of a session, and what its access token is made with: it does not outlive the session. */
  toToken(session: StoredSession): SessionToken {
    const { accessExpiresIn } = this.settings as RefreshSettings
    const rest = Math.min(accessExpiresIn, session.expiresAt - Date.now())

    return {
      refreshToken: createRefreshToken(session, this.key),
      claims: toSessionClaims(session),
      options: { expiresIn: Math.max(1, Math.floor(rest / 1000)) }
    }
  }

  /**
   * The refresh token that a logout names: as its id, or in the place of the access token.
   *
   * @throws NotAuthenticated for one that is not ours
   */
  findToken(id: string | null, { authentication }: AuthenticationParams): RefreshToken | undefined {
    const given = id ?? authentication?.accessToken

    if (!isRefreshToken(given) || !this.isOn) return undefined

    const token = this.read(given)

    if (!token) throw new NotAuthenticated('Invalid refresh token', { reason: 'invalid' })

    return token
  }

  /**
   * Logs out by a refresh token.
   *
   * @returns The result of a logout, with the user where there is one still
   */
  async logOut({ id }: RefreshToken, params: AuthenticationParams): Promise<AuthenticationResult> {
    const { connections, configuration } = this.service
    const session = await this.store.get(id)
    const admission = session && (await this.admit(session, params))
    const held = connections.getLogin(params.connection)
    const isOwn = held?.session?.id === id

    await this.end(id, 'logout', session?.userId, params.connection)

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
   * Ends a session: its tokens are refused, and its connections close.
   *
   * @param id The id of the session
   * @param cause Why
   * @param userId Whose it is, where that is known
   * @param staying A connection of it that stays: the one whose user logs out
   */
  async end(
    id: string,
    cause: SessionEndCause,
    userId: string | undefined,
    staying?: RealTimeConnection
  ): Promise<void> {
    const { connections } = this.service

    if (staying && connections.getLogin(staying)?.session?.id === id) connections.stop(staying)

    await this.sessions.end(id, cause, userId)
  }

  /**
   * Ends the sessions of a user.
   *
   * @param userId The id of the user
   * @param except The id of a session that goes on
   */
  async endAll(userId: unknown, except?: string): Promise<void> {
    if (!this.isOn) return

    for (const { id } of await this.sessions.findByUser(String(userId))) {
      if (id !== except) await this.sessions.end(id, 'removed', String(userId))
    }
  }

  /**
   * The sessions of a user that can be refreshed, the last one first.
   *
   * @param userId The subject of its access tokens
   * @param params Those of a call, with the user
   */
  async list(userId: string, params: AuthenticationParams): Promise<readonly StoredSession[]> {
    const { configuration, entities } = this.service
    const user = params[configuration.entity as string]
    const sessions = this.isOn ? await this.sessions.findByUser(userId) : []
    // Those from before a new password end at their next refresh.
    const live = sessions.filter(
      ({ fingerprints }) => !user || entities.hasFingerprints(user, parse(fingerprints), params)
    )

    return live.sort((one, other) => other.loginAt - one.loginAt)
  }

  /**
   * Notes that a client has used an access token.
   *
   * @param claim What the token says of its session
   */
  async see(claim: SessionClaim): Promise<void> {
    if (this.isOn) await this.sessions.see(claim)
  }

  /** When a connection with a session is looked at again, in milliseconds since 1970. */
  toConnectionEnd({ end }: SessionClaim): number {
    return Math.min(end * 1000, Date.now() + (this.settings?.idle ?? Number.POSITIVE_INFINITY))
  }

  /** When a session ends unless it is refreshed; `undefined` when it is over. */
  async getEnd(id: string): Promise<number | undefined> {
    return this.isOn ? this.sessions.getEnd(id) : undefined
  }

  /**
   * Has a session go on when its user sets a new password in a call of this session.
   *
   * @param sources Where users are
   */
  watch(sources: readonly EntitySource[]): void {
    if (!this.isOn) return

    for (const { service } of sources) {
      if (this.watched.has(service)) continue

      const keepOwnSession = async (context: HookContext, next: NextFunction) => {
        await next()
        await this.keep(context)
      }

      this.watched.add(service)
      ;(service as any).hooks?.({ around: { patch: [keepOwnSession], update: [keepOwnSession] } })
    }
  }

  private async keep({ id, params, service }: HookContext): Promise<void> {
    const { payload } = (params as AuthenticationParams).authentication ?? {}
    const claim = getSessionClaim(payload)

    if (!this.isOn || !claim || String(id) !== payload.sub) return

    const { entities } = this.service
    const current = await entities.load({ service, id }, {}, {})
    const fingerprints = toText(entities.toFingerprints(current, {}))

    if (fingerprints !== toText(payload.fingerprint)) await this.sessions.keep(claim.id, fingerprints)
  }

  /** Loads the user of a session, as for an access token. */
  private async admit(
    { userId, fingerprints }: StoredSession,
    params: AuthenticationParams
  ): Promise<Admission<AuthenticationResult>> {
    const { entities, configuration } = this.service
    const strategy = this.strategy as UserStrategy
    const id = await strategy.getEntityId({ authentication: { payload: { sub: userId } } }, params)

    try {
      const { current, shown } = await strategy.admit(
        id,
        undefined,
        copyWith(params, { authenticated: true })
      )

      if (!entities.hasFingerprints(current, parse(fingerprints), params)) return { cause: 'password' }

      const result = { authentication: { strategy: REFRESH }, [configuration.entity as string]: shown }

      return {
        fingerprints: toText(entities.areTied(params) ? entities.toFingerprints(current, params) : undefined),
        result: entities.setVerified(result, current)
      }
    } catch (error) {
      if (hasCode(error, 401)) return { cause: 'user' }
      throw error
    }
  }

  /** Ends the sessions of this user that the request of a login carries. */
  private async replace(
    userId: string,
    { refreshToken }: SessionRequest,
    { authentication, connection, jwt }: AuthenticationParams
  ): Promise<void> {
    const carried = new Set([
      this.read(refreshToken)?.id,
      this.readClaim(authentication?.accessToken, jwt)?.id
    ])

    for (const id of carried) {
      const session = id === undefined ? undefined : await this.store.get(id)

      if (session?.userId === userId) await this.end(session.id, 'replaced', userId, connection)
    }
  }

  private readClaim(accessToken: unknown, options: JwtOptions | undefined): SessionClaim | undefined {
    try {
      return getSessionClaim(
        this.service.tokens.read(accessToken as string, { ...options, ignoreExpiration: true }).payload
      )
    } catch {
      // No token, or one of others.
      return undefined
    }
  }

  private async handleEnd(ended: EndedSession, isFirst: boolean): Promise<void> {
    const { tokens, connections, app } = this.service
    const { accessExpiresIn } = this.settings as RefreshSettings
    const name = toSessionName(ended.id)

    try {
      await tokens.revocations?.revoke(name, Date.now() + accessExpiresIn + MAX_SKEW)
    } finally {
      // The call may be one of a connection of the session: its reply comes first.
      setImmediate(() => connections.endToken(name))
      if (isFirst) emitSafely(app, app, 'session:ended', [ended])
    }
  }

  private read(refreshToken: unknown): RefreshToken | undefined {
    return readRefreshToken(refreshToken, this.key)
  }

  private get key(): RefreshTokenKey {
    const { configKey, configuration } = this.service

    return { secrets: toSecrets(configuration.secret), service: configKey }
  }

  private get strategy(): UserStrategy | undefined {
    return Object.values(this.service.strategies).find(
      (strategy) => typeof (strategy as Partial<UserStrategy>).admit === 'function'
    ) as UserStrategy | undefined
  }

  private get settings(): RefreshSettings | undefined {
    return this.toSettings(this.service.configuration)
  }

  private toSettings({ refresh: options }: AuthenticationConfiguration): RefreshSettings | undefined {
    if (!options) return undefined

    if (this.known?.options !== options) {
      this.known = { options, settings: toRefreshSettings(options, this.service.configKey) }
    }

    return this.known.settings
  }

  private get store(): SessionStore {
    const { store } = this.settings as RefreshSettings

    return store === undefined
      ? this.ownStore
      : new ServiceSessionStore(this.service.app.service(store) as any)
  }
}

function toText(fingerprints: unknown): string | null {
  return fingerprints === undefined || fingerprints === null ? null : JSON.stringify(fingerprints)
}

function parse(fingerprints: string | null): unknown {
  return fingerprints === null ? undefined : JSON.parse(fingerprints)
}
