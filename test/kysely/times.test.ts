// What was read of a column with days or times is written back byte for byte, and finds its record.
import fc from 'fast-check'
import { type Kysely, Kysely as KyselyInstance, MysqlDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { schema } from '../../src/schema.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'
import { describeZones } from '../support/zones.ts'

const NAME = 'alula_times'

/** Columns, each with the values that it may hold as they stand in SQL. */
type Columns = { readonly [definition: string]: fc.Arbitrary<string> }

const two = (min: number, max: number) =>
  fc.integer({ min, max }).map((number) => String(number).padStart(2, '0'))
const day = fc.tuple(two(1970, 2037), two(1, 12), two(1, 28)).map((parts) => parts.join('-'))
// No zone skips or repeats one of these hours.
const clock = fc.tuple(two(4, 23), two(0, 59), two(0, 59)).map((parts) => parts.join(':'))
const fraction = (digits: number) =>
  fc.oneof(
    fc.constant('0'.repeat(digits)),
    fc.integer({ min: 0, max: 10 ** digits - 1 }).map((number) => String(number).padStart(digits, '0'))
  )
const time = (digits: number, separator = ' ', suffix = '') =>
  fc
    .tuple(day, clock, digits === 0 ? fc.constant(undefined) : fraction(digits))
    .map(
      ([day, clock, fraction]) =>
        `${day}${separator}${clock}${fraction === undefined ? '' : `.${fraction}`}${suffix}`
    )

const COLUMNS: { readonly [name in TestDatabase['name']]: Columns } = {
  PostgreSQL: {
    'a date': fc.oneof(day, fc.constant('infinity')),
    'b timestamptz': fc.oneof(time(6, ' ', '+02:00'), fc.constantFrom('infinity', '-infinity')),
    'c timestamptz(3)': time(3, ' ', 'Z'),
    'd timestamptz(0)': time(0, ' ', '-03:30'),
    'e timestamp': fc.oneof(time(6), fc.constant('infinity')),
    'f timestamp(3)': time(3),
    'g time': clock,
    'h time(6)': fraction(6).map((digits) => `10:00:00.${digits}`),
    'i timetz': clock.map((text) => `${text}.5+09:30`),
    'j interval': fc.constantFrom('1 year 2 mons', '3 days 04:05:06.789012', '-00:00:01', '00:00:00')
  },
  MariaDB: {
    'a date': day,
    'b datetime(6)': time(6),
    'c datetime(5)': time(5),
    'd datetime(3)': time(3),
    'e datetime': time(0),
    'f timestamp(6) null': time(6),
    'g timestamp null': time(0),
    'h time(6)': fraction(6).map((digits) => `-100:00:00.${digits}`),
    'i time': clock,
    'j year': two(1970, 2037)
  },
  SQLite: {
    'a date': fc.oneof(day, time(3, 'T', 'Z'), time(0)),
    'b timestamp': time(3, 'T', 'Z'),
    'c datetime': fc.oneof(time(0), day, time(6), time(2, ' ', '+02:00'), time(0, 'T', 'Z'), time(0, 'T')),
    'd time': clock
  }
}

async function fill(db: Kysely<any>, columns: Columns, rows: readonly Record<string, string>[]) {
  await db
    .insertInto(NAME)
    .values(rows.map((row, index) => ({ id: index + 1, ...row })))
    .execute()

  return async () => {
    const texts = Object.keys(columns).map((definition) => {
      const name = definition[0] as string

      return sql`cast(${sql.ref(name)} as char(40))`.as(name)
    })

    return await db.selectFrom(NAME).select(texts).orderBy('id').execute()
  }
}

function serve(db: Kysely<any>, options?: object) {
  const app = alula()

  app.use('times', kysely({ Model: db, name: NAME }), options)

  const handle = createHandler(app)

  return async (method: string, path: string, body?: string) => {
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost/times${path}`, { method, body, headers } as any)

    return await (await handle(request)).text()
  }
}

const LOCAL_TEXTS: TestDatabase = {
  ...MARIADB,
  open: () =>
    new KyselyInstance<any>({
      dialect: new MysqlDialect({ pool: createPool({ uri: MARIADB_URL, dateStrings: true }) })
    })
}

const SHIFTED: TestDatabase = {
  ...MARIADB,
  open: () =>
    new KyselyInstance<any>({
      dialect: new MysqlDialect({ pool: createPool({ uri: MARIADB_URL, timezone: '+05:30' }) })
    })
}

describeZones('days and times', () => {
  for (const database of [SQLITE, POSTGRES, MARIADB, LOCAL_TEXTS, SHIFTED]) {
    describeDatabases('what was read', () => {
      it('is written back byte for byte, and finds its record', async () => {
        const columns = COLUMNS[database.name]
        const definitions = Object.keys(columns)
        const names = definitions.map((definition) => definition[0] as string)
        const db = await createTable(database, NAME, ['id integer primary key', ...definitions].join())
        const row = fc.record(
          Object.fromEntries(
            definitions.map((definition, index) => [names[index], columns[definition] as any])
          )
        )
        const rows = fc.sample(row, 12) as Record<string, string>[]
        const read = await fill(db, columns, rows)
        const send = serve(db)
        const shown: any[] = JSON.parse(await send('GET', ''))
        const stored = await read()

        for (const record of shown) {
          const body = JSON.stringify(record)

          expect(await send('GET', `/${record.id}`)).toBe(body)
          expect(await send('PUT', `/${record.id}`, body)).toBe(body)
          expect(await send('PATCH', `/${record.id}`, body)).toBe(body)
          for (const name of names) {
            const found = await send('GET', `?${name}=${encodeURIComponent(record[name])}&id=${record.id}`)

            expect(found, `${name} ${record[name]}`).toBe(`[${body}]`)
          }
        }
        // SQLite may hold the same time in another form, and milliseconds of one that has more.
        if (database.name !== 'SQLite') expect(await read()).toEqual(stored)
        expect(JSON.parse(await send('GET', ''))).toEqual(shown)
      })
    }, [database])
  }

  describeDatabases(
    'microseconds',
    ({ name, countedId }) => {
      const type = name === 'MariaDB' ? 'datetime(6)' : 'timestamptz'

      it('are there where a time has them; other times are as before', async () => {
        const db = await createTable(
          { ...(name === 'MariaDB' ? MARIADB : POSTGRES) },
          NAME,
          `id ${countedId}, at ${type}`
        )
        const times: any = kysely({ Model: db, name: NAME })
        const usual = await times.create({ at: '2024-03-10T10:00:00.120Z' })
        const precise = await times.create({ at: '2024-03-10T10:00:00.120456Z' })

        expect(usual.at).toEqual(new Date('2024-03-10T10:00:00.120Z'))
        expect(precise.at).toBeInstanceOf(Date)
        expect(JSON.stringify([usual, precise])).toBe(
          '[{"id":1,"at":"2024-03-10T10:00:00.120Z"},{"id":2,"at":"2024-03-10T10:00:00.120456Z"}]'
        )
        // Code writes back what it has read.
        expect(JSON.stringify(await times.patch(2, { at: precise.at }))).toBe(JSON.stringify(precise))
        expect(await times.find({ query: { at: { $gt: usual.at } } })).toEqual([precise])
        expect(await times.find({ query: { at: { $lt: precise.at } } })).toEqual([usual])
        expect(await times.find({ query: { at: { $in: [precise.at, 'x'] } } })).toEqual([precise])
        expect((await times.find({ query: { $sort: { at: -1 } } })).map(({ id }: any) => id)).toEqual([2, 1])
      })

      it('pass table(), and the schema of a library', async () => {
        const db = await createTable(
          { ...(name === 'MariaDB' ? MARIADB : POSTGRES) },
          NAME,
          `id ${countedId}, at ${type} not null`
        )

        for (const [index, declared] of [
          table(),
          schema(z.object({ id: z.int(), at: z.date() }))
        ].entries()) {
          const send = serve(db, { schema: declared })
          const shown = `{"id":${index + 1},"at":"2024-03-10T10:00:00.120456Z"}`

          expect(await send('POST', '', '{"at":"2024-03-10T12:00:00.120456+02:00"}')).toBe(shown)
          expect(await send('PUT', `/${index + 1}`, shown)).toBe(shown)
          expect(await send('GET', `?at=2024-03-10T10:00:00.120456Z&id=${index + 1}`)).toBe(`[${shown}]`)
          expect(await send('GET', '?at=2024-03-10T10:00:00.120Z')).toBe('[]')
        }
      })
    },
    [POSTGRES, MARIADB]
  )

  describeDatabases(
    'of PostgreSQL',
    ({ countedId }) => {
      it('have years that others do not have, and infinity, in their order', async () => {
        const db = await createTable(POSTGRES, NAME, `id ${countedId}, a date, b timestamptz, c timestamp`)
        const times: any = kysely({ Model: db, name: NAME })
        const days = ['infinity', '12024-01-01', '2024-03-10', '0001-01-01', '0044-03-15 BC', '-infinity']
        const zoned = days.map((day) =>
          day.endsWith('infinity') ? day : day.replace(/ |$/, ' 10:00:00.123456Z ')
        )

        for (const [index, a] of days.entries()) {
          await db.insertInto(NAME).values({ a, b: zoned[index], c: a }).execute()
        }

        const found = await times.find()
        const shown = [
          'infinity',
          '+012024-01-01T10:00:00.123456Z',
          '2024-03-10T10:00:00.123456Z',
          '0001-01-01T10:00:00.123456Z',
          '-000043-03-15T10:00:00.123456Z',
          '-infinity'
        ]

        expect(found.map(({ a }: any) => a)).toEqual(days)
        expect(found.map(({ b }: any) => (typeof b === 'string' ? b : b.toISOString()))).toEqual(shown)
        for (const name of ['a', 'b', 'c']) {
          const sorted = await times.find({ query: { $sort: { [name]: 1 } } })

          expect(sorted.map(({ id }: any) => id)).toEqual([6, 5, 4, 3, 2, 1])
        }
        expect(await times.find({ query: { a: 'infinity', b: { $gt: '2024-03-10' } } })).toEqual([found[0]])
        // The year 0 is 1 BC.
        expect(await times.patch(1, { b: '0000-06-01T00:00:00Z' })).toMatchObject({
          b: new Date('0000-06-01T00:00:00Z')
        })
        expect(await times.find({ query: { b: '0000-06-01T00:00:00Z' } })).toHaveLength(1)
        // Where the zone of the process has another year.
        for (const c of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
          expect(await times.patch(1, { c })).toMatchObject({ c: new Date(c) })
          expect(await times.find({ query: { c } })).toHaveLength(1)
        }
        await expect(times.patch(1, { a: 'endless' })).rejects.toMatchObject({ code: 400 })
      })
    },
    [POSTGRES]
  )
})

describeDatabases('a time in a year that no column stores', ({ name, countedId, date }) => {
  it('is refused with the years that there are', async () => {
    const database = [SQLITE, POSTGRES, MARIADB].find((one) => one.name === name) as TestDatabase
    const db = await createTable(database, NAME, `id ${countedId}, at ${date}`)
    const times: any = kysely({ Model: db, name: NAME })
    const send = serve(db, { schema: schema(z.object({ id: z.int(), at: z.date() })) })
    const expected = 'expects a date from the year 0 to the year 9999 in UTC'
    const error = { message: `Invalid data: 'at' ${expected}`, code: 400, errors: { at: expected } }
    const after = '9999-12-31T23:59:59-01:00'

    // In UTC they are in the year after 9999, and before 0.
    for (const at of [after, '0000-01-01T00:00:00+01:00', new Date(after), new Date(8.64e15)]) {
      await expect(times.create({ at })).rejects.toMatchObject(error)
    }
    expect(JSON.parse(await send('POST', '', JSON.stringify({ at: after })))).toMatchObject(error)
    await expect(times.create({ at: 'x' })).rejects.toMatchObject({
      message: "Invalid data: 'at' expects a date, got a string"
    })
    await expect(times.create({ at: new Date(Number.NaN) })).rejects.toMatchObject({
      message: "Invalid data: 'at' expects a date, got an invalid date"
    })
    expect(await times.find({ query: { at: after } })).toEqual([])
    expect(await times.create({ at: '9999-12-31T23:59:59Z' })).toMatchObject({
      at: new Date('9999-12-31T23:59:59Z')
    })
  })
})
