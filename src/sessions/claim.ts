import type { StoredSession } from './types.ts'

/** The claim `session` of an access token that belongs to one. */
export interface SessionClaim {
  readonly id: string
  /** The counter of the refresh token that was made with it. */
  readonly counter: number
  /** When the session ends at the latest, in seconds since 1970. */
  readonly end: number
}

/** The claims by which an access token belongs to a session. `auth_time` is that of OpenID Connect. */
export interface SessionClaims {
  readonly session: SessionClaim
  readonly auth_time: number
}

/** The claims of the access tokens of a session. */
export function toSessionClaims({ id, counter, expiresAt, loginAt }: StoredSession): SessionClaims {
  return {
    session: { id, counter, end: Math.floor(expiresAt / 1000) },
    auth_time: Math.floor(loginAt / 1000)
  }
}

/** The session that a verified access token belongs to; `undefined` for a token without one. */
export function getSessionClaim(
  payload: { readonly [claim: string]: unknown } | undefined
): SessionClaim | undefined {
  const { id, counter, end } = (payload?.session ?? {}) as Partial<SessionClaim>
  const isClaim = typeof id === 'string' && Number.isSafeInteger(counter) && Number.isSafeInteger(end)

  return isClaim ? (payload?.session as SessionClaim) : undefined
}

/** The name of a session among revoked tokens, and among the logins of connections. */
export function toSessionName(id: string): string {
  return `session:${id}`
}
