// How much one call may load through relations.
import type { HookContext } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import type { Budget } from '../query/related.ts'
import { getInherited } from '../utils/call-state.ts'
import { getFirstName, isPlainObject } from '../utils/object.ts'
import { countCharacters } from '../utils/size.ts'
import { type Includes, toTree } from './include.ts'

/** How many records one call may load through relations, and how many may be in its result. */
export const MAX_LOADED = 10_000

/** How many characters of records one call may load through relations, and how many may be in its result. */
const MAX_CHARACTERS = 10_000_000

/** A record. */
export type Fields = Record<string, unknown>

/** A call leads to more related records than one may. */
export class TooManyRelated extends BadRequest {
  constructor(reason = `its relations lead to more than ${MAX_LOADED} records`) {
    super(`Invalid query: ${reason}`)
  }
}

/** A call leads to larger related records than one may. */
export class TooLargeRelated extends TooManyRelated {
  constructor() {
    super(
      `its relations lead to more than ${MAX_CHARACTERS} characters of records. Ask for a smaller page, or for the related records in pages of their service`
    )
  }
}

/** How many more records a call may load: the calls that it leads to share what it has. */
export function openBudget({ params }: HookContext): Budget {
  return getInherited(params).budget ?? { left: MAX_LOADED, characters: MAX_CHARACTERS }
}

/** Takes loaded records off a budget. Throws BadRequest where there are more. */
export function spend(budget: Budget, records: readonly unknown[]): void {
  budget.left -= records.length

  if (budget.left < 0) throw new TooManyRelated()
}

/**
 * Takes the characters of loaded records off a budget. What they include (`included`) was loaded by calls that have spent it.
 * Throws BadRequest where there are more.
 */
export function spendCharacters(
  budget: Budget,
  records: readonly Fields[],
  included: readonly string[]
): void {
  const names = new Set(included.map(getFirstName))

  for (const record of records) {
    budget.characters -= countCharacters(record, names)
    if (budget.characters < 0) throw new TooLargeRelated()
  }
}

/**
 * Checks the related records of a result, each counted as often as it is there: one that many others have is loaded once.
 * Throws BadRequest for more records, or more characters of records, than one call may have.
 */
export function assertResultSize(records: readonly Fields[], includes: Includes): void {
  let count = 0
  let characters = 0

  for (const [name, names] of includes) {
    const within = toTree(names)
    // A record that many others have is measured once, with what stands below it, and counts each time.
    const sizes = new Map<Fields, { readonly count: number; readonly characters: number }>()

    for (const { [name]: related } of records) {
      for (const one of toList(related)) {
        const size = sizes.get(one) ?? {
          count: 1 + countBelow(one, within),
          characters: countCharacters(one)
        }

        sizes.set(one, size)
        count += size.count
        characters += size.characters
        if (count > MAX_LOADED) throw new TooManyRelated()
        if (characters > MAX_CHARACTERS) throw new TooLargeRelated()
      }
    }
  }
}

/** How many related records stand below one: no more than a result may have, which the call that found it has checked. */
function countBelow(record: Fields, includes: Includes): number {
  let count = 0

  for (const [name, names] of includes) {
    const within = toTree(names)

    for (const one of toList(record[name])) count += 1 + countBelow(one, within)
  }

  return count
}

/** What a record has of a relation: records, and no numbers of them. */
function toList(related: unknown): readonly Fields[] {
  if (Array.isArray(related)) return related

  return isPlainObject(related) ? [related] : []
}
