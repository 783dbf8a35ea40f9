import { reportError, runSafely } from '../core/events.ts'
import { emitConnection } from '../core/joining.ts'
import type { HookContext, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { getServiceSlots } from '../utils/call-state.ts'
import { hasCode } from '../utils/check.ts'
import { KeyedMutex } from '../utils/keyed-mutex.ts'
import { assertSync } from '../utils/promise.ts'
import {
  type ConnectionLogin,
  ConnectionLogins,
  isEntityName,
  isEveryEntity,
  toEntityName
} from './connection-logins.ts'
import type { RevocationStore } from './revocation.ts'
import { withSettings } from './settings.ts'
import type { AuthService } from './strategies.ts'
import type {
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  JwtVerifyOptions
} from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The login or logout of an authentication service that runs. */
    readonly running?: RunningCall
  }
}

/** The part of an authentication service that is needed here. */
interface Service extends AuthService {
  readonly tokens: { readonly revocations: RevocationStore | undefined }
  readonly sessionLogins: { getEnd(id: string): Promise<number | undefined> }
  authenticate(
    authentication: AuthenticationRequest,
    params: AuthenticationParams,
    ...allowed: string[]
  ): Promise<AuthenticationResult>
}

/** The login or logout that params belong to; `undefined` outside of one. */
export function getRunningCall(
  { strategies }: { readonly strategies: object },
  params: object
): RunningCall | undefined {
  return getServiceSlots(params, strategies).running
}

/** Where entities are. */
export interface EntitySource {
  readonly path: string
  readonly service: {
    on(event: string, listener: (data: any, context?: HookContext) => void): unknown
    off(event: string, listener: (data: any, context?: HookContext) => void): unknown
  }
  /** The name of their id. */
  readonly idName: string
}

/** The events after which a login of an entity may have become invalid. */
const CHANGES = ['updated', 'patched', 'removed']

/** The logins of real-time connections: what begins them, what ends them, and one login or logout at a time. */
export class Connections {
  private readonly service: Service
  private readonly logins = new ConnectionLogins((connection) => this.handleExpired(connection))
  /** The logins and logouts of a connection run one after another. */
  private readonly turns = new KeyedMutex<RealTimeConnection>()
  /** Those that run, and those that wait for their turn. */
  private readonly calls = new Set<RunningCall>()
  private readonly current = new Map<RealTimeConnection, RunningCall>()
  private readonly verifications = new KeyedMutex<string>()
  /** The verifications that have not begun. */
  private readonly waiting = new Map<string, Promise<void>>()
  /** What stops listening: to the store, and to the services of entities. */
  private readonly stopping: (() => void)[] = []

  constructor(service: Service) {
    this.service = service
  }

  /**
   * Runs a login or a logout: of one connection one after another, in the order in which they came. `work` gets the params that
   * it has to run with. One with the params of another is a part of it, and runs at once.
   */
  async run(
    params: AuthenticationParams,
    isAborted: () => boolean,
    work: (params: AuthenticationParams) => Promise<void>
  ): Promise<void> {
    const { connection } = params
    const outer = getRunningCall(this.service, params)

    if (outer && outer.connection === connection) return work(params)

    const call = new RunningCall(connection, isAborted)
    const runCall = () => work(withSettings(this.service, params, { running: call }))

    this.calls.add(call)

    try {
      await (connection ? this.turns.run(connection, () => this.runOn(connection, call, runCall)) : runCall())
    } finally {
      this.calls.delete(call)
    }
  }

  /** Runs what follows from the end of a connection, after the login or logout that runs on it. */
  async finish(connection: RealTimeConnection, work: () => Promise<void>): Promise<void> {
    for (const call of this.calls) {
      if (call.connection === connection) call.isOver = true
    }

    await this.turns.run(connection, work)
  }

  /**
   * Begins the login of a connection. It ends when its token expires or is revoked, and when its entity has changed so that the
   * token is no longer valid. Throws NotAuthenticated for a login that is no longer valid.
   */
  async start(connection: RealTimeConnection, login: ConnectionLogin): Promise<void> {
    const { tokenId, entity, authentication } = login
    const former = this.logins.get(connection)

    // In this order: a revocation from here on ends the login, and an earlier one is found.
    this.logins.start(connection, login)

    try {
      if (await this.service.tokens.revocations?.isRevoked(tokenId)) throw new NotAuthenticated('jwt revoked')

      // The entity was loaded before it changed.
      if (this.current.get(connection)?.hasChanged(entity)) {
        // With the connection: its client has not received the tokens yet.
        const found = await this.service.authenticate(
          authentication,
          { connection },
          authentication.strategy as string
        )

        if (login.toEntity(found) !== entity)
          throw new NotAuthenticated('The entity of the access token is another')
      }
    } catch (error) {
      this.stop(connection)
      // Whether that one has ended meanwhile is not known any more. The reply to the call comes first.
      if (former) setImmediate(() => this.end(connection))
      throw error
    }
  }

  /** The login of a connection, if it has one. */
  getLogin(connection: RealTimeConnection | undefined): ConnectionLogin | undefined {
    return connection && this.logins.get(connection)
  }

  /**
   * The options that the credentials of a call are verified with: a connection with a session stays logged in when its
   * access token has expired, or is older than `maxAge`.
   */
  toVerifyOptions(
    authentication: AuthenticationRequest,
    { connection, jwt }: AuthenticationParams
  ): JwtVerifyOptions | undefined {
    // With 0, `jsonwebtoken` looks at no age.
    return this.isHeld(authentication, connection) ? { ...jwt, ignoreExpiration: true, maxAge: 0 } : jwt
  }

  /**
   * Reads the session of a connection again where that is due, because its timer may be late. A connection whose session is
   * over closes after the reply to the call. Throws what the store of sessions throws.
   */
  async checkSession(authentication: AuthenticationRequest, connection: RealTimeConnection): Promise<void> {
    const login = this.getLogin(connection)

    if (!login?.session || login.authentication !== authentication || login.expiresAt > Date.now()) return
    if (!(await this.hasSession(connection, login))) setImmediate(() => this.endLogin(connection, login))
  }

  /** Whether credentials are those that a connection with a session was logged in with, and were not sent again. */
  isHeld(authentication: AuthenticationRequest, connection: RealTimeConnection | undefined): boolean {
    const login = this.getLogin(connection)

    return Boolean(login?.session) && login?.authentication === authentication && login.expiresAt > Date.now()
  }

  /** Removes the login of a connection. */
  stop(connection: RealTimeConnection): void {
    this.logins.stop(connection)
  }

  /** Undoes {@link stop} after a logout that has failed, unless the connection has closed meanwhile. */
  resume(connection: RealTimeConnection, login: ConnectionLogin): void {
    if (connection.authentication === login.authentication) this.logins.start(connection, login)
  }

  /** Closes a connection: transports do so when the application emits `disconnect`. */
  end(connection: RealTimeConnection): void {
    const { app } = this.service

    // At once, so that a second reason does not close it a second time.
    this.stop(connection)
    emitConnection(app, 'disconnect', connection)
  }

  /** Closes the connections of a token, except for one. */
  endToken(tokenId: string, staying?: RealTimeConnection): void {
    for (const connection of this.logins.find(tokenId)) {
      if (connection !== staying) this.end(connection)
    }
  }

  /**
   * Verifies the logins of an entity again, or of all where `id` is `undefined`, in all processes, and closes the connections
   * whose login is not valid any more.
   */
  async verify(path: string, id: unknown): Promise<void> {
    const entity = toEntityName(path, id)

    runSafely(this.service.app, () => this.service.tokens.revocations?.announce?.(entity))
    await this.verifyEntity(entity)
  }

  /** Verifies logins whenever an entity changes, here or in another process. A source that is given twice counts once. */
  listen(sources: readonly EntitySource[]): void {
    this.stopListening()

    const unsubscribe = assertSync(
      this.service.tokens.revocations?.subscribe?.((name) => this.handleNotice(name)),
      "'subscribe' of a revocation store has to return a function"
    )

    if (unsubscribe) this.stopping.push(unsubscribe)

    const report = (error: unknown) => reportError(this.service.app, error)
    const known = new Map(sources.map((source) => [`${source.path} ${source.idName}`, source]))

    for (const { path, service, idName } of known.values()) {
      const handleChange = (data: any, context?: HookContext) => {
        this.verify(path, data?.[idName] ?? context?.id).catch(report)
      }

      for (const event of CHANGES) {
        service.on(event, handleChange)
        this.stopping.push(() => service.off(event, handleChange))
      }
    }
  }

  /** Ends what `listen` has begun. */
  stopListening(): void {
    for (const stop of this.stopping.splice(0)) runSafely(this.service.app, stop)
  }

  private async runOn(
    connection: RealTimeConnection,
    call: RunningCall,
    work: () => Promise<void>
  ): Promise<void> {
    this.current.set(connection, call)

    try {
      await work()
    } finally {
      this.current.delete(connection)
    }

    // The login succeeded after the connection had closed: listeners have to see it end.
    if (call.isOver && connection.authentication) this.end(connection)
  }

  private async handleExpired(connection: RealTimeConnection): Promise<void> {
    const login = this.logins.get(connection)

    if (!login) return

    try {
      if (login.session && (await this.hasSession(connection, login))) {
        // A new password and `isActive` end the session itself only at its next refresh.
        return await this.verifySessions([connection], (error) => {
          throw error
        })
      }
    } catch (error) {
      reportError(this.service.app, error)
    }

    this.endLogin(connection, login)
  }

  /** Whether the session of a login goes on: it may have been used meanwhile, or have ended in another process. */
  private async hasSession(connection: RealTimeConnection, login: ConnectionLogin): Promise<boolean> {
    const { session } = login
    const end = session && (await this.service.sessionLogins.getEnd(session.id))

    if (end === undefined) return false
    if (this.logins.get(connection) === login) this.logins.start(connection, { ...login, expiresAt: end })

    return true
  }

  /** Another user may have logged in meanwhile. By its credentials: the login is replaced when its session goes on. */
  private endLogin(connection: RealTimeConnection, { authentication }: ConnectionLogin): void {
    if (this.logins.get(connection)?.authentication === authentication) this.end(connection)
  }

  private handleNotice(name: string | undefined): void {
    if (name !== undefined && !isEntityName(name)) {
      this.endToken(name)
      return
    }

    const verifying = name === undefined ? this.verifyMissed() : this.verifyEntity(name)

    verifying.catch((error) => reportError(this.service.app, error))
  }

  private verifyEntity(entity: string): Promise<void> {
    for (const call of this.calls) call.changes.add(entity)

    const find = () => (isEveryEntity(entity) ? this.logins.all : this.logins.find(entity))

    // What cannot be verified after a change counts as not valid.
    return this.verifySoon(entity, find, () => false)
  }

  /** After an interruption, in which tokens may have been revoked and entities changed. */
  private verifyMissed(): Promise<void> {
    return this.verifySoon(
      'missed',
      () => this.logins.all,
      (error) => {
        reportError(this.service.app, error)

        return true
      }
    )
  }

  /** Verifies the logins of one name, one run after another. Requests share a run that has not begun. */
  private verifySoon(
    name: string,
    find: () => readonly RealTimeConnection[],
    onFailure: (error: unknown) => boolean
  ): Promise<void> {
    const waiting = this.waiting.get(name)

    if (waiting) return waiting

    const verification = this.verifications.run(name, async () => {
      // The call that has changed the entity may be one of the connection: its reply comes first.
      await new Promise(setImmediate)
      this.waiting.delete(name)
      await this.verifySessions(find(), onFailure)
    })

    this.waiting.set(name, verification)

    return verification
  }

  private async verifySessions(
    connections: readonly RealTimeConnection[],
    onFailure: (error: unknown) => boolean
  ): Promise<void> {
    // By token, and not by its id: the tokens of a session share one id, and a forged one may have that of another.
    const verified = new Map<unknown, AuthenticationResult | boolean>()

    for (const connection of connections) {
      const login = this.logins.get(connection)

      if (!login) continue

      const { authentication } = login
      const { accessToken } = authentication
      const found =
        verified.get(accessToken) ?? (await this.verifyLogin(connection, authentication, onFailure))
      // A token of another issuer may stand for another entity by now.
      const isValid = typeof found === 'boolean' ? found : login.toEntity(found) === login.entity

      verified.set(accessToken, found)
      if (!isValid) this.endLogin(connection, login)
    }
  }

  /** The result of verifying credentials, or, when that fails, whether their login goes on. */
  private async verifyLogin(
    connection: RealTimeConnection,
    authentication: AuthenticationRequest,
    onFailure: (error: unknown) => boolean
  ): Promise<AuthenticationResult | boolean> {
    try {
      return await this.service.authenticate(
        authentication,
        { connection },
        authentication.strategy as string
      )
    } catch (error) {
      return hasCode(error, 401) ? false : onFailure(error)
    }
  }
}

/** A login or a logout that runs. */
export class RunningCall {
  readonly connection: RealTimeConnection | undefined
  /** The entities that have changed since the call began. */
  readonly changes: Set<string> = new Set()
  /** Whether the connection has ended. */
  isOver = false
  /** The `Set-Cookie` header of the response, and the access token that it goes with; of a logout none. */
  cookie: { readonly text: string; readonly accessToken?: string | undefined } | undefined
  /** Called if the login fails. */
  undo: (() => void) | undefined
  private readonly isRequestAborted: () => boolean

  constructor(connection: RealTimeConnection | undefined, isRequestAborted: () => boolean) {
    this.connection = connection
    this.isRequestAborted = isRequestAborted
  }

  /** Whether its client has gone. */
  isAborted(): boolean {
    return this.isOver || this.isRequestAborted()
  }

  /** Whether an entity has changed since the call began. */
  hasChanged(entity: string | undefined): boolean {
    if (entity === undefined) return false

    return this.changes.has(entity) || [...this.changes].some(isEveryEntity)
  }
}
