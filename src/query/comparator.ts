import { getPath } from '../utils/object.ts'
import type { Sort } from './ast.ts'
import { compareAny } from './compare.ts'

/** Compiles `$sort` into a function for comparing two records; the first field that differs decides. */
export function toComparator(sort: readonly Sort[]): (a: any, b: any) => number {
  return (a, b) => {
    for (const { path, direction } of sort) {
      const order = compareAny(getPath(a, path), getPath(b, path))

      if (order !== 0) return order * direction
    }

    return 0
  }
}
