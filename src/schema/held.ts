// How much related records make of a result: one that many others hold is loaded once, and stands in each of them.
import { isPlainObject } from '../utils/object.ts'
import { countCharacters } from '../utils/size.ts'
import { type Fields, MAX_CHARACTERS, MAX_LOADED, TooLargeRelated, TooManyRelated } from './find-related.ts'
import { type Includes, toTree } from './include.ts'

/**
 * Checks what records hold, each counted as often as it is held.
 *
 * @param records The records
 * @param includes What was put into them
 * @throws BadRequest for more records, or more characters of records, than one call may have
 */
export function assertHeld(records: readonly Fields[], includes: Includes): void {
  let characters = 0

  countHeld(records, includes)

  for (const name of includes.keys()) {
    const known = new Map<Fields, number>()

    for (const { [name]: held } of records) {
      for (const one of toList(held)) {
        const size = known.get(one) ?? countCharacters(one)

        known.set(one, size)
        characters += size
        if (characters > MAX_CHARACTERS) throw new TooLargeRelated()
      }
    }
  }
}

function countHeld(records: readonly Fields[], includes: Includes): number {
  let count = 0

  for (const [name, names] of includes) {
    const within = toTree(names)
    const known = new Map<Fields, number>()

    for (const { [name]: held } of records) {
      for (const one of toList(held)) {
        const inner = known.get(one) ?? (within.size === 0 ? 0 : countHeld([one], within))

        known.set(one, inner)
        count += 1 + inner
        if (count > MAX_LOADED) throw new TooManyRelated()
      }
    }
  }

  return count
}

function toList(held: unknown): readonly Fields[] {
  if (Array.isArray(held)) return held

  return isPlainObject(held) ? [held] : []
}
