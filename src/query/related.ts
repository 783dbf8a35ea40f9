// What relations ask of adapters beside `find`: numbers, orders and subqueries of records, rows that come with a page, and tables
// that have no service.
import type { Sort } from './ast.ts'

/** Where a call reads records: one statement reads what calls of the same place find. */
export interface SetPlace {
  readonly source: object
  /** What the source knows of the call, where that decides which records it finds. */
  readonly settings?: string | undefined
}

/** Whether one statement can read what two calls find. */
export function isSamePlace(one: SetPlace, other: SetPlace): boolean {
  return one.source === other.source && one.settings === other.settings
}

/**
 * The records that a `find` selects, before any of them is read: after the hooks and the rule of its service. Relations count
 * them, sort by their number and compare with their fields.
 */
export interface RecordSet extends SetPlace {
  /**
   * Counts the records of sets of one place, in one go. Returns for each request the numbers, by value as a string; a value
   * without records is left out.
   */
  count(requests: readonly CountRequest[]): Promise<readonly ReadonlyMap<string, number>[]>
  /** The value that a query of the same place takes for `$in`, to select all values of a field. */
  toOperand?(field: string): Promise<Operand>
}

/** An adapter that has sets, and sorts by the number of related records. */
export interface SetAdapter {
  /** The records that a call of `find` selects. */
  asSet(params: object): RecordSet
  /** The place of the sets of a call, where a query of the same place takes their values for `$in`. */
  getPlace?(params: object): SetPlace
}

/** An adapter that reads tables without a service, where a call of its own service reads. */
export interface LinkAdapter {
  /** The rows of a table; `id` is a column that their order ends with. */
  asLinks(table: string, id: string, params: object): LinkSource
}

/** The rows of a table without a service. */
export interface LinkSource extends SetAdapter {
  _find(params: object): Promise<unknown>
}

/**
 * The sets of the calls of `find` that return none of their records, by the empty lists that they return: hooks have nothing
 * to change, and a result that a hook has made has no set.
 */
export type ReturnedSets = WeakMap<object, RecordSet>

/** The call that is asked for a set. A hook that calls `find` once more, with a copy of its params, needs the records. */
export interface SetRequest {
  readonly sets: ReturnedSets
  /** The context of the call: its method gets the params that are there. */
  readonly context: { readonly params?: object }
}

/** What `find` returns in place of its records. */
export function returnSet(sets: ReturnedSets, set: RecordSet): never[] {
  const result: never[] = []

  sets.set(result, set)

  return result
}

/**
 * Stands for the values of a set in `$in`. It is an empty list, so code that does not know it finds nothing. Adapters
 * extend it.
 */
export abstract class Operand extends Array<never> {
  /** Copies are empty lists, and no operands. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

/** The records of a set, by the values of a field. */
export interface CountRequest {
  readonly set: RecordSet
  readonly field: string
  /** The values to count; all when left out. */
  readonly values?: readonly unknown[]
  /** What was prefetched, for the adapter of the set. */
  readonly prefetched?: object | undefined
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

/**
 * Related records that an adapter may read in the statement of a page. The calls for these records are made all the same: an
 * adapter answers them with what was read, where they ask for nothing else.
 */
export interface Prefetch {
  /** What to read, by the names of relations. */
  readonly requests: ReadonlyMap<string, PrefetchRequest>
  /** How many records it may read. */
  readonly max: number
}

/** The records of a service whose field `to` has the value that a record of the page, or of the request before, has in `from`. */
export interface PrefetchRequest {
  readonly service: SetAdapter
  readonly from: string
  readonly to: string
  /** Whether only the number of records is asked for. */
  readonly isCount: boolean
  /** Which of them are asked for; all when left out. */
  readonly list?: ListRules | undefined
  /** What to read beside each of these records: of a link, the record that it leads to. */
  readonly next?: PrefetchRequest | undefined
  /** What the adapter has read, if anything. Only the adapter knows what is in it. */
  rows?: object
}

/** Which records that have the same value are asked for: the first ones of an order. */
export interface ListRules {
  /** The order; that of the ids when it is empty. */
  readonly sort: readonly Sort[]
  readonly limit: number | undefined
}

/** How much more one call may load through relations. */
export interface Budget {
  /** How many records. */
  left: number
  /** How many characters of records. */
  characters: number
}

/** How a relation finds records: by a field and the values that others have. No client has written it. */
export interface RelationCondition {
  readonly field: string
  readonly values: readonly unknown[]
  /** Which of the records of each value are asked for. An adapter may return more. */
  readonly list?: ListRules | undefined
  /** Further fields that the relation reads. */
  readonly further?: readonly string[] | undefined
  /** What was prefetched for it. */
  readonly prefetched?: object | undefined
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Asks an adapter for a set in place of records. */
    readonly sets?: ReturnedSets
    /** Asks `find` of a service for a set. */
    readonly setRequest?: SetRequest
    /** The meaning of names in `$sort` that are not fields. */
    readonly relatedSorts?: ReadonlyMap<string, RelatedSort>
    /** What may be read with a page. */
    readonly prefetch?: Prefetch
    /** The condition of a call that a relation makes. */
    readonly relation?: RelationCondition | undefined
    /** What a relation adds to a query that a client has written: no client has written that. */
    readonly addedByRelation?: { readonly [name: string]: unknown } | undefined
  }
  interface InheritedSlots {
    /** How much more a call may load through relations. An adapter that reads from elsewhere reads no more at once. */
    readonly budget?: Budget
    /** The params of the call that has made an internal one, for settings of the database. */
    readonly reader?: object
  }
}

/** Whether an object is an adapter that has sets. */
export function hasSets(service: object): service is SetAdapter {
  return typeof (service as Partial<SetAdapter>).asSet === 'function'
}

/** Whether an object is an adapter that reads tables without a service. */
export function hasLinks(service: object): service is LinkAdapter {
  return typeof (service as Partial<LinkAdapter>).asLinks === 'function'
}

/** Whether others can be related to a record by its value: a missing one, `NaN` and an invalid date equal nothing. */
export function isRelating(value: unknown): boolean {
  return (
    value !== null && value !== undefined && !Number.isNaN(value instanceof Date ? value.getTime() : value)
  )
}

/** What a map has for a value. A record without a value is related to none, not even to one whose value is the string `null`. */
export function lookUp<T>(byKey: ReadonlyMap<string, T>, value: unknown): T | undefined {
  return isRelating(value) ? byKey.get(toKey(value)) : undefined
}

/** A value as a string, by which related records find each other whatever type each store gives it. */
export function toKey(value: unknown): string {
  return String(value instanceof Date ? (value.toJSON() ?? value) : value)
}
