import { isPlainObject } from 'alula/plugin'

/**
 * Copies records and queries that several tests share, so that an adapter which changes what it gets breaks the
 * rule about that, and not every test that comes later. Instances of classes, such as ids, stay what they are.
 */
export function copy<T>(value: T): T
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (value instanceof Date) return new Date(value)
  if (!isPlainObject(value)) return value

  // Own keys such as `__proto__` stay own keys.
  return Object.create(
    Object.getPrototypeOf(value),
    Object.fromEntries(
      Object.entries(value).map(([name, nested]) => [
        name,
        { value: copy(nested), enumerable: true, configurable: true, writable: true }
      ])
    )
  )
}
