import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MemoryOptions, memory } from '../../src/memory.ts'
import { scaled } from '../support/scale.ts'
import { ids, rows } from './support.ts'

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
