/** How much of a value the page shows in a line, and of a response. */
const MAX_LINE = 160
const MAX_TEXT = 60_000

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** A value as text. Objects have no other that is sure: their `toString` may be a field of a record. */
export function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A value in one line. */
export function toLine(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text
}

/** A value as indented JSON, as far as a person can read it. */
export function toReadableText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

  return text.length > MAX_TEXT
    ? `${text.slice(0, MAX_TEXT)}\n… and ${(text.length - MAX_TEXT).toLocaleString('en')} more characters`
    : text
}

/** What kind of value it is, for its looks. */
export function toValueKind(value: unknown): 'none' | 'text' | 'number' | 'boolean' | 'date' | 'json' {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'text'
  if (typeof value === 'number') return 'number'

  return typeof value === 'boolean' ? 'boolean' : 'json'
}

/** A date in the time zone of the reader: `2026-11-22 10:15`. */
export function toShortDate(value: string): string {
  const date = new Date(value)

  return Number.isNaN(date.getTime()) ? value : toLocal(date).slice(0, 16).replace('T', ' ')
}

/** A date in the time zone of the reader, as an input has it: `2026-11-22T10:15:00.000`. */
export function toLocal(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
}

export function toDuration(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`
}
