// How databases write times as text. Statements read and bind times as text, because drivers make dates of them by
// settings of their own, in the zone of the process, and without microseconds.
import { toPreciseDate } from '../query/precise-date.ts'

/** How the times of a column are written. */
export interface TimeFormat {
  /** Reads a time; a string that is none stays one. */
  read(text: string): Date | string
  write(date: Date): string
}

/** A time, and the zone that may follow it. */
const TIME = /^([+-]?\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(.*)$/

/** As a `Date` writes itself. */
const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** ISO 8601 in UTC; a time without a zone is one of UTC too, as `CURRENT_TIMESTAMP` of SQLite is. */
export const UTC_TIMES: TimeFormat = {
  read(text) {
    const date = WRITTEN.test(text) ? new Date(text) : undefined

    if (date && !Number.isNaN(date.getTime())) return date

    const [, day, time, zone] = TIME.exec(text) ?? []

    return toDate(day === undefined ? text : `${day}T${time}${zone || 'Z'}`)
  },
  write: (date) => date.toISOString()
}

/** Times without a zone, which are those of the process. */
export const LOCAL_TIMES: TimeFormat = {
  read: (text) => toDate(text.replace(' ', 'T')),
  write(date) {
    const local = new Date(0)

    local.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate())
    local.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds())

    return toPreciseDate(local, date.toISOString()).toISOString().slice(0, -1)
  }
}

/** Times without a zone, which are those of a zone that never changes: so many minutes ahead of UTC. */
export function toShiftedTimes(minutes: number): TimeFormat {
  const shift = (date: Date, by: number) =>
    toPreciseDate(new Date(date.getTime() + by * 60_000), date.toISOString())

  return {
    read(text) {
      const date = UTC_TIMES.read(text)

      return typeof date === 'string' ? date : shift(date, -minutes)
    },
    write: (date) => shift(date, minutes).toISOString().slice(0, -1)
  }
}

function toDate(text: string): Date | string {
  const date = new Date(text)

  return Number.isNaN(date.getTime()) ? text : toPreciseDate(date, text)
}
