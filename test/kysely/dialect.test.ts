// The database of docs/writing-a-dialect.md: a SQLite under another name, which takes part of its dialect from nowhere.

import { Kysely, type QueryCompiler, SqliteAdapter, SqliteDialect, SqliteQueryCompiler, sql } from 'kysely'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { type Dialect, kysely, registerDialect, sqlite, withTransaction } from '../../src/kysely.ts'
import { adapterGroups } from '../support/adapter-groups.ts'
import { scaled } from '../support/scale.ts'

/** Writes names in brackets, as SQLite understands too: none of the dialects that are known does. */
class BracketCompiler extends SqliteQueryCompiler {
  protected override getLeftIdentifierWrapper(): string {
    return '['
  }

  protected override getRightIdentifierWrapper(): string {
    return ']'
  }
}

class BracketDialect extends SqliteDialect {
  override createQueryCompiler(): QueryCompiler {
    return new BracketCompiler()
  }

  override createAdapter(): SqliteAdapter {
    return new SqliteAdapter()
  }
}

const brackets: Dialect = {
  ...sqlite,
  name: 'Brackets',
  maxValues: 100,
  toOrder: (value, direction) =>
    direction === 1 ? sql`${value} asc nulls first` : sql`${value} desc nulls last`,
  toErrorKind: (error) => (error.code === 'SQLITE_CONSTRAINT_CHECK' ? 'deadlock' : sqlite.toErrorKind(error))
}

function open(): Kysely<any> {
  const db = new Kysely<any>({ dialect: new BracketDialect({ database: new Database(':memory:') as any }) })

  return db
}

describe('a database that is not known', () => {
  it('is refused until its dialect is registered, for variants of the instance too', async () => {
    const db = open()

    onTestFinished(() => db.destroy())
    expect(() => kysely({ Model: db, name: 'people' })).toThrow(
      "Invalid adapter option 'Model': expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes [a] = ?"
    )

    registerDialect(db, brackets)
    await sql`create table people (id integer primary key, age integer check (age > 0))`.execute(db)

    const people: any = kysely({ Model: db.withSchema('main'), name: 'people', multi: true })

    expect(await withTransaction(db, () => people.create({ age: 1 }))).toEqual({ id: 1, age: 1 })
    // Its own rules count: how many values it takes, and what its errors mean.
    await expect(
      people.find({ query: { $or: Array.from({ length: 101 }, (_, age) => ({ age })) } })
    ).rejects.toMatchObject({ message: 'Invalid query: expected at most 100 values' })
    await expect(people.create({ age: -1 })).rejects.toMatchObject({ name: 'Unavailable' })
  })

  it('gets the rows of a call, and the check of what is stored, in statements that it takes', async () => {
    const db = open()
    const app = alula()

    onTestFinished(() => db.destroy())
    registerDialect(db, brackets)
    await sql`create table people (id integer primary key, age integer, team text)`.execute(db)
    await sql`create trigger people_made after insert on people begin select 1; end`.execute(db)
    app.use('people', kysely({ Model: db, name: 'people', multi: true }), {
      access: access({ create: () => ({ team: 'a' }) })
    })

    const people = Array.from({ length: 150 }, (_, age) => ({ age, team: 'a' }))

    expect(await app.service('people').create(people, { provider: 'rest' })).toMatchObject(people)
  })

  describe('passes the suite where its dialect counts', () => {
    let db: Kysely<any>

    beforeAll(async () => {
      db = open()
      registerDialect(db, { ...brackets, maxValues: sqlite.maxValues })
      await sql`create table people (id integer primary key autoincrement, name text, age double precision, team text,
        position integer, active boolean, joined timestamp, address json, tags json)`.execute(db)
    })

    afterAll(() => db.destroy())

    adapterGroups(['create', '$sort', 'beside the reference'], {
      name: 'a dialect of one’s own',
      ids: ['number'],
      features: { missing: false, mixedTypes: false, codeUnits: false, insertionOrder: false },
      random: { runs: scaled(1_250) },
      create: async (options) => {
        await db.deleteFrom('people').execute()

        return kysely({ ...options, Model: db, name: 'people' })
      }
    })
  })
})
