// In browsers `./silent.ts`.
import debug from '#debug'

/** Writes one line of a namespace; the arguments are those of `debug` (a format and its values). */
export type Debugger = (...values: unknown[]) => void

/** One for the process, as in Feathers v5, where `setDebug` concerns all applications. */
let initialize: (name: string) => Debugger = debug

/**
 * Creates the debug function of a namespace. It prints only when the namespace is switched on
 * (`DEBUG=alula:*`), and follows a later call of `setDebug`.
 *
 * @param name The namespace, for example `alula:transport`
 */
export function createDebug(name: string): Debugger {
  let write: Debugger | undefined
  let writer: typeof initialize | undefined

  return (...values) => {
    if (!write || writer !== initialize) {
      write = initialize(name)
      writer = initialize
    }

    return write(...values)
  }
}

/**
 * Replaces what creates debug functions, those that exist included.
 *
 * @param initializer Takes a namespace and returns the function that writes its lines
 */
export function setDebug(initializer: (name: string) => Debugger): void {
  initialize = initializer
}
