// Records without some of their fields, in the form that JSON has of them.
import { showRecord } from './dispatch.ts'
import { withoutJson } from './object.ts'

/**
 * An object without the value at the end of a path of names; anything else as it is. Only what lies on the path is copied, and
 * nothing where no value is there; arrays on it are gone through. A record below the object is on the path as its service shows
 * it.
 */
export function omitPath(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || name === undefined) return value

  if (Array.isArray(value)) {
    const elements = value.map((element) => omitPath(showRecord(element), [name, ...rest]))

    return elements.some((element, index) => element !== value[index]) ? elements : value
  }

  const json = toJson(value)

  if (typeof json !== 'object' || json === null || !(name in json)) return value

  const { [name]: omitted, ...copy } = json as Record<string, unknown>

  if (rest.length === 0) return copy

  const left = omitPath(showRecord(omitted), rest)

  return left === omitted ? value : { ...copy, [name]: left }
}

/**
 * Copies a record without what is at the end of some paths, or has a path as its name: a record may have `profile.secret` for a
 * column. Of an instance it is what JSON has of it; anything else is returned as it is.
 */
export function omitPaths(record: unknown, paths: readonly (readonly string[])[]): unknown {
  if (typeof record !== 'object' || record === null) return record

  return paths.reduce((copy, path) => omitPath(omitPath(copy, path), [path.join('.')]), toJson(record))
}

function toJson(object: object): unknown {
  const { toJSON } = object as { toJSON?: unknown }

  if (typeof toJSON !== 'function') return object

  const json: unknown = toJSON.call(object)

  return withoutJson(json === object ? json : showRecord(json))
}
