import type { SetAdapter } from './record-set.ts'

/**
 * Related records that `find` of an adapter may read in the statement of its page. The calls for these records are made
 * all the same: an adapter answers them with what was read, where they ask for nothing else.
 */
export interface Along {
  /** What to read, by the names of relations. The adapter adds what it has found. */
  readonly requests: ReadonlyMap<string, AlongRequest>
  /** How many records it may read. */
  readonly max: number
}

/** The records of a service whose field `to` has the value that a record of the page has in `from`. */
export interface AlongRequest {
  readonly service: SetAdapter
  readonly from: string
  readonly to: string
  /** A service between the two, which finds as is: its records have the one value in `from`, and the other in `to`. */
  readonly through?: { readonly service: SetAdapter; readonly from: string; readonly to: string } | undefined
  /** Whether only the number of records is asked for. */
  readonly isCount: boolean
  /** What the adapter has found; `undefined` where it has not looked. */
  found?: Found
}

/** What an adapter has read along with a page. Only the adapter knows what is in it. */
export interface Found {
  readonly records: object
  /**
   * The records of the service between. Its `find` is that of the adapter, so that no call is needed.
   *
   * @param values The values that they are found by
   * @param params The params of the call
   * @returns `undefined` where they were not all read
   */
  readonly listLinks?: (values: readonly unknown[], params: object) => readonly object[] | undefined
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** What `find` may read along. */
    readonly along?: Along | undefined
    /** What was read along, for the call that asks for it. */
    readonly found?: object | undefined
  }
}
