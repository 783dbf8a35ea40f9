import type { ErrorCode } from './error-codes.ts'

/** More than the frames of alula between the call of a developer and the check that fails. */
const MAX_OWN_FRAMES = 50

/** The first frame of each error, unless a bundler has moved it. The group is the folder of alula. */
const FIRST_FRAME = /\((.+)(?:utils.developer-error\.ts|chunks.\w+\.js):/

/** Frames of Node, of the language, and of the package that checks its arguments by `alula/plugin`. */
const INTERNAL_FRAME = /[( ]node:|<anonymous>\)$|\(index |node_modules.alula-testing/

/**
 * Creates an error that only a developer can cause. Its `code` is stable and ends the message. `help` names the section
 * of docs/error-codes.md that describes the code. The stack begins at the line of the developer that called alula.
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
  const limit = Error.stackTraceLimit

  // `Reflect.set`, because an assignment throws where `Error` is frozen.
  Reflect.set(Error, 'stackTraceLimit', limit + MAX_OWN_FRAMES)
  const error = new Class(`${message} (${code})`, options)
  Reflect.set(Error, 'stackTraceLimit', limit)

  return Object.assign(error, {
    code,
    help: `node_modules/alula/docs/error-codes.md#${code.toLowerCase()}`,
    stack: toCallerStack(error, limit)
  })
}

/**
 * The stack of an error without the frames above the developer's own line: those of alula, and of Node between them. The whole
 * stack if alula is bundled, or if no other frame is left, as in a callback of a timer.
 *
 * `Error.captureStackTrace` drops them too, but it needs the function that the developer called. The two hundred places that
 * create errors do not know it: most are in helpers that several such functions share.
 */
function toCallerStack({ stack, message }: Error, limit: number): string | undefined {
  // A handler of `Error.prepareStackTrace` may return another value.
  if (typeof stack !== 'string') return stack

  const end = stack.indexOf(message) + message.length + 1
  const frames = stack.slice(end).split('\n')
  const folder = FIRST_FRAME.exec(frames[0] as string)?.[1]
  const caller = frames.findIndex((frame) => folder && !frame.includes(folder) && !INTERNAL_FRAME.test(frame))

  return stack.slice(0, end) + frames.slice(Math.max(caller, 0)).slice(0, limit).join('\n')
}
