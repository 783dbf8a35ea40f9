import { getPath } from '../utils/object.ts'
import type { Path } from './ast.ts'

/** Makes a function that gives what is at the end of a path, in a record or in what stands for one. */
export type Reader<Subject = any> = (path: Path) => (subject: Subject) => unknown

/** Reads records. Only own properties count. */
export const readRecord: Reader = (path) => {
  const [name] = path

  if (name === undefined || path.length > 1) return (record) => getPath(record, path)

  return (record) => (Object.hasOwn(record, name) ? record[name] : undefined)
}
