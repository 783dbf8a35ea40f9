import { BadRequest } from '../errors.ts'
import { describe } from './operators.ts'
import type { CustomPredicates } from './predicate.ts'

/** A part of a pattern: some text, any one character, or any number of them. */
export type PatternPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }

/** The operators that compare text with a pattern. */
export const PATTERN_OPERATORS: readonly string[] = ['$like', '$notlike', '$ilike']

/**
 * The meaning of `$like`, `$notlike` and `$ilike`, as it is in SQL: `%` stands for any text, `_` for one character, and
 * behind a `\` each of the three for itself. `$ilike` takes the letters A to Z and a to z for the same. `$notlike` is
 * the opposite of `$like`, so that it matches what is no text at all. The time is bounded by the length of the field
 * times that of the pattern.
 *
 * @example
 * memory({ operators: ['$like'], predicates: PATTERN_PREDICATES })
 */
export const PATTERN_PREDICATES: CustomPredicates = Object.freeze({
  $like: (value: unknown) => toTest(parsePattern('$like', value), (text) => text),
  $notlike: (value: unknown) => {
    const test = toTest(parsePattern('$notlike', value), (text) => text)

    return (field: unknown) => !test(field)
  },
  $ilike: (value: unknown) => toTest(parsePattern('$ilike', value), toLowerLetters)
})

/**
 * Takes a pattern apart.
 *
 * @param operator What it stands under, for the message
 * @throws BadRequest for what is no text, and for a `\` at the end
 */
export function parsePattern(operator: string, pattern: unknown): readonly PatternPart[] {
  if (typeof pattern !== 'string') {
    throw new BadRequest(`Invalid query: '${operator}' expects a pattern, got ${describe(pattern)}`)
  }

  const parts: PatternPart[] = []
  let text = ''
  let isEscaped = false

  function flush(): void {
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
  }

  for (const character of pattern) {
    if (!isEscaped && character === '\\') {
      isEscaped = true
    } else if (!isEscaped && (character === '%' || character === '_')) {
      flush()
      parts.push({ kind: character === '%' ? 'any' : 'one' })
    } else {
      text += character
      isEscaped = false
    }
  }

  if (isEscaped) throw new BadRequest(`Invalid query: '${operator}' expects a character behind the last '\\'`)

  flush()

  return parts
}

/** Lower case for the letters of English alone: beyond them, databases do not agree. */
export function toLowerLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** One character of a pattern; `null` for any. */
type Slot = string | null

function toTest(parts: readonly PatternPart[], fold: (text: string) => string): (field: unknown) => boolean {
  const segments = toSegments(parts, fold)

  return (field) => typeof field === 'string' && matchSegments([...fold(field)], segments)
}

/** What stands between the `%`. */
function toSegments(parts: readonly PatternPart[], fold: (text: string) => string): Slot[][] {
  const segments: Slot[][] = [[]]

  for (const part of parts) {
    const segment = segments[segments.length - 1] as Slot[]

    if (part.kind === 'text') segment.push(...fold(part.text))
    else if (part.kind === 'one') segment.push(null)
    else segments.push([])
  }

  return segments
}

/** The first and the last segment are where the text begins and ends; the others, each as early as it can be. */
function matchSegments(text: readonly string[], segments: readonly Slot[][]): boolean {
  const [first = [], ...rest] = segments
  const last = rest.pop()

  if (!last) return first.length === text.length && isAt(text, first, 0)

  const end = text.length - last.length
  let position = first.length

  if (position > end || !isAt(text, first, 0) || !isAt(text, last, end)) return false

  for (const segment of rest) {
    while (position + segment.length <= end && !isAt(text, segment, position)) position++
    if (position + segment.length > end) return false

    position += segment.length
  }

  return true
}

function isAt(text: readonly string[], segment: readonly Slot[], position: number): boolean {
  return (
    position + segment.length <= text.length &&
    segment.every((slot, index) => slot === null || slot === text[position + index])
  )
}
