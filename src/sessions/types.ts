/**
 * A session as it is stored: one row for each login. It holds nothing that refreshes or proves a login: the key of its tokens
 * is derived from the secret of the authentication service. Times are in milliseconds since 1970.
 */
export interface StoredSession {
  readonly id: string
  /** The subject of its access tokens: the id of the user, as a string. */
  readonly userId: string
  /** How often the session was refreshed, plus one: the counter of the refresh token that is current. */
  readonly counter: number
  /** The last counter whose access token was used in a call; 0 for none. */
  readonly seen: number
  /** The counter at which the token before was refused: it is accepted no more, and its next use ends the session. */
  readonly refused: number
  /** Fingerprints of the credentials of the user, as JSON; `null` when there is nothing to go by. */
  readonly fingerprints: string | null
  /** When the user logged in. */
  readonly loginAt: number
  /** When the counter was increased last. */
  readonly refreshedAt: number
  /** When it ends, however much it is used. */
  readonly expiresAt: number
  /** The `User-Agent` of the login. */
  readonly device: string | null
  /** The IP address of the login, where transports put it on `params.address`. */
  readonly address: string | null
}

/** The fields of a session that change. */
export type SessionChanges = Partial<
  Pick<StoredSession, 'counter' | 'seen' | 'refused' | 'fingerprints' | 'refreshedAt'>
>

/** Where sessions are kept. */
export interface SessionStore {
  create(session: StoredSession): Promise<void>
  get(id: string): Promise<StoredSession | undefined>
  /** Changes a session in one step, if it is as expected, and returns whether it was changed. */
  update(
    id: string,
    expected: Partial<Pick<StoredSession, 'counter' | 'refused'>>,
    changes: SessionChanges
  ): Promise<boolean>
  /** Returns whether there was such a session. */
  remove(id: string): Promise<boolean>
  /** The sessions of a user, in any order. */
  findByUser(userId: string): Promise<readonly StoredSession[]>
}

/** Why a session has ended. */
export type SessionEndCause =
  /** The user logged out. */
  | 'logout'
  /** A token that had been replaced long ago was used: two clients have the session, and one of them may be a thief. */
  | 'reuse'
  /** `expiresIn` is over. */
  | 'expired'
  /** The session was not refreshed for as long as `idle` says. */
  | 'idle'
  /** The password of the user has changed. */
  | 'password'
  /** The user was removed, or is not active any more. */
  | 'user'
  /** A later login of the same client replaced it. */
  | 'replaced'
  /** The user has more sessions than `limit`. */
  | 'limit'
  /** Another session of the user ended it, or the server. */
  | 'removed'

/** The event `session:ended` of an application. */
export interface EndedSession {
  readonly cause: SessionEndCause
  /** The id of the session. It is no secret. */
  readonly id: string
  readonly userId: string | undefined
}
