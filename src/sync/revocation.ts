import { RedisRevocationStore } from '../authentication/redis-revocation.ts'

/** A store that sends its revocations to other processes and receives theirs. */
export class SharedRevocationStore extends RedisRevocationStore {
  private readonly listeners = new Set<(id?: string) => void>()
  /** Tells other processes; there as long as they can be told. */
  announce: ((id: string) => void) | undefined

  override async revoke(id: string, expiresAt: number): Promise<boolean> {
    try {
      return await super.revoke(id, expiresAt)
    } finally {
      // Also without a reply: it may be revoked all the same, and then no caller revokes it again.
      this.announce?.(id)
    }
  }

  /** Tells of the revocations of other processes. */
  subscribe(listener: (id?: string) => void): () => void {
    this.listeners.add(listener)

    return () => void this.listeners.delete(listener)
  }

  /** What was to be looked up may have failed when the connection was lost. */
  protected override handleConnection(): void {
    this.notify()
  }

  /** Calls the subscribers with what was revoked; without an id when some revocations may have been missed. */
  notify(id?: string): void {
    // As soon as it can be, all is looked up anyway.
    if (id === undefined && !this.isConnected) return

    for (const listener of this.listeners) listener(id)
  }
}
