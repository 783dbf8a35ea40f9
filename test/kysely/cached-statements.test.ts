import { Kysely, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { cacheStatements } from '../../src/kysely.ts'

/** A table with ten notes, and the texts of the statements that were prepared. */
async function open() {
  const database = new Database(':memory:')
  const prepared: string[] = []
  const prepare = (text: string): any => {
    prepared.push(text)

    return database.prepare(text)
  }
  const db = new Kysely<any>({
    dialect: new SqliteDialect({ database: cacheStatements({ prepare, close: () => database.close() }) })
  })

  onTestFinished(() => db.destroy())
  await sql`create table notes (id integer primary key, text text unique)`.execute(db)
  for (let id = 1; id <= 10; id++)
    await db
      .insertInto('notes')
      .values({ id, text: `Note ${id}` })
      .execute()

  return { db, prepared }
}

const count = (texts: string[], part: string) => texts.filter((text) => text.includes(part)).length

it('cacheStatements: a statement is prepared once', async () => {
  const { db, prepared } = await open()
  const get = (id: number) => db.selectFrom('notes').select('text').where('id', '=', id).execute()

  expect([await get(1), await get(2)]).toEqual([[{ text: 'Note 1' }], [{ text: 'Note 2' }]])
  await db.transaction().execute(async (trx) => await trx.deleteFrom('notes').where('id', '=', 1).execute())
  await db.transaction().execute(async (trx) => await trx.deleteFrom('notes').where('id', '=', 2).execute())
  expect([await get(1), await get(2)]).toEqual([[], []])

  for (const part of ['select', 'insert', 'delete', 'begin', 'commit']) expect(count(prepared, part)).toBe(1)
})

it('cacheStatements: a statement that has failed works again', async () => {
  const { db } = await open()
  const add = (text: string) => db.insertInto('notes').values({ text }).returning('text').execute()

  await expect(add('Note 1')).rejects.toThrow('UNIQUE')
  expect(await add('New')).toEqual([{ text: 'New' }])
})

it('cacheStatements: a table that was changed is read as it is now', async () => {
  const { db, prepared } = await open()
  const read = () => db.selectFrom('notes').selectAll().where('id', '=', 1).execute()

  expect(await read()).toEqual([{ id: 1, text: 'Note 1' }])
  await sql`alter table notes add column done integer default 0`.execute(db)
  expect(await read()).toEqual([{ id: 1, text: 'Note 1', done: 0 }])
  expect(count(prepared, 'select')).toBe(2)
})

it('cacheStatements: the statement of a stream can run while the stream is read', async () => {
  const database = cacheStatements(new Database(':memory:') as any)
  const prepare = () => database.prepare('select value from json_each(?)')
  const values: unknown[] = []

  onTestFinished(() => database.close())

  for (const { value } of prepare().iterate(['[1,2,3]']) as Iterable<any>) {
    values.push(value, prepare().all(['[4]']))
  }

  expect(values).toEqual([1, 2, 3].flatMap((value) => [value, [{ value: 4 }]]))
})

it('cacheStatements: two hundred statements are kept, those that were used last', async () => {
  const { db, prepared } = await open()
  const read = (number: number) => sql`select ${sql.lit(number)} as number`.execute(db)

  for (let number = 1; number <= 250; number++) {
    await read(number)
    await read(1)
  }

  await read(250)
  await read(2)
  expect(count(prepared, 'select 1 as')).toBe(1)
  expect(count(prepared, 'select 250 as')).toBe(1)
  expect(count(prepared, 'select 2 as')).toBe(2)
})

it('cacheStatements: savepoints, which have a new name each, evict no other statement', async () => {
  const { db, prepared } = await open()
  const read = () => sql`select 1 as number`.execute(db)

  await read()
  for (let number = 1; number <= 100; number++) {
    for (const command of ['savepoint', 'rollback to savepoint', 'release savepoint'])
      await sql.raw(`${command} alula_${number}`).execute(db)
  }

  await read()
  expect(count(prepared, 'select 1 as')).toBe(1)
})

it('cacheStatements: a long statement is not kept', async () => {
  const { db, prepared } = await open()
  const read = () => sql`select ${sql.lit('x'.repeat(10_000))} as text`.execute(db)

  await read()
  await read()
  expect(count(prepared, 'xxx')).toBe(2)
})

it.each([undefined, 'notes.db', {}])('cacheStatements: it takes a database, and not %s', (database) => {
  expect(() => cacheStatements(database as any)).toThrow(
    "cacheStatements() expects an open database of SQLite, as in cacheStatements(new Database('notes.db')) (ALULA_INVALID_OPTION)"
  )
})
