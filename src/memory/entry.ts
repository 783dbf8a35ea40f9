import { type Reader, readRecord } from '../query/read.ts'

/** A stored record, and its place in the order in which records came. */
export interface Entry {
  readonly key: string
  position: number
  record: any
}

/** Entries by position. Where one was removed there is nothing. */
export type EntryList = readonly (Entry | undefined)[]

/** Reads the record of an entry. */
export const readEntry: Reader<Entry> = (path) => {
  const getField = readRecord(path)

  return ({ record }) => getField(record)
}
