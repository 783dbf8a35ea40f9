import { getServiceSlots } from '../utils/call-state.ts'

/**
 * The records that a `find` selects, before any of them is read. Relations count records of other services and sort by
 * their number with it, so that the hooks of the other service have been through.
 */
export interface RecordSet {
  /** What has the records: sets with the same source are counted together. */
  readonly source: object
  /**
   * Counts the records of sets of one source, in one go.
   *
   * @param requests What to count
   * @returns For each request the numbers, by value as a string; a value without records is left out
   */
  count(requests: readonly CountRequest[]): Promise<readonly ReadonlyMap<string, number>[]>
  /**
   * The value that a query of the same source takes for `$in`, to select all values of a field.
   *
   * @param field The field
   * @returns A list that {@link getOperand} knows
   */
  toOperand?(field: string): Promise<readonly never[]>
}

/** An adapter that has sets, and sorts by the number of related records. */
export interface SetAdapter {
  /**
   * The records that a call of `find` selects.
   *
   * @param params The params of the call
   */
  asSet(params: object): RecordSet
}

/** The records of a set, by the values of a field. */
export interface CountRequest {
  readonly set: RecordSet
  readonly field: string
  /** The values to count; all when left out. */
  readonly values?: readonly unknown[]
  /** What was read along with a page, for the adapter of the set. */
  readonly found?: object | undefined
}

/** A number of related records that a query sorts by. */
export interface RelatedSort {
  readonly set: RecordSet
  /** The field of the related records. */
  readonly to: string
  /** The field of the record whose value they have. */
  readonly from: string
  /** Whether only it counts that there are some. */
  readonly exists: boolean
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Whether `find` returns a set in place of records. */
    readonly asSet?: true
    /** The meaning of names in `$sort` that are not fields. */
    readonly relatedSorts?: ReadonlyMap<string, RelatedSort>
  }
  interface InheritedSlots {
    /** How much more a call may load through relations. An adapter that reads from elsewhere reads no more at once. */
    readonly budget?: Budget
  }
}

/** How much more one call may load through relations. */
export interface Budget {
  /** How many records. */
  left: number
  /** How many characters of records. */
  characters: number
}

const SET: unique symbol = Symbol('record set')
const OPERAND: unique symbol = Symbol('operand')

/** An empty result that carries a set, so that hooks have nothing to change. */
export function toSetResult(set: RecordSet): never[] {
  return Object.assign([], { [SET]: set })
}

/** The set that a result carries; `undefined` where an adapter has none, or a hook has replaced the result. */
export function getSet(result: unknown): RecordSet | undefined {
  return (result as { [SET]?: RecordSet } | undefined)?.[SET]
}

/** Whether a call asks this service for a set. */
export function wantsSet(service: object, params: object | undefined): boolean {
  return getServiceSlots(params, service).asSet === true
}

/** Whether an object is an adapter that has sets. */
export function hasSets(service: object): service is SetAdapter {
  return typeof (service as Partial<SetAdapter>).asSet === 'function'
}

/** An empty list that stands for the values of a set: what does not know it finds nothing. */
export function toOperandList(operand: object): readonly never[] {
  return Object.assign([], { [OPERAND]: operand })
}

/** What a list stands for; `undefined` for a list of values. */
export function getOperand(list: unknown): object | undefined {
  return (list as { [OPERAND]?: object } | undefined)?.[OPERAND]
}

/** A value as a string, by which related records find each other whatever type each store gives it. */
export function toKey(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
