import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { many, schema } from '../../src/schema.ts'
import { createDatabase, describeDatabases, MARIADB, type TestDatabase } from '../support/sql.ts'
import { ask } from './support/relations.ts'

const TABLES = { threads: 'alula_large_threads', replies: 'alula_large_replies' }

/** Starts an application with one thread that has replies of 90 kB. */
async function start(database: TestDatabase, size: number, text = 'x'.repeat(90_000)) {
  let read = 0
  const db = database.open(({ query }) => {
    if (query.sql.includes(TABLES.replies)) read++
  })
  const app: any = alula()
  const drop = async () => {
    for (const table of Object.values(TABLES)) await db.schema.dropTable(table).ifExists().execute()
  }

  await drop()
  onTestFinished(async () => {
    await drop()
    await db.destroy()
  })
  await sql
    .raw(`create table ${TABLES.threads} (id ${database.countedId}, title ${database.text})`)
    .execute(db)
  await sql
    .raw(
      `create table ${TABLES.replies} (id ${database.countedId}, thread integer, body ${database.name === 'MariaDB' ? 'longtext' : 'text'})`
    )
    .execute(db)
  await db.schema.createIndex('alula_large_thread').on(TABLES.replies).column('thread').execute()

  await db.insertInto(TABLES.replies).values({ thread: 1, body: text }).execute()

  // The database copies them: to send a hundred megabytes would take longer than all else.
  for (let count = 1; count < size; count *= 2) {
    await db
      .insertInto(TABLES.replies)
      .columns(['thread', 'body'])
      .expression((query) =>
        query
          .selectFrom(TABLES.replies)
          .select(['thread', 'body'])
          .limit(Math.min(count, size - count))
      )
      .execute()
  }
  await db.insertInto(TABLES.threads).values({ title: 'long' }).execute()

  app.use('replies', kysely({ Model: db, name: TABLES.replies }), {
    schema: schema(z.object({ id: z.int(), thread: z.int().nullable(), body: z.string().nullable() }))
  })
  app.use('threads', kysely({ Model: db, name: TABLES.threads, paginate: { default: 10 } }), {
    schema: schema(z.object({ id: z.int(), title: z.string().nullable() }), {
      relations: { replies: many('replies', { to: 'thread' }) }
    })
  })

  return {
    app,
    count: async (work: () => Promise<unknown>) => {
      read = 0
      await work()

      return read
    }
  }
}

describeDatabases('related records', (database) => {
  it('that are too large are refused before all of them are read', async () => {
    const { app, count } = await start(database, 1500)
    const refused = { code: 400, message: expect.stringContaining('more than 10000000 characters') }
    const load = (params: object) =>
      expect(
        app.service('threads').get(1, { provider: 'rest', query: { $include: 'replies' }, ...params })
      ).rejects.toMatchObject(refused)

    // The first 250 of them are too much; where a page prefetches, its statement has found them too long.
    expect(await count(() => load({}))).toBe(database === MARIADB ? 1 : 2)
    await expect(ask(app, 'threads', { $include: 'replies' })).rejects.toMatchObject(refused)

    globalThis.gc?.()

    const before = process.memoryUsage().rss

    await Promise.all(Array.from({ length: 8 }, () => load({})))

    // All of them, eight times, are more than a gigabyte.
    expect(process.memoryUsage().rss - before).toBeLessThan(700e6)
  }, 120_000)

  it('that are small are all read, in parts', async () => {
    const { app, count } = await start(database, 1500, 'short')
    let thread: any
    const statements = await count(async () => {
      thread = await app.service('threads').get(1, { provider: 'rest', query: { $include: 'replies' } })
    })

    const ids: number[] = thread.replies.map(({ id }: any) => id)

    expect(ids).toHaveLength(1500)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(statements).toBe(database === MARIADB ? 7 : 8)
    expect(((await ask(app, 'threads', { $include: 'replies' })) as any).data[0].replies).toHaveLength(1500)
  }, 60_000)
})

describeDatabases('a list that is read in parts', (database) => {
  it.each([
    ['removes records of the first one', 1, sql`delete from replies where place <= 20`],
    [
      'adds records before it',
      -1,
      sql`insert into replies select id + 1000, 1, 2000 from replies where id <= 20`
    ]
  ] as const)('has all other records once when another call %s', async (_name, direction, change) => {
    const url = await createDatabase(database)
    const other = database.open(undefined, url)
    let isChanged = false
    let parts = 0
    const db = database.open(async ({ query }) => {
      if (!/from .replies/.test(query.sql)) return

      parts++
      // Between two of the parts.
      if (parts === 2) await change.execute(other)
      isChanged ||= parts === 2
    }, url)
    const app: any = alula()

    onTestFinished(async () => {
      await db.destroy()
      await other.destroy()
    })
    await sql`create table threads (id integer primary key)`.execute(other)
    await sql`create table replies (id integer primary key, thread integer, place integer)`.execute(other)
    await sql`insert into threads values (1)`.execute(other)
    await other
      .insertInto('replies')
      .values(Array.from({ length: 600 }, (_, index) => ({ id: index + 1, thread: 1, place: index + 1 })))
      .execute()
    app.use('replies', kysely({ Model: db, name: 'replies' }), { schema: table() })
    app.use('threads', kysely({ Model: db, name: 'threads' }), {
      schema: table({ relations: { replies: many('replies', { to: 'thread', sort: { place: direction } }) } })
    })
    await app.setup()

    const { replies } = await app.service('threads').get(1, { query: { $include: 'replies' } })
    const ids = replies.map(({ id }: any) => id).filter((id: number) => id > 20 && id <= 600)

    expect(isChanged).toBe(true)
    expect(ids).toEqual(
      Array.from({ length: 580 }, (_, index) => (direction === 1 ? index + 21 : 600 - index))
    )
  })
})
