import { toDelay } from './max-delay.ts'

/**
 * Rejects with `toError()` after `limit` ms if the promise is still pending. The timer ends with the promise, so it keeps no
 * process alive. If the process itself was busy for that long, input that arrived meanwhile is handled before the promise
 * rejects.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  limit: number,
  toError: () => Error = () => new Error(`Timed out after ${limit} ms`)
): Promise<T> {
  // Browsers have none.
  const { setImmediate = queueMicrotask } = globalThis
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // Timers come before what the sockets have received, and this comes after it.
      setImmediate(() => reject(toError()))
    }, toDelay(limit))
  })

  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
