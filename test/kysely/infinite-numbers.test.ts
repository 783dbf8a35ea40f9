// JSON has no infinite numbers, and no NaN: it would write null, which another write would store.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'

const NAME = 'alula_infinite'

/** The types that hold such numbers, each with some as they stand in SQL. */
const TYPES: {
  readonly [database: string]: readonly (readonly [type: string, values: readonly string[]])[]
} = {
  SQLite: [
    ['real', ['9e999', '-9e999', '1.5']],
    ['numeric', ['9e999', '-9e999', '1.5']]
  ],
  PostgreSQL: [
    ['double precision', ["'NaN'", "'Infinity'", "'-Infinity'", '1.5']],
    ['real', ["'NaN'", "'Infinity'", "'-Infinity'", '1.5']],
    ['numeric', ["'NaN'", "'Infinity'", "'-Infinity'", '1.5']],
    ['numeric(5, 2)', ["'NaN'", '1.50']]
  ]
}

async function open(database: TestDatabase, columns: string, options: object = {}) {
  const db = await createTable(database, NAME, columns)
  const app = alula()

  app.use('sizes', kysely({ Model: db, name: NAME, multi: true }), options)
  await app.setup()

  const handle = createHandler(app)

  async function call(method: string, path: string, body?: unknown) {
    const response = await handle(
      new Request(`http://localhost/sizes${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    )

    return { status: response.status, body: (await response.json()) as any }
  }

  return { db, call, sizes: app.service('sizes') as any }
}

describeDatabases(
  'numbers that JSON does not have',
  (database) => {
    for (const [type, values] of TYPES[database.name] ?? []) {
      it(`are strings in records of ${type}, are written back, and find their record`, async () => {
        const { db, call } = await open(database, `id integer primary key, size ${type}`)

        for (const [index, value] of values.entries()) {
          await sql`insert into ${sql.table(NAME)} values (${sql.lit(index)}, ${sql.raw(value)})`.execute(db)

          const { body } = await call('GET', `/${index}`)

          if (!value.includes('1.5')) {
            expect(body.size).toBe(
              value.includes('N')
                ? 'NaN'
                : value.startsWith('-') || value[1] === '-'
                  ? '-Infinity'
                  : 'Infinity'
            )
          }

          await call('PATCH', `/${index}`, { size: 7 })

          expect(await call('PUT', `/${index}`, body)).toEqual({ status: 200, body })
          expect(
            (
              await sql`select id from ${sql.table(NAME)} where id = ${index} and size = ${sql.raw(value)}`.execute(
                db
              )
            ).rows
          ).toHaveLength(1)

          const encoded = encodeURIComponent(body.size)
          const others = Array.from({ length: 10 }, (_, number) => `size[$in][]=${number + 100}`).join('&')

          expect((await call('GET', `?size=${encoded}`)).body).toEqual([body])
          expect((await call('GET', `?size[$in][]=${encoded}`)).body).toEqual([body])
          expect((await call('GET', `?size[$in][]=${encoded}&${others}`)).body).toEqual([body])
        }

        expect(
          (await call('GET', '?size[$gte]=Infinity')).body.every(({ size }: any) =>
            ['NaN', 'Infinity'].includes(size)
          )
        ).toBe(true)
      })
    }

    it('are those of their type alone', async () => {
      const { call } = await open(
        database,
        `id ${database.countedId}, size ${database.number}, day date, number integer`
      )

      for (const data of [
        { size: 'infinity' },
        { size: 'nan' },
        { day: 'Infinity' },
        { number: 'Infinity' },
        { number: 'NaN' }
      ]) {
        const { status, body } = await call('POST', '', data)

        expect([status, Object.keys(body.errors)]).toEqual([400, Object.keys(data)])
      }
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases(
  'numbers that JSON does not have',
  (database) => {
    it('are elements of lists', async () => {
      const { call } = await open(
        database,
        'id integer primary key, sizes double precision[], prices numeric[]'
      )
      const body = { id: 1, sizes: ['NaN', 1.5, '-Infinity', null], prices: ['NaN', '1.5'] }

      expect(await call('POST', '', body)).toEqual({ status: 201, body })
      expect(await call('PUT', '/1', body)).toEqual({ status: 200, body })
    })

    it('are taken with table() where `fields` says so', async () => {
      const columns = 'id serial primary key, price numeric, cost numeric(5, 2), size float8, due timestamptz'
      const values = { price: '-Infinity', cost: 'NaN', size: 'NaN', due: 'infinity' }
      const usual = await open(database, columns, { schema: table() })

      expect((await usual.call('POST', '', values)).body.errors).toEqual({
        price: expect.stringContaining('expects the pattern'),
        cost: expect.stringContaining('expects the pattern'),
        size: 'expects a number or null, got a string',
        due: "expects the format 'date-time'"
      })

      const number = { type: ['number', 'string'] }
      const fields = {
        price: number,
        cost: number,
        size: number,
        due: { anyOf: [{ type: 'string', format: 'date-time' }, { const: 'infinity' }] }
      }
      const { call } = await open(database, columns, { schema: table({ fields }) })
      const body = { id: 1, ...values }

      expect(await call('POST', '', values)).toEqual({ status: 201, body })
      expect(await call('PUT', '/1', values)).toEqual({ status: 200, body })
      for (const [name, value] of Object.entries(values)) {
        expect((await call('GET', `?${name}=${value}`)).body).toEqual([body])
      }
    })
  },
  [POSTGRES]
)

describeDatabases(
  'numbers of four bytes',
  (database) => {
    it('are found beside numbers that have no four bytes', async () => {
      const type = database === POSTGRES ? 'real' : 'float'
      const db = await createTable(database, NAME, `id integer primary key, size ${type}`)
      const sizes = kysely({ Model: db, name: NAME })
      const find = async (size: unknown) =>
        (await sizes.find({ query: { size, $sort: { id: 1 } } as any })).map(({ id }: any) => id)
      const list = [0.1, 1, 2, 3, 4, 5, 6, 7, 1e39, 1e-50]

      await sql`insert into ${sql.table(NAME)} values (1, 0.1), (2, 3.4e38), (3, 0)`.execute(db)
      expect(await find({ $in: list })).toEqual([1])
      expect(await find({ $nin: list })).toEqual([2, 3])
      expect(await find(3.4e38)).toEqual([2])
      expect(await find(1e-50)).toEqual([])
      expect(await find({ $gt: 1e-50 })).toEqual([1, 2])
      expect(await find({ $lt: 1e39 })).toEqual([1, 2, 3])
    })
  },
  [MARIADB, POSTGRES]
)
