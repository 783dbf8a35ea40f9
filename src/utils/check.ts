/**
 * Whether a value is an object with options, and no array or `Map`. Plain or not: packages that read configuration files
 * make their own kind.
 */
export function isObject(value: unknown): value is Record<string, any> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value)
}

/** Whether a value is an object of any kind, such as an array or a date. */
export function isObjectLike(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether a value is a string that is not empty. */
export function isString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether a value is a string that is not empty, or an array of such strings that is not empty. */
export function isOneOrMore(value: unknown): value is string | string[] {
  return isString(value) || (Array.isArray(value) && value.length > 0 && value.every(isString))
}

/** Whether a value is sent as bytes, and not as JSON: a stream, a file, or a response of Fetch. */
export function isRaw(value: unknown): boolean {
  return (
    isNodeStream(value) ||
    value instanceof Blob ||
    value instanceof ReadableStream ||
    value instanceof Response
  )
}

/** Whether a value is a stream of Node. Instances of other classes have `pipe` too, and no events. */
export function isNodeStream(value: any): boolean {
  return isFunction(value?.pipe) && isFunction(value.on)
}

/** Whether a host name is this machine, for itself (RFC 8252 §7.3). */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Whether a value is an array of strings. */
export function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string')
}

/** Whether there is a value. Unlike in v5, 0 is a valid id; an empty string is none. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Whether a value is `true` or `false`. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** Whether a value is a function. */
export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function'
}

/**
 * Whether a value is a function that was not declared `async`. Whether it returns a promise all the same is seen when it is
 * called: `assertSync`.
 */
export function isSyncFunction(value: unknown): value is (...args: never[]) => unknown {
  return isFunction(value) && Object.prototype.toString.call(value) !== '[object AsyncFunction]'
}

/** Whether a value is a whole number that is not negative. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Whether an error has a code, such as that of an HTTP status. */
export function hasCode(error: unknown, code: number | string): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === code
}

/** Whether an error is one of the server, and says nothing of the call. */
export function isFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }

  return typeof code !== 'number' || code >= 500
}

/** For options that a function does not have, and others of its kind do. */
export function isNever(): boolean {
  return false
}
