import type { ErrorCode } from './error-codes.ts'

/**
 * Creates an error that only a developer can cause. Its `code` is stable and ends the message; docs/error-codes.md says
 * what each code means.
 *
 * @param code What the developer got wrong
 * @param message What is wrong, where, and what is expected
 */
export function createError(code: ErrorCode, message: string, options?: ErrorOptions): Error {
  return create(Error, code, message, options)
}

/** As {@link createError}, for a value of the wrong type. */
export function createTypeError(code: ErrorCode, message: string, options?: ErrorOptions): TypeError {
  return create(TypeError, code, message, options)
}

/** As {@link createError}, for a value that is too deep or too large. */
export function createRangeError(code: ErrorCode, message: string): RangeError {
  return create(RangeError, code, message)
}

function create(Class: ErrorConstructor, code: ErrorCode, message: string, options?: ErrorOptions): Error {
  return Object.assign(new Class(`${message} (${code})`, options), { code })
}
