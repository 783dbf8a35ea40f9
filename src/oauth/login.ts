import { isDeepStrictEqual } from 'node:util'
import { FINGERPRINT } from '../authentication/jwt.ts'
import type { Secret } from '../authentication/secret-keys.ts'
import type { AuthenticationService } from '../authentication/service.ts'
import type { SessionRequest } from '../authentication/session-logins.ts'
import { decodeToken } from '../authentication/tokens.ts'
import type { AuthenticationRequest, AuthenticationResult } from '../authentication/types.ts'
import { getResponse } from '../core/call.ts'
import { reportError } from '../core/events.ts'
import { createContext } from '../core/hooks.ts'
import type { Application, HookContext, Query } from '../core/types.ts'
import {
  BadRequest,
  type FeathersError,
  GeneralError,
  isFeathersError,
  NotAuthenticated,
  NotFound
} from '../errors.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import { toClientError } from '../transport/error.ts'
import { hasCode } from '../utils/check.ts'
import { parseCookies, toSetCookie } from '../utils/cookie.ts'
import { unsealCode } from './code.ts'
import { loadClient } from './connection.ts'
import { Flow } from './flow.ts'
import {
  getOrigins,
  getPrefix,
  getProvider,
  getProviderNames,
  getServerUrl,
  type ResolvedProvider
} from './options.ts'
import { LOGIN_TIME, type PendingLogin, PendingLogins } from './pending.ts'
import { findOrigin } from './redirect.ts'
import { assertCurrent, openSession, type Session } from './session.ts'
import { assertCookie, warnOfUnpaired } from './setup.ts'
import { type OAuthParams, OAuthStrategy } from './strategy.ts'
import type { CallbackQuery, OAuthConfiguration } from './types.ts'

/** What a login is started with. */
interface LoginRequest {
  readonly redirect: unknown
  /** Hooks of the login get it. */
  readonly query: Query
  /** Who is logged in already. */
  readonly session: Session | undefined
}

/** What a code is exchanged for. */
export interface ExchangedTokens {
  readonly accessToken: string
  /** Of a session. */
  readonly refreshToken?: string
}

/** Where the browser goes next, what it keeps, and what a program gets instead. */
export interface LoginResponse {
  readonly location: string | null
  readonly cookies: readonly string[]
  readonly result?: AuthenticationResult
}

/** The claims that each token gets anew. The others are those of the application. */
const MADE_ANEW: readonly string[] = [FINGERPRINT, 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sub']

const REFUSED = 'This login was not started in this browser, has been used, or took too long. Start again'

/** Takes browsers to providers and back. */
export class Logins {
  /** The authentication service. */
  private readonly auth: AuthenticationService
  private readonly app: Application
  private readonly linkStrategy: string
  private readonly flows = new Map<string, { settings: ResolvedProvider; redirectUri: string; flow: Flow }>()

  /** @param linkStrategy The strategy of the access token of a user who connects an account */
  constructor(auth: AuthenticationService, linkStrategy: string) {
    this.auth = auth
    this.app = auth.app
    this.linkStrategy = linkStrategy
  }

  /** The configuration under `oauth`. */
  get configuration(): OAuthConfiguration {
    return this.auth.configuration.oauth ?? {}
  }

  /** The URL under which clients reach the server. */
  get serverUrl(): string {
    return getServerUrl(this.configuration, this.app)
  }

  /** Whether clients reach the server over HTTPS. */
  get isSecure(): boolean {
    return this.serverUrl.startsWith('https:')
  }

  /** The cookie that the access token is delivered in; `undefined` when it is not. */
  get tokenCookie(): string | undefined {
    return this.configuration.delivery === 'cookie' ? this.readCookie : undefined
  }

  /** The cookie that access tokens are read from; `undefined` when there is none. */
  private get readCookie(): string | undefined {
    return (this.auth.getStrategy(this.linkStrategy) as any)?.configuration.cookie
  }

  /** Whether a call goes by the access token in the cookie, and not by one that its sender has. */
  isByCookie({ headers, authentication }: OAuthParams): boolean {
    const { readCookie: name } = this

    return (
      name !== undefined &&
      authentication?.accessToken !== undefined &&
      parseCookies(headers?.cookie).get(name) === authentication.accessToken
    )
  }

  /** Checks what a login needs, before there is one. Throws an Error with a sentence that says what is missing. */
  async setup(): Promise<void> {
    await loadClient()
    getOrigins(this.configuration, this.app)
    assertCookie(this.configuration, this.linkStrategy, this.tokenCookie, this.serverUrl)
    warnOfUnpaired(
      getProviderNames(this.configuration),
      this.auth.strategyNames.filter((name) => this.auth.getStrategy(name) instanceof OAuthStrategy)
    )
  }

  /** Where a provider sends browsers back to. */
  getCallbackUrl(name: string): string {
    const { redirect_uri } = getProvider(name, this.configuration) ?? {}

    return redirect_uri ?? `${this.serverUrl}/${getPrefix(this.configuration)}/${name}/callback`
  }

  /** Whether a provider was told to send a form, as Apple wants to. */
  expectsForm(name: string): boolean {
    return getProvider(name, this.configuration)?.custom_params?.response_mode === 'form_post'
  }

  /**
   * Begins a login for a browser that was sent here. Any page can do that: who is logged in counts only when a page of
   * the application did.
   *
   * @param params With the path that the browser goes to afterwards as `redirect` of the query, and the access token of
   * who connects an account as `feathers_token`
   * @throws NotFound for an unknown provider; NotAuthenticated for a page that it must not lead back to, for a path that
   * could lead to another origin, and for a token that is not valid; BadRequest for more than its cookie can hold
   */
  async beginForBrowser(name: string, params: OAuthParams): Promise<LoginResponse> {
    const { redirect, feathers_token: accessToken, ...query } = params.query ?? {}
    const strategy = this.getStrategy(name)
    const { headers = {} } = params
    const isOwn = this.isOwnPage(headers.referer)
    let session: Session | undefined

    if (accessToken !== undefined) {
      if (!isOwn) throw notOwn()

      session = await openSession(this.auth, strategy, { strategy: this.linkStrategy, accessToken }, params)
    } else if (isOwn && params.authentication) {
      session = await openSession(this.auth, strategy, params.authentication, params).catch((error) => {
        // A session that has ended is no obstacle to a new one.
        if (!hasCode(error, 401)) throw error

        return undefined
      })
    }

    // Otherwise any page could choose what becomes of the token. It can hide that it is foreign by sending no referrer.
    if (redirect !== undefined && !isOwn && ['cross-site', 'none'].includes(headers['sec-fetch-site'])) {
      throw new NotAuthenticated('Only a page of the application can choose where a login leads to')
    }

    return this.start(name, strategy, { redirect, query, session }, params)
  }

  /**
   * Begins a login for a program, which sends the browser where the response says.
   *
   * @param data With the path that the browser goes to afterwards as `redirect`
   * @param params If the user of the request is logged in, the account is connected to that user
   * @throws NotFound for an unknown provider; NotAuthenticated for a token that is not valid, for a cookie in the request
   * of a page that is not of the application, and for a path that could lead to another origin
   */
  async beginForProgram(
    name: string,
    data: { readonly redirect?: unknown } | undefined,
    params: OAuthParams
  ): Promise<LoginResponse> {
    const strategy = this.getStrategy(name)
    const { query = {}, authentication, headers = {} } = params

    // Browsers add it to requests of other hosts of the same site.
    if (this.isByCookie(params) && !this.isOwnPage(headers.origin ?? headers.referer)) throw notOwn()

    const session = authentication
      ? await openSession(this.auth, strategy, authentication, params)
      : undefined

    return this.start(name, strategy, { redirect: data?.redirect, query, session }, params)
  }

  /**
   * Ends a login, whether it succeeded or failed. Throws FeathersError for a login that did not succeed, when no page is
   * configured that could say so.
   */
  async finish(
    name: string,
    query: CallbackQuery,
    { authentication, ...params }: OAuthParams
  ): Promise<LoginResponse> {
    const strategy = this.getStrategy(name)
    const { state } = query
    const { referer, ...headers } = params.headers ?? {}
    const login = typeof state === 'string' ? this.pending.find(state, name, headers.cookie) : undefined
    const loginParams: OAuthParams = {
      ...params,
      query: login?.query ?? {},
      // Otherwise it is the provider that the browser comes from.
      headers: { ...headers, ...(login?.page && { referer: login.page }) },
      ...(login?.redirect !== undefined && { redirect: login.redirect }),
      oauth: { provider: name, entityId: login?.session?.entityId },
      authStrategies: [name],
      // The exchange of a code begins a session; a URL holds no refresh token.
      refresh: false
    }
    const cookies = login ? [this.pending.end(login.state)] : []

    try {
      if (!login || !(await this.auth.useOnce(`oauth:${login.state}`, login.expiresAt))) {
        throw new NotAuthenticated(REFUSED)
      }

      const grant = await this.getFlow(name).finish(query, login)
      const { session } = login

      // Not before: the provider may take its time.
      if (session) await assertCurrent(this.auth, strategy, session)

      const context = await this.authenticate(
        { strategy: name, ...grant },
        session?.claims ? this.auth.sessionLogins.addSession(loginParams, session.claims) : loginParams
      )
      const location = await strategy.getRedirect(context.result, loginParams)

      return { location, ...this.deliver(context, cookies) }
    } catch (error) {
      const shown = this.toReported(error)
      const location = await strategy.getRedirect(shown, loginParams)

      if (!location) throw shown

      return { location, cookies }
    }
  }

  /**
   * Exchanges a code for the access token that it was made for.
   *
   * @param request Whether the login shall last: with `refresh` in the configuration there is a `refreshToken` then; and the refresh
   * token of the session that it replaces
   * @throws NotAuthenticated for a code that is not valid, or was used; Forbidden for a page of others, where refresh tokens are
   * in a cookie
   */
  async exchange(text: unknown, request: SessionRequest, params: OAuthParams): Promise<ExchangedTokens> {
    const { sessionLogins } = this.auth

    sessionLogins.assertDeliverable(request, params)

    const code = unsealCode(text, this.secret)

    if (!code || !(await this.auth.useOnce(`oauth-code:${code.id}`, code.expiresAt))) {
      throw new NotAuthenticated('Invalid code: it is not one of ours, has been used, or is too old')
    }

    return sessionLogins.deliver(await this.beginSession(code.accessToken, request, params), params)
  }

  /** Exchanges an access token, which no client has seen, for those of a session. */
  private async beginSession(
    accessToken: string,
    request: SessionRequest,
    params: OAuthParams
  ): Promise<ExchangedTokens> {
    const { sessionLogins } = this.auth

    if (!sessionLogins.isLasting(request, params)) return { accessToken }

    const strategy = this.linkStrategy
    const { entity } = this.auth.configuration
    const payload = await this.auth.verifyAccessToken(accessToken)

    // To connect an account is no new login: the token belongs to the session of its user.
    if (getSessionClaim(payload)) return { accessToken }

    const own = Object.entries(payload).filter(([name]) => !MADE_ANEW.includes(name))
    const { [entity as string]: user } = await this.auth.authenticate({ strategy, accessToken }, {}, strategy)
    const { headers, address } = params

    await sessionLogins.replace(payload.sub, request, params)

    const tokens = await this.auth.issueToken(
      { [entity as string]: user, authentication: { strategy } },
      { headers, address, refresh: true, payload: Object.fromEntries(own) }
    )

    return { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken }
  }

  private async start(
    name: string,
    strategy: OAuthStrategy,
    request: LoginRequest,
    { headers = {} }: OAuthParams
  ): Promise<LoginResponse> {
    const pageParams: OAuthParams = { ...(request as OAuthParams), headers }
    const page = (await strategy.getAllowedOrigin(pageParams)) ?? undefined

    // An invalid path fails now, not after the login.
    await strategy.getRedirect(new NotAuthenticated(), pageParams)

    const { location, secrets } = await this.begin(name)
    const login = {
      ...(request as PendingLogin),
      ...secrets,
      provider: name,
      expiresAt: Date.now() + LOGIN_TIME,
      page
    }
    const cookies = this.pending.keep(login, headers.cookie)

    if (!cookies) throw new BadRequest('The query is too long for a login: expected some hundred characters')

    return { location, cookies }
  }

  private async begin(name: string): ReturnType<Flow['begin']> {
    try {
      return await this.getFlow(name).begin()
    } catch (error) {
      throw this.toReported(error)
    }
  }

  /** Logs in, and returns the context: its hooks may have said what clients see of the result. */
  private async authenticate(data: AuthenticationRequest, params: OAuthParams): Promise<HookContext> {
    return await (this.auth as any).create(data, params, createContext(this.auth, 'create'))
  }

  /** Whether a page is one that logins lead back to, or on the server itself. */
  private isOwnPage(referer: string | undefined): boolean {
    const origins = getOrigins(this.configuration, this.app)
    const { redirect } = this.configuration
    const pages = [this.serverUrl, ...(origins.length === 0 && redirect ? [redirect] : origins)]

    return referer !== undefined && findOrigin(pages, referer) !== undefined
  }

  private get secret(): Secret {
    return this.auth.configuration.secret as Secret
  }

  private get pending(): PendingLogins {
    return new PendingLogins(this.secret, this.isSecure)
  }

  private getStrategy(name: string): OAuthStrategy {
    const strategy = this.auth.getStrategy(name)

    if (!getProvider(name, this.configuration) || !(strategy instanceof OAuthStrategy)) {
      throw new NotFound('There is no OAuth provider of this name')
    }

    return strategy
  }

  /** What was found out about a provider is kept until its settings change. */
  private getFlow(name: string): Flow {
    const settings = getProvider(name, this.configuration) as ResolvedProvider
    const redirectUri = this.getCallbackUrl(name)
    const known = this.flows.get(name)

    if (known && known.redirectUri === redirectUri && isDeepStrictEqual(known.settings, settings)) {
      return known.flow
    }

    const flow = new Flow(name, settings, redirectUri)

    this.flows.set(name, { settings, redirectUri, flow })

    return flow
  }

  private deliver(
    context: HookContext,
    cookies: readonly string[]
  ): Pick<LoginResponse, 'result' | 'cookies'> {
    const { tokenCookie: name } = this
    const response = getResponse(context) as AuthenticationResult

    if (name === undefined) return { result: response, cookies }

    const { accessToken } = context.result
    const { exp } = decodeToken(accessToken) as { readonly exp?: number }
    const maxAge = exp === undefined ? undefined : exp - Math.floor(Date.now() / 1000)
    const cookie = toSetCookie(name, accessToken, { maxAge, isSecure: this.isSecure })
    const { accessToken: _, authentication: __, ...shown } = response

    return { result: shown, cookies: [...cookies, cookie] }
  }

  /** The same as over HTTP. What a client sees nothing of is said to the application. */
  private toReported(error: unknown): FeathersError {
    const { status, body } = toClientError(error)

    if (status >= 500) reportError(this.app, error)

    return isFeathersError(error) ? error : new GeneralError(body.message)
  }
}

function notOwn(): NotAuthenticated {
  return new NotAuthenticated('An account can be connected from a page of the application only')
}
