// Databases have times with microseconds, and a `Date` has milliseconds. What was read is written back, and found again,
// only with all of its digits.

/** A `Date` with microseconds. It is one everywhere; as a string, in JSON too, it has six digits after the second. */
export class PreciseDate extends Date {
  /** The microseconds after the millisecond: 1 to 999. */
  readonly microseconds: number

  constructor(time: number, microseconds: number) {
    super(time)
    this.microseconds = microseconds
  }

  override toISOString(): string {
    return super.toISOString().replace('Z', `${String(this.microseconds).padStart(3, '0')}Z`)
  }
}

const FRACTION = /\.\d{3}(\d{1,3})/

/** A date with the microseconds of its string: `2026-11-22T10:00:00.123456Z`. */
export function toPreciseDate(date: Date, text: string): Date {
  const microseconds = Number(FRACTION.exec(text)?.[1]?.padEnd(3, '0') ?? 0)

  return microseconds === 0 ? date : new PreciseDate(date.getTime(), microseconds)
}

/** The microseconds of a date after its millisecond: 0 for a `Date` of JavaScript. */
export function getMicroseconds(date: Date): number {
  return date instanceof PreciseDate ? date.microseconds : 0
}

/** A date with the same time. */
export function copyDate(date: Date): Date {
  return date instanceof PreciseDate ? new PreciseDate(date.getTime(), date.microseconds) : new Date(date)
}

/** What dates of the same time have in common, to look them up by; `NaN` for an invalid date. */
export function toTimeKey(date: Date): number | string {
  return date instanceof PreciseDate ? date.toISOString() : date.getTime()
}
