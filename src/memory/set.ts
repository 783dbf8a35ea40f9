import type { FieldReader, ToReader } from '../query/field.ts'
import {
  type CountRequest,
  isRelating,
  lookUp,
  type RecordSet,
  type RelatedSort,
  toKey
} from '../query/related.ts'
import { getPath } from '../utils/object.ts'

/** The records in memory that a `find` selects. */
export class MemorySet implements RecordSet {
  readonly source: object
  /** Reads the records, which are those of the store. */
  readonly read: () => readonly unknown[]

  constructor(source: object, read: () => readonly unknown[]) {
    this.source = source
    this.read = read
  }

  async count(requests: readonly CountRequest[]): Promise<readonly ReadonlyMap<string, number>[]> {
    return requests.map(({ set, field, values }) => {
      const path = field.split('.')
      const keys = values && new Set(values.map(toKey))
      const numbers = new Map<string, number>()

      for (const record of (set as MemorySet).read()) {
        const value = getPath(record, path)

        if (!isRelating(value)) continue

        const key = toKey(value)

        if (keys?.has(key) ?? true) numbers.set(key, (numbers.get(key) ?? 0) + 1)
      }

      return numbers
    })
  }
}

/** How fields are read for a `$sort` by numbers of related records. */
export async function toRelatedReader(
  sorts: ReadonlyMap<string, RelatedSort>,
  toReader: ToReader
): Promise<ToReader> {
  const readers = new Map<string, FieldReader>()

  for (const [name, { set, to, from, exists }] of sorts) {
    const [numbers] = await set.count([{ set, field: to }])
    const read = toReader([from])

    readers.set(name, (record) => {
      const number = (numbers && lookUp(numbers, read(record))) ?? 0

      return exists ? number > 0 : number
    })
  }

  return (path) => readers.get(path.join('.')) ?? toReader(path)
}
