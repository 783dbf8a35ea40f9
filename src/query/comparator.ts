import type { Sort } from './ast.ts'
import { compareListed, rememberLists, type ToSortedList, toSortedList } from './compare.ts'
import { type ToReader, toFieldReader } from './field.ts'

/** Compares two records, for `Array.prototype.sort`. */
export type Comparator = (a: unknown, b: unknown) => number

/**
 * Compiles `$sort` into a function for comparing two records; the first field that differs decides.
 *
 * @param sort The fields, the most important first
 */
export function toComparator(sort: readonly Sort[]): Comparator {
  return compileComparator(sort, toFieldReader, toSortedList)
}

/** The same for a store that knows its records, and for one sort: the records may not change as long as it is used. */
export function compileComparator(
  sort: readonly Sort[],
  toReader: ToReader,
  toList: ToSortedList = rememberLists()
): Comparator {
  const [first, ...rest] = sort.map((field) => toFieldComparator(field, toReader, toList))

  if (!first) return () => 0
  if (rest.length === 0) return first

  return (a, b) => {
    let order = first(a, b)

    for (let index = 0; order === 0 && index < rest.length; index++) order = (rest[index] as Comparator)(a, b)

    return order
  }
}

function toFieldComparator({ path, direction }: Sort, toReader: ToReader, toList: ToSortedList): Comparator {
  const read = toReader(path)

  return (a, b) => {
    const order = compareListed(read(a), read(b), toList)

    // Without ever giving -0.
    return order === 0 ? 0 : order * direction
  }
}
