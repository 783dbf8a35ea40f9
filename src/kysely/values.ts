import { isInteger, toExactBoolean, toExactDate, toExactDay, toExactNumber } from '../query/coerce.ts'

/** A value that a column cannot hold. */
export const NOTHING = Symbol('nothing')

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** Those of a `BIGINT`, with a sign or without. */
const MIN_INTEGER = -(2n ** 63n)
const MAX_INTEGER = 2n ** 64n - 1n
const MAX_DIGITS = 20

/** A number, or exactly the string of one; `NOTHING` for anything else. */
export function toNumber(kind: 'integer' | 'number' | 'decimal', value: unknown): unknown {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return kind === 'decimal' ? String(value) : toInteger(String(value))
  if (typeof value !== 'string') return NOTHING
  if (kind === 'decimal') return DECIMAL.test(value) ? value : NOTHING
  if (kind === 'integer' && isInteger(value)) return toInteger(value)

  return toExactNumber(value) ?? NOTHING
}

/** A number where it is that integer exactly, or where no database has such an integer. */
function toInteger(text: string): unknown {
  const number = Number(text)

  if (Number.isSafeInteger(number) || text.length > MAX_DIGITS) return number

  const integer = BigInt(text)

  return integer < MIN_INTEGER || integer > MAX_INTEGER ? number : integer
}

/** A boolean, or exactly the string of one; `NOTHING` for anything else. */
export function toBoolean(value: unknown): unknown {
  if (typeof value === 'string') return toExactBoolean(value) ?? NOTHING

  return typeof value === 'boolean' ? value : NOTHING
}

/**
 * What is false where a database has no booleans. All other values are true, as in a list of JavaScript that leaves out
 * falsy ones: SQLite stores whatever other programs write.
 */
export const FALSE_VALUES: readonly unknown[] = [
  ...[false, 0, '0', '', 'f', 'F', 'false', 'False', 'FALSE'],
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF']
]

/** The shortest number that has the same four bytes: `0.1` for what is 0.10000000149011612 with eight. */
export function toShortest(number: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))

    if (Math.fround(short) === number) return short
  }

  return number
}

/** Whether a number has one of four bytes beside it: none is as large, or as small and not zero, as some numbers are. */
export function fitsSingle(number: number): boolean {
  const single = Math.fround(number)

  return Number.isFinite(single) && (single !== 0 || number === 0)
}

/** A date, or the ISO 8601 string of one, from the year 0 to 9999; `undefined` for anything else. */
export function toDate(value: unknown): Date | undefined {
  const date = readDate(value)

  return date && hasStorableYear(date) ? date : undefined
}

/** Whether a value is a date in a year that {@link toDate} refuses. */
export function isBeyondYears(value: unknown): boolean {
  const date = readDate(value)

  return date !== undefined && !Number.isNaN(date.getTime()) && !hasStorableYear(date)
}

function readDate(value: unknown): Date | undefined {
  const date = typeof value === 'string' ? toExactDate(value) : value

  return date instanceof Date ? date : undefined
}

/** SQLite and MySQL know no other years than those with four digits. */
function hasStorableYear(date: Date): boolean {
  const year = date.getUTCFullYear()

  return year >= 0 && year <= 9999
}

/** A day: the string of one, or its midnight in UTC; `NOTHING` for anything else, such as another time. */
export function toDay(value: unknown): unknown {
  const date = toDate(value)

  return (date && toExactDay(date)) ?? NOTHING
}

/** What days are compared with: a day, or a time between two of them, `2026-11-22T10:00:00.000`. */
export function toDayOrTime(value: unknown): unknown {
  const date = toDate(value)

  return date ? (toExactDay(date) ?? date.toISOString().slice(0, -1)) : NOTHING
}

/** The JSON of a value; `NOTHING` for one that JSON cannot hold, and for strings that no database takes. */
export function toJsonText(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, (name, nested) => {
      if (!isStorableText(name) || (typeof nested === 'string' && !isStorableText(nested))) {
        throw new TypeError('NUL')
      }

      return nested
    })

    return text ?? NOTHING
  } catch {
    // A circle, a bigint, too many levels.
    return NOTHING
  }
}

/**
 * Whether something is a string that every database takes. PostgreSQL refuses NUL, drivers of SQLite cut strings there;
 * half of a pair of surrogates is no text at all.
 */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}
