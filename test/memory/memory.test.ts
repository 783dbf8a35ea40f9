import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryAdapter, type MemoryOptions, MemoryService, memory } from '../../src/memory.ts'
import { scaled } from '../support/scale.ts'

/** What `find` gives without pagination. */
const rows = (service: MemoryService, query: object = {}): Promise<any[]> =>
  service.find({ query, paginate: false })
const ids = (records: any) => records.map(({ id }: any) => id)
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('The call was not refused'),
    ({ name, code, message }) => ({ name, code, message })
  )

describe('the service', () => {
  it('is a MemoryService, which is a MemoryAdapter with public methods', () => {
    expect(memory()).toBeInstanceOf(MemoryService)
    expect(memory()).toBeInstanceOf(MemoryAdapter)
    expect(new MemoryAdapter()).not.toHaveProperty('find')
  })

  it('stores, finds, changes and removes', async () => {
    const people = memory()

    expect(await people.create({ name: 'Ada' })).toEqual({ id: 0, name: 'Ada' })
    expect(await people.create({ name: 'Bob' })).toEqual({ id: 1, name: 'Bob' })
    expect(await people.get(0)).toEqual({ id: 0, name: 'Ada' })
    expect(await people.patch(0, { age: 36 })).toEqual({ id: 0, name: 'Ada', age: 36 })
    expect(await people.update(0, { nick: 'A' })).toEqual({ id: 0, nick: 'A' })
    expect(await people.remove(1)).toEqual({ id: 1, name: 'Bob' })
    expect(await people.find()).toEqual([{ id: 0, nick: 'A' }])
  })

  it('a method that is overridden reaches the original without params', async () => {
    class People extends MemoryService {
      override async get(id: any) {
        return { ...(await super.get(id)), seen: true }
      }

      override async find() {
        return ((await super.find()) as any).reverse()
      }
    }

    const people = new People({ store: { 1: { id: 1 }, 2: { id: 2 } } })

    expect(await people.get(1)).toEqual({ id: 1, seen: true })
    expect(ids(await people.find())).toEqual([2, 1])
  })

  it('an adapter without public methods is filled by underscore', async () => {
    const adapter = new MemoryAdapter()

    await adapter._create([{ n: 1 }, { n: 2 }])

    expect(await adapter._find({ query: { n: { $gt: 1 } } })).toEqual([{ id: 1, n: 2 }])
  })
})

describe('ids', () => {
  it('begin with `startId`', async () => {
    expect(await memory({ startId: 100 }).create({})).toEqual({ id: 100 })
  })

  it.each([Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])(
    'cannot begin with %s, after which no free one would ever be found',
    (startId) => {
      expect(() => memory({ startId })).toThrow("Invalid option 'startId' of MemoryService")
    }
  )

  it('are in the field that `id` names', async () => {
    const people = memory({ id: '_id', multi: true })

    await people.create([{ name: 'a' }, { _id: 'x', name: 'b' }])

    expect(await people.find({ query: { $select: ['missing'] } })).toEqual([{ _id: 0 }, { _id: 'x' }])
    expect(await people.patch('x', { _id: 'y', id: 5 })).toEqual({ _id: 'x', name: 'b', id: 5 })
    expect(await people.find({ query: { _id: 'x' } })).toHaveLength(1)
  })

  it('follow `options.id` when it changes while the service runs', async () => {
    const people = memory()

    people.options.id = '_id'
    await people.create({ _id: 7, id: 1 })

    expect(await people.get(7)).toEqual({ _id: 7, id: 1 })
    expect(await people.find({ query: { _id: 7 } })).toHaveLength(1)
    expect(await people.find({ query: { id: 1 } })).toHaveLength(1)
    expect(await people.find({ query: { id: { $in: [1, 2] } } })).toHaveLength(1)
  })

  it('are found as text and as numbers, and keep their type', async () => {
    const people = memory({ store: { 1: { id: 1 }, two: { id: 'two' }, 3: { id: '3' } } })

    expect(await people.get('1')).toEqual({ id: 1 })
    expect(await people.patch('1', { a: 1 })).toEqual({ id: 1, a: 1 })
    expect(await people.update('1', { id: '1', b: 1 })).toEqual({ id: 1, b: 1 })
    expect(await people.get(3)).toEqual({ id: '3' })
    expect(await people.remove('1')).toEqual({ id: 1, b: 1 })
  })

  it('in a query are values like others: a string finds the number that is written so', async () => {
    const people = memory({ store: { 1: { id: 1 } } })

    expect(await people.find({ query: { id: 1 } })).toHaveLength(1)
    expect(await people.find({ query: { id: '1' } })).toHaveLength(1)
    expect(await people.find({ query: { id: '01' } })).toHaveLength(0)
    expect(await people.find({ query: { id: { $in: ['1', 1] } } })).toHaveLength(1)
    expect(await refusal(people.get(1, { query: { id: 2 } }))).toMatchObject({ name: 'NotFound' })
  })

  it('may be 0, and are generated for null and for an empty text', async () => {
    const people = memory({ startId: 5 })

    expect(await people.create({ id: 0 })).toEqual({ id: 0 })
    expect(await people.create({ id: null })).toEqual({ id: 5 })
    expect(await people.create({ id: '' })).toEqual({ id: 6 })
    expect(await people.create({ id: undefined })).toEqual({ id: 7 })
    expect(await people.get(0)).toEqual({ id: 0 })
  })

  it('that are taken are a conflict, whatever their type', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' } } })

    for (const id of [1, '1']) {
      expect(await refusal(people.create({ id, name: 'Eve' }))).toEqual({
        name: 'Conflict',
        code: 409,
        message: "A record with the id '1' exists already"
      })
    }

    expect(await people.find()).toEqual([{ id: 1, name: 'Ada' }])
  })

  it('that are generated skip those that are taken, in the same call too', async () => {
    const people = memory({ multi: true, store: { 0: { id: 0 }, 2: { id: '2' } } })

    expect(ids(await people.create([{}, { id: 1 }, { id: '4' }, {}]))).toEqual([3, 1, '4', 5])
  })

  it('that are removed are not given again', async () => {
    const people = memory()

    await people.create({})
    await people.remove(0)

    expect(await people.create({})).toEqual({ id: 1 })
  })

  it('of a name that every object has are ordinary ids', async () => {
    const people = memory()

    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(await refusal(people.get(id))).toMatchObject({
        name: 'NotFound',
        message: `No record found for id '${id}'`
      })
      expect(await people.create({ id, name: 'mine' })).toEqual({ id, name: 'mine' })
      expect(await people.get(id)).toEqual({ id, name: 'mine' })
      expect(await refusal(people.create({ id }))).toMatchObject({ name: 'Conflict' })
    }

    expect(await people.find()).toHaveLength(4)
    expect(Object.keys(people.store)).toHaveLength(4)
    expect(({} as any).name).toBeUndefined()
  })

  it('cannot be changed', async () => {
    const people = memory({ multi: true, store: { 1: { id: 1 }, 2: { id: 2 } } })

    expect(await people.patch(1, { id: 5, a: 1 })).toEqual({ id: 1, a: 1 })
    expect(await people.update(1, { id: 5, b: 1 })).toEqual({ id: 1, b: 1 })
    expect(ids(await people.patch(null, { id: 5 }))).toEqual([1, 2])
    expect(ids(await people.find())).toEqual([1, 2])
  })
})

describe('`store`', () => {
  it('holds the records to begin with, by id', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' }, two: { id: 'two' } } })

    expect(await people.get(1)).toEqual({ id: 1, name: 'Ada' })
    expect(await people.find()).toEqual([{ id: 1, name: 'Ada' }, { id: 'two' }])
  })

  it('goes by the id of a record, or else by its key; of two with one id the last one counts', async () => {
    const people = memory({ store: { one: { id: 1 }, two: { name: 'Bob' }, three: { id: 1, name: 'Ada' } } })

    expect(people.store).toEqual({ 1: { id: 1, name: 'Ada' }, two: { name: 'Bob' } })
    expect(await people.find()).toHaveLength(2)
  })

  it('is copied, in both directions', async () => {
    const store = { 1: { id: 1, tags: ['a'] } }
    const people = memory({ store })

    store[1].tags.push('b')
    people.store[1].tags.push('c')
    await people.patch(1, { name: 'Ada' })

    expect(store).toEqual({ 1: { id: 1, tags: ['a', 'b'] } })
    expect(people.store).toEqual({ 1: { id: 1, tags: ['a'], name: 'Ada' } })
    expect(people.options).toHaveProperty('store', store)
  })

  it('can be replaced; indexes follow', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' } }, indexes: ['name'] })

    people.store = { 2: { id: 2, name: 'Bob' } }

    expect(await people.find()).toEqual([{ id: 2, name: 'Bob' }])
    expect(await people.find({ query: { name: 'Ada' } })).toEqual([])
    expect(await people.find({ query: { name: { $in: ['Bob', 'Ada'] } } })).toHaveLength(1)
    expect(await people.find({ query: { name: 'Bob' } })).toHaveLength(1)
  })
})

describe('what is stored belongs to the store', () => {
  const record = () => ({ id: 1, list: [{ a: 1 }], nested: { date: new Date(5) } })

  it('nothing that went in or came out leads to it', async () => {
    const things = memory({ multi: true })
    const data = record()
    const patch = { more: [{ b: 1 }] }
    const results = [
      await things.create(data),
      await things.get(1),
      (await rows(things))[0],
      await things.patch(1, patch),
      (await things.patch(null, patch))[0],
      things.store[1]
    ]

    for (const result of [...results, data] as any[]) {
      result.list[0].a = 'changed'
      result.list.push('changed')
      result.nested.date.setTime(0)
      delete result.nested
    }

    patch.more.push({ b: 2 })

    expect(await things.get(1)).toEqual({ ...record(), more: [{ b: 1 }] })

    const replacement = { deep: { list: [1] } }
    const updated = await things.update(1, replacement)

    replacement.deep.list.push(2)
    updated.deep.list.push(3)

    expect(await things.get(1)).toEqual({ id: 1, deep: { list: [1] } })
  })

  it('records that one patch has changed share nothing', async () => {
    const things = memory({ multi: true, store: { 1: { id: 1 }, 2: { id: 2 } } })

    const data = { tags: ['a'] }
    const [first] = (await things.patch(null, data)) as any

    first.tags.push('b')
    data.tags.push('c')

    expect((await rows(things)).map(({ tags }) => tags)).toEqual([['a'], ['a']])
  })

  it('frozen data, params and options work', async () => {
    const freeze = (value: any): any => {
      if (typeof value === 'object') for (const part of Object.values(value)) freeze(part)

      return Object.freeze(value)
    }
    const things = memory(
      freeze({ multi: true, store: { 1: { id: 1, tags: ['a'] } }, paginate: { default: 5 } })
    )
    const params = freeze({
      query: { $or: [{ id: { $gte: 0 } }], $sort: { id: 1 }, $select: ['tags'], $limit: 1 }
    })
    const data = freeze({ tags: ['b'], nested: { a: 1 } })

    await things.create(freeze([data, data]), params)
    await things.patch(null, data, params)
    await things.update(1, data, params)

    expect(await things.find(params)).toEqual({ total: 3, limit: 1, skip: 0, data: [{ id: 0, tags: ['b'] }] })
    expect(await things.remove(null, params)).toHaveLength(3)
  })

  it('dates stay dates', async () => {
    const things = memory()
    const created = await things.create({ at: new Date(5) })

    expect(created.at).toEqual(new Date(5))
    expect(await things.find({ query: { at: { $lt: new Date(6) } } })).toHaveLength(1)
  })

  it('class instances stay instances, through patch and update too', async () => {
    class Person {
      first = 'Ada'

      get greeting() {
        return `Hello ${this.first}`
      }
    }

    const people = memory<any>()

    expect((await people.create(new Person())).greeting).toBe('Hello Ada')
    expect((await people.patch(0, { first: 'Eve' })).greeting).toBe('Hello Eve')
    expect((await people.update(0, new Person())).greeting).toBe('Hello Ada')
    expect((await rows(people, { first: 'Ada' }))[0].greeting).toBe('Hello Ada')
  })
})

describe('data that are an instance of a class', () => {
  class Empty {}

  it('are copied even when they have no fields', async () => {
    const things = memory<any>({ store: { 1: { id: 1 } } })
    const created: any = Object.freeze(new Empty())
    const updated: any = new Empty()

    expect(await things.create(created)).toEqual({ id: 0 })
    expect(await things.update(1, updated)).toEqual({ id: 1 })
    expect(Object.keys(updated)).toEqual([])

    updated.added = true

    expect(await things.get(1)).toEqual({ id: 1 })
  })
})

describe('several at once', () => {
  it('create is all or nothing', async () => {
    const things = memory({ multi: true, store: { 5: { id: 5 } } })

    expect(await refusal(things.create([{ n: 1 }, { id: 5 }, { n: 2 }]))).toMatchObject({ name: 'Conflict' })
    expect(await refusal(things.create([{ id: 6 }, { id: '6' }]))).toEqual({
      name: 'Conflict',
      code: 409,
      message: 'Two of the records have the same id'
    })
    expect(ids(await things.find())).toEqual([5])
  })

  it('patch changes nothing when it cannot change everything', async () => {
    const things = memory({ multi: true, store: { 1: { id: 1, a: 1 }, 2: { id: 2, a: 1 } } })
    let reads = 0
    const data = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        reads++
        if (reads > 1) throw new Error('read too often')

        return 2
      }
    })

    await things.patch(null, data).catch(() => undefined)

    expect(new Set((await rows(things)).map(({ a }) => a)).size).toBe(1)
  })

  it('patch and remove return all that matched before, whatever the pagination', async () => {
    const things = memory({ multi: true, paginate: { default: 1, max: 1 } })

    await things.create([{ n: 1 }, { n: 2 }, { n: 3 }])

    expect(await things.patch(null, { n: 9 }, { query: { n: { $gt: 1 }, $limit: 1 } })).toEqual([
      { id: 1, n: 9 },
      { id: 2, n: 9 }
    ])
    expect(ids(await things.remove(null, { query: { n: 9, $limit: 0 } }))).toEqual([1, 2])
    expect(await things.remove(null, { query: { n: 9 } })).toEqual([])
    expect(await things.find()).toMatchObject({ total: 1 })
  })
})

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

describe('indexes', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom<any>(null, undefined, 'a', '1', true, 1n, -0),
    fc.integer({ min: 0, max: 3 }).map((time) => new Date(time)),
    fc.constantFrom([], [1]).map((bytes) => Uint8Array.from(bytes)),
    fc.constantFrom<any>([1], { c: 1 })
  )
  const field = fc.constantFrom('a', 'b.c', 'b', 'id', 'other')
  const operand = value.filter(
    (item) => !Array.isArray(item) && Object.getPrototypeOf(item ?? 0) !== Object.prototype
  )
  const condition = fc.oneof(
    operand,
    fc.record({ $eq: operand }),
    fc.record({ $in: fc.array(operand, { maxLength: 3 }) }),
    fc.record({ $ne: operand }),
    fc.record({ $gt: operand })
  )
  const fields = fc.dictionary(field, condition, { maxKeys: 3 })
  const query = fc.oneof(
    fields,
    fc.tuple(fields, fc.array(fields, { maxLength: 2 })).map(([some, either]) => ({ ...some, $or: either })),
    fc.array(fields, { maxLength: 3 }).map((all) => ({ $and: all }))
  )
  const data = fc.record(
    { a: value, b: fc.oneof(value, fc.record({ c: value })), other: value },
    { requiredKeys: [] }
  )
  const id = fc.oneof(fc.nat(8), fc.nat(8).map(String))
  const write = fc.oneof(
    fc.record({ method: fc.constant('create'), data }),
    fc.record({
      method: fc.constant('create'),
      data: fc.tuple(id, data).map(([id, data]) => ({ ...data, id }))
    }),
    fc.record({ method: fc.constantFrom('update', 'patch'), id, data }),
    fc.record({ method: fc.constant('remove'), id }),
    fc.record({ method: fc.constant('patch'), id: fc.constant(null), data, query }),
    fc.record({ method: fc.constant('remove'), id: fc.constant(null), query })
  )

  /** What a call gives: a result, or the name of an error. */
  async function run(service: any, { method, id, data, query }: any): Promise<unknown> {
    const args = method === 'create' ? [data] : method === 'remove' ? [id, { query }] : [id, data, { query }]

    return service[method](...args).catch((error: any) => error.name)
  }

  it('give the same rows as without, after whatever was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 25 }),
        fc.array(query, { minLength: 1, maxLength: 5 }),
        async (writes, queries) => {
          const options: MemoryOptions = { multi: true, indexes: ['a', 'b.c', 'b', 'id', 'nowhere'] }
          const indexed = memory(options)
          const plain = memory({ multi: true })

          for (const call of writes) expect(await run(indexed, call)).toEqual(await run(plain, call))

          const all = await rows(plain)

          for (const query of queries) {
            const found = await rows(indexed, query)

            expect(found).toEqual(await rows(plain, query))
            // With an $or around it not even the id leads to a record.
            expect(found).toEqual(await rows(plain, { $or: [query, { $and: [query] }] }))
          }

          expect(await indexed.find()).toEqual(all)
        }
      ),
      { numRuns: scaled(4000) }
    )
  })

  it('find null where nothing is, each value with its own type, and a string with what is written so', async () => {
    const things = memory({ multi: true, indexes: ['a'] })
    const values = [null, undefined, 0, -0, '0', false, new Date(0), 0n]

    await things.create([...values.map((a) => ({ a })), {}])

    const found = async (a: unknown) => ids(await things.find({ query: { a } }))

    expect(await found(null)).toEqual([0, 1, 8])
    expect(await found({ $in: [null] })).toEqual([0, 1, 8])
    expect(await found(0)).toEqual([2, 3])
    expect(await found('0')).toEqual([2, 3, 4, 7])
    expect(await found('false')).toEqual([5])
    expect(await found('1970-01-01')).toEqual([6])
    expect(await found({ $in: ['00', '1970-01-01T00:00:00.000Z'] })).toEqual([6])
    expect(await found(false)).toEqual([5])
    expect(await found(new Date(0))).toEqual([6])
    expect(await found({ $in: [0n, new Date(0), 0] })).toEqual([2, 3, 6, 7])
  })

  it('equality and $in look at those that match, and not at every record', async () => {
    const people = memory({ multi: true, indexes: ['email'] })

    await people.create(
      Array.from({ length: 1000 }, (_, index) => ({ email: `${index}@example.com`, even: index % 2 === 0 }))
    )

    const looked = async (query: object) => {
      let count = 0
      const counting = memory({
        store: people.store,
        indexes: ['email'],
        operators: ['$count'],
        predicates: {
          $count: () => () => {
            count++

            return true
          }
        }
      })

      await counting.find({ query: { ...query, even: { $count: 1 } } })

      return count
    }

    expect(await looked({ email: '7@example.com' })).toBe(1)
    expect(await looked({ email: { $in: ['7@example.com', '8@example.com', 'nobody'] } })).toBe(2)
    expect(await looked({ id: 7 })).toBe(1)
    expect(await looked({ email: { $gt: '' } })).toBe(1000)
  })
})

it('reads only what records have themselves: an inherited getter is not run', async () => {
  class Thing {
    get loud(): never {
      throw new Error('must not be read')
    }
  }

  const things: any = memory()

  await things.create(Object.assign(new Thing(), { n: 1 }))

  expect(await things.find({ query: { loud: null, $sort: { loud: 1 } } })).toHaveLength(1)
  expect(await things.get(0, { query: { loud: null } })).toMatchObject({ n: 1 })
})

it('a sorter that says nothing leaves records as they came', async () => {
  const things: any = memory({ sorter: () => () => Number.NaN, paginate: { default: 3 } })

  for (let n = 0; n < 5; n++) await things.create({ n })

  expect((await things.find({ query: { $sort: { n: 1 } } })).data.map(({ n }: any) => n)).toEqual([0, 1, 2])
})

describe('an id field of one call', () => {
  const params = { adapter: { id: 'slug' } }
  const open = () => memory({ store: { 1: { id: 1, slug: 'old', n: 1 }, 2: { id: 2, slug: 'other', n: 2 } } })

  it('leads to the record', async () => {
    const pages: any = open()

    expect(await pages.get('old', params)).toEqual({ id: 1, slug: 'old', n: 1 })
    expect(await pages.patch('old', { n: 3 }, params)).toEqual({ id: 1, slug: 'old', n: 3 })
    expect(await pages.patch('old', { n: 4, slug: 'old' }, params)).toEqual({ id: 1, slug: 'old', n: 4 })
    expect(await pages.update('old', { n: 5 }, params)).toEqual({ id: 1, slug: 'old', n: 5 })
    expect(await refusal(pages.get('none', params))).toMatchObject({ name: 'NotFound' })
    expect(await pages.remove('other', params)).toEqual({ id: 2, slug: 'other', n: 2 })
    expect(await pages.find()).toEqual([{ id: 1, slug: 'old', n: 5 }])
  })

  it('cannot be changed: a new value is refused and not dropped', async () => {
    const pages: any = open()

    for (const call of [
      pages.patch('old', { slug: 'new' }, params),
      pages.update('old', { slug: 'new' }, params),
      pages.patch('old', { slug: null }, params)
    ]) {
      expect(await refusal(call)).toMatchObject({
        name: 'BadRequest',
        message:
          "Invalid data: 'slug' is the id of this call, which cannot be changed. Use the id 'id' of the service"
      })
    }

    expect(await pages.patch(1, { slug: 'new' })).toEqual({ id: 1, slug: 'new', n: 1 })
  })
})

describe('options that there are not', () => {
  it.each(['pagination', 'indices', 'Model', 'whitelist'])('are refused by memory(): %s', (name) => {
    expect(() => memory({ [name]: {} } as any)).toThrow(`Unknown option '${name}' of MemoryService`)
    expect(() => memory({ [name]: undefined } as any)).not.toThrow()
  })

  it('are those of a subclass, which may say which', () => {
    class Cached extends MemoryService {}

    class Strict extends MemoryService {
      constructor(options: any) {
        super(options, ['cache'])
      }
    }

    expect(() => new Cached({ cache: true } as any)).not.toThrow()
    expect(() => new Strict({ cache: true, multi: true })).not.toThrow()
    expect(() => new Strict({ caching: true })).toThrow("Unknown option 'caching' of Strict")
  })
})
