import fc from 'fast-check'
import qs from 'qs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const Note = z.object({
  id: z.int(),
  text: z.string().nullable().default('none'),
  age: z.int().nullable().default(1),
  size: z.number().nullable().default(0.5),
  active: z.boolean().nullable().default(true),
  joined: z.date().nullable().optional(),
  ownerId: z.string()
})

const declare = () => schema(Note, { server: { ownerId: () => 'ada' } })

/** Those that stand in a row of each kind, so that conditions often meet. */
const values = {
  text: fc.constantFrom('a', '7', 'true', '2026-11-22', "o'", ''),
  age: fc.integer({ min: -2, max: 9 }),
  size: fc.constantFrom(-0.5, 0, 0.5, 7),
  active: fc.boolean(),
  joined: fc
    .constantFrom('2026-11-22T00:00:00.000Z', '2026-01-01T10:30:00.000Z')
    .map((text) => new Date(text))
}

type Name = keyof typeof values

const names = Object.keys(values) as Name[]

const conditions = fc.constantFrom(...names).chain((name) =>
  fc
    .oneof(
      values[name],
      fc
        .tuple(fc.constantFrom('$ne', '$gt', '$gte', '$lt', '$lte'), values[name])
        .map(([op, value]) => ({ [op]: value })),
      fc
        .tuple(
          fc.constantFrom('$in', '$nin'),
          fc.array(values[name] as fc.Arbitrary<unknown>, { minLength: 1, maxLength: 3 })
        )
        .map(([op, list]) => ({ [op]: list }))
    )
    .map((condition) => ({ [name]: condition }))
)

const queries = fc.oneof(
  conditions,
  fc.tuple(conditions, conditions).map((parts) => ({ $or: parts })),
  fc.tuple(conditions, conditions).map((parts) => ({ $and: parts }))
)

/** Values that the field does not have, as a URL writes them. */
const damage = fc.constantFrom(
  ...[
    { age: '07' },
    { age: '1e3' },
    { age: ' 7' },
    { age: '0.5' },
    { age: { $gt: 'x' } },
    { age: { $in: ['1', 'x'] } }
  ],
  ...[
    { active: '1' },
    { active: 'TRUE' },
    { size: '1,5' },
    { joined: '2026-02-30' },
    { joined: '22.11.2026' }
  ],
  ...[{ password: 'x' }, { 'text.length': '1' }, { __proto__x: '1' }, { $or: [{ id: { $ne: 'x' } }] }],
  ...[
    { age: { $not: { $in: ['x'] } } },
    { $not: { secret: '1' } },
    { $sort: { secret: '1' } },
    { $select: ['secret'] }
  ]
)

const records = fc.array(fc.record(values as { [name in Name]: fc.Arbitrary<any> }, { requiredKeys: [] }), {
  minLength: 4,
  maxLength: 8
})

/** As it comes out of a URL, where all is a string. */
function throughUrl(query: object): object {
  return parseQueryString(
    qs.stringify(query, { arrayFormat: 'indices', serializeDate: (date) => date.toISOString() })
  )
}

function check(create: () => Promise<any>): void {
  it('a query means the same typed, from a URL and over a socket', async () => {
    const service = await create()

    await fc.assert(
      fc.asyncProperty(records, queries, async (data, query) => {
        const stored = await service.create(data.map((record) => ({ ...record })))
        const find = async (given: object, provider?: string) => {
          const found = await service.find({
            query: { ...given, $sort: { id: 1 } },
            ...(provider && { provider })
          })

          return found.map(({ id }: { id: number }) => id)
        }
        const expected = await find(query)

        try {
          expect(await find(throughUrl(query), 'rest')).toEqual(expected)
          expect(await find(JSON.parse(JSON.stringify(query)), 'socketio')).toEqual(expected)
        } finally {
          for (const { id } of stored) await service.remove(id)
        }
      }),
      { numRuns: scaled(400) }
    )
  })

  it('a damaged query is refused', async () => {
    const service = await create()

    await fc.assert(
      fc.asyncProperty(conditions, damage, async (condition, wrong) => {
        const url = { $and: [condition, wrong] }
        const query = '$sort' in wrong || '$select' in wrong ? wrong : url

        await expect(service.find({ query: throughUrl(query), provider: 'rest' })).rejects.toMatchObject({
          code: 400
        })
      }),
      { numRuns: scaled(1000) }
    )
  })

  it('a patch stores the fields that were sent and no others', async () => {
    const service = await create()
    const empty = { text: null, age: null, size: null, active: null, joined: null, ownerId: 'grace' }
    const dates = (record: object) => JSON.parse(JSON.stringify(record))

    await fc.assert(
      fc.asyncProperty(
        fc.record(values as { [name in Name]: fc.Arbitrary<any> }, { requiredKeys: [] }),
        fc.boolean(),
        async (data, isForbidden) => {
          const { id } = await service.create(empty)
          const sent = { ...data, ...(isForbidden && { ownerId: 'eve' }) }
          const patched = service.patch(id, sent, { provider: 'rest' })

          if (isForbidden) await expect(patched).rejects.toMatchObject({ code: 400 })
          else await patched

          expect(dates(await service.get(id))).toEqual(dates({ ...empty, id, ...(!isForbidden && data) }))
          await service.remove(id)
        }
      ),
      { numRuns: scaled(1000) }
    )
  })
}

describe('random input in memory', () => {
  check(async () => register(memory({ multi: true, operators: ['$not'] })))
})

describeDatabases('random input', (database) => {
  check(async () => {
    const { countedId, text, number, boolean, date } = database
    const db = await createTable(
      database,
      'alula_schemas',
      `id ${countedId}, text ${text}, age integer, size ${number}, active ${boolean}, joined ${date}, ${'"ownerId"'.replaceAll('"', database.name === 'MariaDB' ? '`' : '"')} ${text}`
    )

    return register(kysely({ Model: db, name: 'alula_schemas', multi: true, operators: ['$not'] }))
  })
})

function register(service: any): any {
  const app = alula()

  app.use('notes', service, { schema: declare() })

  return app.service('notes')
}
