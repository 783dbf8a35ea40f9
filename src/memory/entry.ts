/** A stored record, and its place in the order in which records came. */
export interface Entry {
  readonly key: string
  position: number
  record: any
}

/** Entries by position. Where one was removed there is nothing. */
export type EntryList = readonly (Entry | undefined)[]
