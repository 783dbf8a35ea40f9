// Every value in a URL is a string. Adapters compare such a string with a number, a boolean or a date of a record only
// when it is exactly how that value is written; these are the rules, for all of them.

import { toPreciseDate } from './precise-date.ts'

const INTEGER = /^(?:0|-?[1-9]\d*)$/
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/

/** How a day begins, as ISO 8601 has it after the day. */
const MIDNIGHT = 'T00:00:00.000Z'

/** Longer strings of digits are no integers of an application, and take long to convert. */
const MAX_DIGITS = 100

/**
 * The values that a value of a query stands for: itself, and for a string also the number, bigint, boolean or date that
 * is written exactly so. A field matches when it matches one of them.
 *
 * @example
 * toReadings('7') // ['7', 7, 7n]
 * toReadings('07') // ['07']
 */
export function toReadings(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return [value]

  const boolean = toExactBoolean(value)

  if (boolean !== undefined) return [value, boolean]

  const reading = toExactNumber(value) ?? toExactDate(value)
  const readings = reading === undefined ? [value] : [value, reading]

  return isInteger(value) && value.length <= MAX_DIGITS ? [...readings, BigInt(value)] : readings
}

/** The number that JavaScript and JSON write exactly so: `7`, `-0.5`; never `07`, `7.0`, `1e3`, ` 7`. */
export function toExactNumber(text: string): number | undefined {
  const number = Number(text)

  return Number.isFinite(number) && String(number) === text ? number : undefined
}

/** Whether a string is a whole number of any size, without leading zeros. */
export function isInteger(text: string): boolean {
  return INTEGER.test(text)
}

/** The boolean for `true` and `false`; never for `1` or `TRUE`. */
export function toExactBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/**
 * The date for a time in ISO 8601 with a zone, `2026-11-22T10:00Z`, or a day, `2026-11-22`, which begins in UTC. A day
 * that no month has, `2026-02-30`, is none. It keeps the microseconds of a time.
 */
export function toExactDate(text: string): Date | undefined {
  if (!isDay(text) && !TIME.test(text)) return undefined

  const date = new Date(text)
  const day = text.slice(0, 10)

  // JavaScript takes February 30 for March 2.
  return isTime(date) && new Date(day).toISOString().startsWith(day) ? toPreciseDate(date, text) : undefined
}

/** The day that begins in UTC at a time: `2026-11-22`; `undefined` for any other time. */
export function toExactDay(date: Date): string | undefined {
  return isTime(date) && date.toISOString().endsWith(MIDNIGHT)
    ? date.toISOString().slice(0, -MIDNIGHT.length)
    : undefined
}

/** Whether a string has the form of a day: `2026-11-22`. */
export function isDay(text: string): boolean {
  return DAY.test(text)
}

function isTime(date: Date): boolean {
  return !Number.isNaN(date.getTime())
}
