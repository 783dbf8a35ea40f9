import { Kysely, SqliteDialect, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, nodeSqlite, toFeathersError } from '../../src/kysely.ts'
import { createDatabase, hasNodeSqlite, SQLITE } from '../support/sql.ts'
import { nextWarning } from '../support/warnings.ts'

describe('nodeSqlite() anywhere', () => {
  it.each([undefined, '', 5, {}])('is given a path, and not %s', (path) => {
    expect(() => nodeSqlite(path as any)).toThrow(
      "Invalid option 'path' of nodeSqlite(): expected the path of a file, or ':memory:'"
    )
  })

  it.each([
    ['no node:sqlite', undefined],
    ['one that cannot tell columns', { StatementSync: class {} }]
  ])('a Node with %s is named, and what to use', (_title, module) => {
    const { getBuiltinModule } = process

    onTestFinished(() => void Object.assign(process, { getBuiltinModule }))
    Object.assign(process, { getBuiltinModule: () => module })
    expect(() => nodeSqlite(':memory:')).toThrow(
      `nodeSqlite() needs Node 22.16 or later, and this is ${process.version}: give SqliteDialect a database of the package 'libsql' or 'better-sqlite3' (ALULA_UNSUPPORTED_RUNTIME)`
    )
  })

  it.each([
    [2067, 'Conflict'],
    [1555, 'Conflict'],
    [2579, 'Conflict'],
    [1299, 'BadRequest'],
    [787, 'BadRequest'],
    [275, 'BadRequest'],
    [1811, 'BadRequest'],
    [18, 'BadRequest'],
    [5, 'Unavailable'],
    [517, 'Unavailable'],
    [6, 'Unavailable'],
    [14, 'Unavailable'],
    [13, 'Unavailable'],
    [266, 'Unavailable'],
    [8, 'GeneralError']
  ])('its error %s is a %s', (errcode, name) => {
    expect(toFeathersError({ code: 'ERR_SQLITE_ERROR', errcode, message: 'no' }).name).toBe(name)
  })

  it('a driver that returns no rows is named at set-up, and never returns an empty list', async () => {
    // A DatabaseSync: its statements have no `reader`, so that Kysely reads no rows.
    const database: any = { prepare: () => ({ run: () => ({ changes: 0, lastInsertRowid: 0 }) }), close() {} }
    const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
    const app = alula()
    const warned = nextWarning('ALULA_UNSUPPORTED_DATABASE')

    app.use('notes', kysely({ Model: db, name: 'notes' }))
    await app.setup()
    expect((await warned).message).toBe(
      `The service 'notes' cannot be used: The driver of SQLite returns no rows: expected one with the API of 'better-sqlite3'. For 'node:sqlite', give SqliteDialect the database nodeSqlite(path) of 'alula/kysely' (ALULA_UNSUPPORTED_DATABASE)`
    )
    await expect(app.service('notes').find()).rejects.toMatchObject({
      code: 500,
      cause: { code: 'ALULA_UNSUPPORTED_DATABASE' }
    })
  })
})

describe.runIf(hasNodeSqlite)('nodeSqlite()', () => {
  function open(path = ':memory:'): Kysely<any> {
    const db = new Kysely<any>({ dialect: new SqliteDialect({ database: nodeSqlite(path) }) })

    onTestFinished(() => db.destroy())

    return db
  }

  it('a DatabaseSync by itself is named at set-up', async () => {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite' as 'node:process') as any
    const db = new Kysely<any>({ dialect: new SqliteDialect({ database: new DatabaseSync(':memory:') }) })

    onTestFinished(() => db.destroy())
    await sql`create table notes (id integer primary key)`.execute(db)
    await expect(kysely({ Model: db, name: 'notes' }).find()).rejects.toMatchObject({
      cause: { code: 'ALULA_UNSUPPORTED_DATABASE' }
    })
  })

  it('own statements take booleans, and get large integers, bytes and plain objects', async () => {
    const db = open()

    await sql`create table notes (id integer primary key, done boolean, bytes blob)`.execute(db)
    await db
      .insertInto('notes')
      .values({ id: 9007199254740993n, done: true, bytes: Buffer.from([0, 255]) })
      .execute()

    const [row] = await db.selectFrom('notes').selectAll().where('done', '=', true).execute()

    expect(row).toStrictEqual({ id: 9007199254740993n, done: 1, bytes: Buffer.from([0, 255]) })

    const rows: object[] = []

    for await (const streamed of db.selectFrom('notes').selectAll().stream()) rows.push(streamed)
    expect(rows).toStrictEqual([row])
    expect(await db.deleteFrom('notes').executeTakeFirst()).toMatchObject({ numDeletedRows: 1n })
  })

  it('large numbers are right in columns of every kind', async () => {
    const db = open()
    const large = '9007199254740993'

    await sql`create table notes (id integer primary key, other, doc json, price decimal)`.execute(db)
    await sql`insert into notes values (${sql.raw(large)}, ${sql.raw(large)}, ${sql.raw(large)}, ${sql.raw(large)})`.execute(
      db
    )

    expect(await kysely({ Model: db, name: 'notes' }).find()).toEqual([
      { id: large, other: large, doc: Number(large), price: Number(large) }
    ])
  })

  it('references are checked, and a file that another process writes to is a 503', async () => {
    const path = await createDatabase(SQLITE)
    const [db, other] = [open(path), open(path)]

    await sql`create table notes (id integer primary key, parent integer references notes (id))`.execute(db)

    const notes = kysely({ Model: db, name: 'notes', allowId: true })

    await expect(notes.create({ parent: 9 })).rejects.toMatchObject({ code: 400 })
    expect(await sql`pragma busy_timeout`.execute(db)).toMatchObject({ rows: [{ timeout: 5000 }] })
    await sql`pragma busy_timeout = 1`.execute(db)
    await sql`begin immediate`.execute(other)
    await expect(notes.create({})).rejects.toMatchObject({ code: 503, cause: { errcode: 5 } })
    await sql`rollback`.execute(other)
    expect(await notes.create({ id: 1 })).toEqual({ id: 1, parent: null })
    await expect(notes.create({ id: 1 })).rejects.toMatchObject({ code: 409, errors: { id: 'is taken' } })
  })
})
