import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { toTotalSort } from '../../src/adapter/cursor-page.ts'
import { Cursors, toBinding } from '../../src/adapter/cursors.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { parseQuery } from '../../src/query/parse.ts'
import { scaled } from '../support/scale.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'

const SECRET = 'a long secret of this test'

/** The ids of all records, page by page. */
async function walk(service: any, query: object, step: 1 | -1, size: number): Promise<unknown[]> {
  const ids: unknown[] = []
  let place: object = {}

  if (step === -1) {
    const { endCursor, data } = await service.find({ query: { ...query, $limit: 1000 } })

    if (data.length === 0) return []
    ids.push(data.at(-1).id)
    place = { $before: endCursor }
  }

  for (let count = 0; count < 1000; count++) {
    const page = await service.find({ query: { ...query, ...place, $limit: size } })
    const found = page.data.map(({ id }: { id: unknown }) => id)

    if (step === 1) ids.push(...found)
    else ids.unshift(...found)
    if (!(step === 1 ? page.hasNextPage : page.hasPreviousPage)) return ids

    place = step === 1 ? { $after: page.endCursor } : { $before: page.startCursor }
  }

  return ids
}

/** Values that are near to each other in a type, as literals of SQL. */
const VALUES: readonly (readonly [on: readonly TestDatabase[], type: string, values: readonly string[]])[] = [
  [
    [POSTGRES],
    'timestamptz',
    [
      ...[
        "'2026-01-01 10:00:00.000001+00'",
        "'2026-01-01 10:00:00.000002+00'",
        "'2026-01-01 10:00:00.0009+02'"
      ],
      ...["'infinity'", "'-infinity'", "'0044-03-15 00:00:00+00 BC'", "'10000-01-01 00:00:00+00'"]
    ]
  ],
  [[POSTGRES], 'timestamp', ["'2026-01-01 10:00:00.000001'", "'2026-01-01 10:00:00.000002'"]],
  [[POSTGRES], 'date', ["'2026-01-01'", "'2026-01-02'", "'infinity'"]],
  [[POSTGRES], 'interval', ["'1 day'", "'2 days'", "'10 days'"]],
  [[POSTGRES], 'uuid', ["'a0000000-0000-4000-8000-000000000001'", "'a0000000-0000-4000-8000-000000000002'"]],
  [[POSTGRES], 'bytea', ["'\\x00'", "'\\xff'", "'\\xff00'"]],
  [[POSTGRES], 'int[]', ["'{1,2}'", "'{1,10}'", "'{}'"]],
  [[POSTGRES], 'real', ['0.1', '0.1000001', "'NaN'"]],
  [[POSTGRES], 'numeric', ['1.00000000000000000001', '1.00000000000000000002', "'NaN'", '1e40']],
  [[POSTGRES], 'jsonb', ["'1.00000000000000000001'", "'1.00000000000000000002'"]],
  [[MARIADB], 'datetime(6)', ["'2026-01-01 10:00:00.000001'", "'2026-01-01 10:00:00.000002'"]],
  [[MARIADB], 'date', ["'2026-01-01'", "'2026-01-02'"]],
  [[MARIADB], 'float', ['0.1', '0.1000001', '0.1000002']],
  [[MARIADB], 'bit(64)', ["b'1'", "b'10'", '9007199254740993']],
  [[MARIADB], 'varbinary(9)', ["x'00'", "x'ff'", "x'ff00'"]],
  [[MARIADB], "enum('b', 'a')", ["'a'", "'b'"]],
  [[MARIADB], "enum('b', 'a') collate utf8mb4_nopad_bin", ["'a'", "'b'"]],
  [[MARIADB], "set('b', 'a') collate utf8mb4_nopad_bin", ["'a'", "'b'", "'b,a'"]],
  [[MARIADB], 'decimal(40, 20)', ['1.00000000000000000001', '1.00000000000000000002']],
  [[SQLITE], '', ['1', "'1'", '1.5', "x'01'", '9007199254740993', '9007199254740994', "'it''s'"]],
  [[SQLITE], 'datetime', ["'2026-01-01 10:00:00.0001'", "'2026-01-01T10:00:00.0002Z'", "'2026-01-01'"]],
  [[SQLITE], 'boolean', ['0', '1', "'false'", "'yes'"]],
  [[SQLITE, POSTGRES, MARIADB], 'bigint', ['9007199254740993', '9007199254740992', '-9007199254740993']],
  [[SQLITE, POSTGRES, MARIADB], 'double precision', ['0.1', '0.30000000000000004', '1e300', '5e-324']],
  [
    [SQLITE, POSTGRES, MARIADB],
    'json',
    [
      ...["'1'", "'10'", "'9'", '\'"10"\'', '\'"9"\'', "'true'", "'false'", "'null'", "'[1]'", "'[2]'"],
      ...["'{}'", "'9007199254740993'", "'0.1'", "'0.30000000000000004'"]
    ]
  ],
  [[SQLITE, POSTGRES, MARIADB], 'varchar(20)', ["'a'", "'A'", "'ä'", "'a '", "''", "'b'"]]
]

/** What the value of a key is not, or not in each column. */
const MADE_UP = [
  ...[
    '',
    'x',
    "'",
    "X'x",
    '\0',
    '\ud800',
    'NaN',
    'Infinity',
    '-Inf',
    '1e400',
    '-0',
    '0x10',
    '1.5',
    'true',
    '{}'
  ],
  ...['9'.repeat(23), `-${'9'.repeat(23)}`, '9'.repeat(400), `0.${'9'.repeat(400)}`, '2024-13-45']
]

describeDatabases('cursors', (database) => {
  const options = { paginate: { default: 3, cursor: { secret: SECRET } } }

  for (const [on, type, values] of VALUES) {
    if (!on.includes(database)) continue

    it(`hold every digit of ${type || 'a column without a type'}`, async () => {
      const db = await createTable(database, 'alula_cursors', `id integer primary key, value ${type}`)
      const service: any = kysely({ Model: db, name: 'alula_cursors', ...options })
      const rows = [...values, 'null', ...values, 'null'].map((value, id) => `(${id + 1}, ${value})`)

      await sql`insert into alula_cursors (id, value) values ${sql.raw(rows.join())}`.execute(db)

      for (const direction of [1, -1] as const) {
        const query = { $sort: { value: direction } }
        const all = (await service.find({ paginate: false, query })).map(({ id }: { id: number }) => id)

        for (const size of [1, 4]) {
          expect(await walk(service, query, 1, size)).toEqual(all)
          expect(await walk(service, query, -1, size)).toEqual(all)
        }
      }
    })
  }

  it('find in random programs what is found without pages, while records come and go', async () => {
    const db = await createTable(
      database,
      'alula_cursors',
      `id ${database.countedId}, a integer, b ${database.text}, c ${database.date}`
    )
    const stored: any = kysely({ Model: db, name: 'alula_cursors', multi: true, ...options })
    const record = fc.record({
      a: fc.constantFrom(null, 0, 1, 2),
      b: fc.constantFrom(null, '', 'x', 'y'),
      c: fc.constantFrom(null, new Date(0), new Date(1))
    })
    const sort = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'id'), fc.constantFrom(1, -1)), {
      maxLength: 3,
      selector: ([name]) => name
    })
    const change = fc.record({ isNew: fc.boolean(), data: record, place: fc.nat(20) })

    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        sort,
        fc.array(change, { maxLength: 6 }),
        fc.nat(11),
        fc.integer({ min: 0, max: 4 }),
        async (records, fields, changes, place, $limit) => {
          const kept: any = memory({ multi: true, startId: 1_000_000, ...options })
          const query = { $sort: Object.fromEntries(fields) }

          await stored.remove(null)
          for (const data of await stored.create(records)) await kept.create(data)

          const start = await Promise.all(
            [stored, kept].map((service) => service.find({ query: { ...query, $limit: place + 1 } }))
          )

          for (const { isNew, data, place: index } of changes) {
            const [known] = (await kept.find({ paginate: false, query: { $sort: { id: 1 } } })).slice(index)

            if (isNew) await kept.create(await stored.create(data))
            else if (known) for (const service of [stored, kept]) await service.remove(known.id)
          }

          const all = await stored.find({
            paginate: false,
            query: { $sort: { ...query.$sort, id: query.$sort.id ?? 1 } }
          })

          expect(await walk(stored, query, 1, 2)).toEqual(all.map(({ id }: any) => id))
          for (const name of ['$after', '$before']) {
            const [one, other] = await Promise.all(
              [stored, kept].map(async (service, index) => {
                const cursor = start[index].endCursor ?? undefined
                const { startCursor, endCursor, ...page } = await service.find({
                  query: { ...query, $limit, $total: true, ...(cursor && { [name]: cursor }) }
                })

                return page
              })
            )

            expect(one).toEqual(other)
          }
        }
      ),
      { numRuns: scaled(1_000) }
    )
  })

  it('that a client has made up are a BadRequest, or the place of other values', async () => {
    const db = await createTable(
      database,
      'alula_cursors',
      `id ${database.countedId}, a integer, c ${database.date}`
    )
    const paginate = { default: 3, cursor: true }

    for (const service of [
      kysely({ Model: db, name: 'alula_cursors', paginate }),
      memory({ paginate })
    ] as any[]) {
      await service.create({ a: 1, c: new Date(0) })

      for (const key of [
        ['x', 'x', 'x'],
        ['1', '1', "'"],
        ['NaN', 'NaN', 'NaN'],
        [1, {}, []],
        ['1'],
        {},
        'x'
      ]) {
        const sort = toTotalSort(parseQuery({ $sort: { a: 1, c: 1 } }).sort, 'id')
        const cursors = new Cursors([], toBinding(parseQuery({}).where, sort))
        const $after = await cursors.seal(key as any)
        const code = await service.find({ query: { $sort: { a: 1, c: 1 }, $after } }).then(
          () => 200,
          (error: any) => error.code
        )

        expect([200, 400]).toContain(code)
      }
    }
  })

  for (const [on, type, [value]] of VALUES) {
    if (!on.includes(database)) continue

    it(`that a client has made up for ${type || 'a column without a type'} are no failure`, async () => {
      const db = await createTable(database, 'alula_cursors', `id integer primary key, value ${type}`)
      const service: any = kysely({
        Model: db,
        name: 'alula_cursors',
        paginate: { default: 3, cursor: true }
      })
      const sort = toTotalSort(parseQuery({ $sort: { value: 1 } }).sort, 'id')
      const cursors = new Cursors([], toBinding(parseQuery({}).where, sort))

      await sql`insert into alula_cursors (id, value) values (1, ${sql.raw(value as string)})`.execute(db)

      for (const key of MADE_UP.flatMap((text) => [
        [text, '1'],
        [null, text]
      ])) {
        for (const name of ['$after', '$before']) {
          const query = { $sort: { value: 1 }, [name]: await cursors.seal(key) }
          const code = await service.find({ query }).then(
            () => 200,
            (error: any) => error.code
          )

          expect([200, 400], `${name} ${key}`).toContain(code)
        }
      }
    })
  }

  it('are read by conditions that begin with the first field, and skip no rows', async () => {
    const statements: string[] = []
    const db = await createTable(
      database,
      'alula_cursors',
      `id ${database.countedId}, a integer not null`,
      (event) => void statements.push(event.query.sql)
    )
    const service: any = kysely({ Model: db, name: 'alula_cursors', multi: true, ...options })

    await service.create([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }])

    const { endCursor } = await service.find({ query: { $sort: { a: -1 } } })

    statements.length = 0
    await service.find({ query: { $sort: { a: -1 }, $after: endCursor } })
    expect(statements).toHaveLength(2)
    expect(statements[0]).toMatch(/where .*a["`] <= .* order by/)
    expect(statements.join()).not.toContain('offset')
  })
})

describeDatabases(
  'cursors of a list of an enum whose name has capitals',
  (database) => {
    it('lead through all pages', async () => {
      const setUp = database.open()

      onTestFinished(async () => {
        await sql`drop type "alula_Mood"`.execute(setUp)
        await setUp.destroy()
      })
      await sql`drop type if exists "alula_Mood" cascade`.execute(setUp)
      await sql`create type "alula_Mood" as enum ('calm', 'glad')`.execute(setUp)

      const db = await createTable(database, 'alula_moods', 'id serial primary key, moods "alula_Mood"[]')
      const paginate = { default: 1, cursor: { secret: SECRET } }
      const service: any = kysely({ Model: db, name: 'alula_moods', paginate, multi: true })

      await service.create([{ moods: ['glad'] }, { moods: ['calm'] }, { moods: ['calm', 'glad'] }])

      expect(await walk(service, { $sort: { moods: 1 } }, 1, 1)).toEqual([2, 3, 1])
    })
  },
  [POSTGRES]
)

describeDatabases(
  'null that is older than a constraint',
  (database) => {
    it('is sorted, and on a page', async ({ skip }) => {
      const db = await createTable(database, 'alula_late_nulls', 'id serial primary key, a integer')
      const { rows } = await sql<{ version: string }>`
        select current_setting('server_version_num') as version`.execute(db)

      skip(Number(rows[0]?.version) < 180_000, 'this version checks all rows')
      await sql`insert into alula_late_nulls (a) values (3), (null), (1), (null), (2)`.execute(db)
      await sql`alter table alula_late_nulls add constraint a_given not null a not valid`.execute(db)

      const paginate = { default: 2, cursor: { secret: SECRET } }
      const service: any = kysely({ Model: db, name: 'alula_late_nulls', paginate })

      for (const direction of [1, -1]) {
        const query = { $sort: { a: direction, id: 1 } }
        const ids = direction === 1 ? [2, 4, 3, 5, 1] : [1, 5, 3, 2, 4]

        expect((await service.find({ query, paginate: false })).map(({ id }: any) => id)).toEqual(ids)
        expect(await walk(service, query, 1, 2)).toEqual(ids)
        expect(await walk(service, query, -1, 2)).toEqual(ids)
      }
    })
  },
  [POSTGRES]
)
