import { emitSafely, reportError } from '../core/events.ts'
import type { AnyService, Application, AuthenticationRequest, Params } from '../core/types.ts'
import { FeathersError, NotAuthenticated, Timeout } from '../errors.ts'
import { readClaims, toUser } from './claims.ts'
import { type HashLocation, takeFromHash } from './location.ts'
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

/** What a login results in: a token, the entity that has logged in, and what hooks of the server add. */
export interface AuthenticationResult {
  accessToken: string
  /** Of a session: what the access token is renewed with. */
  refreshToken?: string
  [key: string]: any
}

/** How many milliseconds after a renewal that has failed the next one may begin, as long as the token is valid. */
const RENEWAL_PAUSE = 10_000

/**
 * How many milliseconds a renewal may take. Long enough for a slow network: no call succeeds without it. Calls over a socket have
 * the same limit.
 */
const RENEWAL_TIMEOUT = 30_000

/** The same before the token expires: until then, calls can use it. */
const EARLY_RENEWAL_TIMEOUT = 10_000

/** The cause of the end of a session that another tab has ended. */
const LOGOUT = 'logout'

/** Logs in and out, and keeps the token. There is one of it on an application, as `app.authentication`. */
export class AuthenticationClient {
  app: Application
  options: AuthenticationClientOptions
  /** Whether the last login has succeeded, and no logout came after it. */
  authenticated = false

  /** While a login starts another one as a part of itself: whether the outer login is still the last one. */
  private isOuterCurrent: (() => boolean) | undefined
  /** The last login after a lost connection. */
  private resumed: unknown
  /** Whether that login failed without a refusal by the server, such as for a lost connection. */
  private isInterrupted = false
  /** Of a socket: the login of its connection; `true` for one that another login has replaced on the client. */
  private held: Promise<AuthenticationResult> | boolean = false
  /** When the access token of a session is renewed, in milliseconds since 1970: after nine tenths of its lifetime. */
  private renewAt = Number.POSITIVE_INFINITY
  /** When that token expires. */
  private expiresAt = 0
  private renewing: Promise<AuthenticationResult | undefined> | undefined
  /** The last error of a renewal that was part of a login and left its session as it was. */
  private harmless: unknown
  /** The user of the last login. */
  private user: string | undefined
  /** How many logins have begun or ended. A renewal belongs to the login in which it began. */
  private turn = 0
  /** The last refresh token of this page: another tab may have a newer one. */
  private refreshToken: string | undefined
  /** The refresh token of a session that has a newer one, which this client did not get. The next login names it. */
  private lost: string | undefined
  /** The code of a URL, after an error that was no refusal. */
  private code: string | undefined
  /** Settles when the login that was sent last has a response. */
  private sent: Promise<unknown> = Promise.resolve()

  constructor(app: Application, options: AuthenticationClientOptions) {
    this.app = app
    this.options = options

    // A server that renders pages has an application for each visitor: they must not share a memory.
    const storage = options.storage === defaultStorage ? getDefaultStorage() : options.storage

    app.set('storage', new StorageWrapper(app.get('storage') ?? storage))

    if (app.io) this.handleSocket(app.io)
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
      this.held = false
      this.sent = Promise.resolve()
      if (this.authenticated || this.isInterrupted) this.resume(() => reconnect(reason))
    })
  }

  /**
   * Takes a token, the code for one, or the error of a login, out of the hash of a URL.
   *
   * @param location `window.location`, or something like it
   * @returns The token, or `null`
   * @throws OauthError for an error in the location; the error of the server for a code
   */
  async getFromLocation(location: HashLocation): Promise<string | null> {
    const accessToken = takeFromHash(location, this.options.locationKey)

    if (accessToken !== null) return accessToken

    const given = takeFromHash(location, this.options.locationCodeKey)
    const message = given === null ? takeFromHash(location, this.options.locationErrorKey) : null
    const code = given ?? this.code

    this.code = undefined
    if (message !== null) throw new FeathersError(decode(message), 'OauthError', 401, 'oauth-error')

    return code === undefined ? null : this.exchange(code)
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
    this.startTurn()
    this.app.set('authentication', null)
    this.authenticated = false
    this.isInterrupted = false
    this.held = false

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
    const { authenticated, isInterrupted, held } = this
    const isOver = this.isOver(error)
    const isLogin = type === 'authenticate'

    if (isLogin && !isOver && typeof held === 'object' && held !== this.app.get('authentication')) {
      // The connection still has the login before.
      this.app.set('authentication', held)
      throw error
    }

    // First, because a login may begin while the token is being removed. A logout that failed can be tried again.
    if (isOver || isLogin) await this.reset()
    // Otherwise the connection would stay logged in when the page no longer is.
    const left = isLogin && held ? this.inOrder(() => this.leaveConnection()) : undefined

    if (isOver) await this.removeOwnTokens()
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

    return this.begin((isCurrent) => this.logInAgain(isCurrent, strategy, params))
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

    return this.begin((isCurrent) => this.logIn(isCurrent, authentication, params))
  }

  /**
   * Logs out, and forgets the token. A login that starts before the response stays valid.
   *
   * @returns The result of the server, or `null` when it knows of no login
   * @throws The error of the server, unless that ends the session
   */
  async logout(): Promise<AuthenticationResult | null> {
    const { turn } = this
    const login = this.app.get('authentication')
    // A renewal is no other login.
    const isReplaced = () => this.turn !== turn && ![login, null].includes(this.app.get('authentication'))

    try {
      const { header, scheme } = this.options
      const { refreshToken = null } = this
      const result = await (refreshToken && this.app.rest
        ? this.service.remove(null, { headers: { [header]: `${scheme} ${refreshToken}` } })
        : this.service.remove(refreshToken))

      // Clears the cookie of the session, which is closed by now.
      await this.options.service?.remove(null).catch(() => undefined)

      if (isReplaced()) {
        if (this.held === login) this.held = false

        return result
      }

      // First, because a login may begin while the token is being removed.
      await this.reset()
      await this.removeOwnTokens()
      this.emit('logout', result)

      return result
    } catch (error) {
      if (isReplaced()) throw error

      return this.handleError(error, 'logout')
    }
  }

  /** Whether the access token of a session has to be renewed before a call. */
  get isOld(): boolean {
    return Date.now() >= this.renewAt
  }

  /** Whether an error of a call says that the access token of a session does not count any more. */
  isRenewable({ code, message, data }: { code?: number; message?: string; data?: any }): boolean {
    const isToken = data?.name === 'TokenExpiredError' || message === 'jwt revoked'

    return code === 401 && isToken && this.renewAt < Number.POSITIVE_INFINITY
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
    const login = this.app.get('authentication')
    const current = await login

    if (!current || toUser(current.accessToken) !== toUser(used)) throw createLoggedOut()
    // It was renewed already, or the user has logged in again.
    if (current.accessToken !== used) return current

    const result = await this.renewOnce(used)

    if (!result) return this.renew(used)

    if (this.app.get('authentication') === login) {
      const renewed = Promise.resolve(result)

      this.app.set('authentication', renewed)
      if (this.held === login) this.held = renewed
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
    try {
      return await this.renew(login.accessToken)
    } catch (error: any) {
      if ((error?.code === 401 && error.data?.reason) || Date.now() >= this.expiresAt) throw error

      this.renewAt = Math.min(Date.now() + RENEWAL_PAUSE, this.expiresAt)

      return login
    }
  }

  /** Resolves to `undefined` after another login or a logout has begun. */
  private renewOnce(used: string): Promise<AuthenticationResult | undefined> {
    this.renewing ??= this.renewInTime(used)

    return this.renewing
  }

  /** A response that comes late is ignored: the server sends the same tokens again. */
  private async renewInTime(used: string): Promise<AuthenticationResult | undefined> {
    const { turn } = this
    const { locks } = (globalThis as { navigator?: { locks?: any } }).navigator ?? {}
    const limit = Date.now() < this.expiresAt ? EARLY_RENEWAL_TIMEOUT : RENEWAL_TIMEOUT
    let isLate = false
    let timer: unknown
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        isLate = true
        reject(new Timeout(`The token was not renewed within ${limit} ms`))
      }, limit)
    })
    // Inside a lock, too: other tabs wait until this settles.
    const renewNow = () => Promise.race([this.renewNow(used, () => this.turn === turn && !isLate), late])

    try {
      return await Promise.race([locks ? locks.request(this.refreshKey, renewNow) : renewNow(), late])
    } finally {
      clearTimeout(timer as number)
      if (this.turn === turn) this.renewing = undefined
    }
  }

  private async renewNow(used: string, isCurrent: () => boolean): Promise<AuthenticationResult | undefined> {
    const accessToken = await this.storage.getItem(this.options.storageKey)
    const refreshToken = await this.storage.getItem(this.refreshKey)
    const strategy = this.options.jwtStrategy
    // Another tab has renewed it.
    const isNew = accessToken && accessToken !== used
    const isOfUser = (token: string) => toUser(token) === toUser(used)

    if (!isCurrent()) return undefined

    if (!accessToken || !isOfUser(accessToken)) return this.leave()

    this.refreshToken = refreshToken

    try {
      // A refresh token that is not stored is in a cookie.
      const result = await this.send(
        isNew ? { strategy, accessToken } : { strategy: 'refresh', ...(refreshToken && { refreshToken }) }
      )
      const isOwn = isOfUser(result.accessToken)

      if (isCurrent() && isOwn) await this.keep(result, isCurrent)
      if (!isCurrent()) return undefined

      if (isOwn) {
        // The connection has a login without it. This one shows the server that the tokens have arrived.
        return this.app.io && !isNew ? await this.send({ strategy, accessToken: result.accessToken }) : result
      }
    } catch (error: any) {
      const current = await this.storage.getItem(this.refreshKey)
      const newest = await this.storage.getItem(this.options.storageKey)

      if (!isCurrent()) return undefined
      if (error?.code !== 401) throw error

      if (isNew || (current && current !== refreshToken) || (newest && newest !== accessToken)) {
        return this.renewNow(accessToken, isCurrent)
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
    const left = this.held && this.inOrder(() => this.leaveConnection())

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
    this.user = toUser(used)

    await this.reset()
    await this.removeOwnTokens()
    this.emitEnd(cause)
  }

  private emitEnd(cause: string): void {
    this.emit('session:ended', { cause })
    this.emit('logout', null)
  }

  /** Stores the tokens of a result, as long as its login is the last one: first the token that renews the other. */
  private async keep(
    { accessToken, refreshToken }: AuthenticationResult,
    isCurrent: () => boolean
  ): Promise<void> {
    const { session, iat, exp } = readClaims(accessToken)
    // The clock of the server may be another one.
    const lifetime = session ? (exp - iat) * 1000 : Number.POSITIVE_INFINITY

    // A refresh token begins with the id of its session. With that of a former session, a logout would end the former session.
    this.refreshToken = [refreshToken, this.refreshToken].find((token) => token?.startsWith(session?.id))
    if (refreshToken) await this.storage.setItem?.(this.refreshKey, refreshToken)
    if (accessToken && isCurrent()) await this.setAccessToken(accessToken)
    if (!isCurrent()) return

    this.expiresAt = Date.now() + lifetime
    this.renewAt = Date.now() + lifetime * 0.9
  }

  private forgetTokens(): void {
    this.renewAt = Number.POSITIVE_INFINITY
    this.expiresAt = 0
    this.refreshToken = undefined
    this.code = undefined
  }

  /** Removes the tokens, unless they are those of another user in another tab, or a login has begun meanwhile. */
  private async removeOwnTokens(): Promise<void> {
    const { turn, user } = this

    this.forgetTokens()

    const stored = await this.storage.getItem(this.options.storageKey)
    const isOfOther = user && readClaims(stored).sub && toUser(stored) !== user

    if (this.turn === turn && !isOfOther) await this.removeAccessToken()
  }

  /** At a login and a logout. A renewal in flight belongs to the login before. */
  private startTurn(): void {
    this.turn++
    this.renewing = undefined
  }

  private send(credentials: AuthenticationRequest): Promise<AuthenticationResult> {
    return this.inOrder(() => this.create(credentials))
  }

  private async create(credentials: AuthenticationRequest, params?: Params): Promise<AuthenticationResult> {
    const { service = this.service, jwtStrategy } = this.options

    // A token logs the connection of a socket in.
    return (credentials.strategy === jwtStrategy ? this.service : service).create(credentials, params)
  }

  private get refreshKey(): string {
    return `${this.options.storageKey}-refresh`
  }

  /** Makes a login the one that calls wait for. */
  private begin(
    logIn: (isCurrent: () => boolean) => Promise<AuthenticationResult>
  ): Promise<AuthenticationResult> {
    if (this.isOuterCurrent) return logIn(this.isOuterCurrent)

    const isCurrent = () => this.app.get('authentication') === login
    const login: Promise<any> = Promise.resolve()
      .then(() => logIn(isCurrent))
      .catch((error) => (isCurrent() ? this.handleError(error, 'authenticate') : Promise.reject(error)))

    this.startTurn()
    this.app.set('authentication', login)

    return login
  }

  private async logIn(
    isCurrent: () => boolean,
    authentication: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    const { service, jwtStrategy: strategy } = this.options
    const result = await this.inOrder(async () => {
      const login = await this.create(await this.withSession(authentication), params)

      if (service && authentication.strategy !== strategy) {
        await this.create({ strategy, accessToken: login.accessToken })
      }

      return login
    })

    if (this.app.io) this.held = isCurrent() ? this.app.get('authentication') : true

    // Another user may have logged in meanwhile.
    if (isCurrent()) {
      this.authenticated = true
      this.isInterrupted = false
      this.code = undefined
      this.user = result?.accessToken && toUser(result.accessToken)
      this.emit('login', result)
      this.emit('authenticated', result)
      if (authentication.strategy !== this.options.jwtStrategy) this.lost = undefined
      await this.keep(result ?? {}, isCurrent)

      // The server has made a token, and no refresh token: a stored one is of a former session.
      const { accessToken, refreshToken } = result ?? {}
      const isNew = accessToken !== authentication.accessToken && !refreshToken
      const stored = isNew && (await this.storage.getItem(this.refreshKey))

      if (stored && !stored.startsWith(readClaims(accessToken).session?.id) && isCurrent()) {
        await this.storage.removeItem?.(this.refreshKey)
      }
    }

    return result
  }

  /** A login asks for a session. A token is none. */
  private async withSession(authentication: AuthenticationRequest): Promise<AuthenticationRequest> {
    if (authentication.strategy === this.options.jwtStrategy) return authentication

    return { ...(await this.getSessionRequest()), ...authentication }
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
  private async logInAgain(
    isCurrent: () => boolean,
    strategy: string,
    params?: Params
  ): Promise<AuthenticationResult> {
    const credentials = await this.getCredentials(strategy)
    const location = getLocation()

    try {
      const result = await this.useToken(isCurrent, credentials, params)

      // It is good for nothing now, and must not stay there.
      if (location) for (const key of this.locationKeys) takeFromHash(location, key)

      return result
    } catch (error: any) {
      if (!isCurrent() || !this.isOver(error)) throw error

      // As at the end of a session.
      this.user = toUser(credentials.accessToken)

      const accessToken = await this.takeAccessToken()

      if (accessToken === null) throw error

      this.user = toUser(accessToken)

      return this.authenticateWithin(isCurrent, { strategy, accessToken }, params)
    }
  }

  /** With a token that is kept; of a session it is renewed when it does not count any more. */
  private async useToken(
    isCurrent: () => boolean,
    credentials: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    try {
      return await this.authenticateWithin(isCurrent, credentials, params)
    } catch (error: any) {
      if (error?.code !== 401 || !isCurrent() || !isOfSession(credentials.accessToken)) throw error

      const renewed = await this.renewOnce(credentials.accessToken).catch((reason) => {
        if (isCurrent()) this.harmless = reason
        throw reason
      })

      if (!renewed) throw error

      return this.authenticateWithin(isCurrent, { ...credentials, accessToken: renewed.accessToken }, params)
    }
  }

  /** As a part of a login that calls wait for. By the public method: a class of your own may have another one. */
  private authenticateWithin(
    isCurrent: () => boolean,
    credentials: AuthenticationRequest,
    params?: Params
  ): Promise<AuthenticationResult> {
    this.isOuterCurrent = isCurrent

    try {
      return this.authenticate(credentials, params)
    } finally {
      this.isOuterCurrent = undefined
    }
  }

  private get locationKeys(): string[] {
    return [this.options.locationKey, this.options.locationCodeKey]
  }

  /** The token of the URL, which is kept as others are: the network may fail before the server has seen it. */
  private async takeAccessToken(): Promise<string | null> {
    const { turn } = this
    const location = getLocation()
    const accessToken = location ? await this.getFromLocation(location) : null

    if (accessToken && this.turn === turn) await this.setAccessToken(accessToken)

    return accessToken
  }

  /** Without the hooks of calls: they wait for the login that this is a part of. */
  private async exchange(code: string): Promise<string> {
    const { turn } = this
    const service: any = this.app.service(`${this.options.oauthPath}/code`)
    const request = { ...(await this.getSessionRequest()), code }
    const { accessToken, refreshToken } = await service._create(request).catch((error: unknown) => {
      if (!isRefusal(error) && this.turn === turn) this.code = code
      throw error
    })

    this.lost = undefined
    if (refreshToken && this.turn === turn) await this.storage.setItem?.(this.refreshKey, refreshToken)

    return accessToken
  }

  private async getCredentials(strategy: string): Promise<AuthenticationRequest> {
    const accessToken = await this.getAccessToken()

    if (!accessToken) throw new NotAuthenticated('No accessToken found in storage')
    if (this.options.refresh) this.refreshToken = await this.storage.getItem(this.refreshKey)

    return { strategy, accessToken }
  }

  private resume(reconnect: () => Promise<void>): void {
    const login = this.begin((isCurrent) => this.logInConnected(reconnect, isCurrent))

    this.resumed = login

    login.catch((error) => {
      // Those before have become this one.
      if (this.resumed !== login) return

      this.isInterrupted = !this.authenticated && !this.isOver(error)
      reportError(this.app, error)
    })
  }

  private async logInConnected(
    reconnect: () => Promise<void>,
    isCurrent: () => boolean
  ): Promise<AuthenticationResult> {
    await reconnect()

    try {
      if (isCurrent()) {
        const credentials = await this.getCredentials(this.options.jwtStrategy)

        if (this.user && this.user !== toUser(credentials.accessToken)) return await this.leave()

        return await this.useToken(isCurrent, credentials)
      }
    } catch (error) {
      // Calls do not go on without a login.
      if (isCurrent() || (isRefusal(error) && !this.app.get('authentication'))) throw error
    }

    // The connection was lost again, or a user has logged in meanwhile.
    return this.app.get('authentication')
  }

  /** Logs the connection of a socket out, if it is still logged in. */
  private async leaveConnection(): Promise<void> {
    await this.service._remove?.(null).catch(() => undefined)
  }

  /** Whether the error of a login or a logout ends the session. */
  private isOver(error: unknown): boolean {
    return isRefusal(error) && error !== this.harmless
  }

  private emit(event: string, result: object | null): void {
    emitSafely(this.app, this.app, event, [result])
  }
}

function createLoggedOut(): NotAuthenticated {
  return new NotAuthenticated('Logged out', { reason: LOGOUT })
}

function isOfSession(accessToken: string | undefined): boolean {
  return Boolean(readClaims(accessToken).session)
}

function getLocation(): HashLocation | undefined {
  return (globalThis as { window?: { location?: HashLocation } }).window?.location
}

/** Whether an error says that the credentials do not count, or count no more. */
function isRefusal(error: unknown): boolean {
  const { code = 0 } = (error ?? {}) as { code?: number }

  return code > 400 && code < 408
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
