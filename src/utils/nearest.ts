/**
 * Asks whether another name was meant: one that differs in a letter, in two that have changed places, or in case.
 *
 * @param name A name that is none
 * @param candidates The names that there are
 * @returns A question to put behind a sentence without its full stop; nothing when no name is near
 */
export function askForNearest(name: string, candidates: readonly string[]): string {
  const nearest = candidates.find((candidate) => isNear(name.toLowerCase(), candidate.toLowerCase()))

  return nearest ? `. Did you mean '${nearest}'?` : ''
}

/**
 * Refuses options that are misspelt: left out without a word, they could leave something open. Names that are not near
 * to a known one may be somebody else's.
 *
 * @param options The options
 * @param known The names that there are
 * @param toSentence Says that there is no option of this name
 * @throws Error that asks for the one that was meant
 */
export function assertSpelled(
  options: object,
  known: readonly string[],
  toSentence: (name: string) => string
): void {
  for (const name of Object.keys(options)) {
    const question = known.includes(name) ? '' : askForNearest(name, known)

    if (question) throw new Error(`${toSentence(name)}${question}`)
  }
}

function isNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  let end = 0

  while (start < shorter && one[start] === other[start]) start++
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++

  const rest = one.slice(start, one.length - end)
  const otherRest = other.slice(start, other.length - end)

  return (rest + otherRest).length < 3 || (rest.length === 2 && rest === [...otherRest].reverse().join(''))
}
