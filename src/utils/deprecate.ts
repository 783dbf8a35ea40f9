/**
 * Keeps the old name of a function: the first call warns with the code `ALULA_DEPRECATED`.
 *
 * @param run The function
 * @param sentence What to use instead
 */
export function deprecate<Args extends unknown[], Result>(
  run: (...args: Args) => Result,
  sentence: string
): (...args: Args) => Result {
  let isWarned = false

  return (...args) => {
    if (!isWarned) {
      isWarned = true
      // Not in browsers.
      globalThis.process?.emitWarning?.(sentence, { type: 'DeprecationWarning', code: 'ALULA_DEPRECATED' })
    }

    return run(...args)
  }
}
