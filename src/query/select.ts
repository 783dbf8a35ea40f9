import { getPath, setPath } from '../utils/object.ts'

/**
 * Compiles `$select` into a function that copies the selected fields of a record.
 *
 * @param fields The fields, dotted ones included; `undefined` for all, and then the record itself is returned
 * @param always Fields that are selected whatever the query says, for example the id
 */
export function toSelection(
  fields: readonly string[] | undefined,
  ...always: readonly string[]
): (record: any) => any {
  if (fields === undefined) return (record) => record

  const names = new Set([...fields, ...always])
  const paths = [...names]
    .map((name) => ({ name, path: name.split('.') }))
    // `address.city` adds nothing to `address`.
    .filter(({ path }) => !path.some((_, length) => length > 0 && names.has(path.slice(0, length).join('.'))))

  if (paths.every(({ path }) => path.length === 1 && path[0] !== '__proto__'))
    return toPlainSelection([...names])

  return (record) => {
    const selected = {}

    for (const { name, path } of paths) {
      // The name of a field may have dots itself.
      const names = path.length > 1 && Object.hasOwn(record, name) ? [name] : path
      const value = getPath(record, names)

      if (value !== undefined) setPath(selected, names, value)
    }

    return selected
  }
}

/** The same for names without a dot. */
function toPlainSelection(names: readonly string[]): (record: any) => any {
  return (record) => {
    const selected: Record<string, unknown> = {}

    for (const name of names) {
      const value = Object.hasOwn(record, name) ? record[name] : undefined

      if (value !== undefined) selected[name] = value
    }

    return selected
  }
}
