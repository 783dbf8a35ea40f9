/**
 * The first `count` records in order, without sorting all of them when there are more. Records that are equal stay in
 * the order in which they came.
 */
export function takeSorted<T>(
  records: readonly T[],
  compare: (a: T, b: T) => number,
  count: number
): readonly T[] {
  if (count < 1) return []
  if (count >= records.length) return records.toSorted(compare)

  const isBefore = (a: number, b: number) => (compare(records[a] as T, records[b] as T) || a - b) < 0
  const heap = toHeap(count, isBefore)
  let last = records[heap[0] as number] as T

  for (let index = count; index < records.length; index++) {
    // It came after all that are in the heap, so it has to be less than the last of them.
    if (compare(records[index] as T, last) < 0) {
      heap[0] = index
      sink(heap, 0, isBefore)
      last = records[heap[0] as number] as T
    }
  }

  return heap.sort((a, b) => (isBefore(a, b) ? -1 : 1)).map((index) => records[index] as T)
}

type IsBefore = (a: number, b: number) => boolean

/** A heap of the first indices: the one at place `n` sorts after those at `2n + 1` and `2n + 2`, so place 0 has the last. */
function toHeap(count: number, isBefore: IsBefore): number[] {
  const heap = Array.from({ length: count }, (_, index) => index)

  for (let place = (count >> 1) - 1; place >= 0; place--) sink(heap, place, isBefore)

  return heap
}

/** Moves an index down to where none below comes after it. */
function sink(heap: number[], start: number, isBefore: IsBefore): void {
  const index = heap[start] as number
  let place = start

  for (;;) {
    const left = 2 * place + 1
    const right = left + 1

    if (left >= heap.length) break

    const later = right < heap.length && isBefore(heap[left] as number, heap[right] as number) ? right : left

    if (!isBefore(index, heap[later] as number)) break

    heap[place] = heap[later] as number
    place = later
  }

  heap[place] = index
}
