/**
 * Returns the first `count` items in order, without sorting all of them when `count` is small. Items that compare
 * as equal stay in the order in which they came.
 */
export function takeSorted<T>(items: Iterable<T>, compare: (a: T, b: T) => number, count: number): T[] {
  const top: T[] = []

  for (const item of items) {
    const last = top[count - 1]

    if (last !== undefined && compare(item, last) >= 0) continue

    top.splice(findPlace(top, item, compare), 0, item)
    if (top.length > count) top.pop()
  }

  return top
}

/** Behind all items that come before this one or are equal to it. */
function findPlace<T>(sorted: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0
  let high = sorted.length

  while (low < high) {
    const middle = (low + high) >>> 1

    if (compare(item, sorted[middle] as T) < 0) high = middle
    else low = middle + 1
  }

  return low
}
