import fc from 'fast-check'
import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { toExactDate } from '../../src/query/coerce.ts'
import { compareAny, compareSameType, isEqual } from '../../src/query/compare.ts'
import { decode, encode } from '../../src/sync/codec.ts'

const time = fc
  .record({
    second: fc.integer({ min: -3, max: 3 }),
    micro: fc.constantFrom(0, 1, 999, 1000, 123_456, 999_999)
  })
  .map(({ second, micro }) =>
    new Date(second * 1000).toISOString().replace('000Z', `${String(micro).padStart(6, '0')}Z`)
  )

function toDate(text: string): Date {
  return toExactDate(text) as Date
}

it('a time keeps six digits after the second, and is a Date', () => {
  const date = toDate('2026-11-22T10:00:00.123456Z')

  expect(date).toBeInstanceOf(Date)
  expect(date.getTime()).toBe(Date.parse('2026-11-22T10:00:00.123Z'))
  expect(JSON.stringify({ date })).toBe('{"date":"2026-11-22T10:00:00.123456Z"}')
  expect(toDate('2026-11-22T12:00:00.1234+02:00').toISOString()).toBe('2026-11-22T10:00:00.123400Z')
  expect(toDate('2026-11-22T10:00:00.123456789Z').toISOString()).toBe('2026-11-22T10:00:00.123456Z')
  expect(toDate('2026-11-22T10:00:00.123000Z').toISOString()).toBe('2026-11-22T10:00:00.123Z')
})

it('times are equal, and in order, by their microseconds', () => {
  fc.assert(
    fc.property(time, time, (a, b) => {
      const order = a < b ? -1 : a > b ? 1 : 0

      expect(isEqual(toDate(a), toDate(b))).toBe(order === 0)
      expect(Math.sign(compareSameType(toDate(a), toDate(b)) as number)).toBe(order)
      expect(Math.sign(compareAny(toDate(a), toDate(b)))).toBe(order)
    })
  )
  expect(isEqual(new Date(Number.NaN), new Date(Number.NaN))).toBe(false)
})

it('the memory adapter keeps them, and finds a record by what it shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(time, { minLength: 1 }), async (times) => {
      const service: any = memory({ multi: true })

      await service.create(times.map((text) => ({ at: toDate(text) })))

      for (const [index, text] of times.entries()) {
        const at = JSON.parse(JSON.stringify(await service.get(index))).at
        const found = async (query: object) => (await service.find({ query })).map(({ id }: any) => id)

        expect(toDate(at)).toEqual(toDate(text))
        expect(await found({ at })).toEqual([index])
        expect(await found({ at: { $in: [at, 'x', 7] } })).toEqual([index])
        expect(await found({ at: { $in: [toDate(at), toDate(at), 7] } })).toEqual([index])
        expect(await found({ at: { $gte: at, $lte: at } })).toEqual([index])
      }
    }),
    { numRuns: 20 }
  )
})

it('they reach other processes', () => {
  const at = toDate('2026-11-22T10:00:00.123456Z')

  expect(encode({ at: decode(encode(at)) })).toBe(encode({ at }))
  expect((decode(encode(at)) as Date).toISOString()).toBe(at.toISOString())
  expect(decode(encode(new Date(5)))).toEqual(new Date(5))
})
