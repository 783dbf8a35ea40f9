// What access asks of adapters whose store may keep other values than the data has.

/** What the records that a call writes have to match once they are stored. */
export interface StoredCheck {
  readonly query: { readonly [name: string]: unknown }
  /** Makes the error of a call whose records do not match: nothing is stored then. */
  readonly toError: () => Error
}

/** An adapter that checks the records that it has stored. */
export interface StoredChecker {
  readonly _checksStored?: boolean
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Of a call that writes, where a rule or the scope of its service restricts it. */
    readonly storedCheck?: StoredCheck | undefined
  }
}
