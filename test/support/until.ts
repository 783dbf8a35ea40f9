import { setTimeout as pause } from 'node:timers/promises'

/** How long to wait between two questions, in milliseconds. */
const SHORTEST = 5
const LONGEST = 50

/**
 * Waits until something holds, as long as a busy machine may take. What takes long is asked less often: each pause is a
 * tenth of the time so far.
 *
 * @param assertion Throws as long as it does not hold
 * @param timeout In milliseconds
 */
export async function until(assertion: () => void | Promise<void>, timeout = 60_000): Promise<void> {
  const begin = performance.now()

  for (;;) {
    try {
      await assertion()
      return
    } catch (error) {
      const elapsed = performance.now() - begin

      if (elapsed > timeout) throw error

      await pause(Math.min(LONGEST, Math.max(SHORTEST, elapsed / 10)))
    }
  }
}
