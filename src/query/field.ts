import { getPath } from '../utils/object.ts'
import type { Path } from './ast.ts'

/** Returns a function that reads the value at the end of a path in a record. Only own properties count. */
export function toFieldReader(path: Path): (record: any) => unknown {
  const [name] = path

  if (name === undefined || path.length > 1) return (record) => getPath(record, path)
  if (name in Object.prototype) return (record) => (Object.hasOwn(record, name) ? record[name] : undefined)

  // Fast path: an object without a class inherits none of the other names.
  return (record) =>
    Object.getPrototypeOf(record) === Object.prototype || Object.hasOwn(record, name)
      ? record[name]
      : undefined
}
