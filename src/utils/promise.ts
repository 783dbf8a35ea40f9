// Application code may return anything that has a `then`. This file handles such values: a promise that nothing waits for
// would end the process when it rejects.
import { createTypeError } from './developer-error.ts'
import { withTimeout } from './with-timeout.ts'

/** Whether a value is a promise, of whatever making. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on with a value: at once where it is there, so that a call waits for nothing that does not take time. */
export function andThen<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  // Of a promise of another making `then` may return nothing, and the call would not wait.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}

/**
 * Calls a function for each item, and waits until all calls have settled, even when one fails: no call runs on after the result
 * is known, and no promise rejects without a handler. After a call that throws, no further one begins. Returns the results in
 * order; a promise of them as soon as one of them is a promise. Throws the error of the first item that fails.
 */
export function mapAll<Item, R>(
  items: readonly Item[],
  map: (item: Item, index: number) => R | PromiseLike<R>
): R[] | Promise<R[]> {
  const begun: (R | PromiseLike<R>)[] = []

  for (const [index, item] of items.entries()) {
    try {
      begun.push(map(item, index))
    } catch (error) {
      if (!begun.some(isPromise)) throw error

      begun.push(Promise.reject(error))
      break
    }
  }

  return begun.some(isPromise) ? waitForAll(begun) : (begun as R[])
}

/** Waits until all promises are settled. Throws what the first of them in this order rejects with. */
export async function waitForAll<const T extends readonly unknown[]>(
  promises: T
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const settled = await Promise.allSettled(promises)
  const failed = settled.find(({ status }) => status === 'rejected')

  if (failed) throw (failed as PromiseRejectedResult).reason

  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof T]: Awaited<T[Index]>
  }
}

/**
 * Refuses a promise that a function of the application has returned where a value is needed at once: as a condition it would
 * always be true. `sentence` is what the error says, for example `channel.filter expects a function that returns true or
 * false`. Returns the value. Throws TypeError for a promise, which may reject without harm.
 */
export function assertSync<T>(value: T, sentence: string): T {
  if (!isPromise(value)) return value

  disregard(value)

  throw createTypeError('ALULA_INVALID_RETURN_VALUE', `${sentence}, got a promise`)
}

/**
 * Runs code of the application, and returns what it returns: an error that it throws (then `undefined`), or rejects with later,
 * goes no further than `report`.
 */
export function attempt(run: () => unknown, report: (error: unknown) => void): unknown {
  try {
    const returned = run()

    if (isPromise(returned)) Promise.resolve(returned).catch(report)

    return returned
  } catch (error) {
    report(error)
  }
}

/** Lets a promise that nothing waits for reject without harm. */
export function disregard(promise: unknown): void {
  Promise.resolve(promise).catch(() => undefined)
}

/** Waits until all promises are settled, but not longer than a limit, and returns whether they are. */
export async function settleWithin(limit: number, promises: readonly unknown[]): Promise<boolean> {
  const settled = Promise.allSettled(promises).then(() => true)

  return withTimeout(settled, limit).catch(() => false)
}
