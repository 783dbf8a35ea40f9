import { getMicroseconds } from './precise-date.ts'

/**
 * Whether two values are the same: strings, numbers, booleans by value, dates by their time, bytes by content,
 * ids of a database by their own `equals`. Missing is the same as null. Values of different types never are.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || a === undefined) return b === null || b === undefined
  if (typeof a !== 'object' || typeof b !== 'object' || b === null) return false
  if (a instanceof Date) return b instanceof Date && compareTimes(a, b) === 0
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0

  const { equals } = a as { equals?: (other: unknown) => unknown }

  return typeof equals === 'function' && equals.call(a, b) === true
}

/**
 * Orders two values of one type that has an order: numbers, text by its code units, booleans, dates, bytes.
 * Returns `undefined` where there is none: for null, for missing, for `NaN`, for different types. `$lt`, `$lte`, `$gt`
 * and `$gte` never match then.
 */
export function compareSameType(a: unknown, b: unknown): number | undefined {
  if (typeof a !== typeof b || a === null || b === null) return undefined

  switch (typeof a) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'bigint':
      return a < (b as typeof a) ? -1 : a > (b as typeof a) ? 1 : a === b ? 0 : undefined
    case 'object':
      if (a instanceof Date && b instanceof Date) return compareTimes(a, b)
      if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
      return undefined
    default:
      return undefined
  }
}

/**
 * Orders any two values, for `$sort`: null and missing first, then numbers, text, booleans, dates, bytes,
 * arrays, objects. As in Feathers v5.
 */
export function compareAny(a: unknown, b: unknown): number {
  return compareListed(a, b, toSortedList)
}

/** Lists the names of an object in order, each followed by its value. */
export type ToSortedList = (object: object) => readonly unknown[]

/** The same with another way to list objects, such as one of `rememberLists`, for many comparisons of the same objects. */
export function compareListed(a: unknown, b: unknown, toList: ToSortedList): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0

  const rank = rankOf(a) - rankOf(b)

  if (rank !== 0) return rank

  switch (rankOf(a)) {
    case 0:
      return 0
    case 1:
      return compareNumbers(a as number, b as number)
    case 4:
      return (
        compareTimes(a as Date, b as Date) || compareNumbers((a as Date).getTime(), (b as Date).getTime())
      )
    case 6:
      return compareLists(a as unknown[], b as unknown[], toList)
    case 7:
      return compareLists(toList(a as object), toList(b as object), toList)
    default:
      return compareSameType(a, b) as number
  }
}

function rankOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'number' || typeof value === 'bigint') return 1
  if (typeof value === 'string') return 2
  if (typeof value === 'boolean') return 3
  if (value instanceof Date) return 4
  if (value instanceof Uint8Array) return 5

  return Array.isArray(value) ? 6 : 7
}

function compareLists(a: readonly unknown[], b: readonly unknown[], toList: ToSortedList): number {
  const length = Math.min(a.length, b.length)

  for (let index = 0; index < length; index++) {
    const order = compareListed(a[index], b[index], toList)

    if (order !== 0) return order
  }

  return a.length - b.length
}

/** `NaN` where one of both is invalid. */
function compareTimes(a: Date, b: Date): number {
  const order = a.getTime() - b.getTime()

  return order === 0 ? getMicroseconds(a) - getMicroseconds(b) : order
}

/** `NaN`, which is also the time of a date that is none, comes before all numbers. */
function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1
  if (a > b) return 1

  return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
}

/** Lists an object anew, as it is now. */
export const toSortedList: ToSortedList = (object) =>
  Object.entries(object)
    .sort(([a], [b]) => compareSameType(a, b) ?? 0)
    .flat()

/**
 * Lists each object once. A client can store objects with thousands of names, and a sort compares each of them many times.
 * Not for longer than the objects stay as they are.
 */
export function rememberLists(): ToSortedList {
  const lists = new WeakMap<object, readonly unknown[]>()

  return (object) => {
    const list = lists.get(object) ?? toSortedList(object)

    lists.set(object, list)

    return list
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)

  for (let index = 0; index < length; index++) {
    const order = (a[index] as number) - (b[index] as number)

    if (order !== 0) return order
  }

  return a.length - b.length
}
