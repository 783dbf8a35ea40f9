// What a refresh token does to its session, as a function without effects.
import type { SessionChanges, SessionEndCause, StoredSession } from './types.ts'

/** How long a session lasts, in milliseconds. */
export interface SessionTimes {
  /** For how long after a refresh the token before gets the current one. */
  readonly grace: number
  /** After how long without a refresh a session ends. */
  readonly idle: number
}

/** What follows from a refresh token. */
export type Decision =
  /** The session is refreshed: there is a new token. */
  | { readonly kind: 'refresh'; readonly changes: SessionChanges & { readonly counter: number } }
  /** The client gets the current token, and nothing changes. */
  | { readonly kind: 'repeat' }
  /** The token is refused. The session goes on. */
  | { readonly kind: 'refuse'; readonly changes: SessionChanges }
  /** The session ends. */
  | { readonly kind: 'end'; readonly cause: SessionEndCause }

/**
 * Decides what a refresh token does, whose signature is valid; `now` is in milliseconds since 1970.
 *
 * A client that never got a response sends its old token again, and so do tabs that refresh at the same moment: they get the
 * current token. A token from before that is a copy.
 */
export function decide(session: StoredSession, counter: number, now: number, times: SessionTimes): Decision {
  const end = findEnd(session, now, times)

  if (end) return { kind: 'end', cause: end }

  // A token that is ahead was made before the store was restored from a backup.
  if (counter >= session.counter) {
    return { kind: 'refresh', changes: { counter: counter + 1, refreshedAt: now } }
  }

  const isOneBehind = counter === session.counter - 1

  if (!isOneBehind || session.refused === session.counter) return { kind: 'end', cause: 'reuse' }

  // Clocks of processes differ in both directions.
  if (Math.abs(now - session.refreshedAt) <= times.grace) return { kind: 'repeat' }

  return session.seen === session.counter
    ? { kind: 'refuse', changes: { refused: session.counter } }
    : { kind: 'repeat' }
}

/** Why a session is over by its times; `undefined` for one that goes on. `now` is in milliseconds since 1970. */
export function findEnd(
  session: Pick<StoredSession, 'expiresAt' | 'refreshedAt'>,
  now: number,
  { idle }: Pick<SessionTimes, 'idle'>
): 'expired' | 'idle' | undefined {
  if (now >= session.expiresAt) return 'expired'

  return now >= session.refreshedAt + idle ? 'idle' : undefined
}
