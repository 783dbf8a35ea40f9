import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareAny, isEqual } from '../../src/query.ts'
import { RecordId } from '../support/record-id.ts'
import { scaled } from '../support/scale.ts'

describe('isEqual', () => {
  it('compares scalars by type and value', () => {
    expect(isEqual(1, 1)).toBe(true)
    expect(isEqual('a', 'a')).toBe(true)
    expect(isEqual(0, -0)).toBe(true)

    for (const [a, b] of [
      [1, '1'],
      [0, false],
      ['', false],
      ['', null],
      [0, null],
      [1, 1n],
      ['a', 'A'],
      ['\u00e9', 'e\u0301']
    ]) {
      expect(isEqual(a, b)).toBe(false)
      expect(isEqual(b, a)).toBe(false)
    }
  })

  it('takes missing for null', () => {
    expect(isEqual(null, undefined)).toBe(true)
    expect(isEqual(undefined, null)).toBe(true)
    expect(isEqual(null, {})).toBe(false)
    expect(isEqual({}, undefined)).toBe(false)
  })

  it('compares dates by their time', () => {
    expect(isEqual(new Date(1), new Date(1))).toBe(true)
    expect(isEqual(new Date(1), new Date(2))).toBe(false)
    expect(isEqual(new Date(1), 1)).toBe(false)
    expect(isEqual(new Date(1), { getTime: () => 1 })).toBe(false)
  })

  it('compares bytes by their content, whatever view they are', () => {
    expect(isEqual(Buffer.of(1, 2), Uint8Array.of(1, 2))).toBe(true)
    expect(isEqual(Buffer.of(1, 2), Buffer.of(1))).toBe(false)
    expect(isEqual(Buffer.of(1), [1])).toBe(false)
  })

  it('asks the `equals` of an object', () => {
    expect(isEqual(new RecordId('a'), new RecordId('a'))).toBe(true)
    expect(isEqual(new RecordId('a'), new RecordId('b'))).toBe(false)
    expect(isEqual(new RecordId('a'), { hex: 'a' })).toBe(false)
    expect(isEqual({ equals: () => 'yes' }, {})).toBe(false)
  })

  it('asks the `equals` of an object about other objects alone', () => {
    const careless = { equals: (other: any) => other.hex !== 'a' }

    for (const other of [null, undefined, 'b', 1, true, 1n]) expect(isEqual(careless, other)).toBe(false)
    expect(isEqual(careless, new RecordId('b'))).toBe(true)
  })

  it('takes objects and lists without `equals` for what they are, not for what they hold', () => {
    const list = [1]

    expect(isEqual(list, list)).toBe(true)
    expect(isEqual([1], [1])).toBe(false)
    expect(isEqual({ a: 1 }, { a: 1 })).toBe(false)
  })
})

describe('compareAny', () => {
  /** From the first to the last. */
  const ordered: unknown[] = [
    null,
    Number.NEGATIVE_INFINITY,
    -1,
    0,
    1.5,
    10,
    '',
    '10',
    '9',
    'B',
    'a',
    'ab',
    'é',
    false,
    true,
    new Date(0),
    new Date(1),
    Uint8Array.of(),
    Uint8Array.of(1),
    Uint8Array.of(1, 0),
    Uint8Array.of(2),
    [],
    [null],
    [1],
    [1, 1],
    [2],
    ['a'],
    [[1]],
    {},
    { a: 1 },
    { a: 1, b: 1 },
    { a: 2 },
    { b: 0 }
  ]

  it('orders types as Feathers v5 does, and values of one type by value', () => {
    for (const [index, value] of ordered.entries()) {
      for (const [other, second] of ordered.entries()) {
        expect(Math.sign(compareAny(value, second)), `${index}, ${other}`).toBe(Math.sign(index - other))
      }
    }
  })

  it('takes missing for null', () => {
    expect(compareAny(undefined, null)).toBe(0)
    expect(compareAny([undefined], [null])).toBe(0)
  })

  it('of two long lists takes the first element that differs', () => {
    const list = Array(20).fill(0)

    expect(compareAny(list.with(2, 1), list.with(10, 1))).toBeGreaterThan(0)
    expect(compareAny(list.with(10, 1), list.with(2, 1))).toBeLessThan(0)
  })

  it('does not look at the order in which an object names its fields', () => {
    expect(compareAny({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(0)
  })

  it('gives dates and numbers that are none a place of their own', () => {
    const isOrdered = (values: unknown[]) =>
      values.toSorted(compareAny).map(Number).filter(Number.isFinite).join() === '1,2,3'

    expect(isOrdered([3, Number.NaN, 1, 2])).toBe(true)
    expect(isOrdered([3, Number.NaN, 1, 2].map((time) => new Date(time)))).toBe(true)
  })

  it('orders big integers among numbers', () => {
    expect([3, 2n, 1].toSorted(compareAny)).toEqual([1, 2n, 3])
  })

  it('is an order: turned round it is the opposite, and what comes before comes before all that follows', () => {
    const scalar = fc.oneof(
      fc.integer({ min: -2, max: 2 }),
      fc.string({ maxLength: 2 }),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.integer({ min: 0, max: 2 }).map((time) => new Date(time)),
      fc.uint8Array({ maxLength: 2, max: 2 })
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        scalar,
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('value'), { maxKeys: 2 })
      )
    }))
    const isBefore = (a: unknown, b: unknown) => compareAny(a, b) <= 0

    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compareAny(a, b)) + Math.sign(compareAny(b, a))).toBe(0)
        expect(compareAny(a, a)).toBe(0)
        if (isBefore(a, b) && isBefore(b, c)) expect(isBefore(a, c)).toBe(true)
      }),
      { numRuns: scaled(100_000) }
    )
  })
})
