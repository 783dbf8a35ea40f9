import type { JsonSchema } from '../schema/json-schema.ts'

/** What a column has room for, where its type says less than its kind may be. */
export interface Limits {
  /** In characters, as is `maxLength`. */
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  /** How many digits a decimal may have before its point. */
  readonly integerDigits?: number | undefined
  /** Between which integers an integer is. */
  readonly range?: readonly [minimum: number, maximum: number] | undefined
}

/**
 * What a column expects of a value that it has no room for; `undefined` for a value that fits. Databases name the column in
 * some of their errors only.
 */
export function toExpectedLimit(value: unknown, limits: Limits): string | undefined {
  const { minLength = 0, maxLength, integerDigits } = limits

  if (typeof value === 'string' && maxLength !== undefined && !isWithin(value, minLength, maxLength)) {
    return minLength === maxLength ? `${maxLength} characters` : `at most ${maxLength} characters`
  }
  if (integerDigits !== undefined && countIntegerDigits(value) > integerDigits) {
    return `at most ${integerDigits} digits before the point`
  }

  return undefined
}

/** What limits are in JSON Schema. */
export function toLimitSchema({ minLength, maxLength, integerDigits, range }: Limits): JsonSchema {
  return {
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(integerDigits !== undefined && {
      pattern: toDecimalPattern(integerDigits),
      exclusiveMinimum: -(10 ** integerDigits),
      exclusiveMaximum: 10 ** integerDigits
    }),
    ...(range && { minimum: range[0], maximum: range[1] })
  }
}

/** Large numbers are written with an exponent otherwise. */
const PLAIN = { useGrouping: false }

function toDecimalPattern(digits: number): string {
  const integer = digits > 1 ? `0|[1-9]\\d{0,${digits - 1}}` : digits === 1 ? '\\d' : '0'

  return `^-?(?:${integer})(?:\\.\\d+)?$`
}

/** Databases cut what has too many blanks at its end. */
function isWithin(text: string, minLength: number, maxLength: number): boolean {
  // A string has no more characters than units.
  if (text.length <= maxLength && minLength === 0) return true

  const characters = [...text]

  return (
    characters.length >= minLength &&
    (characters.length <= maxLength || characters.slice(maxLength).every((character) => character === ' '))
  )
}

function countIntegerDigits(value: unknown): number {
  const text = typeof value === 'number' ? Math.trunc(Math.abs(value)).toLocaleString('en', PLAIN) : value
  const [digits = ''] = /\d+/.exec(String(text)) ?? []

  return digits === '0' ? 0 : digits.length
}
