import { isPlainObject } from './object.ts'

/** About how many characters a value has as JSON. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countCharacters(item), 0)
  if (!isPlainObject(value)) return 1

  return Object.entries(value).reduce((sum, [name, field]) => sum + name.length + countCharacters(field), 0)
}
