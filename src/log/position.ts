/** A place in a log: after some of the events of an entry. */
export interface End {
  /** The entry: `<n>` or `<n>-<m>`, which grow. */
  readonly id: string
  /** How many of its events come before. */
  readonly count: number
}

/** The same in any log. Clients get it as an opaque string. */
export interface Position extends End {
  /** Names the log. A log that has lost what it had has another name. */
  readonly epoch: string
}

/** Before the first entry of a log. */
export const START = '0'

/** `<epoch>-<id>.<count>` */
const FORMAT = /^([a-z0-9]{1,32})-(\d{1,20}(?:-\d{1,20})?)\.(\d{1,10})$/

/** Writes a position for clients. */
export function toPositionText({ epoch, id, count }: Position): string {
  return `${epoch}-${id}.${count}`
}

/** Reads a position of a client; `undefined` for a value that is none. */
export function parsePosition(value: unknown): Position | undefined {
  const [, epoch, id, count] = (typeof value === 'string' && FORMAT.exec(value)) || []

  return epoch === undefined || id === undefined ? undefined : { epoch, id, count: Number(count) }
}

/** Compares the ids of two entries: below zero where the first one comes first. */
export function compareIds(id: string, other: string): number {
  const [n = 0, m = 0] = id.split('-').map(Number)
  const [otherN = 0, otherM = 0] = other.split('-').map(Number)

  return n - otherN || m - otherM
}

/** The same for places. */
export function compareEnds(end: End, other: End): number {
  return compareIds(end.id, other.id) || end.count - other.count
}

/** Whether a position comes at or before another one of the same log; `undefined` where that cannot be known. */
export function isReached(position: string | undefined, by: string | undefined): boolean | undefined {
  const [one, other] = [parsePosition(position), parsePosition(by)]

  return one && other && one.epoch === other.epoch ? compareEnds(one, other) <= 0 : undefined
}
