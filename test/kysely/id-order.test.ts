import { expect, it } from 'vitest'
import { sortById } from '../../src/kysely/order.ts'
import { toColumns } from '../../src/kysely/table.ts'

/** Sorts the rows of a table by their ids. */
function sort(kind: 'decimal' | 'integer' | 'text' | 'number', ids: readonly unknown[]): unknown[] {
  const table = { columns: toColumns([{ name: 'id', kind, type: kind, isNullable: false }]) }

  return sortById(
    ids.map((id) => ({ id })),
    table as any,
    'id'
  ).map(({ id }) => id)
}

it('rows are in the order of numbers', () => {
  expect(sort('integer', [10, -1, 9])).toEqual([-1, 9, 10])
  expect(sort('number', [0.5, 10, 9])).toEqual([0.5, 9, 10])
})

it('rows are in the order of large integers, which are read as text, among others', () => {
  const ids = ['9007199254740993', 10, '-9007199254740993', 9, '10000000000000000000']

  expect(sort('integer', ids)).toEqual([
    '-9007199254740993',
    9,
    10,
    '9007199254740993',
    '10000000000000000000'
  ])
})

it('rows are in the order of decimals, which are read as text', () => {
  const ids = [
    '10',
    '2',
    '-10',
    'NaN',
    '0.5',
    '-0.25',
    '2.50',
    '2.5000000000000000000001',
    '9007199254740993.1'
  ]

  expect(sort('decimal', ids)).toEqual([
    ...['-10', '-0.25', '0.5', '2', '2.50', '2.5000000000000000000001', '10', '9007199254740993.1'],
    'NaN'
  ])
})

it('rows are in the order of numbers, then of texts, where a column holds both', () => {
  expect(sort('text', ['b', 10, '9', 9, 'a'])).toEqual([9, 10, '9', 'a', 'b'])
})

it('rows are in the order of the bytes of texts, in which digits are no numbers', () => {
  expect(sort('text', ['\u{1F426}', 'b', '\u{FFFD}', 'B', '10', '9'])).toEqual([
    '10',
    '9',
    'B',
    'b',
    '\u{FFFD}',
    '\u{1F426}'
  ])
})
