import { BadRequest } from '../errors.ts'
import { describe } from './operators.ts'
import type { CustomPredicates } from './predicate.ts'
import { toSearch } from './search.ts'

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
 * the opposite of `$like`, so that it matches what is no text at all. A test goes through the field once; with `_` in the
 * pattern it takes as many steps for each character as the pattern has characters, divided by 32.
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

/** How long a pattern can be. SQLite goes through it for each character of the field, and takes 50,000 bytes. */
const MOST_CHARACTERS = 1_000

/**
 * Takes a pattern apart.
 *
 * @param operator What it stands under, for the message
 * @throws BadRequest for what is no text or too long, and for a `\` at the end
 */
export function parsePattern(operator: string, pattern: unknown): readonly PatternPart[] {
  if (typeof pattern !== 'string') {
    throw new BadRequest(`Invalid query: '${operator}' expects a pattern, got ${describe(pattern)}`)
  }
  if (pattern.length > MOST_CHARACTERS) {
    throw new BadRequest(
      `Invalid query: '${operator}' expects a pattern of at most ${MOST_CHARACTERS} characters`
    )
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

/** What stands between two `%`. */
interface Segment {
  readonly slots: readonly Slot[]
  /** Where in the segment each character can stand, a bit for each slot; under `null` for those that are not in it. */
  readonly places: ReadonlyMap<Slot, Uint32Array>
}

/** Folds text so that what shall count as the same is the same. */
type Fold = (text: string) => string

type Test = (field: unknown) => boolean

function toTest(parts: readonly PatternPart[], fold: Fold): Test {
  return parts.every(isPlain) ? toPlainTest(parts, fold) : toSlotTest(parts, fold)
}

/** Whether text alone has to be found. Half a character is none, and would be found in the middle of one. */
function isPlain(part: PatternPart): boolean {
  return part.kind === 'any' || (part.kind === 'text' && !/\p{Surrogate}/u.test(part.text))
}

function toPlainTest(parts: readonly PatternPart[], fold: Fold): Test {
  const [first = '', ...rest] = toSegments(parts, fold).map((slots) => slots.join(''))
  const last = rest.pop()
  const searches = rest.map(toSearch)

  return (field) => {
    if (typeof field !== 'string') return false

    const text = fold(field)

    if (last === undefined) return text === first
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false

    const end = text.length - last.length
    let position = first.length

    for (const search of searches) {
      position = search(text, position)
      if (position === -1) return false
    }

    return position <= end
  }
}

function toSlotTest(parts: readonly PatternPart[], fold: Fold): Test {
  const [first = [], ...rest] = toSegments(parts, fold)
  const last = rest.pop()
  const segments = rest.map((slots) => ({ slots, places: toPlaces(slots) }))

  return (field) => {
    if (typeof field !== 'string') return false

    const text = [...fold(field)]

    if (!last) return first.length === text.length && isAt(text, first, 0)

    const end = text.length - last.length

    return (
      first.length <= end &&
      isAt(text, first, 0) &&
      isAt(text, last, end) &&
      areWithin(text, segments, first.length, end)
    )
  }
}

/** What stands before, between and behind the `%`. */
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

function toPlaces(slots: readonly Slot[]): Map<Slot, Uint32Array> {
  const open = new Uint32Array(Math.ceil(slots.length / 32))

  for (const [index, slot] of slots.entries()) if (slot === null) addBit(open, index)

  const places = new Map<Slot, Uint32Array>([[null, open]])

  for (const [index, slot] of slots.entries()) {
    if (slot === null) continue

    const bits = places.get(slot) ?? open.slice()

    addBit(bits, index)
    places.set(slot, bits)
  }

  return places
}

function addBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31))
}

/** Whether segments follow each other in a part of a text, each as early as it can be. */
function areWithin(
  text: readonly string[],
  segments: readonly Segment[],
  begin: number,
  end: number
): boolean {
  let position = begin

  for (const segment of segments) {
    position = findEnd(text, segment, position, end)
    if (position === -1) return false
  }

  return true
}

/**
 * Finds a segment in a part of a text, and where it ends there; -1 if it is not in it. Of the bits of `reached`, each
 * tells whether the text up to here ends with the segment up to there (shift-and, Baeza-Yates and Gonnet 1992): so
 * nothing is looked at twice, and 32 slots are one step.
 */
function findEnd(text: readonly string[], { slots, places }: Segment, begin: number, end: number): number {
  if (slots.length === 0) return begin

  const reached = new Uint32Array(Math.ceil(slots.length / 32))
  const last = slots.length - 1

  for (let position = begin; position < end; position++) {
    const possible = (places.get(text[position] as string) ?? places.get(null)) as Uint32Array
    let carry = 1

    for (let index = 0; index < reached.length; index++) {
      const before = reached[index] as number

      reached[index] = ((before << 1) | carry) & (possible[index] as number)
      carry = before >>> 31
    }

    if (((reached[last >>> 5] as number) >>> (last & 31)) & 1) return position + 1
  }

  return -1
}

function isAt(text: readonly string[], slots: readonly Slot[], position: number): boolean {
  return (
    position + slots.length <= text.length &&
    slots.every((slot, index) => slot === null || slot === text[position + index])
  )
}
