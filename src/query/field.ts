import { getPath } from '../utils/object.ts'
import type { Path } from './ast.ts'

/** Reads a field of a record. */
export type FieldReader = (record: any) => unknown

/** Returns a function that reads the value at the end of a path. */
export type ToReader = (path: Path) => FieldReader

/** For objects without a class, which inherit nothing but what every object has. */
export const toPlainReader: ToReader = (path) => {
  const name = path[0] as string

  return path.length === 1 && !(name in Object.prototype) ? (record) => record[name] : toOwnReader(path)
}

/** Only own properties count, and inherited getters do not run. */
const toOwnReader: ToReader = (path) => {
  const name = path[0] as string

  if (path.length > 1) return (record) => getPath(record, path)

  return (record) => (Object.hasOwn(record, name) ? record[name] : undefined)
}

/** For records of which it is not known whether they have a class. */
export const toFieldReader: ToReader = (path) => {
  const [readPlain, readOwn] = [toPlainReader(path), toOwnReader(path)]

  return (record) =>
    Object.getPrototypeOf(record) === Object.prototype ? readPlain(record) : readOwn(record)
}
