import { isDay, isInteger, toExactBoolean, toExactDate, toExactNumber } from '../query/coerce.ts'
import type { Kind } from './table.ts'

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

/** A date, or the ISO 8601 string of one; `NOTHING` for anything else. */
export function toDate(kind: Kind, value: unknown): unknown {
  if (typeof value !== 'string') return value instanceof Date ? toKnownDate(value) : NOTHING

  const date = toExactDate(value)

  if (!date) return NOTHING

  // Drivers read a day without a time in the local time zone.
  return toKnownDate(kind === 'day' && isDay(value) ? new Date(`${value}T00:00`) : date)
}

/** SQLite and MySQL know no others than those with four digits for a year. */
function toKnownDate(date: Date): unknown {
  const year = date.getUTCFullYear()

  return year >= 0 && year <= 9999 ? new Date(date) : NOTHING
}

/** Reads a time that a driver returns as a string. `CURRENT_TIMESTAMP` of SQLite is UTC without a zone suffix. */
export function fromTimeText(text: string): unknown {
  const date = new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text)

  return Number.isNaN(date.getTime()) ? text : date
}

/** A time that PostgreSQL has written in ISO 8601, in UTC and with all of its digits; the string itself for infinity. */
export function toTimeText(text: string): string {
  const date = new Date(text)

  return Number.isNaN(date.getTime()) ? text : withDigits(date.toISOString(), text)
}

/** A time as PostgreSQL takes it, with a zone or without: that of the process, with its offset and all digits. */
export function toLocalTime(text: string): unknown {
  const date = toDate('date', text)

  return date instanceof Date ? withDigits(toLocalText(date), text) : NOTHING
}

/** The same for a date. */
export function toLocalText(date: Date): string {
  const offset = -date.getTimezoneOffset()
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0')
  )

  return `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`
}

/** Puts the digits of a time after its milliseconds. */
function withDigits(time: string, text: string): string {
  const digits = /\.\d{3}(\d+)/.exec(text)?.[1]

  return digits === undefined ? time : time.replace(/\.\d{3}/, `$&${digits.padEnd(3, '0')}`)
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
