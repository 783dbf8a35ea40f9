// What no response must hold.
import { getPath, type ManifestService } from 'alula/plugin'
import { isObject } from '../check.ts'
import { findRecordField } from '../envelopes.ts'
import { isSameJson, listObjects } from '../objects.ts'
import { listHidden, type Operation } from './operation.ts'

/** Shorter values may be in a response for other reasons. */
const MIN_LENGTH = 8

/**
 * Finds a field that never leaves in what a call has returned, and returns its path: by its name with the value that the record
 * has (with all its fields), and by its value alone where that is a long string.
 */
export function findHidden(operation: Operation, record: object, result: unknown): string | undefined {
  // What a relation has is hidden or shown by the other service.
  const objects = listOwn(operation.service, result)
  const strings = new Set(listObjects(result).flatMap(listStrings))

  return listHidden(operation).find((path) => {
    const value = getPath(record, path.split('.'))
    const name = path.split('.').at(-1) as string

    if (value === undefined || value === null) return false
    if (typeof value === 'string' && value.length >= MIN_LENGTH && strings.has(value)) return true

    return objects.some((object) => Object.hasOwn(object, name) && isSameJson(object[name], value))
  })
}

/** Whether a result has something in it that may be hidden: a field of such a name, or a long string. */
export function mayHaveHidden(operation: Operation, result: unknown): boolean {
  const names = listHidden(operation).map((path) => path.split('.').at(-1) as string)

  if (names.length === 0) return false

  return (
    listOwn(operation.service, result).some((object) => names.some((name) => Object.hasOwn(object, name))) ||
    listObjects(result)
      .flatMap(listStrings)
      .some(({ length }) => length >= MIN_LENGTH)
  )
}

/**
 * Whether a result has a record in it: an object with its id, or with the field that is used in place of the id, whose fields
 * that the record has too are all equal.
 */
export function hasRecord(service: ManifestService, record: object, result: unknown): boolean {
  const known = record as { readonly [field: string]: unknown }
  const { id, by = id } = service

  return listOwn(service, result).some((object) => {
    const shared = Object.keys(object).filter((name) => known[name] !== undefined)

    return (
      shared.length > 1 &&
      (shared.includes(id) || shared.includes(by)) &&
      shared.every((name) => isSameJson(object[name], known[name]))
    )
  })
}

/** Whether a result has an object that says that it belongs to another user than the one with an id. */
export function belongsToOther(
  service: ManifestService,
  field: string,
  id: unknown,
  result: unknown
): boolean {
  const owners = listOwn(service, result).map((object) => getPath(object, field.split('.')))

  return owners.some((owner) => owner !== undefined && !isSameJson(owner, id))
}

/** The objects in a result that no relation has brought. Fields of an envelope may have the name of a relation. */
export function listOwn(
  { id, definition }: ManifestService,
  result: unknown
): readonly Record<string, unknown>[] {
  const { relations = {}, envelope } = definition ?? {}
  const isRecord = isObject(result) && Object.hasOwn(result, id)
  const wrapper = isRecord || findRecordField(result, envelope) === undefined ? undefined : result

  return listObjects(result, (name, object) => object === wrapper || !Object.hasOwn(relations, name))
}

function listStrings(object: object): readonly string[] {
  return Object.values(object).flatMap((value) => [value].flat().filter((one) => typeof one === 'string'))
}
