import { getPath } from '../utils/object.ts'
import type { Sort } from './ast.ts'
import { compareAny } from './compare.ts'

/** Compiles `$sort` into a function for comparing two records; the first field that differs decides. */
export function toComparator(sort: readonly Sort[]): Comparator {
  const [first, ...rest] = sort.map(toFieldComparator)

  if (!first) return () => 0
  if (rest.length === 0) return first

  return (a, b) => {
    let order = first(a, b)

    for (let index = 0; order === 0 && index < rest.length; index++) order = (rest[index] as Comparator)(a, b)

    return order
  }
}

type Comparator = (a: any, b: any) => number

function toFieldComparator({ path, direction }: Sort): Comparator {
  const [name] = path

  if (path.length === 1 && name !== undefined) {
    return (a, b) => inDirection(compareAny(getOwn(a, name), getOwn(b, name)), direction)
  }

  return (a, b) => inDirection(compareAny(getPath(a, path), getPath(b, path)), direction)
}

/** Without ever giving -0. */
function inDirection(order: number, direction: 1 | -1): number {
  return order === 0 ? 0 : order * direction
}

function getOwn(record: any, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
