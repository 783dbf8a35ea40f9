import { MAX_DELAY } from '../utils/max-delay.ts'

/**
 * Like `setTimeout`, for any length of time. It does not keep the process running.
 *
 * @param callback What to call
 * @param delay When, in milliseconds from now
 * @returns Cancels it
 */
export function setLongTimeout(callback: () => void, delay: number): () => void {
  const end = Date.now() + delay
  let timer: NodeJS.Timeout

  function wait(): void {
    const rest = end - Date.now()

    timer = setTimeout(rest > MAX_DELAY ? wait : callback, Math.min(rest, MAX_DELAY))
    timer.unref()
  }

  wait()

  return () => clearTimeout(timer)
}
