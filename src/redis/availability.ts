import type { ConnectionListener, RedisConnection } from './connection.ts'

/** A time without Redis. */
export interface Outage {
  /** When it began. */
  readonly since: Date
  /** The first error. */
  readonly error: Error
}

/** Combines the states of several connections: Redis is away when one of them is, and back when all of them are. */
export class Availability implements ConnectionListener {
  private readonly missing = new Set<RedisConnection>()
  private readonly onAway: (outage: Outage) => void
  private readonly onBack: (outage: Outage) => void
  private outage: Outage | undefined

  /**
   * @param onAway Called when Redis is away
   * @param onBack Called when it is back
   */
  constructor(onAway: (outage: Outage) => void, onBack: (outage: Outage) => void) {
    this.onAway = onAway
    this.onBack = onBack
  }

  away(connection: RedisConnection, error: Error): void {
    this.missing.add(connection)

    if (this.outage) return

    this.outage = { since: new Date(), error }
    this.onAway(this.outage)
  }

  back(connection: RedisConnection): void {
    const { outage } = this

    this.missing.delete(connection)

    if (!outage || this.missing.size > 0) return

    this.outage = undefined
    this.onBack(outage)
  }
}
