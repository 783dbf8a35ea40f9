import { BoundedMap } from '../utils/bounded-map.ts'

/** Where an event is in the log of the server. */
export interface Stamp {
  readonly position?: string | undefined
  readonly tx: string
  readonly index?: number | undefined
}

/** How many events without a position are remembered. */
const MAX_SEEN = 1000

/**
 * Remembers events that came without a position, by transaction and number: a replay may send them again. Tells whether one is
 * new.
 */
export function createSeen(): (stamp: Stamp) => boolean {
  const seen = new BoundedMap<string, true>(MAX_SEEN)

  return ({ position, tx, index }) => {
    if (position === undefined) {
      seen.set(`${tx}.${index}`, true)

      return true
    }

    // The last part counts the events up to this one.
    return !seen.delete(`${tx}.${Number(position.slice(position.lastIndexOf('.') + 1)) - 1}`)
  }
}
