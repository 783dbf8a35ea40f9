import { isPlainObject } from './object.ts'

const NONE: ReadonlySet<string> = new Set()

/** About how many characters a value has as JSON, without its fields with the names `left`. */
export function countCharacters(value: unknown, left: ReadonlySet<string> = NONE): number {
  if (typeof value === 'string') return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countCharacters(item), 0)
  if (!isPlainObject(value)) return 1

  let count = 0

  for (const name of Object.keys(value)) {
    if (left.has(name)) continue

    const field = value[name]

    // Most are none of the others: a call for each would take longer than to count.
    count += name.length
    count += typeof field === 'string' ? field.length : typeof field === 'object' ? countCharacters(field) : 1
  }

  return count
}

/** About how many bytes an object and each of its members take, beside what is in them. */
const OBJECT_BYTES = 48
const MEMBER_BYTES = 8

/** How many items of an array are looked at. */
const MAX_ITEMS = 10_000

/**
 * About how many bytes a value takes in memory; at `limit` counting stops, also for a value that contains itself. Objects that
 * are in it twice count twice.
 */
export function estimateBytes(value: unknown, limit: number): number {
  const open: unknown[] = [value]
  let bytes = 0

  while (open.length > 0 && bytes <= limit) {
    const next = open.pop()

    bytes += MEMBER_BYTES
    if (typeof next === 'string') bytes += next.length
    else if (typeof next === 'object' && next !== null) bytes += OBJECT_BYTES + addMembers(next, open)
  }

  return bytes
}

/** Adds what is in an object to what is still to be counted. Returns the bytes of what is no value of its own. */
function addMembers(object: object, open: unknown[]): number {
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) return object.byteLength

  if (Array.isArray(object)) {
    // More are too many whatever they are.
    for (const item of object.slice(0, MAX_ITEMS)) open.push(item)

    return Math.max(0, object.length - MAX_ITEMS) * MEMBER_BYTES
  }

  let bytes = 0

  for (const name of Object.keys(object)) {
    const value = (object as { [name: string]: unknown })[name]

    bytes += MEMBER_BYTES
    // Most are none of the others: putting each on the list would take longer than to count.
    if (typeof value === 'string') bytes += value.length
    else if (typeof value === 'object') open.push(value)
  }

  return bytes
}
