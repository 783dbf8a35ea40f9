/**
 * Returns the first `count` items in order, without sorting all of them when `count` is small. Items that compare
 * as equal stay in the order in which they came.
 */
export function takeSorted<T>(items: readonly T[], compare: (a: T, b: T) => number, count: number): T[] {
  const top: T[] = []

  if (count < 1) return top

  for (let index = 0; index < items.length; index++) {
    const item = items[index] as T

    if (top.length === count) {
      if (!(compare(item, top[count - 1] as T) < 0)) continue

      top.pop()
    }

    insert(top, item, findPlace(top, item, compare))
  }

  return top
}

/** By hand, because `splice` makes a list of what it has removed, each time. */
function insert<T>(list: T[], item: T, place: number): void {
  list.push(item)

  for (let index = list.length - 1; index > place; index--) list[index] = list[index - 1] as T

  list[place] = item
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
