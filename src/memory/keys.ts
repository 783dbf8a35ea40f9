// Places of records in an order, as strings that lose nothing of a value.

import type { Key } from '../adapter/cursors.ts'
import { BadRequest } from '../errors.ts'
import type { Sort } from '../query/ast.ts'
import { type Comparator, compileComparator } from '../query/comparator.ts'
import type { ToReader } from '../query/field.ts'
import { toPreciseDate } from '../query/precise-date.ts'
import { isObject } from '../utils/check.ts'
import type { Stored } from './record-index.ts'

/** The values by which a record has its place. */
type Values = readonly unknown[]

/** Reads the values by which records have their places. */
export function toValuesReader(sort: readonly Sort[], toReader: ToReader): (record: Stored) => Values {
  const readers = sort.map(({ path }) => toReader(path))

  return (record) => readers.map((read) => read(record))
}

/** Compares two places: the first value that differs decides. */
export function toValuesComparator(sort: readonly Sort[]): Comparator {
  const places = sort.map(({ direction }, index) => ({ path: [String(index)], direction }))

  return compileComparator(
    places,
    ([index]) =>
      (values) =>
        (values as Values)[Number(index)]
  )
}

/** Values as a key of a cursor. */
export function toKey(values: Values): Key {
  return values.map((value) => (value === null || value === undefined ? null : JSON.stringify(encode(value))))
}

/** The values of a key. Throws BadRequest for a key that a client has made up. */
export function fromKey(key: Key): Values {
  try {
    return key.map((text) => (text === null ? null : decode(JSON.parse(text))))
  } catch {
    throw new BadRequest('Invalid query: expected a cursor of a page')
  }
}

/** What JSON does not have is written as a string after the name of its type. */
function encode(value: unknown): unknown {
  if (typeof value === 'bigint') return ['bigint', String(value)]
  if (typeof value === 'number') return Number.isFinite(value) ? value : ['number', String(value)]
  if (value instanceof Date) return ['date', Number.isNaN(value.getTime()) ? '' : value.toISOString()]
  if (value instanceof Uint8Array) return ['bytes', ...value]
  if (Array.isArray(value)) return ['list', ...value.map(encode)]
  // An instance is compared by its fields, as any object is, and not by what JSON makes of it.
  if (isObject(value)) return ['object', ...Object.entries(value).map(([name, part]) => [name, encode(part)])]

  return value ?? null
}

function decode(value: unknown): unknown {
  if (!Array.isArray(value)) return value

  const [type, ...parts] = value

  switch (type) {
    case 'bigint':
      return BigInt(parts[0])
    case 'number':
      return Number(parts[0])
    case 'date':
      return toPreciseDate(new Date(parts[0]), parts[0])
    case 'bytes':
      return Uint8Array.from(parts)
    case 'list':
      return parts.map(decode)
    default:
      return Object.fromEntries(parts.map(([name, part]) => [name, decode(part)]))
  }
}
