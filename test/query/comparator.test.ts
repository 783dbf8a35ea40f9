import { sorter } from '@feathersjs/adapter-commons'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseQuery, toComparator } from '../../src/query.ts'
import { scaled } from '../support/scale.ts'

const comparator = (sort: object) => toComparator(parseQuery({ $sort: sort }).sort)
const names = (records: any[], sort: object) => records.toSorted(comparator(sort)).map(({ name }) => name)

it('the first field that differs decides', () => {
  const records = [
    { name: 'c', age: 2 },
    { name: 'a', age: 2 },
    { name: 'b', age: 1 }
  ]

  expect(names(records, { age: 1, name: 1 })).toEqual(['b', 'a', 'c'])
  expect(names(records, { age: -1, name: 1 })).toEqual(['a', 'c', 'b'])
  expect(names(records, { age: -1, name: -1 })).toEqual(['c', 'a', 'b'])
  expect(names(records, { name: 1, age: -1 })).toEqual(['a', 'b', 'c'])
})

it('records that are equal stay in their order', () => {
  const records = [
    { name: 'x', age: 1 },
    { name: 'y', age: 1 },
    { name: 'z', age: 0 }
  ]

  expect(names(records, { age: 1 })).toEqual(['z', 'x', 'y'])
  expect(names(records, { age: -1 })).toEqual(['x', 'y', 'z'])
  expect(names(records, {})).toEqual(['x', 'y', 'z'])
})

it('null and missing come first, and last in descending order', () => {
  const records = [
    { name: 'one', age: 1 },
    { name: 'null', age: null },
    { name: 'missing' },
    { name: 'zero', age: 0 }
  ]

  expect(names(records, { age: 1 })).toEqual(['null', 'missing', 'zero', 'one'])
  expect(names(records, { age: -1 })).toEqual(['one', 'zero', 'null', 'missing'])
})

it('dots lead into nested fields; what is missing on the way is missing', () => {
  const records = [
    { name: 'late', at: { place: { row: 2 } } },
    { name: 'early', at: { place: { row: 1 } } },
    { name: 'none', at: null },
    { name: 'text', at: 'place' }
  ]

  expect(names(records, { 'at.place.row': 1 })).toEqual(['none', 'text', 'early', 'late'])
})

it('names that every object has are missing unless they are own', () => {
  const records: object[] = [{ name: 'own', constructor: 1 }, { name: 'inherited' }]

  expect(names(records, { constructor: 1 })).toEqual(['inherited', 'own'])
  expect(names(records, JSON.parse('{ "__proto__": 1, "constructor.name": 1 }'))).toEqual([
    'own',
    'inherited'
  ])
})

it('text is sorted by code units, whatever the language', () => {
  const records = ['ä', 'a', 'Z', 'z', '10', '9'].map((name) => ({ name }))

  expect(names(records, { name: 1 })).toEqual(['10', '9', 'Z', 'a', 'z', 'ä'])
})

it('agrees with Feathers v5 on whatever it compares well', () => {
  const scalar = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.string({ maxLength: 2 }),
    fc.boolean(),
    fc.integer({ min: 0, max: 2 }).map((time) => new Date(time)),
    // Never missing: see docs/compatibility.md#missing-order.
    fc.constant(null)
  )
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    // Always of the same names: see docs/compatibility.md#sorted-objects.
    fc.record({ x: scalar, y: scalar })
  )
  // Never null on a path: see docs/compatibility.md#sort-paths.
  const record = fc.record({ a: value, b: value, c: fc.record({ d: value }) })
  const sort = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'c.d'), fc.constantFrom<1 | -1>(1, -1))

  fc.assert(
    fc.property(record, record, sort, (one, other, sort) => {
      expect(Math.sign(comparator(sort)(one, other))).toBe(Math.sign(sorter(sort)(one, other)))
    }),
    { numRuns: scaled(100_000) }
  )
})

it.each<[string, any, any, number[], number[]]>([
  ['missing-order', { a: null }, {}, [-1, -1], [0, 0]],
  ['sorted-objects', { a: { x: 2, y: 1 } }, { a: { y: 1, z: 0 } }, [1, -1], [-1, 1]]
])('differs from Feathers v5 where random values do not go: %s', (_row, one, other, theirs, ours) => {
  const outcomes = [sorter({ a: 1 }), comparator({ a: 1 })].map((compare) =>
    [compare(one, other), compare(other, one)].map(Math.sign)
  )

  expect(outcomes).toEqual([theirs, ours])
})
