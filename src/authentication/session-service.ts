import type { Application, Params } from '../core/types.ts'
import { NotAuthenticated, NotFound } from '../errors.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import type { StoredSession } from '../sessions/types.ts'
import type { AuthenticationBase } from './base.ts'
import type { SessionLogins } from './session-logins.ts'

/** A session as its user sees it. */
export interface ListedSession {
  readonly id: string
  /** The `User-Agent` of the login; `null` when it is not known. */
  readonly device: string | null
  /** The IP address of the login; `null` when it is not known. */
  readonly address: string | null
  /** When the user logged in, in ISO 8601. */
  readonly begunAt: string
  /** When the session was refreshed last, in ISO 8601. */
  readonly usedAt: string
  /** Whether the call belongs to it. */
  readonly current: boolean
}

/**
 * Lists and ends the sessions of the user who calls. Who may do so, and how long after a login, is said by `access`.
 *
 * @example
 * app.use('authentication/sessions', new SessionService(app), {
 *   methods: ['find', 'remove'],
 *   access: access({ find: user, remove: fresh('10m') })
 * })
 */
export class SessionService {
  private readonly app: Application & { defaultAuthentication(path?: string): AuthenticationBase }
  private readonly path: string | undefined

  /**
   * @param app The application
   * @param path The path of the authentication service; the default one when left out
   */
  constructor(app: Application, path?: string) {
    this.app = app as SessionService['app']
    this.path = path
  }

  /**
   * The sessions of the user, the last one first.
   *
   * @throws NotAuthenticated for a call without a verified access token
   */
  async find(params: Params = {}): Promise<ListedSession[]> {
    const current = getCurrent(params)
    const sessions = await this.logins.list(params)

    return sessions.map((session) => toListed(session, current))
  }

  /**
   * Ends a session of the user.
   *
   * @param id Its id; `null` for all but the one that the call belongs to
   * @returns What has ended
   * @throws NotAuthenticated for a call without a verified access token, NotFound for no session of the user
   */
  async remove(id: string | null, params: Params = {}): Promise<ListedSession | ListedSession[]> {
    const current = getCurrent(params)
    const sessions = await this.logins.list(params)
    const ending = sessions.filter((session) => (id === null ? session.id !== current : session.id === id))

    if (id !== null && ending.length === 0) throw new NotFound('You have no such session')

    for (const session of ending) {
      await this.logins.end(session.id, 'removed', session.userId)
    }

    const ended = ending.map((session) => toListed(session, current))

    return id === null ? ended : (ended[0] as ListedSession)
  }

  private get logins(): SessionLogins {
    return this.app.defaultAuthentication(this.path).sessionLogins
  }
}

/** The id of the session that a call belongs to. */
function getCurrent({ authenticated, authentication }: Params): string | undefined {
  const { payload } = authentication ?? {}

  if (authenticated !== true || typeof payload?.sub !== 'string')
    throw new NotAuthenticated('Not authenticated')

  return getSessionClaim(payload)?.id
}

function toListed(
  { id, device, address, loginAt, refreshedAt }: StoredSession,
  current: string | undefined
): ListedSession {
  return {
    id,
    device,
    address,
    begunAt: new Date(loginAt).toISOString(),
    usedAt: new Date(refreshedAt).toISOString(),
    current: id === current
  }
}
