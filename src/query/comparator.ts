import type { Sort } from './ast.ts'
import { compareAny } from './compare.ts'
import { type Reader, readRecord } from './read.ts'

/** Compares two records, for `Array.prototype.sort`. */
export type Comparator = (a: any, b: any) => number

/**
 * Compiles `$sort` into a function for comparing two records; the first field that differs decides.
 *
 * @param sort The fields, the most important first
 * @param read How fields are read, where what is compared is not the records themselves
 */
export function toComparator(sort: readonly Sort[], read: Reader = readRecord): Comparator {
  const [first, ...rest] = sort.map((field) => toFieldComparator(field, read))

  if (!first) return () => 0
  if (rest.length === 0) return first

  return (a, b) => {
    let order = first(a, b)

    for (let index = 0; order === 0 && index < rest.length; index++) order = (rest[index] as Comparator)(a, b)

    return order
  }
}

function toFieldComparator({ path, direction }: Sort, read: Reader): Comparator {
  const getField = read(path)

  return (a, b) => {
    const order = compareAny(getField(a), getField(b))

    // Without ever giving -0.
    return order === 0 ? 0 : order * direction
  }
}
