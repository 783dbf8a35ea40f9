/**
 * Waits for something, but not for ever. A timer keeps no process from ending once the wait is over.
 *
 * @param promise What to wait for
 * @param limit How long, in milliseconds
 * @throws Error when it takes longer; what the promise rejects with
 */
export async function within<T>(promise: Promise<T>, limit: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${limit} ms`)), limit)
  })

  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
