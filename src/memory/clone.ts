import { copyDate } from '../query/precise-date.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'

/** What is copied, field by field. */
type Fields = Record<string, unknown>

/**
 * Copies a value with everything in it, so that nothing is shared. Plain objects, arrays, dates, bytes, maps and
 * sets are copied as what they are, instances of other classes with their prototype. An instance that shows no
 * fields (a URL, a regular expression, private fields only) cannot be copied and stays what it is. A `__proto__`
 * key, which JSON can hold, is left out.
 */
export function clone<T>(value: T): T
export function clone(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(clone)
  if (isPlainObject(value)) return clonePlain(value)
  if (value instanceof Date) return copyDate(value)
  if (value instanceof ArrayBuffer) return value.slice(0)
  if (ArrayBuffer.isView(value)) return cloneView(value)
  if (value instanceof Map) return new Map([...value].map(clone) as [unknown, unknown][])
  if (value instanceof Set) return new Set([...value].map(clone))
  if (Object.keys(value).length === 0) return value

  return cloneInto(Object.create(Object.getPrototypeOf(value)), value)
}

/** Copies a record, which is always possible: it is the caller’s, and gets an id. */
export function cloneRecord<T extends object>(record: T): T {
  return isPlainObject(record)
    ? clonePlain(record)
    : cloneInto(Object.create(Object.getPrototypeOf(record)), record)
}

/** All at once first, which is several times as fast as one value after the other; most values are scalars. */
function clonePlain<T extends object>(source: T): T {
  const copy = copyWith(source) as Fields

  for (const key in copy) {
    const value = copy[key]

    if (typeof value === 'object' && value !== null) copy[key] = clone(value)
  }

  if (Object.hasOwn(copy, '__proto__')) Reflect.deleteProperty(copy, '__proto__')

  return copy as T
}

function cloneInto<T extends object>(copy: T, source: T): T {
  for (const key of Object.keys(source)) {
    if (key !== '__proto__') (copy as Fields)[key] = clone((source as Fields)[key])
  }

  return copy
}

/** Only the bytes that are seen: a small Buffer is part of a block that holds others too. */
function cloneView(view: ArrayBufferView): ArrayBufferView {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice()
  const View = globalThis[(view as Uint8Array)[Symbol.toStringTag]]

  return Object.setPrototypeOf(new View(bytes.buffer), Object.getPrototypeOf(view))
}
