import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { scaled } from '../support/scale.ts'
import { ids, refusal, rows } from './support.ts'

describe('pages', () => {
  const store = { 1: { id: 1 }, 2: { id: 2 }, 3: { id: 3 } }

  it('come with a default, and count what matches before limit and skip', async () => {
    const things = memory({ store, paginate: { default: 2, max: 2 } })

    expect(await things.find()).toEqual({ total: 3, limit: 2, skip: 0, data: [{ id: 1 }, { id: 2 }] })
    expect(await things.find({ query: { $skip: 2 } })).toEqual({
      total: 3,
      limit: 2,
      skip: 2,
      data: [{ id: 3 }]
    })
    expect(await things.find({ query: { $limit: 50, id: { $gt: 2 } } })).toMatchObject({ total: 1, limit: 2 })
    expect(await things.find({ query: { $limit: 0 } })).toEqual({ total: 3, limit: 0, skip: 0, data: [] })
    expect(await things.find({ query: { $skip: 9 } })).toMatchObject({ total: 3, data: [] })
  })

  it('are switched off and on for one call from inside', async () => {
    const things = memory({ store, paginate: { default: 1 } })

    expect(await things.find({ paginate: false })).toHaveLength(3)
    expect(await things.find({ adapter: { paginate: false } })).toHaveLength(3)
    expect(await memory({ store }).find({ paginate: { default: 1 } })).toMatchObject({ total: 3, limit: 1 })
  })

  it('a maximum without a default caps a plain list', async () => {
    const things = memory({ store, paginate: { max: 2 } })

    expect(ids(await things.find())).toEqual([1, 2])
    expect(ids(await things.find({ query: { $limit: 1 } }))).toEqual([1])
    expect(ids(await things.find({ query: { $limit: 100 } }))).toEqual([1, 2])
  })
})

describe('order', () => {
  it('without $sort is the order in which records came', async () => {
    const things = memory({ multi: true, indexes: ['n'] })

    await things.create([
      { id: 'b', n: 1 },
      { id: 10, n: 1 },
      { id: 'a', n: 1 },
      { id: 2, n: 1 }
    ])
    await things.patch(10, { n: 2 })
    await things.update('b', { n: 1 })
    await things.remove('a')
    await things.create({ id: 'a', n: 1 })

    expect(ids(await things.find())).toEqual(['b', 10, 2, 'a'])
    expect(ids(await things.find({ query: { n: { $in: [2, 1] } } }))).toEqual(['b', 10, 2, 'a'])
    expect(ids(await things.find({ query: { id: { $in: ['a', 2, 10, 'b'] } } }))).toEqual(['b', 10, 2, 'a'])
  })

  it('by objects lists the names of each object once, however often it is compared', async () => {
    let listed = 0
    // What shows no fields is stored as it is.
    const toObject = () =>
      new Proxy(new (class Hidden {})(), {
        ownKeys: () => {
          listed++

          return []
        }
      })
    const things = memory({ multi: true })

    await things.create(Array.from({ length: 100 }, (_, n) => ({ meta: toObject(), n: (n * 37) % 100 })))
    listed = 0

    const found = await things.find({ query: { $sort: { meta: 1, n: 1 } } })

    expect(found.map(({ n }: any) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    // The copies that the caller gets list them once more.
    expect(listed).toBe(200)
  })

  it('the first page of a sort is the beginning of the whole, whatever the records', async () => {
    const value = fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.constantFrom(null, 'a', 'b', true, new Date(1)),
      fc.constant(undefined)
    )
    const sort = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, -1), { minKeys: 1 })

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: value, b: value }), { maxLength: 30 }),
        sort,
        fc.nat(32),
        fc.nat(32),
        async (records, $sort, $skip, $limit) => {
          const things = memory({ multi: true })

          await things.create(records)

          const all = await rows(things, { $sort, $limit: 100_000 })

          expect(await things.find({ query: { $sort } })).toEqual(all)
          expect(await things.find({ query: { $sort, $skip, $limit } })).toEqual(
            all.slice($skip, $skip + $limit)
          )
        }
      ),
      { numRuns: scaled(5000) }
    )
  })

  it('the first page of a sort needs few comparisons', async () => {
    let comparisons = 0
    const things = memory({
      multi: true,
      sorter: () => (a, b) => {
        comparisons++

        return a.n - b.n
      }
    })

    await things.create(Array.from({ length: 10_000 }, (_, index) => ({ n: (index * 7919) % 10_007 })))

    expect(await things.find({ query: { $sort: { n: 1 }, $limit: 5 } })).toHaveLength(5)
    expect(comparisons).toBeLessThan(12_000)
  })
})

describe('`matcher` and `sorter`', () => {
  it('are called with the conditions and with $sort', async () => {
    const seen: unknown[] = []
    const things = memory({
      store: { 1: { id: 1, n: 1 }, 2: { id: 2, n: 2 }, 3: { id: 3, n: 3 } },
      matcher: (query) => {
        seen.push(query)

        return (record) => record.n !== query.n
      },
      sorter: (sort) => {
        seen.push(sort)

        return (a, b) => b.n - a.n
      }
    })

    expect(
      ids(await things.find({ query: { n: 2, $sort: { n: '1' }, $limit: '5', $skip: 0, $select: ['n'] } }))
    ).toEqual([3, 1])
    expect(seen).toEqual([{ n: 2 }, { n: 1 }])
    expect(await refusal(things.get(2, { query: { n: 2 } }))).toMatchObject({ name: 'NotFound' })
    expect(await things.get(1, { query: { n: 2 } })).toMatchObject({ id: 1 })
  })

  it('decide alone, whatever an index would say', async () => {
    const store = { 1: { id: 1, name: 'ADA' }, 2: { id: 2, name: 'Bob' } }
    const matcher =
      ({ name }: any) =>
      (record: any) =>
        record.name.toLowerCase() === name.toLowerCase()

    for (const things of [
      memory({ store, matcher, indexes: ['name'] }),
      memory({ store, indexes: ['name'] }),
      memory({ store })
    ]) {
      const params: any = { query: { name: 'ada' }, adapter: { matcher } }

      expect(ids(await things.find(params))).toEqual([1])
    }
  })

  it('a matcher gives a meaning to operators', async () => {
    const things = memory({
      operators: ['$odd'],
      store: { 1: { id: 1 }, 2: { id: 2 } },
      matcher: (query) => (record) => (record.id % 2 === 1) === query.id.$odd
    })

    expect(ids(await things.find({ query: { id: { $odd: true } } }))).toEqual([1])
  })

  it('a matcher chooses the records that a call for several changes, too', async () => {
    const people = memory({
      store: { 1: { id: 1 }, 2: { id: 2 }, 3: { id: 3 } },
      multi: true,
      operators: ['$odd'],
      matcher: (query) => (record) => (record.id % 2 === 1) === query.id.$odd
    })

    expect(ids(await people.patch(null, { name: 'Ada' }, { query: { id: { $odd: true } } }))).toEqual([1, 3])
    expect(ids(await people.remove(null, { query: { id: { $odd: false } } }))).toEqual([2])
    expect(await people.find({ query: { id: { $odd: true } } })).toEqual([
      { id: 1, name: 'Ada' },
      { id: 3, name: 'Ada' }
    ])
    expect(await people.find({ query: { id: { $odd: false } } })).toEqual([])
  })

  it('a matcher is asked without a query, too', async () => {
    const things = memory({
      store: { 1: { id: 1 } },
      matcher: (query) => () => Object.keys(query).length === 0
    })

    expect(await things._get(1)).toEqual({ id: 1 })
  })
})

describe('operators', () => {
  it('have a meaning in `predicates`', async () => {
    const people = memory({
      store: { 1: { id: 1, name: 'Ada' }, 2: { id: 2, name: 'Bob' } },
      operators: ['$startsWith'],
      predicates: { $startsWith: (value) => (field) => String(field).startsWith(String(value)) }
    })

    expect(ids(await people.find({ query: { name: { $startsWith: 'A' } } }))).toEqual([1])
    expect(await refusal(people.find({ query: { name: { $endsWith: 'a' } } }))).toMatchObject({ code: 400 })
  })

  it('without a meaning are an error when the service is made', () => {
    expect(() => memory({ operators: ['$not', '$nor', '$in', '$regex'] })).toThrow(
      "Invalid option 'operators' of MemoryService: expected names that have a meaning in 'predicates', got "
    )
    expect(() => memory({ operators: ['$toString'] })).toThrow("names that have a meaning in 'predicates'")
    expect(() => memory({ operators: ['$not', '$nor'] })).not.toThrow()
  })
})

it('a sorter that says nothing leaves records as they came', async () => {
  const things: any = memory({ sorter: () => () => Number.NaN, paginate: { default: 3 } })

  for (let n = 0; n < 5; n++) await things.create({ n })

  expect((await things.find({ query: { $sort: { n: 1 } } })).data.map(({ n }: any) => n)).toEqual([0, 1, 2])
})

it('a matcher gets the conditions of a query, and nothing else of it', async () => {
  const seen: string[][] = []
  const service = memory({
    store: [
      { id: 1, a: 1 },
      { id: 2, a: 1 }
    ],
    paginate: { default: 1, cursor: { secret: 'x'.repeat(40) } },
    filters: { $populate: true, search: true },
    matcher: (query) => {
      seen.push(Object.keys(query))

      return () => true
    }
  })
  const query = { a: 1, $or: [{ a: 1 }], $populate: 'x', search: 'y', $sort: { a: 1 }, $limit: 1 }
  const { endCursor }: any = await service.find({ query: { ...query, $total: true } as any })

  await service.find({ query: { ...query, $after: endCursor } as any })
  expect(seen).toEqual([
    ['a', '$or'],
    ['a', '$or']
  ])
})
