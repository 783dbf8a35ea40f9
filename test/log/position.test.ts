import { describe, expect, it } from 'vitest'
import { compareEnds, compareIds, isReached, parsePosition, toPositionText } from '../../src/log/position.ts'

describe('a position', () => {
  it.each([
    ['a-0.0', { epoch: 'a', id: '0', count: 0 }],
    ['0123456789-17-3.12', { epoch: '0123456789', id: '17-3', count: 12 }],
    [
      `${'z'.repeat(32)}-${'9'.repeat(20)}-${'9'.repeat(20)}.${'9'.repeat(10)}`,
      { epoch: 'z'.repeat(32), id: `${'9'.repeat(20)}-${'9'.repeat(20)}`, count: 9_999_999_999 }
    ]
  ])('is read as it was written: %s', (text, position) => {
    expect(parsePosition(text)).toEqual(position)
    expect(toPositionText(position)).toBe(text)
  })

  it.each([
    ...['', 'a', 'a-1', '-1.0', 'a-.0', 'a-1.', 'a-1-.0', 'a-1-2-3.0', 'a-1.0.0', 'A-1.0', 'a-1.x', 'a-1x0'],
    ...[' a-1.0', 'a-1.0 ', 'a-1.0\n', 'x a-1.0', `${'z'.repeat(33)}-1.0`, `a-${'9'.repeat(21)}.0`],
    ...[`a-1-${'9'.repeat(21)}.0`, `a-1.${'9'.repeat(11)}`],
    // They would be one as text.
    ...[['a-1.0'], { toString: () => 'a-1.0' }, undefined, null, 1]
  ])('is nothing else: %j', (value) => {
    expect(parsePosition(value)).toBeUndefined()
  })
})

it('ids are in the order of their numbers, and one without a second number has zero', () => {
  const ids = ['0', '2-0', '2-9', '2-10', '10', '10-1']

  for (const [index, id] of ids.entries()) {
    for (const [otherIndex, other] of ids.entries()) {
      expect(Math.sign(compareIds(id, other))).toBe(Math.sign(index - otherIndex))
    }
  }

  expect(compareIds('2', '2-0')).toBe(0)
})

it('places are in the order of their entries, and then of their events', () => {
  expect(compareEnds({ id: '1', count: 9 }, { id: '2', count: 0 })).toBeLessThan(0)
  expect(compareEnds({ id: '2', count: 1 }, { id: '2', count: 0 })).toBeGreaterThan(0)
  expect(compareEnds({ id: '2', count: 1 }, { id: '2', count: 1 })).toBe(0)
})

it('a position is reached by itself and later ones of the same log, and of another one that is not known', () => {
  expect(isReached('a-1.1', 'a-1.1')).toBe(true)
  expect(isReached('a-1.1', 'a-2.0')).toBe(true)
  expect(isReached('a-1.1', 'a-1.0')).toBe(false)
  expect(isReached('a-1.1', 'b-1.1')).toBeUndefined()
  expect(isReached(undefined, 'a-1.1')).toBeUndefined()
  expect(isReached('a-1.1', undefined)).toBeUndefined()
})
