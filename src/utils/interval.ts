import { toDelay } from './max-delay.ts'

/**
 * Calls a function again and again, until the one that it returns is called. On Node that does not keep the process running.
 */
export function runEvery(milliseconds: number, run: () => void): () => void {
  const timer: unknown = setInterval(run, toDelay(milliseconds))

  // A browser has numbers for timers.
  ;(timer as { unref?(): void }).unref?.()

  return () => clearInterval(timer as ReturnType<typeof setInterval>)
}
