/**
 * Whether a value that was sent, or written, is the given id. Ids of some databases are instances: clients see them as strings,
 * and hooks may have copied them.
 */
export function isSameId(value: unknown, id: unknown): boolean {
  if (value === id) return true

  return (isPlain(value) || isSameClass(value, id)) && String(value) === String(id)
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

/** Only what has a string of its own can be compared by it. */
function isSameClass(value: unknown, id: unknown): boolean {
  return (
    typeof value === 'object' &&
    typeof id === 'object' &&
    value?.constructor === id?.constructor &&
    value?.toString !== Object.prototype.toString
  )
}
