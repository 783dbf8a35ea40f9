// A day is its ten characters, whatever the zone of the process and the settings of the driver.
import { Kysely, MysqlDialect, PostgresDialect, sql } from 'kysely'
import { createPool, type PoolOptions } from 'mysql2'
import { types } from 'pg'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'
import { openPglite } from '../support/pglite.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  openPool,
  POSTGRES,
  POSTGRES_URL,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'
import { describeZones } from '../support/zones.ts'

const NAME = 'alula_days'

const DAYS = ['2024-03-10', '2024-02-29', '1899-12-31', '0001-01-01', '9999-12-31']

function openMariadb(options: PoolOptions): TestDatabase {
  return {
    ...MARIADB,
    open: () =>
      new Kysely<any>({ dialect: new MysqlDialect({ pool: createPool({ uri: MARIADB_URL, ...options }) }) })
  }
}

/** A driver that leaves days and times as strings, as applications set it up. */
const TEXTS: TestDatabase = {
  ...POSTGRES,
  open() {
    const getTypeParser: any = (oid: number, format: any) =>
      [1082, 1114, 1184].includes(oid) ? String : types.getTypeParser(oid, format)

    return new Kysely<any>({
      dialect: new PostgresDialect({
        pool: openPool({ connectionString: POSTGRES_URL, types: { getTypeParser } })
      })
    })
  }
}

const DRIVERS: readonly (readonly [string, TestDatabase])[] = [
  ['its driver', SQLITE],
  ['pg', POSTGRES],
  ['pg without parsers', TEXTS],
  ['PGlite', { ...POSTGRES, open: openPglite }],
  ["'local'", openMariadb({})],
  ["'Z'", openMariadb({ timezone: 'Z' })],
  ["'-11:00'", openMariadb({ timezone: '-11:00' })],
  ['dateStrings', openMariadb({ dateStrings: true })]
]

async function open(database: TestDatabase, columns: string) {
  const db = await createTable(database, NAME, `id ${database.countedId}, ${columns}`)

  return { db, days: kysely<any>({ Model: db, name: NAME, multi: true }) as any }
}

describeZones('days', (zone) => {
  for (const [driver, database] of DRIVERS) {
    // It takes seconds to start.
    if (driver === 'PGlite' && zone !== 'Asia/Tokyo') continue

    describeDatabases(`by ${driver}`, () => {
      it('are stored, read, found, ordered and written back as they are', async () => {
        const { db, days } = await open(database, 'due date, at date')
        const stored = await days.create(DAYS.map((due) => ({ due, at: due })))
        const find = async (query: object) => (await days.find({ query })).map(({ due }: any) => due)

        expect(stored.map(({ due }: any) => due)).toEqual(DAYS)
        expect(await find({})).toEqual(DAYS)
        expect(await find({ $sort: { due: 1 } })).toEqual(DAYS.toSorted())
        expect(await find({ due: { $in: ['2024-03-10', '2024-02-30', '1899-12-31'] } })).toEqual([
          '2024-03-10',
          '1899-12-31'
        ])
        expect(await find({ due: { $gt: '2024-02-29' }, $sort: { due: -1 } })).toEqual([
          '9999-12-31',
          '2024-03-10'
        ])
        for (const record of stored) {
          expect(await days.find({ query: { due: record.due } })).toEqual([record])
          expect(await days.update(record.id, record)).toEqual(record)
          expect(await days.remove(record.id)).toEqual(record)
          expect(await days.create(record)).toEqual(record)
        }

        const { rows } =
          await sql`select cast(due as char(10)) as due from ${sql.table(NAME)} order by id`.execute(db)

        expect(rows).toEqual(DAYS.map((due) => ({ due })))
      })
    }, [database])
  }

  describeDatabases('given as times', (database) => {
    it('are those that begin at that time in UTC; others are refused', async () => {
      const { days } = await open(database, 'due date')

      for (const due of ['2024-03-10', '2024-03-10T00:00:00.000Z', '2024-03-10T09:00:00+09:00']) {
        expect(await days.create({ due })).toMatchObject({ due: '2024-03-10' })
        expect(await days.create({ due: new Date(due) })).toMatchObject({ due: '2024-03-10' })
      }
      expect(await days.find({ query: { due: new Date('2024-03-10') } })).toHaveLength(6)
      for (const due of [
        '2023-02-29',
        '2024-13-01',
        '2024-3-1',
        '10.3.2024',
        '2024-03-10T00:00:00.001Z',
        '2024-03-10T00:00:00.000001Z',
        '2024-03-10T00:00:00',
        new Date('2024-03-10T09:30:00Z'),
        new Date(Number.NaN),
        new Date(-1e15),
        1710028800000,
        ''
      ]) {
        await expect(days.create({ due }), String(due)).rejects.toMatchObject({
          code: 400,
          message: expect.stringContaining(
            "'due' expects a day such as 2026-11-22, or its midnight in UTC, got "
          ),
          errors: { due: 'expects a day such as 2026-11-22, or its midnight in UTC' }
        })
      }
    })

    it('are compared with a time as their midnight in UTC, as strings are in memory', async () => {
      const { days } = await open(database, 'due date')
      const reference: any = memory({ multi: true })
      const values = ['2024-03-09', '2024-03-10', '2024-03-11'].map((due) => ({ due }))
      const operands = [
        '2024-03-10',
        '2024-03-10T00:00:00.001Z',
        '2024-03-10T23:59:59.999999Z',
        '2024-03-10T01:00:00Z'
      ]

      await days.create(values)
      await reference.create(values)
      for (const operator of ['$gt', '$gte', '$lt', '$lte', '$ne', '$in', '$nin']) {
        for (const operand of operands) {
          const query = { due: { [operator]: operator.includes('in') ? [operand] : operand } }
          const toDays = (records: any[]) => records.map(({ due }) => due)

          expect(toDays(await days.find({ query })), JSON.stringify(query)).toEqual(
            toDays(await reference.find({ query }))
          )
        }
      }
    })
  })

  describeDatabases('of table()', (database) => {
    it('are days in data, queries, responses, events, forms and the document', async () => {
      const { db } = await open(database, 'due date')
      const app = alula()
      const events: unknown[] = []

      app.use('days', kysely({ Model: db, name: NAME }), { schema: table() })
      await app.setup()
      app.service('days').on('created', ({ due }) => events.push(due))

      const handle = createHandler(app)
      const send = async (method: string, path: string, body?: string) => {
        const headers = { 'Content-Type': 'application/json' }
        const response = await handle(
          new Request(`http://localhost/days${path}`, { method, body, headers } as any)
        )

        return { status: response.status, body: await response.json() }
      }
      const days: any = app.service('days')
      const form = { provider: 'rest', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      const shown = { id: 1, due: '2024-03-10' }

      expect(await send('POST', '', '{"due":"2024-03-10"}')).toEqual({ status: 201, body: shown })
      expect(await send('PUT', '/1', JSON.stringify(shown))).toEqual({ status: 200, body: shown })
      expect(await send('GET', '?due=2024-03-10')).toEqual({ status: 200, body: [shown] })
      expect(await send('GET', '?due[$gte]=2024-03-10T00:00:00.000Z')).toEqual({ status: 200, body: [shown] })
      expect(await send('GET', '?due=2023-02-29')).toMatchObject({
        status: 400,
        body: { errors: { due: expect.anything() } }
      })
      expect(await days.create({ due: '2024-03-11' }, form)).toEqual({ id: 2, due: '2024-03-11' })
      expect(await days.create({ due: '' }, form)).toEqual({ id: 3, due: null })
      await expect(days.create({ due: '2023-02-29' }, form)).rejects.toMatchObject({ code: 400 })
      for (const due of ['2023-02-29', '2024-03-10T10:00:00Z', '']) {
        expect(await send('POST', '', JSON.stringify({ due })), due).toMatchObject({
          status: 400,
          body: { errors: { due: "expects the format 'date'" } }
        })
      }
      expect(events).toEqual(['2024-03-10', '2024-03-11', null])

      // Code may have a Date.
      expect(await days.patch(1, { due: new Date('2024-03-12') })).toEqual({ id: 1, due: '2024-03-12' })
      await expect(days.patch(1, { due: new Date('2024-03-12T10:00Z') })).rejects.toMatchObject({
        errors: { due: 'expects a day such as 2026-11-22, or its midnight in UTC' }
      })

      const document: any = toOpenApi(app)
      const properties = Object.values<any>(document.components.schemas).map(
        (schema) => schema.properties?.due
      )

      expect(properties.filter(Boolean)).not.toEqual([])
      for (const due of properties.filter(Boolean))
        expect(due).toEqual({ type: ['string', 'null'], format: 'date' })
    })
  })

  it.each([
    [z.date(), 'a date'],
    [z.iso.datetime(), 'a string or a date'],
    [z.string(), 'a string']
  ])('are declared as such: %#', async (due, words) => {
    const { days } = await open(SQLITE, 'due date not null')
    const app = alula()

    app.use('days', days, { schema: schema(z.object({ id: z.int(), due })) })
    await expect(app.setup()).rejects.toThrow(
      `'due' is ${words}, and its column has the type date: declare a string with the format 'date'`
    )

    const another = alula()

    another.use('days', days, { schema: schema(z.object({ id: z.int(), due: z.iso.date() })) })
    await another.setup()
    expect(
      await (another.service('days') as any).create({ due: '2024-03-10' }, { provider: 'rest' })
    ).toEqual({
      id: 1,
      due: '2024-03-10'
    })
  })

  describe('of SQLite', () => {
    it('are read from rows that hold times, and are those of UTC', async () => {
      const { db, days } = await open(SQLITE, 'due date')
      const rows = [
        ['2024-03-10', '2024-03-10'],
        ['2024-03-10T00:00:00.000Z', '2024-03-10'],
        ['2024-03-10T23:59:59.999Z', '2024-03-10'],
        ['2024-03-11 00:30:00', '2024-03-11'],
        ['2024-03-11T00:30:00+01:00', '2024-03-10'],
        ['2024-03-09T15:00:00.000Z', '2024-03-09']
      ] as const

      for (const [due] of rows) await db.insertInto(NAME).values({ due }).execute()

      const shown = rows.map(([, due], index) => ({ id: index + 1, due }))

      expect(await days.find()).toEqual(shown)
      expect(await days.find({ query: { due: '2024-03-10' } })).toEqual(
        shown.filter(({ due }) => due === '2024-03-10')
      )
      expect(await days.find({ query: { due: { $gt: '2024-03-10' } } })).toEqual([shown[3]])
      expect((await days.find({ query: { $sort: { due: -1 } } })).map(({ id }: any) => id)).toEqual([
        4, 1, 2, 3, 5, 6
      ])
      expect(await days.update(3, shown[2])).toEqual(shown[2])
      // No time: shown as it is.
      await db
        .insertInto(NAME)
        .values([{ due: 'soon' }, { due: 1710028800000 }])
        .execute()
      expect(await days.get(7)).toEqual({ id: 7, due: 'soon' })
      expect(await days.get(8)).toEqual({ id: 8, due: 1710028800000 })
    })
  })
})
