/** The longest delay that timers know, in milliseconds. A longer one would be one of a millisecond. */
export const MAX_DELAY: number = 2 ** 31 - 1

/** The delay of a timer for a time of any length, such as an option of a developer: at most that of the longest timer. */
export function toDelay(milliseconds: number): number {
  return Math.min(milliseconds, MAX_DELAY)
}
