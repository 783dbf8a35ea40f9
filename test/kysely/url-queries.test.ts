import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toQueryString } from '../../src/client/query.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

// A query means the same as an object with types and in a URL, where every value is a string.

const VALUES = {
  name: fc.constantFrom('', 'a', 'B', '7', '07', 'true', '2026-11-22', 'null'),
  age: fc.constantFrom(0, 7, -0.5, 1000, 0.1, 1e21),
  position: fc.constantFrom(0, 7, -1, 1000),
  active: fc.boolean(),
  joined: fc
    .constantFrom('1969-09-01T00:00:00.001Z', '2026-11-22', '2026-11-22T12:30Z')
    .map((at) => new Date(at)),
  'address.zip': fc.constantFrom(0, 7, -0.5),
  'address.city': fc.constantFrom('Rome', '7', 'true')
}

const condition = fc.oneof(
  ...Object.entries(VALUES).map(([field, value]: [string, fc.Arbitrary<unknown>]) => {
    const operators = fc.oneof(
      fc.tuple(fc.constantFrom('$ne', '$lt', '$lte', '$gt', '$gte'), value),
      fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(value, { minLength: 1, maxLength: 3 }))
    )

    return fc
      .oneof(
        value,
        operators.map(([operator, operand]) => ({ [operator]: operand }))
      )
      .map((test) => ({ [field]: test }))
  })
)
const query = fc.oneof(
  condition,
  fc.tuple(condition, condition).map(([one, other]) => ({ $and: [one, other] })),
  fc.array(condition, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or }))
)

const nullable = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: null, freq: 5 })
const { 'address.zip': zip, 'address.city': city, ...columns } = VALUES
const record = fc.record({
  ...(Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [name, nullable(value as fc.Arbitrary<unknown>)])
  ) as object),
  address: nullable(fc.record({ zip: nullable(zip), city: nullable(city) }))
})

describeDatabases('queries in a URL', ({ name, ...database }) => {
  it('find the same records as their objects, and as in memory', async () => {
    const db = await createTable(
      { name, ...database },
      'alula_url_queries',
      `id ${database.countedId}, name ${database.text}, age ${database.number}, position integer,
        active ${database.boolean}, joined ${database.date}, address ${database.json}`
    )
    const records = fc.sample(record, { numRuns: 40, seed: 7 })
    const table: any = kysely({ Model: db, name: 'alula_url_queries', multi: true })
    const reference: any = memory({ multi: true })

    await reference.create(await table.create(records))

    const find = async (service: any, query: object) => {
      const found = await service.find({ query: { ...query, $sort: { id: 1 }, $select: ['id'] } })

      return found.map(({ id }: any) => id)
    }

    await fc.assert(
      fc.asyncProperty(query, async (query) => {
        const written = parseQueryString(toQueryString(query))
        const expected = await find(reference, query)

        expect(await find(reference, written)).toEqual(expected)
        expect(await find(table, query)).toEqual(expected)
        expect(await find(table, written)).toEqual(expected)
      }),
      { numRuns: scaled(10_000) }
    )
  }, 120_000)
})
