import { describe, expect, it } from 'vitest'
import type { KeptEvent } from '../../src/log/event.ts'
import { type Entry, Ring } from '../../src/log/ring.ts'

const EVENT: KeptEvent = { path: 'things', event: 'created', data: {} }

/** What an entry takes beside its events. */
const EMPTY = 256

/** The bytes that an entry may have besides, of 8000. */
const ROOM = 1000 - EMPTY

/** A ring of 8000 bytes, and an entry in it. */
function startRing(): { ring: Ring; entry: Entry } {
  const ring = new Ring(8000)

  return { ring, entry: ring.push('epoch', '1', 'tx-1') }
}

/** A ring of entries with one event each, of which as many are kept as there is room for. */
function fillRing(entries: number, maxBytes: number): Ring {
  const ring = new Ring(maxBytes)

  for (let n = 1; n <= entries; n++) ring.grow(ring.push('epoch', String(n), `tx-${n}`), 'things', EVENT, 0)

  return ring
}

describe('an entry', () => {
  it('has its events as long as it takes an eighth of the bytes at most', () => {
    const { ring, entry } = startRing()

    ring.grow(entry, 'things', EVENT, ROOM - 1)
    ring.grow(entry, 'others', EVENT, 1)
    expect(entry).toMatchObject({ events: [EVENT, EVENT], count: 2, bytes: 1000 })
    expect([...entry.paths]).toEqual(['things', 'others'])
  })

  it('over that has none, and takes no bytes for those that it had', () => {
    const { ring, entry } = startRing()

    ring.grow(entry, 'things', EVENT, ROOM)
    ring.grow(entry, 'things', EVENT, 1)
    expect(entry).toMatchObject({ events: undefined, count: 2, bytes: EMPTY })
    ring.grow(entry, 'things', EVENT, 1)
    expect(entry).toMatchObject({ events: undefined, count: 3, bytes: EMPTY })
  })

  it('has none where one of them is not known, however small that is', () => {
    const { ring, entry } = startRing()

    ring.grow(entry, 'things', EVENT, 10)
    ring.grow(entry, 'things', undefined, 0)
    expect(entry).toMatchObject({ events: undefined, count: 2, bytes: EMPTY })
  })

  it('of a shared log has its text as long as it takes an eighth of the bytes at most', () => {
    const { ring, entry } = startRing()
    const text = 'x'.repeat(ROOM)

    ring.fill(entry, ['things', 'others'], 2, text)
    expect(entry).toMatchObject({ text, events: [], bytes: 1000 })
    expect([...entry.paths]).toEqual(['things', 'others'])
  })

  it.each([
    ['with a text over that', 'x'.repeat(ROOM + 1)],
    ['without a text', undefined]
  ])('of a shared log %s has no events, and takes no bytes for them', (_title, text) => {
    const { ring, entry } = startRing()

    ring.fill(entry, ['things'], 2, text)
    expect(entry).toMatchObject({ events: undefined, bytes: EMPTY })
    expect(entry.text).toBeUndefined()
  })
})

describe('a ring', () => {
  it('goes up to the last event of its last entry', () => {
    const { ring, entry } = startRing()

    expect(ring.end).toEqual({ id: '1', count: 0 })
    ring.grow(entry, 'things', EVENT, 0)
    expect(ring.end).toEqual({ id: '1', count: 1 })
    expect(new Ring(8000).end).toEqual({ id: '0', count: 0 })
  })

  it('keeps the entries that it has room for, to the byte', () => {
    const at = (count: number) => ({ id: '1', count })

    expect(fillRing(3, 3 * EMPTY).reaches({ id: '0', count: 0 })).toBe(true)

    const ring = fillRing(3, 3 * EMPTY - 1)

    expect([at(0), at(1)].map((end) => ring.reaches(end))).toEqual([false, true])
    expect(ring.findAfter(at(1))?.id).toBe('2')
  })

  it('keeps its last entry, however large that is', () => {
    const ring = fillRing(3, 1)

    expect(ring.end).toEqual({ id: '3', count: 1 })
    expect(ring.findAfter({ id: '2', count: 1 })?.id).toBe('3')
    expect(ring.reaches({ id: '2', count: 0 })).toBe(false)
  })

  it('counts events that make room in the same way', () => {
    const ring = new Ring(8000)

    for (let n = 1; n <= 9; n++) ring.grow(ring.push('epoch', String(n), ''), 'things', EVENT, ROOM)

    expect(ring.reaches({ id: '0', count: 1 })).toBe(false)
    expect(ring.reaches({ id: '1', count: 1 })).toBe(true)
    expect(ring.findAfter({ id: '1', count: 1 })?.events).toEqual([EVENT])
  })

  it('does not reach beyond its end', () => {
    const ring = fillRing(3, 8000)

    expect(ring.reaches({ id: '3', count: 1 })).toBe(true)
    expect(ring.reaches({ id: '3', count: 2 })).toBe(false)
    expect(ring.reaches({ id: '4', count: 0 })).toBe(false)
  })

  it('finds what comes after a place, however many had to make room', () => {
    const kept = 100
    const ring = fillRing(5000, kept * EMPTY)

    for (let n = 5000 - kept; n < 5000; n++) {
      const id = String(n)
      const next = String(n + 1)

      expect(ring.findAfter({ id, count: 1 })?.id).toBe(next)
      expect(ring.findAfter({ id: next, count: 0 })?.id).toBe(next)
    }

    expect(ring.findAfter({ id: '5000', count: 1 })).toBeUndefined()
    expect(ring.reaches({ id: '4900', count: 1 })).toBe(true)
    expect(ring.reaches({ id: '4900', count: 0 })).toBe(false)
  })

  it('finds the place in its order where the entry itself is not there', () => {
    const ring = new Ring(8000)

    for (const id of ['5-1', '5-10', '10-0']) ring.fill(ring.push('epoch', id, ''), ['things'], 1, '[]')

    expect(ring.findAfter({ id: '5-2', count: 1 })?.id).toBe('5-10')
    expect(ring.findAfter({ id: '6', count: 1 })?.id).toBe('10-0')
    expect(ring.findAfter({ id: '10-1', count: 0 })).toBeUndefined()
  })

  it('knows which services have events after a place, as far as it goes back', () => {
    const ring = new Ring(8000)

    ring.reset({ id: '5', count: 1 })
    ring.grow(ring.push('epoch', '6', ''), 'things', EVENT, 0)
    ring.fill(ring.push('epoch', '7', ''), ['others', 'third'], 2, '[]')

    expect(ring.listPathsAfter({ id: '5', count: 0 })).toBeUndefined()
    expect(ring.listPathsAfter({ id: '5', count: 1 })).toEqual(['things', 'others', 'third'])
    expect(ring.listPathsAfter({ id: '6', count: 1 })).toEqual(['others', 'third'])
    expect(ring.listPathsAfter({ id: '7', count: 1 })).toEqual(['others', 'third'])
    expect(ring.listPathsAfter({ id: '7', count: 2 })).toEqual([])
  })

  it('knows these of entries without their events too, and of those that had to make room', () => {
    const ring = new Ring(EMPTY)

    ring.fill(ring.push('epoch', '1', ''), ['large'], 1, undefined)
    ring.grow(ring.push('epoch', '2', ''), 'things', undefined, 0)
    expect(ring.reaches({ id: '0', count: 0 })).toBe(false)
    expect(ring.listPathsAfter({ id: '0', count: 0 })).toEqual(['large', 'things'])
  })

  it('begins anew without what it had, and with all of its room', () => {
    const ring = fillRing(3, 3 * EMPTY)

    ring.reset({ id: '8', count: 2 })
    expect(ring.end).toEqual({ id: '8', count: 2 })
    expect(ring.findAfter({ id: '0', count: 0 })).toBeUndefined()
    expect(ring.reaches({ id: '8', count: 1 })).toBe(false)
    expect(ring.reaches({ id: '8', count: 2 })).toBe(true)
    expect(ring.listPathsAfter({ id: '8', count: 2 })).toEqual([])

    for (const id of ['9', '10', '11']) ring.grow(ring.push('epoch', id, ''), 'things', EVENT, 0)

    expect(ring.reaches({ id: '8', count: 2 })).toBe(true)
    expect(ring.findAfter({ id: '8', count: 2 })?.id).toBe('9')
  })
})
