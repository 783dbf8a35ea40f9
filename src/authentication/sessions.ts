import type { RealTimeConnection } from '../core/types.ts'
import { setLongTimeout } from './timers.ts'
import type { AuthenticationRequest } from './types.ts'

/** What keeps a real-time connection logged in. */
export interface Session {
  /** The id of the access token. */
  readonly tokenId: string
  /** What {@link toEntityName} returns for the entity; `undefined` for a token without an entity. */
  readonly entity: string | undefined
  /** The credentials that verify the session again. */
  readonly authentication: AuthenticationRequest
  /** When the token expires, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number
}

/** The sessions of real-time connections, by access token and by entity. A connection has one session at a time. */
export class Sessions {
  private readonly sessions = new Map<RealTimeConnection, Session>()
  /** Connections by the id of their token, and by the name of their entity. */
  private readonly connections = new Map<string, Set<RealTimeConnection>>()
  private readonly timers = new Map<RealTimeConnection, () => void>()
  private readonly onExpired: (connection: RealTimeConnection) => void

  /** @param onExpired Called with a connection whose token has expired */
  constructor(onExpired: (connection: RealTimeConnection) => void) {
    this.onExpired = onExpired
  }

  /** The connections that have a session. */
  get all(): RealTimeConnection[] {
    return [...this.sessions.keys()]
  }

  /** The connections of a token, or of an entity. */
  find(name: string): RealTimeConnection[] {
    return [...(this.connections.get(name) ?? [])]
  }

  /** The session of a connection. */
  get(connection: RealTimeConnection): Session | undefined {
    return this.sessions.get(connection)
  }

  /** Replaces the session of a connection. */
  start(connection: RealTimeConnection, session: Session): void {
    this.stop(connection)
    this.sessions.set(connection, session)

    for (const name of toNames(session)) {
      const others = this.connections.get(name) ?? new Set()

      this.connections.set(name, others.add(connection))
    }

    if (session.expiresAt === Number.POSITIVE_INFINITY) return

    const delay = session.expiresAt - Date.now()

    this.timers.set(
      connection,
      setLongTimeout(() => this.onExpired(connection), delay)
    )
  }

  /** Removes the session of a connection, if it has one. */
  stop(connection: RealTimeConnection): void {
    const session = this.sessions.get(connection)

    if (!session) return

    this.sessions.delete(connection)
    this.timers.get(connection)?.()
    this.timers.delete(connection)

    for (const name of toNames(session)) {
      const others = this.connections.get(name)

      others?.delete(connection)
      if (others?.size === 0) this.connections.delete(name)
    }
  }
}

function toNames({ tokenId, entity }: Session): string[] {
  return entity === undefined ? [tokenId] : [tokenId, entity]
}

const ENTITY = 'entity:'

/**
 * The name of an entity among sessions, and in what processes tell each other.
 *
 * @param path The path of its service
 * @param id Its id; `undefined` when it is not known, which stands for every entity
 */
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
