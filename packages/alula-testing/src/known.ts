import { createTypeError, didYouMean } from 'alula/plugin'

/**
 * Refuses a name that there is not: a misspelt one would leave out what it is for.
 *
 * @param names The names that an option has
 * @param known Those that there are
 * @param sentence What the error says before the name, for example `Invalid option 'skip' of proveExposure: the application has no method`
 * @throws TypeError for the first name that is not known
 */
export function assertKnown(names: readonly string[], known: readonly string[], sentence: string): void {
  const unknown = names.find((name) => !known.includes(name))

  if (unknown === undefined) return

  throw createTypeError('ALULA_INVALID_OPTION', `${sentence} '${unknown}'${didYouMean(unknown, known)}`)
}
