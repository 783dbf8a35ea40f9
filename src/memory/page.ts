import type { Comparator } from '../query/comparator.ts'
import type { Entry } from './field-index.ts'

/**
 * The first `count` entries in the order of their records, without sorting all of them when there are more. Entries
 * that are equal stay in the order in which they came.
 */
export function takeSorted(entries: readonly Entry[], compare: Comparator, count: number): Entry[] {
  if (count < 1) return []

  const isBefore = (a: Entry, b: Entry) => (compare(a.record, b.record) || a.place - b.place) < 0

  if (count >= entries.length) return entries.toSorted((a, b) => compare(a.record, b.record))

  const heap = toHeap(entries.slice(0, count), isBefore)

  for (let index = count; index < entries.length; index++) {
    const entry = entries[index] as Entry
    const last = heap[0] as Entry

    // It came after all that are in the heap: it has to be less than the last of them.
    if (compare(entry.record, last.record) < 0) {
      heap[0] = entry
      sink(heap, 0, isBefore)
    }
  }

  return heap.sort((a, b) => (isBefore(a, b) ? -1 : 1))
}

type IsBefore = (a: Entry, b: Entry) => boolean

/** Orders entries so that each comes after those at twice its index, plus one and two: the last of all is the first. */
function toHeap(entries: Entry[], isBefore: IsBefore): Entry[] {
  for (let index = (entries.length >> 1) - 1; index >= 0; index--) sink(entries, index, isBefore)

  return entries
}

/** Moves an entry down to where none below comes after it. */
function sink(heap: Entry[], start: number, isBefore: IsBefore): void {
  const entry = heap[start] as Entry
  let index = start

  for (;;) {
    const left = 2 * index + 1
    const right = left + 1

    if (left >= heap.length) break

    const later = right < heap.length && isBefore(heap[left] as Entry, heap[right] as Entry) ? right : left

    if (!isBefore(entry, heap[later] as Entry)) break

    heap[index] = heap[later] as Entry
    index = later
  }

  heap[index] = entry
}
