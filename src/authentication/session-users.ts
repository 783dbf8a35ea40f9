// The users of sessions: whether they may go on, a new password that they set themselves, and their end.
import { reportError } from '../core/events.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { getSessionClaim } from '../sessions/claim.ts'
import type { Admission } from '../sessions/sessions.ts'
import type { StoredSession } from '../sessions/types.ts'
import { hasCode } from '../utils/check.ts'
import { runOrDefer } from '../utils/deferral.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { copyWith } from '../utils/object.ts'
import type { EntitySource } from './connections.ts'
import type { Entities } from './entities.ts'
import type { AuthService } from './strategies.ts'
import type { AuthenticationParams, AuthenticationResult } from './types.ts'

/** The strategy of a refresh token. It is no registered one. */
export const REFRESH = 'refresh'

/** The part of an authentication service that is needed here. */
interface Service extends AuthService {
  readonly entities: Entities
}

/** The strategy of access tokens, which loads their users. */
interface UserStrategy {
  getEntityId(result: AuthenticationResult, params: AuthenticationParams): Promise<unknown>
  admit(id: unknown, fingerprints: unknown, params: AuthenticationParams): Promise<any>
  showEntity(id: unknown, current: any, params: AuthenticationParams): Promise<any>
}

/** What follows for sessions from what happens to their users. */
interface Sessions {
  /** Ties a session to the credentials of its user as they are now. */
  keep(id: string, fingerprints: string | null): Promise<void>
  /** Ends the sessions of a user who is gone. */
  endOfUser(userId: string): Promise<void>
}

/** The users of the sessions of an authentication service. */
export class SessionUsers {
  private readonly service: Service
  private readonly sessions: Sessions
  /** The services of users that tell about new passwords, and of users who are gone. */
  private readonly watched = new WeakSet<object>()

  constructor(service: Service, sessions: Sessions) {
    this.service = service
    this.sessions = sessions
  }

  /** The one that loads users by their id. */
  get strategy(): UserStrategy | undefined {
    return Object.values(this.service.strategies).find(
      (strategy) => typeof (strategy as Partial<UserStrategy>).admit === 'function'
    ) as UserStrategy | undefined
  }

  /** Loads the user of a session, as for an access token. */
  async admit(
    { userId, fingerprints }: StoredSession,
    params: AuthenticationParams
  ): Promise<Admission<AuthenticationResult>> {
    const { entities, configuration } = this.service
    const strategy = this.strategy as UserStrategy
    const id = await strategy.getEntityId({ authentication: { payload: { sub: userId } } }, params)
    // The access token that the request may carry is an old one, and was not verified.
    const ownParams = copyWith(params, { authenticated: true, authentication: undefined })
    let current: any

    try {
      current = await strategy.admit(id, undefined, ownParams)
    } catch (error) {
      if (hasCode(error, 401)) return { cause: 'user' }
      throw error
    }

    if (!entities.hasFingerprints(current, parse(fingerprints), params)) return { cause: 'password' }

    // A hook that refuses to show the user ends no session.
    const shown = await strategy.showEntity(id, current, ownParams)
    const result = { authentication: { strategy: REFRESH }, [configuration.entity as string]: shown }

    return {
      fingerprints: toText(entities.areTied(params) ? entities.toFingerprints(current, params) : undefined),
      result: entities.setVerified(result, current)
    }
  }

  /** Whether a session is from after the last new password: others end at their next refresh. */
  isCurrent({ fingerprints }: StoredSession, params: AuthenticationParams): boolean {
    const { configuration, entities } = this.service
    const user = params[configuration.entity as string]

    return !user || entities.hasFingerprints(user, parse(fingerprints), params)
  }

  /**
   * Has a session go on when its user sets a new password in a call of this session, and ends those of users who are removed:
   * their ids may be given to others.
   */
  watch(sources: readonly EntitySource[]): void {
    for (const { service, idName } of sources) {
      if (this.watched.has(service)) continue

      const keepOwnSession = async (context: HookContext, next: NextFunction) => {
        await next()
        await this.keepOwn(context)
      }
      const endSessions = async (context: HookContext, next: NextFunction) => {
        await next()
        this.endOfRemoved(context, idName)
      }

      this.watched.add(service)
      ;(service as any).hooks?.({
        around: { patch: [keepOwnSession], update: [keepOwnSession], remove: [endSessions] }
      })
    }
  }

  /** The call does not wait for that: it may be one of a connection of such a session, and its reply comes first. */
  private endOfRemoved(context: HookContext, idName: string): void {
    // Hooks may have replaced the result.
    const ids = [context.result].flat().map((user) => user?.[idName] ?? context.id)

    for (const id of ids) {
      if (id !== undefined && id !== null)
        void this.runAfterCommit(context, () => this.sessions.endOfUser(String(id)))
    }
  }

  /** Only for the call that sets a credential: another one may have been set while this call ran, by another session. */
  private async keepOwn(context: HookContext): Promise<void> {
    const { data, params, service } = context
    const { entities, configuration } = this.service
    const { transaction, authentication } = params as AuthenticationParams
    const payload = authentication?.payload
    const claim = getSessionClaim(payload)
    // The subject of another issuer may be the id of another user here.
    const isOwn = [configuration.jwtOptions?.issuer].flat().includes(payload?.iss)
    const set = claim && isOwn && this.findFingerprints(data)

    if (!set) return

    const current = await findOrNothing(() =>
      entities.load({ service, id: payload.sub }, { transaction } as AuthenticationParams, {})
    )

    // The credentials are those of the token, but for what this call has set.
    if (current && entities.hasFingerprints(current, copyWith(payload.fingerprint, set))) {
      const fingerprints = toText(entities.toFingerprints(current, {}))

      await this.runAfterCommit(context, () => this.sessions.keep(claim.id, fingerprints))
    }
  }

  /** Returns at once in a transaction: one that is rolled back has set no password, and removed no user. */
  private async runAfterCommit(context: HookContext, work: () => Promise<void>): Promise<void> {
    let working: Promise<void> | undefined

    runOrDefer(() => {
      working = work().catch((error) => reportError(this.service.app, error))
    }, context)
    await working
  }

  /** The fingerprints of what a call sets; `undefined` where it sets no credential. */
  private findFingerprints(data: unknown): object | undefined {
    try {
      return this.service.entities.toFingerprints(data ?? {}, {})
    } catch {
      // A strategy may expect fields that the data of a patch does not have.
      return undefined
    }
  }
}

/** Fingerprints as they are stored. */
export function toText(fingerprints: unknown): string | null {
  return fingerprints === undefined || fingerprints === null ? null : JSON.stringify(fingerprints)
}

function parse(fingerprints: string | null): unknown {
  return fingerprints === null ? undefined : JSON.parse(fingerprints)
}
