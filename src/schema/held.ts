// How much related records make of a result: one that many others hold is loaded once, and stands in each of them.
import { isPlainObject } from '../utils/object.ts'
import { type Fields, MAX_LOADED, TooManyRelated } from './find-related.ts'
import { type Includes, toTree } from './include.ts'

/** How many characters a result may repeat, in records that stand in it more than once. */
const MAX_REPEATED = 10_000_000

/**
 * Checks what records hold, each counted as often as it is held.
 *
 * @param records The records
 * @param includes What was put into them
 * @throws BadRequest for more records, or more text of records that are repeated, than one call may have
 */
export function assertHeld(records: readonly Fields[], includes: Includes): void {
  if (measure(records, includes).repeated > MAX_REPEATED) {
    throw new TooManyRelated(`its relations repeat more than ${MAX_REPEATED} characters of records`)
  }
}

/** What records hold: how many others, and how many characters of those are there already. */
interface Held {
  readonly count: number
  readonly repeated: number
}

const NOTHING: Held = { count: 0, repeated: 0 }

function measure(records: readonly Fields[], includes: Includes): Held {
  let [count, repeated] = [0, 0]

  for (const [name, names] of includes) {
    const within = toTree(names)
    const known = new Map<Fields, { readonly count: number; size?: number }>()

    for (const { [name]: held } of records) {
      for (const one of toList(held)) {
        const before = known.get(one)
        const inner = before || within.size === 0 ? NOTHING : measure([one], within)

        if (before) before.size ??= getSize(one)
        else known.set(one, { count: inner.count })
        count += 1 + (before ?? inner).count
        repeated += before?.size ?? inner.repeated
        if (count > MAX_LOADED) throw new TooManyRelated()
      }
    }
  }

  return { count, repeated }
}

function toList(held: unknown): readonly Fields[] {
  if (Array.isArray(held)) return held

  return isPlainObject(held) ? [held] : []
}

/** About how many characters a value has as JSON. */
function getSize(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.reduce((size: number, one) => size + getSize(one), 0)
  if (!isPlainObject(value)) return 1

  return Object.entries(value).reduce((size, [name, field]) => size + name.length + getSize(field), 0)
}
