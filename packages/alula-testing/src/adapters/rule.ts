import type { AdapterOptions } from 'alula/adapter'
import type { AdapterFeatures, TestedResult, TestedService } from './types.ts'

/** What a rule gets to work with. */
export interface Kit {
  /** The name of the id field. */
  readonly id: string
  readonly features: AdapterFeatures
  /** Makes a service without records. The one that was made before is closed. */
  open(options?: AdapterOptions): Promise<TestedService>
  /** Makes a service with these records, created one after the other. */
  fill(records: readonly object[], options?: AdapterOptions): Promise<TestedService>
  /** Fails unless two results hold the same. */
  same(actual: unknown, expected: unknown): void
  /** An id that a creator may choose, another one for each number. */
  chooseId(number: number): number | string
  /** An id of the kind that the store makes, which no record has. */
  freeId(service: TestedService): Promise<TestedResult>
}

/** What a rule may need: a feature, or ids that a creator chooses, of one kind or of any. */
export type Need = keyof AdapterFeatures | 'numberIds' | 'textIds' | 'chosenIds'

/** Throws when the rule is broken. */
export type Check = (kit: Kit) => Promise<void>

interface Conditional {
  readonly needs: readonly Need[]
  readonly check: Check
}

/** A rule that every adapter keeps. */
export interface Rule extends Conditional {
  readonly sentence: string
}

/** Rules about one thing. */
export interface RuleGroup {
  readonly title: string
  readonly rules: readonly Rule[]
}

/** Puts rules under a title. Each is a sentence with a check; all of them may need the same features. */
export function rules(
  title: string,
  checks: { readonly [sentence: string]: Check | Conditional },
  all: readonly Need[] = []
): RuleGroup {
  return {
    title,
    rules: Object.entries(checks).map(([sentence, check]) => ({
      sentence,
      ...(typeof check === 'function' ? { needs: all, check } : { ...check, needs: [...all, ...check.needs] })
    }))
  }
}

/** Says what a store must be able to do for a rule to count. */
export function needs(...features: [...Need[], Check]): Conditional {
  return { needs: features.slice(0, -1) as Need[], check: features.at(-1) as Check }
}

/** Makes one rule for each row of a table. */
export function each<Row>(
  rows: readonly Row[],
  toSentence: (row: Row) => string,
  toCheck: (row: Row) => Check | Conditional
): { [sentence: string]: Check | Conditional } {
  return Object.fromEntries(rows.map((row) => [toSentence(row), toCheck(row)]))
}
