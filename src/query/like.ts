import { BadRequest } from '../errors.ts'
import { describe } from './operators.ts'
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
  $like: (value: unknown) => toTest(toSlots(parsePattern('$like', value))),
  $notlike: (value: unknown) => {
    const test = toTest(toSlots(parsePattern('$notlike', value)))

    return (field: unknown) => !test(field)
  },
  $ilike: (value: unknown) => {
    const parts = parsePattern('$ilike', value)
    const test = toTest(toSlots(parts.map(toLowerPart)))

    return (field: unknown) => typeof field === 'string' && test(toLowerLetters(field))
  }
})

/**
 * Takes a pattern apart.
 *
 * @param operator The operator, for the message
 * @throws BadRequest for what is no string, and for a `\` at the end
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

  if (isEscaped) throw new BadRequest(`Invalid query: '${operator}' expects a character after the last '\\'`)

  flush()

  return parts
}

/** Lower case for the letters of English alone: beyond them, databases do not agree. */
export function toLowerLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function toLowerPart(part: PatternPart): PatternPart {
  return part.kind === 'text' ? { kind: 'text', text: toLowerLetters(part.text) } : part
}

/** Any string, and any one character; every other slot is the code point that has to be there. */
const ANY = -1
const ONE = -2

function toSlots(parts: readonly PatternPart[]): readonly number[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [...part.text].map((character) => character.codePointAt(0) as number)

    return [part.kind === 'any' ? ANY : ONE]
  })
}

/**
 * Goes through the string and the slots side by side. After a mismatch, the last `ANY` takes one character more: those
 * before it never have to, because what follows them was found as early as it can be. So a test takes at most as many
 * steps as the string has characters, times the slots.
 */
function toTest(slots: readonly number[]): (field: unknown) => boolean {
  return (field) => {
    if (typeof field !== 'string') return false

    let slot = 0
    let position = 0
    let slotAfterAny = -1
    let positionAfterAny = 0

    while (position < field.length) {
      const wanted = slots[slot]
      const code = field.codePointAt(position) as number

      if (wanted === ANY) {
        slot++
        // What comes last takes the rest.
        if (slot === slots.length) return true

        slotAfterAny = slot
        positionAfterAny = position
      } else if (wanted === code || wanted === ONE) {
        slot++
        position += toWidth(code)
      } else if (slotAfterAny !== -1) {
        positionAfterAny += toWidth(field.codePointAt(positionAfterAny) as number)
        slot = slotAfterAny
        position = positionAfterAny
      } else {
        return false
      }
    }

    return slots.slice(slot).every((rest) => rest === ANY)
  }
}

/** How many UTF-16 code units a code point takes. */
function toWidth(code: number): number {
  return code > 0xffff ? 2 : 1
}
