// In browsers `./silent.ts`.
import debug from '#debug'

/** Writes one line of a namespace; the arguments are those of `debug` (a format and its values). */
export type Debugger = (...values: unknown[]) => void

let initialize: (name: string) => Debugger = debug
let generation = 0

/**
 * Creates the debug function of a namespace. It prints only when the namespace is switched on
 * (`DEBUG=alula:*`), and follows a later call of `setDebug`.
 *
 * @param name The namespace, for example `alula:transport`
 */
export function createDebug(name: string): Debugger {
  let current: Debugger | undefined
  let createdIn = -1

  return (...values) => {
    if (!current || createdIn !== generation) {
      current = initialize(name)
      createdIn = generation
    }

    return current(...values)
  }
}

/**
 * Replaces what creates debug functions, those that exist included.
 *
 * @param initializer Takes a namespace and returns the function that writes its lines
 */
export function setDebug(initializer: (name: string) => Debugger): void {
  initialize = initializer
  generation++
}
