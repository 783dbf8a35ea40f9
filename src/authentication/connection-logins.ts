import type { RealTimeConnection } from '../core/types.ts'
import type { SessionClaim } from '../sessions/claim.ts'
import { MAX_DELAY } from '../utils/max-delay.ts'
import type { AuthenticationRequest, AuthenticationResult } from './types.ts'

/** What a real-time connection is logged in with. */
export interface ConnectionLogin {
  /** The id of the access token. */
  readonly tokenId: string
  /** What {@link toEntityName} returns for the entity; `undefined` for a token without an entity. */
  readonly entity: string | undefined
  /** The same name, for the result of verifying the credentials again. */
  toEntity(result: AuthenticationResult): string | undefined
  /** The credentials that verify the login again. */
  readonly authentication: AuthenticationRequest
  /** When the login ends, or its session is looked at again, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number
  /** The session of the token, which lasts longer than the token. */
  readonly session?: SessionClaim | undefined
}

/** The logins of real-time connections, by access token and by entity. A connection has one login at a time. */
export class ConnectionLogins {
  private readonly logins = new Map<RealTimeConnection, ConnectionLogin>()
  /** Connections by the id of their token, and by the name of their entity. */
  private readonly connections = new Map<string, Set<RealTimeConnection>>()
  private readonly timers = new Map<RealTimeConnection, NodeJS.Timeout>()
  private readonly onExpired: (connection: RealTimeConnection) => void

  /** @param onExpired Called with a connection whose login has reached its `expiresAt` */
  constructor(onExpired: (connection: RealTimeConnection) => void) {
    this.onExpired = onExpired
  }

  /** The connections that are logged in. */
  get all(): RealTimeConnection[] {
    return [...this.logins.keys()]
  }

  /** The connections of a token, or of an entity. */
  find(name: string): RealTimeConnection[] {
    return [...(this.connections.get(name) ?? [])]
  }

  /** The login of a connection. */
  get(connection: RealTimeConnection): ConnectionLogin | undefined {
    return this.logins.get(connection)
  }

  /** Replaces the login of a connection. */
  start(connection: RealTimeConnection, login: ConnectionLogin): void {
    this.stop(connection)
    this.logins.set(connection, login)

    for (const name of toNames(login)) {
      const others = this.connections.get(name) ?? new Set()

      this.connections.set(name, others.add(connection))
    }

    if (login.expiresAt !== Number.POSITIVE_INFINITY) this.setTimer(connection, login.expiresAt)
  }

  /** Removes the login of a connection, if it has one. */
  stop(connection: RealTimeConnection): void {
    const login = this.logins.get(connection)

    if (!login) return

    this.logins.delete(connection)
    clearTimeout(this.timers.get(connection))
    this.timers.delete(connection)

    for (const name of toNames(login)) {
      const others = this.connections.get(name)

      others?.delete(connection)
      if (others?.size === 0) this.connections.delete(name)
    }
  }

  /** For any length of time, without keeping the process running. */
  private setTimer(connection: RealTimeConnection, end: number): void {
    const rest = end - Date.now()
    const timer =
      rest > MAX_DELAY
        ? setTimeout(() => this.setTimer(connection, end), MAX_DELAY)
        : setTimeout(this.onExpired, rest, connection)

    this.timers.set(connection, timer.unref())
  }
}

function toNames({ tokenId, entity }: ConnectionLogin): string[] {
  return entity === undefined ? [tokenId] : [tokenId, entity]
}

const ENTITY = 'entity:'

/** The name of an entity among logins, and in the messages between processes. The id `undefined` stands for every entity. */
export function toEntityName(path: string, id: unknown): string {
  return id === undefined || id === null ? ENTITY : `${ENTITY}${path}:${id}`
}

/** Whether a name is one of {@link toEntityName}, and not the id of a token. */
export function isEntityName(name: string): boolean {
  return name.startsWith(ENTITY)
}

/** Whether a name stands for every entity. */
export function isEveryEntity(name: string): boolean {
  return name === ENTITY
}
