/** Whether a value is a promise, of whatever making. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/**
 * Goes on with a value: at once where it is there, so that a call waits for nothing that does not take time.
 *
 * @param value The value, or a promise of it
 * @param next What is done with it
 * @returns What `next` returns, or a promise of it
 */
export function andThen<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? value.then(next) : next(value)
}
