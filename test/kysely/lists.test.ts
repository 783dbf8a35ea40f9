import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases, POSTGRES, type TestDatabase } from '../support/sql.ts'

const OPTIONS = { multi: true, operators: ['$contains', '$overlaps', '$not', '$nor'] }

const TEXTS = [
  '',
  'a',
  'A',
  'a ',
  'ä',
  'a\u0308',
  '1',
  '1.0',
  'true',
  'null',
  "'",
  '"',
  '\\',
  '{}',
  'ß',
  'ss',
  '🐦'
]
const INTEGERS = [0, 1, -1, 2147483647]

/** What a list in JSON may hold. */
const ANY = [...TEXTS, ...INTEGERS, 1.5, 0.1, 1e15, 9007199254740991, true, false, null]

/** Lists of such values, and what else the field may hold. */
function toLists(values: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const list = fc.array(fc.constantFrom(...values), { maxLength: 4 })

  return [...others, [], ...values.map((value) => [value]), ...fc.sample(list, { numRuns: 100, seed: 7 })]
}

/** Compares what a column finds with what memory finds. */
async function compareWithMemory(
  database: TestDatabase,
  db: Kysely<any>,
  lists: readonly unknown[],
  values: readonly unknown[],
  path = 'tags'
): Promise<void> {
  const service: any = kysely({ Model: db, name: 'alula_contains', ...OPTIONS })
  const reference: any = memory(OPTIONS)
  const data = lists.map((list, index) => ({
    id: index + 1,
    tags: path === 'tags' ? list : { 'it"s': 1, inner: list }
  }))

  await service.create(data)
  await reference.create(data)

  const wanted = fc.constantFrom(...values)
  const condition = fc.oneof(
    wanted.map(($contains) => ({ [path]: { $contains } })),
    fc.array(wanted, { maxLength: 3 }).map(($overlaps) => ({ [path]: { $overlaps } }))
  )

  await fc.assert(
    fc.asyncProperty(condition, condition, async (one, other) => {
      for (const query of [one, { $not: one }, { $nor: [one, other] }, { $or: [one, { $not: other }] }]) {
        const params = { query: { ...query, $sort: { id: 1 }, $select: ['id'] } }

        expect(await service.find(params), database.name).toEqual(await reference.find(params))
      }
    }),
    { numRuns: scaled(500) }
  )
}

describeDatabases('$contains and $overlaps', (database) => {
  it('find the same lists in JSON as in memory', async () => {
    const db = await createTable(
      database,
      'alula_contains',
      `id ${database.countedId}, tags ${database.json}`
    )
    const lists = toLists(ANY, [
      null,
      'a',
      1,
      true,
      {},
      { a: 'a' },
      [['a']],
      [{ a: 1 }],
      [[], 'a'],
      ['a', ['b']]
    ])

    await compareWithMemory(database, db, lists, [...ANY, 'b', '0.1', '9007199254740991', 'false'])
  }, 120_000)

  it('find the same lists in objects as in memory', async () => {
    const db = await createTable(
      database,
      'alula_contains',
      `id ${database.countedId}, tags ${database.json}`
    )

    await compareWithMemory(database, db, toLists(ANY, [null, 'a', {}]), ANY, 'tags.inner')
  }, 120_000)

  it('find nothing in fields that are no lists', async () => {
    const db = await createTable(
      database,
      'alula_contains',
      `id ${database.countedId}, name ${database.text}, tags ${database.json}`
    )
    const service: any = kysely({ Model: db, name: 'alula_contains', ...OPTIONS })

    await service.create({ name: 'a', tags: 'a' })

    for (const path of ['name', 'id', 'tags', 'tags.a', 'tags.a"b', 'tags.\0']) {
      expect(await service.find({ query: { [path]: { $contains: 'a' } } }), path).toEqual([])
      expect(
        await service.find({ query: { $nor: [{ [path]: { $overlaps: ['a', 1] } }] } }),
        path
      ).toHaveLength(1)
    }
  })

  it.each([
    [{ $contains: ['a'] }, "'$contains' expects a single value, got an array"],
    [{ $contains: {} }, "'$contains' expects a single value, got an object"],
    [{ $overlaps: 'a' }, "'$overlaps' expects an array, got a string"],
    [{ $overlaps: [['a']] }, "'$overlaps' expects a single value, got an array"]
  ])('refuse what is no value, as in memory: %j', async (tags, message) => {
    const db = await createTable(
      database,
      'alula_contains',
      `id ${database.countedId}, tags ${database.json}`
    )

    for (const service of [
      kysely({ Model: db, name: 'alula_contains', ...OPTIONS }),
      memory(OPTIONS)
    ] as any[]) {
      await service.create({ tags: ['a'] })
      await expect(service.find({ query: { tags } })).rejects.toMatchObject({
        name: 'BadRequest',
        message: `Invalid query: ${message}`
      })
    }
  })
})

describeDatabases(
  '$contains and $overlaps in arrays',
  (database) => {
    const UUIDS = ['aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeef']

    it.each([
      ['text[]', TEXTS],
      ['varchar(20)[]', TEXTS],
      ['integer[]', INTEGERS],
      ['bigint[]', [...INTEGERS, 9007199254740991]],
      ['real[]', [0.1, 1.5, 0]],
      ['double precision[]', [0.1, 1e-7, 1e21, 1]],
      ['boolean[]', [true, false]],
      ['uuid[]', UUIDS],
      ['jsonb[]', ['a', 'A', 1, true, { a: 1 }]],
      ['text[][]', TEXTS],
      ['date[]', ['2026-11-22', '2026-11-23']]
    ])(
      'find the same in %s as in memory',
      async (type, values) => {
        const db = await createTable(database, 'alula_contains', `id ${database.countedId}, tags ${type}`)
        const asked = [
          ...values.filter((value) => typeof value !== 'object'),
          null,
          'b',
          '1',
          1,
          'true',
          1.5,
          true
        ]

        await compareWithMemory(database, db, toLists([...values, null], [null]), asked)
      },
      120_000
    )

    it('find dates by their time', async () => {
      const db = await createTable(database, 'alula_contains', `id ${database.countedId}, tags timestamptz[]`)
      const service: any = kysely({ Model: db, name: 'alula_contains', ...OPTIONS })
      const time = '2026-11-22T10:00:00.123Z'

      await service.create([{ tags: [time, null] }, { tags: [] }])

      for (const value of [time, new Date(time), '2026-11-22T11:00:00.123+01:00', null]) {
        expect(await service.find({ query: { tags: { $contains: value } } }), String(value)).toHaveLength(1)
      }

      expect(await service.find({ query: { tags: { $contains: 'soon' } } })).toEqual([])
    })

    it('find what a column with the value of an element finds, whatever its type', async () => {
      const db = await createTable(database, 'alula_elements', 'id serial primary key, ip inet, ips inet[]')
      const service: any = kysely({ Model: db, name: 'alula_elements', ...OPTIONS })

      onTestFinished(async () => {
        const own = database.open()

        await sql`drop type if exists alula_list_mood cascade`.execute(own)
        await own.destroy()
      })
      await sql`drop type if exists alula_list_mood cascade`.execute(db)
      await sql`create type alula_list_mood as enum ('a', 'b')`.execute(db)
      await sql`alter table alula_elements add span interval, add spans interval[], add mood alula_list_mood,
        add moods alula_list_mood[]`.execute(db)
      await service.create({
        ...{ ip: '10.0.0.1', ips: ['10.0.0.1'], span: '1 day', spans: ['1 day'], mood: 'a', moods: ['a'] }
      })

      for (const [one, list, values] of [
        ['ip', 'ips', ['10.0.0.1', '10.0.0.1/32', 'x']],
        ['span', 'spans', ['1 day', '24:00:00', 'x']],
        ['mood', 'moods', ['a', 'b', 'zz']]
      ] as const) {
        for (const value of values) {
          const found = await service.find({ query: { [one]: value } })

          for (const condition of [{ $contains: value }, { $overlaps: ['no such value', value] }])
            expect(await service.find({ query: { [list]: condition } }), `${list} ${value}`).toEqual(found)
        }
      }
    })

    it('find nothing in arrays of several levels', async () => {
      const db = await createTable(database, 'alula_contains', `id ${database.countedId}, tags text[]`)
      const service: any = kysely({ Model: db, name: 'alula_contains', ...OPTIONS })

      await sql`insert into alula_contains (tags) values (array[['a', null]])`.execute(db)

      for (const value of ['a', null]) {
        expect(await service.find({ query: { tags: { $contains: value } } })).toEqual([])
      }
    })
  },
  [POSTGRES]
)
