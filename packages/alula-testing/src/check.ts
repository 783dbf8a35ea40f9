/** Whether a value is an object with options, and no array or `Map`. */
export function isObject(value: unknown): value is Record<string, any> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value)
}

/** Whether a value is a function. */
export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function'
}

/** Whether an error has a code, such as that of an HTTP status. */
export function hasCode(error: unknown, code: number | string): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === code
}

/** Whether a value is a promise of any kind. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return isFunction((value as { then?: unknown } | null | undefined)?.then)
}
