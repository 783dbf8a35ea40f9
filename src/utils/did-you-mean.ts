/**
 * Suggests the known name that a misspelt one probably means: one that differs in a letter, in two swapped letters, or in
 * case.
 *
 * @param name The unknown name
 * @param candidates The known names
 * @returns A question to append to a sentence without its full stop; empty if no name is near
 */
export function didYouMean(name: string, candidates: readonly string[]): string {
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
