import type { HookContext } from '../core/types.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { toNames } from './alternatives.ts'
import type { LongForm, ServerValue } from './declaration.ts'
import { DATE_KEYWORD, getTypes, type JsonSchema } from './json-schema.ts'
import { onWrite } from './on-write.ts'
import { readShape } from './shape.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** When the call has set timestamps: they are the same in a new record. */
    readonly time?: Date
  }
}

/** The fields of the setting `timestamps`. */
export const TIMESTAMPS = ['createdAt', 'updatedAt'] as const

/**
 * A declaration whose timestamps are fields of the server. Throws TypeError where the record does not declare them, or not as
 * times, and where `server` sets one too.
 */
export function withTimestamps(form: LongForm, record: JsonSchema): LongForm {
  if (!form.timestamps) return form

  const [created, updated] = TIMESTAMPS.map((name) => {
    if (form.server?.[name]) {
      throw createTypeError(
        'ALULA_CONFLICTING_FIELD',
        `'server' of schema() has '${name}', which 'timestamps' sets: leave one of them out`
      )
    }

    return toTimestamp(name, record)
  }) as [ServerValue, ServerValue]

  return { ...form, server: { ...form.server, createdAt: created, updatedAt: onWrite(updated) } }
}

function toTimestamp(name: string, record: JsonSchema): ServerValue {
  const alternatives = readShape(record).object.fields.get(name)?.alternatives
  const make = alternatives?.map(toMaker).find(Boolean)

  if (make) return (context) => make(getTime(context))

  if (alternatives) {
    throw createTypeError(
      'ALULA_INVALID_SCHEMA',
      `'timestamps' of schema() needs '${name}' to be a number, a string or a Date, each with room for a date and a time`
    )
  }

  const declared = toNames(record)

  throw createTypeError(
    'ALULA_UNKNOWN_FIELD',
    `The record of schema() has no field '${name}', which 'timestamps' needs${didYouMean(name, declared)}`
  )
}

/** Makes a time of the kind that a schema describes: milliseconds, ISO 8601, or a `Date`. */
function toMaker(part: JsonSchema): ((time: Date) => unknown) | undefined {
  const types = getTypes(part)

  if (part[DATE_KEYWORD]) return (time) => time
  if (types.includes('number') || types.includes('integer')) {
    return Number(part.maximum ?? Number.MAX_SAFE_INTEGER) > Date.now() ? (time) => time.getTime() : undefined
  }

  const { format = 'date-time' } = part

  return types.includes('string') && format === 'date-time' ? (time) => time.toISOString() : undefined
}

function getTime(context: HookContext): Date {
  const { time } = getSlots(context)

  if (time) return time

  const now = new Date()

  setSlots(context, { time: now })

  return now
}
