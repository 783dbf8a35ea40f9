import { describe, expect, it } from 'vitest'
import { toExactDate, toExactDay, toReadings } from '../../src/query/coerce.ts'
import { refuseUndefined } from '../../src/query/undefined.ts'

describe('a date in a query', () => {
  it.each([
    ['2026-11-22', '2026-11-22T00:00:00.000Z'],
    ['2026-11-22T10:00Z', '2026-11-22T10:00:00.000Z'],
    ['2026-11-22T10:00:30Z', '2026-11-22T10:00:30.000Z'],
    ['2026-11-22T10:00:30.5Z', '2026-11-22T10:00:30.500Z'],
    ['2026-11-22T10:00:30.123000Z', '2026-11-22T10:00:30.123Z'],
    ['2026-11-22T10:00:30+02:00', '2026-11-22T08:00:30.000Z'],
    ['2026-11-22T10:00:30-0230', '2026-11-22T12:30:30.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z']
  ])('%j is %s', (text, time) => {
    expect(toExactDate(text)?.toISOString()).toBe(time)
  })

  it.each([
    ' 2026-11-22',
    '2026-11-22 ',
    '12026-11-22',
    '2026-11-221',
    '2026-11',
    '2026-11-22T10:00',
    '2026-11-22 10:00Z',
    '2026-11-22T10Z',
    '2026-11-22T10:00:30.Z',
    '2026-11-22T10:00:30.1234567890Z',
    '2026-11-22T10:00Z+01:00',
    '+2026-11-22T10:00Z',
    '2026-11-22T10:00+1:00',
    '2026-11-22T10:00+01:0',
    '2026-02-30',
    '2026-13-01',
    '2026-11-22T25:00Z'
  ])('%j is none', (text) => {
    expect(toExactDate(text)).toBeUndefined()
  })
})

it('the day of a time is that which begins with it in UTC', () => {
  expect(toExactDay(new Date('2026-11-22'))).toBe('2026-11-22')
  expect(toExactDay(new Date('2026-11-22T00:00:00.001Z'))).toBeUndefined()
  expect(toExactDay(new Date(Number.NaN))).toBeUndefined()
})

it.each([
  ['7', [7, 7n]],
  ['-0.5', [-0.5]],
  ['07', []],
  ['1e3', []],
  ['-0', []],
  ['9007199254740993', [9007199254740993n]],
  ['9'.repeat(100), [BigInt('9'.repeat(100))]],
  ['9'.repeat(101), []],
  ['true', [true]],
  ['TRUE', []],
  ['2026-11-22', [new Date('2026-11-22')]]
])('%s in a URL stands for itself and for what is written so', (text, further) => {
  expect(toReadings(text)).toEqual([text, ...further])
})

it('a condition that is undefined is refused by its path, with the method', () => {
  expect(() => refuseUndefined({ a: null, $or: [{ b: 1 }] }, 'patch')).not.toThrow()
  expect(() => refuseUndefined({ a: 1, $or: [{ b: undefined }] }, 'patch')).toThrow(
    "Invalid query: '$or.0.b' is undefined. To patch records without a value, use null"
  )
})
