// Relations whose columns hold times: the digits after the milliseconds count too.
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, exists, many, one } from '../../src/schema.ts'
import { createTable, describeDatabases, SQLITE, type TestDatabase } from '../support/sql.ts'

const MOMENTS = 'alula_moments'
const VISITS = 'alula_moment_visits'

/** A type of each database, and three of its times; only SQLite stores no microseconds. */
const TYPES: { readonly [database: string]: readonly [type: string, times: readonly string[]] } = {
  SQLite: ['timestamp', ['2024-10-01T12:30:00.123Z', '2024-10-01T12:30:00.124Z', '2024-10-01T12:30:00.125Z']],
  PostgreSQL: ['timestamptz', toTimes()],
  MariaDB: ['datetime(6)', toTimes()]
}

function toTimes(): readonly string[] {
  return ['2024-10-01T12:30:00.123456Z', '2024-10-01T12:30:00.123457Z', '2024-10-01T12:30:00.123Z']
}

async function open(database: TestDatabase) {
  const [type, times] = TYPES[database.name] as [string, readonly string[]]
  const columns = `id integer primary key, happened ${type}`
  const db = await createTable(database, MOMENTS, columns)

  onTestFinished(() => sql`drop table if exists ${sql.table(VISITS)}`.execute(db).then(() => undefined))
  await sql`drop table if exists ${sql.table(VISITS)}`.execute(db)
  await sql`create table ${sql.table(VISITS)} (${sql.raw(columns)})`.execute(db)
  await sql`create index alula_moments_at on ${sql.table(MOMENTS)} (happened)`.execute(db)
  await sql`create index alula_visits_at on ${sql.table(VISITS)} (happened)`.execute(db)

  const app: any = alula()
  const related = { from: 'happened', to: 'happened' }

  app.use('moments', kysely({ Model: db, name: MOMENTS, multi: true }), {
    schema: table({
      relations: {
        visits: many('visits', { ...related, filter: ['id'] }),
        size: count('visits', related),
        has: exists('visits', related)
      }
    })
  })
  app.use('visits', kysely({ Model: db, name: VISITS, multi: true }), {
    schema: table({ relations: { moment: one('moments', { ...related, filter: ['id'] }) } })
  })
  await app.setup()

  const [first, second, third] = times

  await app.service('moments').create([
    { id: 1, happened: first },
    { id: 2, happened: second },
    { id: 3, happened: third },
    { id: 4, happened: null }
  ])
  await app.service('visits').create([
    { id: 1, happened: second },
    { id: 2, happened: second },
    { id: 3, happened: third },
    { id: 4, happened: null }
  ])
  // The same time in another form.
  if (database === SQLITE) {
    await sql`update ${sql.table(VISITS)} set happened = '2024-10-01 12:30:00.124' where id = 2`.execute(db)
  }

  return app
}

describeDatabases('relations by times', (database) => {
  for (const $limit of [undefined, 10]) {
    it(`lead to the records of the same time, ${$limit ? 'in a page' : 'without a limit'}`, async () => {
      const app = await open(database)
      const query = { $sort: { id: 1 }, ...($limit && { $limit }) }
      const find = (path: string, further: object) =>
        app.service(path).find({ query: { ...query, ...further } })
      const ids = async (path: string, further: object) =>
        (await find(path, further)).map(({ id }: any) => id)
      const moments = await find('moments', { $include: 'visits' })
      const visits = await find('visits', { $include: 'moment' })

      expect(moments.map(({ id, visits }: any) => [id, visits.map((one: any) => one.id)])).toEqual([
        [1, []],
        [2, [1, 2]],
        [3, [3]],
        [4, []]
      ])
      expect(visits.map(({ id, moment }: any) => [id, moment?.id])).toEqual([
        [1, 2],
        [2, 2],
        [3, 3],
        [4, undefined]
      ])
      expect(await ids('moments', { 'visits.id': 1 })).toEqual([2])
      expect(await ids('moments', { 'visits.id': 2 })).toEqual([2])
      expect(await ids('visits', { 'moment.id': 2 })).toEqual([1, 2])
      expect(await ids('moments', { $sort: { size: -1, id: 1 } })).toEqual([2, 3, 1, 4])
    })

    it(`count the records of the same time, ${$limit ? 'in a page' : 'without a limit'}`, async () => {
      const app = await open(database)
      const query = { $sort: { id: 1 }, $include: ['size', 'has'], ...($limit && { $limit }) }
      const moments = await app.service('moments').find({ query })

      expect(moments.map(({ id, size, has }: any) => [id, size, has])).toEqual([
        [1, 0, false],
        [2, 2, true],
        [3, 1, true],
        [4, 0, false]
      ])
    })
  }
})
