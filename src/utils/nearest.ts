/**
 * Asks whether another name was meant: one that differs in a letter, in two that have changed places, or in case.
 *
 * @param name A name that is none
 * @param candidates The names that there are
 * @returns A question to put behind a sentence without its full stop; nothing when no name is near
 */
export function askForNearest(name: string, candidates: readonly string[]): string {
  const lowered = name.toLowerCase()
  const nearest =
    candidates.find((candidate) => candidate.toLowerCase() === lowered) ??
    candidates.find((candidate) => isNear(lowered, candidate.toLowerCase()))

  return nearest ? `. Did you mean '${nearest}'?` : ''
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
