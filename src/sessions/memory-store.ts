import type { SessionChanges, SessionStore, StoredSession } from './types.ts'

/** How many sessions are kept before the first look for those that are over. */
const FIRST_SWEEP = 1024

/** Keeps sessions in the memory of this process: other processes do not know of them, and a restart ends them. */
export class MemorySessionStore implements SessionStore {
  private readonly sessions = new Map<string, StoredSession>()
  private readonly idsByUser = new Map<string, Set<string>>()
  private readonly now: () => number
  private nextSweep = FIRST_SWEEP

  /** @param now Returns the time, in milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** How many sessions there are. */
  get size(): number {
    return this.sessions.size
  }

  async create(session: StoredSession): Promise<void> {
    const { id, userId } = session

    this.sessions.set(id, { ...session })
    this.idsByUser.set(userId, (this.idsByUser.get(userId) ?? new Set()).add(id))
    if (this.size >= this.nextSweep) this.sweep()
  }

  async get(id: string): Promise<StoredSession | undefined> {
    return this.sessions.get(id)
  }

  async update(id: string, expected: SessionChanges, changes: SessionChanges): Promise<boolean> {
    const session = this.sessions.get(id)
    const isExpected =
      session &&
      Object.entries(expected).every(([name, value]) => session[name as keyof StoredSession] === value)

    if (!isExpected) return false

    this.sessions.set(id, { ...session, ...changes })

    return true
  }

  async remove(id: string): Promise<boolean> {
    return this.forget(id)
  }

  async findByUser(userId: string): Promise<readonly StoredSession[]> {
    return [...(this.idsByUser.get(userId) ?? [])].map((id) => this.sessions.get(id) as StoredSession)
  }

  private forget(id: string): boolean {
    const session = this.sessions.get(id)

    if (!session) return false

    const others = this.idsByUser.get(session.userId)

    others?.delete(id)
    if (others?.size === 0) this.idsByUser.delete(session.userId)

    return this.sessions.delete(id)
  }

  /** At twice the size that the last one left, so that all sweeps together cost no more than the logins. */
  private sweep(): void {
    const now = this.now()

    for (const { id, expiresAt } of this.sessions.values()) {
      if (expiresAt <= now) this.forget(id)
    }

    this.nextSweep = Math.max(FIRST_SWEEP, this.size * 2)
  }
}
