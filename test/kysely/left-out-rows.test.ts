// Rows that a trigger leaves out without an error: those beside them are not stored either.
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, owner } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { kysely, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES, SQLITE, type TestDatabase } from '../support/sql.ts'

const TABLE = 'alula_left_out'

/** What leaves the rows with the text `out` out. */
const TRIGGERS = {
  SQLite: [
    `create trigger alula_leave_out before insert on ${TABLE} when new.text = 'out' begin select raise(ignore); end`
  ],
  PostgreSQL: [
    `create or replace function alula_leave_out() returns trigger language plpgsql as
      $$ begin if new.text = 'out' then return null; end if; return new; end $$`,
    `create trigger alula_leave_out before insert on ${TABLE} for each row execute function alula_leave_out()`
  ],
  MariaDB: []
}

/** A table whose key leaves rows out, and a view of the table with the trigger. */
const OTHERS = {
  SQLite: {
    create: [`create table ${TABLE}_other (id integer primary key, text text unique on conflict ignore)`],
    drop: [`drop table if exists ${TABLE}_other`]
  },
  PostgreSQL: {
    create: [...TRIGGERS.PostgreSQL, `create view ${TABLE}_other as select * from ${TABLE}`],
    drop: [`drop view if exists ${TABLE}_other`]
  },
  MariaDB: { create: [], drop: [] }
}

async function run(db: Kysely<any>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function open(database: TestDatabase, statements: string[] = []) {
  const db = await createTable(database, TABLE, `id ${database.countedId}, text text`, (event) => {
    statements.push(event.query.sql)
  })
  const app: any = alula()

  app.use('notes', kysely({ Model: db, name: TABLE, multi: true }))

  return { app, db, notes: app.service('notes') }
}

const LEFT_OUT = { name: 'BadRequest', message: 'Invalid data: the database has not stored the record' }

describeDatabases(
  'several records, of which a trigger leaves one out,',
  (database) => {
    it('are a 400, and none of them is stored', async () => {
      const { app, db, notes } = await open(database)
      const created: unknown[] = []

      await run(db, TRIGGERS[database.name])
      notes.on('created', (note: unknown) => created.push(note))

      await expect(notes.create([{ text: 'a' }, { text: 'out' }, { text: 'b' }])).rejects.toMatchObject(
        LEFT_OUT
      )
      await expect(notes.create({ text: 'out' })).rejects.toMatchObject(LEFT_OUT)
      expect(await notes.find()).toEqual([])

      // A transaction that goes on after it stores nothing of them either.
      await withTransaction(app, async () => {
        await notes.create({ text: 'before' })
        await expect(notes.create([{ text: 'c' }, { text: 'out' }])).rejects.toMatchObject(LEFT_OUT)
      })
      expect((await notes.find()).map(({ text }: any) => text)).toEqual(['before'])
      expect(await notes.create([{ text: 'd' }, { text: 'e' }])).toMatchObject([{ text: 'd' }, { text: 'e' }])
      expect(created).toMatchObject([{ text: 'before' }, { text: 'd' }, { text: 'e' }])
    })

    it('are not stored where the table itself has no such trigger', async () => {
      const { create, drop } = OTHERS[database.name]
      const { app, db } = await open(database)

      onTestFinished(() => run(db, drop))
      await run(db, [...drop, ...create])
      app.use('others', kysely({ Model: db, name: `${TABLE}_other`, multi: true }))

      const others = app.service('others')

      if (database === SQLITE) await others.create({ text: 'out' })

      const before = await others.find()

      await expect(others.create([{ text: 'a' }, { text: 'out' }])).rejects.toMatchObject(LEFT_OUT)
      expect(await others.find()).toEqual(before)
    })

    it('are one statement where nothing can leave one out', async () => {
      const statements: string[] = []
      const { notes } = await open(database, statements)

      await notes.find()
      statements.length = 0
      await notes.create([{ text: 'a' }, { text: 'b' }])

      expect(statements).toEqual([expect.stringContaining('insert into')])
    })
  },
  [SQLITE, POSTGRES]
)

/** What leaves out changes and removals of rows with the text `kept`. */
const KEEPING = {
  SQLite: ['update', 'delete'].map(
    (event) =>
      `create trigger alula_keep_${event} before ${event} on ${TABLE} when old.text = 'kept' begin select raise(ignore); end`
  ),
  PostgreSQL: [
    `create or replace function alula_keep() returns trigger language plpgsql as
      $$ begin if old.text = 'kept' then return null; end if; return coalesce(new, old); end $$`,
    `create trigger alula_keep before update or delete on ${TABLE} for each row execute function alula_keep()`
  ],
  MariaDB: []
}

describeDatabases(
  'a change or a removal that a trigger leaves out',
  (database) => {
    it('is a 404, a 403 under a rule, and missing among several records', async () => {
      const { app, db, notes } = await open(database)

      app.use('ruled', kysely({ Model: db, name: TABLE }), {
        access: access({ find: anyone, get: anyone, patch: owner('id'), remove: owner('id') })
      })
      await run(db, KEEPING[database.name])
      await notes.create([{ text: 'kept' }, { text: 'b' }])

      const ruled = app.asClient({ user: { id: 1 } }).service('ruled')

      await expect(notes.patch(1, { text: 'x' })).rejects.toMatchObject({ code: 404 })
      await expect(notes.remove(1)).rejects.toMatchObject({ code: 404 })
      await expect(ruled.patch(1, { text: 'x' })).rejects.toMatchObject({ code: 403 })
      await expect(ruled.remove(1)).rejects.toMatchObject({ code: 403 })
      expect(await notes.patch(null, { text: 'x' })).toEqual([{ id: 2, text: 'x' }])
      expect(await notes.remove(null)).toEqual([{ id: 2, text: 'x' }])
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases(
  'a row that a trigger changes after it was stored',
  (database) => {
    it('is in the response as it was before', async () => {
      const { db, notes } = await open(database)

      if (database === SQLITE) {
        await run(db, [
          `create trigger alula_after after insert on ${TABLE} begin update ${TABLE} set text = 'after'; end`
        ])
      } else {
        onTestFinished(() => run(db, ['drop function alula_after() cascade']))
        await run(db, [
          `create or replace function alula_after() returns trigger language plpgsql as
            $$ begin update ${TABLE} set text = 'after'; return null; end $$`,
          `create trigger alula_after after insert on ${TABLE} for each row execute function alula_after()`
        ])
      }

      expect(await notes.create({ text: 'before' })).toMatchObject({ text: 'before' })
      expect(await notes.get(1)).toMatchObject({ text: 'after' })
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases(
  'a removal that the trigger of a view leaves out',
  (database) => {
    it('is a 404 without an event, and missing among several records', async () => {
      const { app, db, notes } = await open(database)
      const removed: unknown[] = []

      await run(db, [
        `create view ${TABLE}_other as select * from ${TABLE}`,
        `create trigger alula_keep instead of delete on ${TABLE}_other when old.text <> 'kept' begin
          delete from ${TABLE} where id = old.id; end`
      ])
      await notes.create([{ text: 'kept' }, { text: 'b' }, { text: 'c' }])
      app.use('others', kysely({ Model: db, name: `${TABLE}_other`, multi: true }))

      const others = app.service('others')

      others.on('removed', ({ id }: any) => removed.push(id))
      await expect(others.remove(1)).rejects.toMatchObject({ code: 404 })
      expect(await others.remove(2)).toEqual({ id: 2, text: 'b' })
      expect(await others.remove(null)).toEqual([{ id: 3, text: 'c' }])
      expect(await notes.find()).toEqual([{ id: 1, text: 'kept' }])
      expect(removed).toEqual([2, 3])
    })
  },
  [SQLITE]
)
