import { createTypeError, didYouMean } from 'alula/plugin'

/**
 * Refuses a name that there is not: a misspelt one would leave out what it is for. Throws TypeError for the first one;
 * `sentence` is what it says before the name, for example `Invalid option 'skip' of proveExposure: the application has no
 * method`.
 */
export function assertKnown(names: readonly string[], known: readonly string[], sentence: string): void {
  const unknown = names.find((name) => !known.includes(name))

  if (unknown === undefined) return

  throw createTypeError('ALULA_INVALID_OPTION', `${sentence} '${unknown}'${didYouMean(unknown, known)}`)
}
