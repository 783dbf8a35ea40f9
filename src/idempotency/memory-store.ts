import { NOT_KEPT } from './response.ts'
import { type Claim, type IdempotencyStore, STORE_TIMES, type StoredCall } from './types.ts'

/** How much is kept of calls that have finished. */
export interface MemoryLimits {
  readonly count: number
  /** The characters of all responses. */
  readonly size: number
}

const LIMITS: MemoryLimits = { count: 10_000, size: 32 * 1024 * 1024 }

interface Entry extends StoredCall {
  readonly token: string
  readonly endsAt: number
}

/**
 * Keeps responses in the memory of this process: other processes do not know of them, and a restart loses them. The oldest
 * ones make room; that their calls have run is known for longer. Calls that run make none: each is a request that the server
 * has let in.
 */
export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly running = new Map<string, Entry>()
  /** The oldest first, because all are kept equally long. */
  private readonly finished = new Map<string, Entry>()
  /** Those whose response is kept, the oldest first. */
  private readonly kept = new Set<string>()
  private readonly now: () => number
  private readonly limits: MemoryLimits
  private size = 0

  /** @param now Returns the time, in milliseconds since 1970 */
  constructor(now: () => number = Date.now, limits: MemoryLimits = LIMITS) {
    this.now = now
    this.limits = limits
  }

  /** How many calls are kept. */
  get count(): number {
    return this.running.size + this.finished.size
  }

  async begin({ id, hash, token }: Claim): Promise<StoredCall | undefined> {
    const now = this.now()

    this.forgetOld(now)

    const found = this.finished.get(id) ?? this.running.get(id)

    if (found && found.endsAt > now) return found

    this.running.set(id, { hash, token, response: undefined, endsAt: now + STORE_TIMES.lease })

    return undefined
  }

  async finish({ id, hash, token }: Claim, response: string): Promise<boolean> {
    if (this.running.get(id)?.token !== token) return false

    this.running.delete(id)
    this.finished.set(id, { hash, token, response, endsAt: this.now() + STORE_TIMES.lifetime })
    this.kept.add(id)
    this.size += response.length

    while (this.finished.size > this.limits.count) this.forgetOldest()
    while (this.size > this.limits.size) this.emptyOldest()

    return true
  }

  async release({ id, token }: Claim): Promise<void> {
    if (this.running.get(id)?.token === token) this.running.delete(id)
  }

  /** Calls that never finish are few: those whose process has ended took this store with them. */
  private forgetOld(now: number): void {
    for (const { endsAt } of this.finished.values()) {
      if (endsAt > now) return

      this.forgetOldest()
    }
  }

  private forgetOldest(): void {
    const [id] = this.finished.keys()

    this.empty(id as string)
    this.finished.delete(id as string)
  }

  private emptyOldest(): void {
    const [id] = this.kept

    this.empty(id as string)
  }

  /** Forgets the response of a call, and not that it has run. */
  private empty(id: string): void {
    const entry = this.finished.get(id) as Entry

    this.finished.set(id, { ...entry, response: NOT_KEPT })
    this.size -= (entry.response as string).length
    this.kept.delete(id)
  }
}
