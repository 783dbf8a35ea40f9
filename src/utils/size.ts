import { isPlainObject } from './object.ts'

/** About how many characters a value has as JSON. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countCharacters(item), 0)
  if (!isPlainObject(value)) return 1

  let count = 0

  for (const name of Object.keys(value)) {
    const field = value[name]

    // Most are none of the others: a call for each would take longer than to count.
    count += name.length
    count += typeof field === 'string' ? field.length : typeof field === 'object' ? countCharacters(field) : 1
  }

  return count
}
