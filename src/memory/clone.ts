import { isPlainObject } from '../utils/object.ts'

/**
 * Copies a value with everything in it, so that nothing is shared. Plain objects, arrays, dates, bytes, maps and
 * sets are copied as what they are; instances of other classes keep their prototype. A `__proto__` key, which JSON
 * can hold, is left out.
 */
export function clone<T>(value: T): T
export function clone(value: any): any {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(clone)
  if (isPlainObject(value)) return cloneInto({}, value)
  if (value instanceof Date) return new Date(value)
  if (ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set) return structuredCopy(value)

  return cloneInto(Object.create(Object.getPrototypeOf(value)), value)
}

function cloneInto(copy: any, source: any): any {
  for (const key of Object.keys(source)) {
    if (key !== '__proto__') copy[key] = clone(source[key])
  }

  return copy
}

function structuredCopy(value: any): any {
  // `structuredClone` turns a Buffer into a plain Uint8Array.
  if (ArrayBuffer.isView(value))
    return Object.setPrototypeOf(structuredClone(value), Object.getPrototypeOf(value))

  return structuredClone(value)
}
