import { vi } from 'vitest'

/**
 * Waits until something holds, as long as a busy machine may take.
 *
 * @param assertion Throws as long as it does not hold
 * @param timeout In milliseconds
 */
export function until(assertion: () => void | Promise<void>, timeout = 60_000): Promise<void> {
  return vi.waitFor(assertion, { timeout, interval: 5 })
}
