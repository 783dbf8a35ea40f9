import type { Connection, ConnectionListener } from './connection.ts'

/** That Redis is away, or was. */
export interface Absence {
  /** Since when. */
  readonly since: Date
  /** What was the first sign of it. */
  readonly error: Error
}

/** Makes one statement out of what happens to several connections: away is when one is, back is when all are. */
export class Availability implements ConnectionListener {
  private readonly missing = new Set<Connection>()
  private readonly onAway: (absence: Absence) => void
  private readonly onBack: (absence: Absence) => void
  private absence: Absence | undefined

  /**
   * @param onAway Hears that Redis is away
   * @param onBack Hears that it is back
   */
  constructor(onAway: (absence: Absence) => void, onBack: (absence: Absence) => void) {
    this.onAway = onAway
    this.onBack = onBack
  }

  away(connection: Connection, error: Error): void {
    this.missing.add(connection)

    if (this.absence) return

    this.absence = { since: new Date(), error }
    this.onAway(this.absence)
  }

  back(connection: Connection): void {
    const { absence } = this

    this.missing.delete(connection)

    if (!absence || this.missing.size > 0) return

    this.absence = undefined
    this.onBack(absence)
  }
}
