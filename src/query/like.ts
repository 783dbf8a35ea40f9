import { BadRequest } from '../errors.ts'
import { describeValue } from './operators.ts'
import type { CustomPredicates } from './predicate.ts'

/** A part of a pattern: some text, any one character, or any number of them. */
export type PatternPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }

/**
 * The meaning of `$like`, `$notlike` and `$ilike`, as it is in SQL: `%` stands for any string, `_` for one character, and
 * after a `\` each of the three for itself. `$ilike` takes the letters A to Z and a to z for the same. `$notlike` is
 * the opposite of `$like`, so it matches what is no string at all.
 *
 * @example
 * memory({ operators: ['$like'], predicates: PATTERN_PREDICATES })
 */
export const PATTERN_PREDICATES: CustomPredicates = Object.freeze({
  $like: (value: unknown) => toTest(parsePattern('$like', value)),
  $notlike: (value: unknown) => {
    const test = toTest(parsePattern('$notlike', value))

    return (field: unknown) => !test(field)
  },
  $ilike: (value: unknown) => {
    const test = toTest(parsePattern('$ilike', value).map(toLowerPart))

    return (field: unknown) => typeof field === 'string' && test(toLowerLetters(field))
  }
})

/** Takes a pattern apart. Throws BadRequest for what is no string, and for a `\` at the end. */
export function parsePattern(operator: string, pattern: unknown): readonly PatternPart[] {
  if (typeof pattern !== 'string') {
    throw new BadRequest(`Invalid query: '${operator}' expects a pattern, got ${describeValue(pattern)}`)
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

  if (isEscaped) throw new BadRequest(`Invalid query: '${operator}' expects a character after the last '\\'`)

  flush()

  return parts
}

/** Lower case for the letters of English alone: beyond them, databases do not agree. */
function toLowerLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The same for a part of a pattern. */
export function toLowerPart(part: PatternPart): PatternPart {
  return part.kind === 'text' ? { kind: 'text', text: toLowerLetters(part.text) } : part
}

/**
 * A pattern as states, of which each is a bit: state n is reached where the first n characters of the pattern are there.
 * So a test takes one step for each character of a string and 32 of the pattern, whatever the two are (shift-and,
 * Baeza-Yates and Gonnet 1992); going back after a mismatch would take as many as both lengths multiplied.
 */
interface States {
  readonly words: number
  readonly last: number
  /** The states that any character leaves reached: there is a `%`. */
  readonly loops: Uint32Array
  /** The states that a character reaches from the one before, by its code point. */
  readonly reached: ReadonlyMap<number, Uint32Array>
  /** The same for a character that the pattern does not name. */
  readonly reachedByAny: Uint32Array
}

function toTest(parts: readonly PatternPart[]): (field: unknown) => boolean {
  const { words, last, loops, reached, reachedByAny } = toStates(parts)
  const current = new Uint32Array(words)

  return (field) => {
    if (typeof field !== 'string') return false

    current.fill(0)
    current[0] = 1

    for (let position = 0; position < field.length; ) {
      const code = field.codePointAt(position) as number
      const possible = reached.get(code) ?? reachedByAny
      let carry = 0
      let isAlive = 0

      for (let word = 0; word < words; word++) {
        const before = current[word] as number
        const moved = ((before << 1) | carry) & (possible[word] as number)
        const kept = before & (loops[word] as number)
        const after = moved | kept

        current[word] = after
        carry = before >>> 31
        isAlive |= after
      }

      if (isAlive === 0) return false

      position += code > 0xffff ? 2 : 1
    }

    return hasBit(current, last)
  }
}

function toStates(parts: readonly PatternPart[]): States {
  const characters = parts.flatMap((part): (number | 'any' | 'one')[] => {
    if (part.kind === 'text') return [...part.text].map((character) => character.codePointAt(0) as number)

    return [part.kind]
  })
  const last = characters.filter((character) => character !== 'any').length
  const words = (last >> 5) + 1
  const loops = new Uint32Array(words)
  const reachedByAny = new Uint32Array(words)
  const named = characters.filter((character) => typeof character === 'number')
  const reached = new Map(named.map((code) => [code, new Uint32Array(words)]))
  let state = 0

  for (const character of characters) {
    if (character === 'any') {
      addBit(loops, state)
    } else {
      state++
      if (character === 'one') for (const bits of [reachedByAny, ...reached.values()]) addBit(bits, state)
      else addBit(reached.get(character) as Uint32Array, state)
    }
  }

  return { words, last, loops, reached, reachedByAny }
}

function addBit(bits: Uint32Array, index: number): void {
  bits[index >> 5] = (bits[index >> 5] as number) | (1 << (index & 31))
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return (((bits[index >> 5] as number) >>> (index & 31)) & 1) === 1
}
