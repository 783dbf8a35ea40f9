import { isObject } from './check.ts'

/**
 * Lists the objects in a value of JSON, from the outside to the inside. `isEntered`: whether the value of a field is looked at
 * too, by its name and its object; all are when left out.
 */
export function listObjects(
  value: unknown,
  isEntered: (name: string, object: object) => boolean = () => true
): readonly Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap((element) => listObjects(element, isEntered))
  if (!isObject(value)) return []

  const inner = Object.entries(value).flatMap(([name, field]) =>
    isEntered(name, value) ? listObjects(field, isEntered) : []
  )

  return [value, ...inner]
}

/** Whether two values are the same once they are JSON. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A value as it arrives over JSON: a date is a string there. Without a value there is none. */
export function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
