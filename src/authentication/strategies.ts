import type { Application, RealTimeConnection } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { createDebug } from '../utils/debug.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import { assertSync } from '../utils/promise.ts'
import type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent
} from './types.ts'

/** One way to prove who sent a request. A strategy has the members that it needs. */
export interface Strategy<Service> {
  /** Gets the name under which the strategy is registered. */
  setName?(name: string): void
  /** Gets the application. */
  setApplication?(app: Application): void
  /** Gets the service that the strategy is registered on. */
  setAuthentication?(auth: Service): void
  /** Throws when the configuration of the strategy is not valid: at registration, and whenever it is set. */
  verifyConfiguration?(): void
  /** Runs when the service is set up, or at registration when it is set up already. */
  setup?(auth: Service, name: string): Promise<void>
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
  /**
   * Whether `parse` may find credentials in a cookie. Browsers send cookies with requests of any page: for a strategy that
   * does not say `false`, it is found out whether the credentials of a request with cookies are there without them.
   */
  readonly readsCookies?: boolean
  /**
   * Whether a client could guess credentials: not those that are signed. Failed logins of a strategy that says `false` do not
   * count against the budget for them.
   */
  readonly isGuessable?: boolean
  /**
   * Whose account credentials are for, as the client says: failed logins count against it. A strategy that has it is counted
   * in calls of all services, and one without it at the login alone, by the address of the client. A number counts as its
   * string; without an account (`undefined`) an attempt counts by address alone, and any other value is a TypeError.
   */
  getAccount?(
    authentication: AuthenticationRequest,
    params: AuthenticationParams
  ): string | number | undefined
  /** Stores a login on a real-time connection, and removes it after a logout and when the connection has ended. */
  handleConnection?(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result?: AuthenticationResult
  ): Promise<void>
  /**
   * What of an entity the caller sees. A strategy that has it shows the entity itself; for one that has not, an entity
   * is loaded once more for an external call, as that may see it.
   */
  getEntity?(entity: any, params: AuthenticationParams): Promise<any>
  /** What of an entity proves who it is, for example a password hash. Tokens are revoked once it changes. */
  getCredential?(entity: any, params?: object): unknown
  /** Claims for every new token of the service, whichever strategy led to it. */
  getClaims?(result: AuthenticationResult, params: AuthenticationParams): Promise<{ [claim: string]: any }>
}

/** The part of a request that every transport has. */
export interface IncomingRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  [key: string]: any
}

/** What the parts of an authentication service need of it. */
export interface AuthService {
  readonly app: Application
  readonly configKey: string
  readonly configuration: AuthenticationConfiguration
  readonly isReady: boolean
  /** The same object for the registered service, which inherits from the one of the application. */
  readonly strategies: { readonly [name: string]: Strategy<any> }
}

const debug = createDebug('alula:authentication')

/** The strategies of an authentication service, whose methods of the same names say what these do. */
export class Strategies<Service extends { readonly app: Application }> {
  /** By name; without a prototype, because clients choose the name. */
  readonly byName: { [name: string]: Strategy<Service> } = Object.create(null)
  private readonly service: Service

  constructor(service: Service) {
    this.service = service
  }

  register(name: string, strategy: Strategy<Service>): void {
    assertStrategy(name, strategy)

    callAtOnce(strategy, 'setName', name)
    callAtOnce(strategy, 'setApplication', this.service.app)
    callAtOnce(strategy, 'setAuthentication', this.service)
    callAtOnce(strategy, 'verifyConfiguration')

    this.byName[name] = strategy
  }

  find(names: readonly string[]): Strategy<Service>[] {
    return names.map((name) => this.byName[name]).filter((strategy) => strategy !== undefined)
  }

  async authenticate(
    authentication: AuthenticationRequest | null | undefined,
    params: AuthenticationParams,
    allowed: readonly string[]
  ): Promise<{ strategy: Strategy<Service>; result: AuthenticationResult }> {
    const name = authentication?.strategy

    if (!authentication || !name) throw createInvalid(' (no `strategy` set)')
    if (!allowed.includes(name)) throw createInvalid(' (strategy not allowed in authStrategies)')

    const strategy = this.byName[name]

    if (typeof strategy?.authenticate !== 'function') throw createInvalid()

    debug('Authenticating with strategy %s', name)

    const result = await strategy.authenticate(authentication, copyWith(params, { authenticated: true }))

    // A strategy that says nothing has not said yes.
    if (!result) throw createInvalid()

    return { strategy, result }
  }

  async parse(
    request: IncomingRequest,
    response: unknown,
    names: readonly string[]
  ): Promise<AuthenticationRequest | null> {
    for (const name of names) {
      const strategy = this.byName[name]

      if (!strategy?.parse) continue

      const found = (await strategy.parse(request, response)) ?? null

      if (found !== null) return found
    }

    return null
  }

  async handleConnection(
    event: ConnectionEvent,
    connection: RealTimeConnection,
    result?: AuthenticationResult
  ): Promise<void> {
    for (const strategy of this.all) await strategy.handleConnection?.(event, connection, result)
  }

  verifyConfiguration(): void {
    for (const strategy of this.all) callAtOnce(strategy, 'verifyConfiguration')
  }

  async setup(): Promise<void> {
    for (const [name, strategy] of Object.entries(this.byName)) await strategy.setup?.(this.service, name)
  }

  async teardown(): Promise<void> {
    for (const strategy of this.all) await strategy.teardown?.()
  }

  private get all(): Strategy<Service>[] {
    return Object.values(this.byName)
  }
}

/** The error of credentials that no strategy accepts. */
export function createInvalid(reason = ''): NotAuthenticated {
  return new NotAuthenticated(`Invalid authentication information${reason}`)
}

/** The strategy is used right afterwards: what rejects then would refuse it too late. */
function callAtOnce(
  strategy: Strategy<any>,
  member: 'setName' | 'setApplication' | 'setAuthentication' | 'verifyConfiguration',
  ...args: readonly any[]
): void {
  const call = strategy[member] as ((...given: any[]) => unknown) | undefined

  assertSync(
    call?.apply(strategy, [...args]),
    `'${member}' of a strategy has to throw, or to return, at once`
  )
}

function assertStrategy(name: string, strategy: unknown): void {
  if (typeof name !== 'string' || name === '' || typeof strategy !== 'object' || strategy === null) {
    throw createError(
      'ALULA_INVALID_STRATEGY',
      `Invalid strategy '${String(name)}': expected a name and a strategy object. Did you forget 'new'?`
    )
  }
}
