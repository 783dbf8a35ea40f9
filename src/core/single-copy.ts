import { emitWarning } from '../utils/runtime.ts'

/** The copy of alula that has created the first application of the process. */
const COPY: unique symbol = Symbol.for('alula/copy')

interface Copies {
  readonly first: object
  isNamed: boolean
}

/**
 * Warns once when two copies of alula have created applications in the process. Each copy has its own checks, errors and state
 * of the process. `copy` is an object that each copy has once, such as its class of applications.
 */
export function nameSecondCopy(copy: object): void {
  const shared = globalThis as { [COPY]?: Copies }

  shared[COPY] ??= { first: copy, isNamed: false }

  const copies = shared[COPY]

  if (copies.first === copy || copies.isNamed) return

  copies.isNamed = true
  emitWarning(
    "Two copies of alula have created applications: 'npm ls alula' shows where they come from, and one version for all of them removes the second copy",
    { code: 'ALULA_TWO_COPIES' }
  )
}
