/** Remembers which tokens no longer count. `alula/authentication` has one for a single process. */
export interface RevocationStore {
  /**
   * Revokes an id, for good or until its token expires.
   *
   * @param id The id of a token, or of anything else that may be used once
   * @param expiresAt When the id may be forgotten, in milliseconds since 1970; `Infinity` for never
   * @returns Whether the id was not revoked before: of several callers at once, one gets `true`
   */
  revoke(id: string, expiresAt: number): boolean | Promise<boolean>
  /** Whether an id was revoked. */
  isRevoked(id: string): boolean | Promise<boolean>
  /**
   * Registers a listener for ids that other processes revoke or announce: connections that are logged in with such a token
   * close at once.
   *
   * @param listener Gets an id; `undefined` when some may have been missed: then all sessions are verified again
   * @returns Removes the listener
   */
  subscribe?(listener: (id?: string) => void): () => void
  /**
   * Passes an id to the listeners of other processes without revoking it: an entity has changed, and the sessions of it have
   * to be verified again.
   */
  announce?: ((id: string) => void) | undefined
}

/** How many ids are kept before the first look for those that may be forgotten. */
const FIRST_SWEEP = 1024

/** A store in the memory of this process: other processes do not know of it, and a restart forgets it. */
export class MemoryRevocationStore implements RevocationStore {
  private readonly expirations = new Map<string, number>()
  private nextSweep = FIRST_SWEEP

  /** How many ids the store holds. */
  get size(): number {
    return this.expirations.size
  }

  revoke(id: string, expiresAt: number): boolean {
    if (this.isRevoked(id)) return false

    this.expirations.set(id, expiresAt)
    if (this.size >= this.nextSweep) this.sweep()

    return true
  }

  isRevoked(id: string): boolean {
    const expiresAt = this.expirations.get(id)

    return expiresAt !== undefined && expiresAt > Date.now()
  }

  /** At twice the size that the last one left, so that all sweeps together cost no more than the revocations. */
  private sweep(): void {
    const now = Date.now()

    for (const [id, expiresAt] of this.expirations) {
      if (expiresAt <= now) this.expirations.delete(id)
    }

    this.nextSweep = Math.max(FIRST_SWEEP, this.size * 2)
  }
}
