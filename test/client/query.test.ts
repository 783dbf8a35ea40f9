import fc from 'fast-check'
import { stringify } from 'qs'
import { expect, it } from 'vitest'
import { toQueryString } from '../../src/client/query.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(..."a[]=&%+ !'()*~.é😀\ud800") }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 1n, () => 1),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 })
  )
})).any

it('writes any query as qs does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), value), (query) => {
      expect(toQueryString(query)).toBe(stringify(query))
    }),
    { numRuns: 2000 }
  )
})

it('is read back by the server', () => {
  const query = { $or: [{ a: { $in: ['x y', 'ä&='] } }, { b: '1' }], $sort: { c: '-1' }, $select: ['a', 'b'] }

  expect(parseQueryString(toQueryString(query))).toEqual(query)
})

it('refuses a query that contains itself', () => {
  const query: any = { a: {} }

  query.a.b = query

  expect(() => toQueryString(query)).toThrow(RangeError)
})
