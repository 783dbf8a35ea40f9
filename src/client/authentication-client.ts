import { emitSafely, reportError } from '../core/events.ts'
import type { AnyService, Application, AuthenticationRequest, Params } from '../core/types.ts'
import { FeathersError, NotAuthenticated } from '../errors.ts'
import { getInherited } from '../utils/call-state.ts'
import { stripSlashes } from '../utils/path.ts'
import { disregard } from '../utils/promise.ts'
import { decodeText } from '../utils/url.ts'
import { isOfSession, readClaims, toUser } from './claims.ts'
import { waitFor } from './hooks.ts'
import { getLocation, type HashLocation, takeFromHash } from './location.ts'
import type { AuthenticationResult, Login } from './login.ts'
import { runRenewal } from './renewal.ts'
import type { ResponseParams } from './service.ts'
import { createReconnect, type Socket } from './socket.ts'
import { defaultStorage, getDefaultStorage, type Storage, StorageWrapper } from './storage.ts'

/** The options of `authentication()`. */
export interface AuthenticationClientOptions {
  /** Where the token is kept: `localStorage`, and where there is none the memory of the application. */
  storage: Storage
  /** The header that the token is sent in over HTTP. */
  header: string
  /** What stands before the token in the header. */
  scheme: string
  /** The name of the token in the storage. */
  storageKey: string
  /** The name of a token in the hash of the URL, where OAuth leaves it. */
  locationKey: string
  /** The name of an error in the hash of the URL. */
  locationErrorKey: string
  /** The name of a code in the hash of the URL, which is exchanged for a token. */
  locationCodeKey: string
  /** What the paths of OAuth begin with. */
  oauthPath: string
  /** The strategy that takes the token. */
  jwtStrategy: string
  /** Whether a login asks for a session, which is renewed until it ends. A server without sessions ignores that. */
  refresh: boolean
  /** The path of the authentication service. */
  path: string
  /**
   * With calls over a socket: the authentication service over HTTP, which logs in, renews and logs out. For refresh tokens in a
   * cookie.
   */
  service?: AnyService | undefined
  /** The class that does it. */
  Authentication: AuthenticationClientClass
}

/** A class that can stand in place of `AuthenticationClient`. */
export type AuthenticationClientClass = new (
  app: Application,
  options: AuthenticationClientOptions
) => AuthenticationClient

/** How many milliseconds after a renewal that has failed the next one may begin, as long as the token is valid. */
const RENEWAL_PAUSE = 10_000

/** The cause of the end of a session that another tab has ended. */
const LOGOUT = 'logout'

/** Logs in and out, and keeps the token. There is one of it on an application, as `app.authentication`. */
export class AuthenticationClient {
  app: Application
  options: AuthenticationClientOptions
  /** Whether the last login has succeeded, and no logout came after it. */
  authenticated = false
  /** Of a socket: the login after a lost connection, until it has ended. */
  resumed: Promise<AuthenticationResult | null> | undefined

  /** The calls that wait for that. */
  private waiting: Promise<unknown>[] = []
  /** The last login; after its end, what is still known of it. */
  private lastLogin: Login = { begun: {} }
  /** While a login starts another one as a part of itself: the outer one. */
  private outer: Login | undefined
  /** Whether the login after a lost connection failed without a refusal by the server, such as for another loss. */
  private isInterrupted = false
  /** Of a socket: the login of its connection. */
  private held: Login | undefined
  /** Settles when the login that was sent last has a response. */
  private sent: Promise<unknown> = Promise.resolve()
  /** The refresh token of a session that has a newer one, which this client did not get. The next login names it. */
  private lost: string | undefined

  constructor(app: Application, options: AuthenticationClientOptions) {
    this.app = app
    this.options = options

    // A server that renders pages has an application for each visitor: they must not share a memory.
    const storage = options.storage === defaultStorage ? getDefaultStorage() : options.storage

    app.set('storage', new StorageWrapper(app.get('storage') ?? storage))

    if (app.io) this.handleSocket(app.io)
  }

  /** The path of the authentication service, as calls have it. */
  get path(): string {
    return stripSlashes(this.options.path)
  }

  /** The authentication service. */
  get service(): any {
    return this.app.service(this.options.path)
  }

  /** Where the token is kept. */
  get storage(): Storage {
    return this.app.get('storage')
  }

  /** Logs in again whenever the connection of a socket was lost. Calls wait for that. */
  handleSocket(socket: Socket): void {
    const reconnect = createReconnect(socket)

    socket.on('disconnect', (reason: string) => {
      this.held = undefined
      this.sent = Promise.resolve()
      if (this.authenticated || this.isInterrupted) this.resume(() => reconnect(reason))
    })
  }

  /**
   * Waits for the login after a lost connection, with a call of a user.
   *
   * @param call The call, which waits for no longer than it may take
   * @throws NotAuthenticated when the user has logged out meanwhile, or another one has logged in; the error of the login
   */
  whenResumed(call: { method: string; path: string; params: ResponseParams }): Promise<unknown> {
    const resumed = Promise.resolve(this.resumed).then((result) => {
      if (!result || toUser(result.accessToken) !== toUser(call.params.accessToken)) throw createLoggedOut()
    })
    const waiting = waitFor(this.service, resumed, call)

    this.waiting.push(waiting)

    return waiting
  }

  /**
   * Makes sure that the connection of a socket still has the user of a call that was made with a login of this client.
   *
   * @param params The params of the call
   * @param path The path of its service: a logout is for the login before one that began after it
   * @throws NotAuthenticated when the user has logged out meanwhile, or another one has logged in
   */
  assertHeld(params: Params, path: string): void {
    const { held, app } = this
    const { login } = getInherited(params)

    if (login?.client !== this || path === this.path) return

    // A custom class may log in by itself.
    const isSame = held
      ? toUser(held.result?.accessToken) === toUser(login.accessToken)
      : app.get('authentication')

    if (!isSame) throw createLoggedOut()
  }

  /**
   * Takes a token, the code for one, or the error of a login, out of the hash of a URL.
   *
   * @param location `window.location`, or something like it
   * @returns The token, or `null`
   * @throws OauthError for an error in the location; the error of the server for a code
   */
  async getFromLocation(location: HashLocation): Promise<string | null> {
    const { lastLogin: login, options } = this
    const accessToken = takeFromHash(location, options.locationKey)

    if (accessToken !== null) return accessToken

    const given = takeFromHash(location, options.locationCodeKey)
    const message = given === null ? takeFromHash(location, options.locationErrorKey) : null
    const code = given ?? login.code

    login.code = undefined
    if (message !== null) throw new FeathersError(decodeText(message), 'OauthError', 401, 'oauth-error')

    return code === undefined ? null : this.exchange(login, code)
  }

  /** Keeps a token. */
  async setAccessToken(accessToken: string): Promise<unknown> {
    return this.storage.setItem?.(this.options.storageKey, accessToken)
  }

  /** The token of the storage, or else that of the URL, or `null`. */
  async getAccessToken(): Promise<string | null> {
    return (await this.storage.getItem(this.options.storageKey)) || this.takeAccessToken()
  }

  /** Removes the token, and the refresh token of its session, from the storage. */
  async removeAccessToken(): Promise<unknown> {
    const keys = [this.options.storageKey, this.refreshKey]

    this.forgetTokens()

    const [removed] = await Promise.all(keys.map((key) => this.storage.removeItem?.(key)))

    return removed
  }

  /** Clears the login state; the token stays. */
  async reset(): Promise<null> {
    this.replaceLogin()
    this.held = undefined
    this.app.set('authentication', null)
    this.authenticated = false
    this.isInterrupted = false

    return null
  }

  /**
   * Decides what an error means. One with a code from 401 to 407 ends the session, unless it is that of a renewal: the token is
   * removed, and the application emits `logout` if a user was logged in. After any other the token stays, and so does the login
   * after a failed logout, and over a socket after a failed login.
   *
   * @param error The error of a login or logout
   * @param type Which of them it was
   * @returns `null` for a logout of a session that has ended
   * @throws The error
   */
  async handleError(error: unknown, type: 'authenticate' | 'logout'): Promise<null> {
    const { authenticated, isInterrupted, lastLogin: login, held } = this
    const isOver = this.isOver(error)
    const isLogin = type === 'authenticate'

    if (isLogin && !isOver && held?.result !== undefined && held !== login) {
      // The connection still has the login before.
      held.code = login.code
      this.lastLogin = held
      this.app.set('authentication', Promise.resolve(held.result))
      throw error
    }

    // First, because a login may begin while the token is being removed. A logout that failed can be tried again.
    if (isOver || isLogin) await this.reset()
    // Otherwise the connection would stay logged in when the page no longer is.
    const left = isLogin && held && this.leaveConnection()

    if (isOver) await this.removeOwnTokens(!isLogin)
    await left
    if (isOver && (authenticated || isInterrupted)) this.emit('logout', null)
    if (isOver && type === 'logout') return null

    throw error
  }

  /**
   * Logs in with the token that is kept. Does nothing when that was done already.
   *
   * @param force Whether to do it nevertheless
   * @param strategy The strategy that takes the token
   * @param params Params for the call of the authentication service
   * @throws NotAuthenticated without a token, and the error of the server
   */
  reAuthenticate(
    force = false,
    strategy: string = this.options.jwtStrategy,
    params?: Params
  ): Promise<AuthenticationResult> {
    const current = this.app.get('authentication')

    if (current && !force) return current

    return this.begin((login) => this.logInAgain(login, strategy, params))
  }

  /**
   * Logs in.
   *
   * @param authentication The name of a strategy, and what it needs; nothing for `reAuthenticate()`
   * @param params Params for the call of the authentication service
   * @throws The error of the server
   */
  authenticate(authentication?: AuthenticationRequest, params?: Params): Promise<AuthenticationResult> {
    if (!authentication) return this.reAuthenticate()

    return this.begin((login) => this.logIn(login, authentication, params))
  }

  /**
   * Logs out, and forgets the token. A login that starts before the response stays valid. With `service`, the logout clears its
   * cookie when its response over HTTP comes last.
   *
   * @returns The result of the server; `null` when it knows of no login, and when another login has begun during the one to end
   * @throws The error of the server, unless that ends the session
   */
  async logout(): Promise<AuthenticationResult | null> {
    const { lastLogin: login } = this
    const isReplaced = () => this.lastLogin.begun !== login.begun && this.app.get('authentication')

    try {
      // The session of a login that runs is known after its response. One after a lost connection has that of the login before,
      // or of one that was not sent before the loss.
      if (!login.result && !this.resumed) await this.waitFor(this.app.get('authentication'))
      if (this.resumed) await this.waitFor(this.lastLogin.begun.response).catch(() => undefined)
      // The logout would end the other one.
      if (isReplaced()) return null

      const result = await this.end(this.lastLogin.refreshToken)

      // Clears the cookie of the session, which is closed by now. A login that began meanwhile has another one, or will.
      if (!isReplaced()) await this.options.service?.remove(null).catch(() => undefined)

      if (isReplaced()) {
        if (this.held === login) this.held = undefined

        return result
      }

      // First, because a login may begin while the token is being removed.
      await this.reset()
      await this.removeOwnTokens(true)
      this.emit('logout', result)

      return result
    } catch (error) {
      if (isReplaced()) throw error

      return this.handleError(error, 'logout')
    }
  }

  /** Whether the access token of a session has to be renewed before a call. */
  get isOld(): boolean {
    return Date.now() >= (this.lastLogin.session?.renewAt ?? Number.POSITIVE_INFINITY)
  }

  /** Whether an error of a call says that the access token of a session does not count any more. */
  isRenewable({ code, message, data }: { code?: number; message?: string; data?: any }): boolean {
    const isToken = data?.name === 'TokenExpiredError' || message === 'jwt revoked'

    return code === 401 && isToken && Boolean(this.lastLogin.session)
  }

  /**
   * Renews the access token of a session: once for all calls that wait for it, and for all tabs.
   *
   * @param used The access token that is renewed
   * @returns The result of the login, with the new token
   * @throws NotAuthenticated when the user of the token is no longer logged in; the error of the server: after a 401 with
   * `data.reason` the session is over, and the application emits `session:ended`
   */
  async renew(used: string): Promise<AuthenticationResult> {
    const waiting = this.app.get('authentication')
    const before = await waiting
    const login = this.lastLogin

    if (!before || toUser(before.accessToken) !== toUser(used)) throw createLoggedOut()
    // It was renewed already, or the user has logged in again.
    if (before.accessToken !== used) return before

    const result = await this.renewOnce(login, used)

    if (!result) return this.renew(used)

    if (this.app.get('authentication') === waiting) {
      login.result = result
      this.app.set('authentication', Promise.resolve(result))
    }

    return result
  }

  /**
   * Renews an access token that is old, but still valid. If that fails and the session is not over, calls use the token until it
   * expires, and after a pause one of them tries again.
   *
   * @param login The result of the login
   * @returns The same, or a result with a new token
   * @throws What `renew` throws, when the session is over or the token has expired
   */
  async renewEarly(login: AuthenticationResult): Promise<AuthenticationResult> {
    const { lastLogin: current } = this

    try {
      return await this.renew(login.accessToken)
    } catch (error: any) {
      const { session } = current
      const isOver = this.lastLogin !== current || (error?.code === 401 && error.data?.reason)

      if (isOver || !session || Date.now() >= session.expiresAt) throw error

      session.renewAt = Math.min(Date.now() + RENEWAL_PAUSE, session.expiresAt)

      return login
    }
  }

  /** Resolves to `undefined` when the login has been replaced. */
  private renewOnce(login: Login, used: string): Promise<AuthenticationResult | undefined> {
    login.renewal ??= runRenewal(
      this.refreshKey,
      Date.now() < (login.session?.expiresAt ?? 0),
      () => this.lastLogin === login,
      (isCurrent) => this.renewNow(login, used, isCurrent)
    ).finally(() => {
      login.renewal = undefined
    })

    return login.renewal
  }

  private async renewNow(
    login: Login,
    used: string,
    isCurrent: () => boolean
  ): Promise<AuthenticationResult | undefined> {
    const accessToken = await this.storage.getItem(this.options.storageKey)
    const refreshToken = await this.storage.getItem(this.refreshKey)
    const strategy = this.options.jwtStrategy
    // Another tab has renewed it.
    const isNew = accessToken && accessToken !== used
    const isOfUser = (token: string) => toUser(token) === toUser(used)
    const send = (credentials: AuthenticationRequest) => this.inOrder(() => this.create(credentials))

    if (!isCurrent()) return undefined

    if (!accessToken || !isOfUser(accessToken)) return this.leave()

    login.refreshToken = refreshToken

    try {
      // A refresh token that is not stored is in a cookie.
      const result = await send(
        isNew ? { strategy, accessToken } : { strategy: 'refresh', ...(refreshToken && { refreshToken }) }
      )
      const isOwn = isOfUser(result.accessToken)

      if (isCurrent() && isOwn) await this.keep(login, result, isCurrent)
      if (!isCurrent()) return undefined

      if (isOwn) {
        // The connection has a login without it. This one shows the server that the tokens have arrived.
        return this.app.io && !isNew ? await send({ strategy, accessToken: result.accessToken }) : result
      }
    } catch (error: any) {
      const current = await this.storage.getItem(this.refreshKey)
      const newest = await this.storage.getItem(this.options.storageKey)

      if (!isCurrent()) return undefined
      if (error?.code !== 401) throw error

      if (isNew || (current && current !== refreshToken) || (newest && newest !== accessToken)) {
        return this.renewNow(login, accessToken, isCurrent)
      }

      // An error without a reason, such as that of a hook, does not end the session.
      if (error.data?.reason) await this.endSession(error.data.reason, used, refreshToken)
      throw error
    }

    return this.leave()
  }

  /**
   * Ends the session for this client: another tab has logged out, or another user in. The tokens in the storage are those of the
   * other login.
   */
  private async leave(): Promise<never> {
    // The server may not have ended the session, and the connection would stay logged in.
    const left = this.held && this.leaveConnection()

    await this.reset()
    this.forgetTokens()
    await left
    this.emitEnd(LOGOUT)

    throw createLoggedOut()
  }

  /** Ends the session that the server has ended. */
  private async endSession(cause: string, used: string, refreshToken: string | undefined): Promise<void> {
    if (cause === 'behind') this.lost = refreshToken
    // The tokens of the session are removed, also if another user was logged in before.
    this.lastLogin.user = toUser(used)

    await this.reset()
    await this.removeOwnTokens()
    this.emitEnd(cause)
  }

  private emitEnd(cause: string): void {
    this.emit('session:ended', { cause })
    this.emit('logout', null)
  }

  /** Stores the tokens of a result, as long as it counts: first the token that renews the other. */
  private async keep(
    login: Login,
    { accessToken, refreshToken }: Partial<AuthenticationResult>,
    isCurrent: () => boolean
  ): Promise<void> {
    const { session, iat, exp } = readClaims(accessToken)
    // The clock of the server may be another one.
    const lifetime = (exp - iat) * 1000

    // With that of a former session, a logout would end the former session.
    login.refreshToken = [refreshToken, login.refreshToken].find((token) => isOfSession(token, session))
    if (refreshToken) await this.storage.setItem?.(this.refreshKey, refreshToken)
    if (accessToken && isCurrent()) await this.setAccessToken(accessToken)
    if (!isCurrent()) return

    login.session = session && { renewAt: Date.now() + lifetime * 0.9, expiresAt: Date.now() + lifetime }
  }

  private forgetTokens(): void {
    this.lastLogin.refreshToken = undefined
    this.lastLogin.session = undefined
    this.lastLogin.code = undefined
  }

  /**
   * Removes the tokens, unless they are those of another user in another tab, or a login has begun meanwhile. `isLogout`:
   * whether a newer session of the user, which another tab has begun, ends with its tokens.
   */
  private async removeOwnTokens(isLogout = false): Promise<void> {
    const { lastLogin: login } = this
    const { refreshToken } = login

    this.forgetTokens()

    const stored = await this.storage.getItem(this.options.storageKey)
    const newest = await this.storage.getItem(this.refreshKey)
    const { session, sub } = readClaims(stored)
    const isOfOther = login.user && sub && toUser(stored) !== login.user

    if (this.lastLogin !== login || isOfOther) return

    await this.removeAccessToken()
    if (isLogout && isOfSession(newest, session) && !isOfSession(refreshToken, session)) {
      await this.end(newest).catch(() => undefined)
    }
  }

  /** Logs out on the server; with a refresh token its session ends, also when the access token has expired. */
  private end(refreshToken: string | null = null): Promise<AuthenticationResult> {
    const { header, scheme } = this.options

    return refreshToken && this.app.rest
      ? this.service.remove(null, { headers: { [header]: `${scheme} ${refreshToken}` } })
      : this.service.remove(refreshToken)
  }

  private async create(credentials: AuthenticationRequest, params?: Params): Promise<AuthenticationResult> {
    const { service = this.service, jwtStrategy } = this.options

    // A token logs the connection of a socket in.
    return (credentials.strategy === jwtStrategy ? this.service : service).create(credentials, params)
  }

  private get refreshKey(): string {
    return `${this.options.storageKey}-refresh`
  }

  /** Replaces the last login, because another one begins or because it ends. */
  private replaceLogin(begun: Login['begun'] = {}): Login {
    this.lastLogin = { ...this.lastLogin, begun, result: undefined, renewal: undefined }

    return this.lastLogin
  }

  /** Makes a login the one that calls wait for. */
  private begin(
    logIn: (login: Login) => Promise<AuthenticationResult>,
    begun?: Login['begun']
  ): Promise<AuthenticationResult> {
    if (this.outer) return logIn(this.outer)

    const login = this.replaceLogin(begun)
    const result: Promise<any> = Promise.resolve()
      .then(() => logIn(login))
      .catch((error) => {
        if (this.lastLogin !== login) throw error

        return this.handleError(error, 'authenticate')
      })

    this.app.set('authentication', result)

    return result
  }

  private async logIn(
    login: Login,
    authentication: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    const { app, options } = this
    const { service, jwtStrategy: strategy } = options
    const isToken = authentication.strategy === strategy
    const { begun } = login
    const isCurrent = () => this.lastLogin.begun === begun

    begun.response = this.inOrder(async () => {
      // A login asks for a session. A token is none.
      const session = isToken ? {} : await this.getSessionRequest()
      const created = await this.create({ ...session, ...authentication }, params)

      if (service && !isToken) await this.create({ strategy, accessToken: created.accessToken })

      return created
    })

    const result = await begun.response

    if (app.io) this.held = login
    // Another user may have logged in meanwhile.
    if (!isCurrent()) return result

    const { accessToken, refreshToken } = result ?? {}

    // The connection was lost before this login was sent.
    if (this.lastLogin !== login) app.set('authentication', Promise.resolve(result))

    this.lastLogin = login
    this.authenticated = true
    this.isInterrupted = false
    login.code = undefined
    login.user = accessToken && toUser(accessToken)
    this.emit('login', result)
    this.emit('authenticated', result)
    // A listener that logs out waits for the session.
    login.result = result
    if (!isToken) this.lost = undefined
    await this.keep(login, { accessToken, refreshToken }, isCurrent)

    // The server has made a token, and no refresh token: a stored one is of a former session.
    const isNew = accessToken !== authentication.accessToken && !refreshToken
    const stored = isNew && (await this.storage.getItem(this.refreshKey))

    if (stored && !isOfSession(stored, readClaims(accessToken).session) && isCurrent()) {
      await this.storage.removeItem?.(this.refreshKey)
    }

    return result
  }

  /** What asks for a session, and names the one that it replaces. */
  private async getSessionRequest(): Promise<object> {
    if (!this.options.refresh) return {}

    const refreshToken = this.lost ?? (await this.storage.getItem(this.refreshKey))

    return { refresh: true, ...(refreshToken && { refreshToken }) }
  }

  /** Over a socket one after another: the connection has the login of the last one. */
  private inOrder<Result>(send: () => Promise<Result>): Promise<Result> {
    if (!this.app.io) return send()

    const response = this.sent.then(send)

    this.sent = response.catch(() => undefined)

    return response
  }

  /** A stored token wins over one in the URL, because anyone can craft a URL; unless it has expired. */
  private async logInAgain(login: Login, strategy: string, params?: Params): Promise<AuthenticationResult> {
    const { locationKey, locationCodeKey } = this.options
    const credentials = await this.toCredentials(login, strategy, await this.getAccessToken())
    const location = getLocation()

    try {
      const result = await this.useToken(login, credentials, params)

      // It is good for nothing now, and must not stay there.
      if (location) for (const key of [locationKey, locationCodeKey]) takeFromHash(location, key)

      return result
    } catch (error: any) {
      const { reason } = error?.data ?? {}
      // The session of the token is over, and this login with it.
      const isEnded = reason && reason !== LOGOUT && !this.app.get('authentication')

      if ((this.lastLogin !== login && !isEnded) || !this.isOver(error)) throw error

      // As at the end of a session.
      login.user = toUser(credentials.accessToken)

      const accessToken = await this.takeAccessToken()

      if (accessToken === null || (isEnded && this.app.get('authentication'))) throw error
      if (isEnded) return this.authenticate({ strategy, accessToken }, params)

      login.user = toUser(accessToken)

      return this.authenticateWithin(login, { strategy, accessToken }, params)
    }
  }

  /** With a token that is kept; of a session it is renewed when it does not count any more. */
  private async useToken(
    login: Login,
    credentials: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    const { accessToken } = credentials

    try {
      return await this.authenticateWithin(login, credentials, params)
    } catch (error: any) {
      if (error?.code !== 401 || this.lastLogin !== login || !readClaims(accessToken).session) throw error

      const renewed = await this.renewOnce(login, accessToken).catch((reason) => {
        login.harmless = reason
        throw reason
      })

      if (!renewed) throw error

      return this.authenticateWithin(login, { ...credentials, accessToken: renewed.accessToken }, params)
    }
  }

  /** As a part of a login that calls wait for. By the public method: a class of your own may have another one. */
  private authenticateWithin(
    login: Login,
    credentials: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    this.outer = login

    try {
      return this.authenticate(credentials, params)
    } finally {
      this.outer = undefined
    }
  }

  /** The token of the URL, which is kept as others are: the network may fail before the server has seen it. */
  private async takeAccessToken(): Promise<string | null> {
    const { lastLogin: login } = this
    const location = getLocation()
    const accessToken = location ? await this.getFromLocation(location) : null

    if (accessToken && this.lastLogin === login) await this.setAccessToken(accessToken)

    return accessToken
  }

  /** Without the hooks of calls: they wait for the login that this is a part of. */
  private async exchange(login: Login, code: string): Promise<string> {
    const service: any = this.app.service(`${this.options.oauthPath}/code`)
    const request = { ...(await this.getSessionRequest()), code }
    const { accessToken, refreshToken } = await service._create(request).catch((error: unknown) => {
      if (!isRefusal(error)) login.code = code
      throw error
    })

    this.lost = undefined
    login.refreshToken = refreshToken
    if (refreshToken && this.lastLogin === login) await this.storage.setItem?.(this.refreshKey, refreshToken)

    return accessToken
  }

  private async toCredentials(
    login: Login,
    strategy: string,
    accessToken: string | null
  ): Promise<AuthenticationRequest> {
    if (!accessToken) throw new NotAuthenticated('No accessToken found in storage')
    if (this.options.refresh) login.refreshToken = await this.storage.getItem(this.refreshKey)

    return { strategy, accessToken }
  }

  private resume(reconnect: () => Promise<void>): void {
    const resumed = this.begin((login) => this.logInConnected(login, reconnect), this.lastLogin.begun)
    const waiting: Promise<unknown>[] = []
    // Calls that were made before the connection was lost go before those that were made after that.
    const behind = resumed.finally(() => Promise.allSettled(waiting))
    const end = () => {
      if (this.resumed === resumed) this.resumed = undefined
    }

    this.resumed = resumed
    this.waiting = waiting
    this.app.set('authentication', behind)

    disregard(behind)
    resumed.then(end, (error) => {
      // Those before have become this one.
      if (this.resumed !== resumed) return

      end()
      this.isInterrupted = !this.authenticated && !this.isOver(error)
      // After a logout in another tab no login has failed: there was none to try.
      if (error?.data?.reason !== LOGOUT) reportError(this.app, error)
    })
  }

  private async logInConnected(login: Login, reconnect: () => Promise<void>): Promise<AuthenticationResult> {
    await reconnect()
    // One that was not sent before the connection was lost is sent on this one, and counts.
    await this.waitFor(login.begun.response).catch(() => undefined)

    try {
      if (this.lastLogin === login) {
        const accessToken = await this.getAccessToken()

        if (login.user && login.user !== toUser(accessToken ?? undefined)) return await this.leave()

        return await this.useToken(
          login,
          await this.toCredentials(login, this.options.jwtStrategy, accessToken)
        )
      }
    } catch (error) {
      // Calls do not go on without a login.
      if (this.lastLogin === login || (isRefusal(error) && !this.app.get('authentication'))) throw error
    }

    // The connection was lost again, or a user has logged in meanwhile.
    return this.app.get('authentication')
  }

  /** Waits for a login, over a socket at most as long as for a call. */
  private async waitFor(login: Promise<AuthenticationResult | null> | null | undefined): Promise<void> {
    if (login) await waitFor(this.service, login, { method: 'create', path: this.path, params: {} })
  }

  /** Logs the connection of a socket out, if it is still logged in. */
  private leaveConnection(): Promise<void> {
    return this.inOrder(() => this.service._remove?.(null).catch(() => undefined))
  }

  /** Whether the error of a login or a logout ends the session. */
  private isOver(error: unknown): boolean {
    return isRefusal(error) && error !== this.lastLogin.harmless
  }

  private emit(event: string, result: object | null): void {
    emitSafely(this.app, this.app, event, [result])
  }
}

/** What calls get whose login has ended while they waited for it. */
function createLoggedOut(): NotAuthenticated {
  return new NotAuthenticated('Logged out', { reason: LOGOUT })
}

/** Whether an error says that the credentials do not count, or count no more. */
function isRefusal(error: unknown): boolean {
  const { code = 0 } = (error ?? {}) as { code?: number }

  return code > 400 && code < 408
}
