import officialRest from '@feathersjs/rest-client'
import fc from 'fast-check'
import { stringify } from 'qs'
import { describe, expect, it } from 'vitest'
import { toQueryString } from '../../src/client/query.ts'
import { alula, rest } from '../../src/client.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import { failure, fetchOnce, restServers } from './servers.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(..."a[]=&%+ !'()*~.é😀") }),
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

describe('queries', () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)

  it.each([
    ['our server', 500],
    ['a server of Feathers v5', 20]
  ])('reach %s whole, with %i values and clauses', async (name, count) => {
    const { url } = await (restServers[name] as any)((app: any) =>
      app.use('things', { find: async ({ query }: any) => query })
    )
    const things = alula().configure(rest(url).fetch(fetchOnce)).service('things')
    const clauses = values(count).map((value) => ({ a: value }))

    for (const query of [{ a: { $in: values(count) } }, { $or: clauses }]) {
      expect(await things.find({ query })).toEqual(query)
    }
  })

  it('past the limits of our server are an error, and never another query', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) =>
      app.use('things', { find: async ({ query }: any) => query })
    )
    const things = alula().configure(rest(url).fetch(fetchOnce)).service('things')

    expect(await failure(things.find({ query: { a: { $in: values(501) } } }))).toMatchObject({
      name: 'BadRequest',
      message: 'Invalid query string: expected at most 500 elements in an array'
    })
  })

  it('are written as by the client of Feathers v5', () => {
    const theirs = (officialRest as any)('http://localhost').fetch(fetch).service('things')
    const ours: any = rest('http://localhost').fetch(fetch).service('things')
    const queries = [
      {},
      { a: 'b c&d', $limit: 1, done: true },
      { a: null, b: undefined, c: [], d: {}, e: '' },
      { a: { $in: [] } },
      { a: { $in: [1, 2, 'x'] }, $sort: { b: -1 } },
      { a: [null, undefined, 1], b: [[1], [2, 3]] },
      { $or: [{ a: 1, b: { $gt: 2 } }, { c: new Date(0) }] },
      { 'ä€': '😀', 'a.b': '+%' }
    ]

    for (const query of queries) {
      for (const id of [undefined, null, 0, 'a b/c']) {
        // Theirs ends in a question mark where nothing of the query is left.
        expect(ours.makeUrl(query, id)).toBe(theirs.makeUrl(query, id).replace(/\?$/, ''))
      }
    }
  })
})
