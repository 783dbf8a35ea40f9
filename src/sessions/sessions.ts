import { randomUUID } from 'node:crypto'
import { NotAuthenticated, Unavailable } from '../errors.ts'
import { BoundedMap } from '../utils/bounded-map.ts'
import type { SessionClaim } from './claim.ts'
import { decide, findEnd } from './decide.ts'
import type { RefreshSettings } from './options.ts'
import type { RefreshToken } from './token.ts'
import type { EndedSession, SessionEndCause, SessionStore, StoredSession } from './types.ts'

/** How many sessions are remembered as seen; others are written again. */
const MAX_SEEN = 20_000

/** How many rivals may change a session between a read and a write of it. Each one leaves fewer that still can. */
const MAX_ATTEMPTS = 10

/** What sessions need to know and to call. */
export interface SessionDependencies {
  /** Returns the settings as they are now; the last ones where sessions were switched off. */
  readonly getSettings: () => RefreshSettings
  readonly getStore: () => SessionStore
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number
  /** Makes the access tokens of a session unusable, and tells about its end when there was one. */
  readonly onEnd: (ended: EndedSession, isFirst: boolean) => Promise<void>
}

/** A login that begins a session. */
export type SessionLogin = Pick<StoredSession, 'userId' | 'fingerprints' | 'device' | 'address'>

/** Whether the user of a session may go on with it. */
export type Admission<Result> =
  | { readonly fingerprints: string | null; readonly result: Result }
  | { readonly cause: SessionEndCause }

/** The sessions of an authentication service. */
export class Sessions {
  private readonly dependencies: SessionDependencies
  /** The last counter of each session that a call of this process has shown. */
  private readonly seen = new BoundedMap<string, number>(MAX_SEEN)

  constructor(dependencies: SessionDependencies) {
    this.dependencies = dependencies
  }

  /** Begins a session. Of those of the user the oldest end, when there are more than `limit`. */
  async begin(login: SessionLogin): Promise<StoredSession> {
    const { expiresIn, limit } = this.settings
    const now = this.dependencies.now()

    // Before, so that this one stays if the clock was set back.
    await this.endOldest(login.userId, limit - 1)

    const session: StoredSession = {
      ...login,
      id: randomUUID(),
      counter: 1,
      seen: 0,
      refused: 0,
      loginAt: now,
      refreshedAt: now,
      expiresAt: now + expiresIn
    }

    await this.store.create(session)
    // Logins at the same moment did not know of each other. The last one of them sees all.
    await this.endOldest(login.userId, limit)

    return session
  }

  /**
   * Refreshes a session. `admit` says whether the user may go on, and what it needs for that. Returns the session with the
   * counter of the token that the client gets, and what `admit` has returned. Throws NotAuthenticated with `data.reason` when
   * the token is refused, or the session has ended.
   */
  async refresh<Result>(
    { id, counter }: RefreshToken,
    admit: (session: StoredSession) => Promise<Admission<Result>>
  ): Promise<{ session: StoredSession; result: Result }> {
    let admission: Admission<Result> | undefined

    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const session = await this.store.get(id)

      if (!session) throw createRefusal('ended')

      const decision = decide(session, counter, this.dependencies.now(), this.settings)
      const { counter: current, refused, userId } = session

      if (decision.kind === 'end') throw await this.endRefused(id, decision.cause, userId)

      if (decision.kind === 'refuse') {
        if (await this.store.update(id, { counter: current, refused }, decision.changes)) {
          throw createRefusal('behind')
        }
        continue
      }

      admission ??= await admit(session)

      if ('cause' in admission) throw await this.endRefused(id, admission.cause, userId)

      const { result, fingerprints } = admission

      if (decision.kind === 'repeat') return { session, result }

      // Otherwise those of a new password that was set meanwhile would be lost.
      const changes = {
        ...decision.changes,
        ...(fingerprints !== session.fingerprints && { fingerprints })
      }

      if (await this.store.update(id, { counter: current }, changes)) {
        return { session: { ...session, ...changes }, result }
      }
    }

    throw new Unavailable('The session is being refreshed by too many requests: try again')
  }

  /** Whether a client would get a new refresh token for one that it sends. */
  accepts(session: StoredSession, counter: number): boolean {
    const { kind } = decide(session, counter, this.dependencies.now(), this.settings)

    return kind === 'refresh' || kind === 'repeat'
  }

  /** Notes that a client has used an access token, which shows that it has the refresh token that came with it. */
  async see({ id, counter }: SessionClaim): Promise<void> {
    if ((this.seen.get(id) ?? 0) >= counter) return

    await this.store.update(id, { counter }, { seen: counter })
    this.seen.set(id, counter)
  }

  async end(id: string, cause: SessionEndCause, userId?: string): Promise<void> {
    const isFirst = await this.store.remove(id)

    // Also when it was gone: what failed after that is tried again.
    await this.dependencies.onEnd({ cause, id, userId }, isFirst)
  }

  /** The sessions of a user that go on. Those that are over end. */
  async findByUser(userId: string): Promise<readonly StoredSession[]> {
    const now = this.dependencies.now()
    const live: StoredSession[] = []

    for (const session of await this.store.findByUser(userId)) {
      const cause = findEnd(session, now, this.settings)

      if (cause) await this.end(session.id, cause, userId)
      else live.push(session)
    }

    return live
  }

  /** When a session ends unless it is refreshed, in milliseconds since 1970; `undefined` when it has ended, or does now. */
  async getEnd(id: string): Promise<number | undefined> {
    const session = await this.store.get(id)

    if (!session) return undefined

    const cause = findEnd(session, this.dependencies.now(), this.settings)

    if (cause) await this.end(id, cause, session.userId)

    return cause ? undefined : Math.min(session.expiresAt, session.refreshedAt + this.settings.idle)
  }

  /** Ties a session to the credentials of its user as they are now: it goes on after a new password. */
  async keep(id: string, fingerprints: string | null): Promise<void> {
    await this.store.update(id, {}, { fingerprints })
  }

  /** All processes see the same order. */
  private async endOldest(userId: string, staying: number): Promise<void> {
    const sessions = [...(await this.findByUser(userId))].sort(
      (one, other) => other.loginAt - one.loginAt || (one.id < other.id ? -1 : 1)
    )

    for (const { id } of sessions.slice(staying)) await this.end(id, 'limit', userId)
  }

  private get settings(): RefreshSettings {
    return this.dependencies.getSettings()
  }

  private get store(): SessionStore {
    return this.dependencies.getStore()
  }

  private async endRefused(id: string, cause: SessionEndCause, userId: string): Promise<NotAuthenticated> {
    await this.end(id, cause, userId)

    return createRefusal(cause)
  }
}

/** The error of a refresh token that is refused: `'behind'` for a session that goes on; otherwise why it has ended. */
function createRefusal(reason: SessionEndCause | 'behind' | 'ended'): NotAuthenticated {
  const message = reason === 'behind' ? 'The refresh token was replaced' : 'The session has ended'

  return new NotAuthenticated(message, { reason })
}
