import type { OptionCheck } from './options.ts'

const UNITS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

const DURATION = /^(\d{1,9})(s|m|h|d|w)$/

/**
 * Converts a duration into milliseconds: `'15m'`, a whole number with a unit (`s`, `m`, `h`, `d` or `w`), or a number of
 * seconds; `undefined` for anything else.
 */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === 'number') return Number.isFinite(duration) ? duration * 1000 : undefined

  const [, count, unit = ''] = DURATION.exec(String(duration)) ?? []

  return count === undefined ? undefined : Number(count) * (UNITS[unit] as number) * 1000
}

/** For options that are a duration of any length. */
export const DURATION_CHECK: OptionCheck = [
  (value) => (parseDuration(value) ?? 0) > 0,
  "a duration such as '15s', or a number of seconds"
]
