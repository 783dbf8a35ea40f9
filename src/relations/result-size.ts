// How much related records make of a result: one that many others have is loaded once, and is in each of them.
import { isPlainObject } from '../utils/object.ts'
import { countCharacters } from '../utils/size.ts'
import type { Fields } from './ask.ts'
import { MAX_CHARACTERS, MAX_LOADED, TooLargeRelated, TooManyRelated } from './budget.ts'
import { type Includes, toTree } from './include.ts'

/**
 * Checks the related records of a result, each counted as often as it is there.
 *
 * @param records The records
 * @param includes What was put into them
 * @throws BadRequest for more records, or more characters of records, than one call may have
 */
export function assertResultSize(records: readonly Fields[], includes: Includes): void {
  let characters = 0

  countRelated(records, includes)

  for (const name of includes.keys()) {
    const known = new Map<Fields, number>()

    for (const { [name]: related } of records) {
      for (const one of toList(related)) {
        const size = known.get(one) ?? countCharacters(one)

        known.set(one, size)
        characters += size
        if (characters > MAX_CHARACTERS) throw new TooLargeRelated()
      }
    }
  }
}

function countRelated(records: readonly Fields[], includes: Includes): number {
  let count = 0

  for (const [name, names] of includes) {
    const within = toTree(names)
    const known = new Map<Fields, number>()

    for (const { [name]: related } of records) {
      for (const one of toList(related)) {
        const inner = known.get(one) ?? (within.size === 0 ? 0 : countRelated([one], within))

        known.set(one, inner)
        count += 1 + inner
        if (count > MAX_LOADED) throw new TooManyRelated()
      }
    }
  }

  return count
}

function toList(related: unknown): readonly Fields[] {
  if (Array.isArray(related)) return related

  return isPlainObject(related) ? [related] : []
}
