import type { AdapterTestOptions } from 'alula-testing/adapters'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query/like.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { adapterGroups } from '../support/adapter-groups.ts'
import { scaled } from '../support/scale.ts'
import {
  createTable,
  type DatabaseName,
  describeDatabases,
  POSTGRES,
  type TestDatabase
} from '../support/sql.ts'

// Columns that take upper and lower case for the same, or blanks at the end for nothing: what a query finds is what it finds in
// memory. What a unique index holds is for the collation to say.

const LOOSE: { readonly [name in DatabaseName]: readonly string[] } = {
  SQLite: ['varchar(50) collate nocase', 'varchar(50) collate rtrim'],
  PostgreSQL: ['varchar(50) collate alula_loose', 'citext'],
  // Its default.
  MariaDB: ['varchar(50)', 'varchar(50) collate utf8mb4_unicode_ci']
}

const FEATURES = { missing: false, mixedTypes: false, codeUnits: false, insertionOrder: false }

const ABOUT_TEXT = ['ids', 'operators', 'combined queries', '$sort', 'values', 'beside the reference']

/** Makes what the types above need. */
async function prepare(db: Kysely<any>, { name }: TestDatabase): Promise<void> {
  if (name !== 'PostgreSQL') return

  await sql`create extension if not exists citext`.execute(db)
  await sql`create collation if not exists alula_loose
    (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`.execute(db)
}

async function open(database: TestDatabase, columns: string): Promise<any> {
  const db = database.open()

  await prepare(db, database)
  await db.destroy()

  return await createTable(database, 'alula_collations', columns)
}

describeDatabases('a collation that takes letters for the same', (database) => {
  describe.each(LOOSE[database.name])('%s', (type) => {
    adapterGroups(ABOUT_TEXT, openSuite(database, type))

    it('tells ids apart, and has one of those that it takes for the same', async () => {
      const db = await open(database, `code ${type} primary key, label ${type}`)
      const [id, other] = type.includes('rtrim') ? ['ALFKI', 'ALFKI '] : ['ALFKI', 'alfki']
      const service: any = kysely({
        Model: db,
        name: 'alula_collations',
        id: 'code',
        multi: true,
        operators: ['$like', '$ilike', '$notlike']
      })
      const record = { code: id, label: 'Ä' }

      await service.create(record)

      for (const call of [
        () => service.get(other),
        () => service.patch(other, { label: 'x' }),
        () => service.update(other, { label: 'x' }),
        () => service.remove(other)
      ]) {
        await expect(call()).rejects.toMatchObject({ name: 'NotFound' })
      }

      await expect(service.create({ code: other })).rejects.toMatchObject({
        name: 'Conflict',
        errors: { code: 'is taken' }
      })
      expect(await service.remove(null, { query: { code: { $in: [other] } } })).toEqual([])
      expect(await service.find({ query: { code: { $nin: [other] } } })).toEqual([record])
      expect(await service.find({ query: { code: { $like: 'alf%' } } })).toEqual([])
      expect(await service.find({ query: { label: { $like: 'ä' } } })).toEqual([])
      for (const query of [
        { code: { $like: 'ALF%' } },
        { code: { $ilike: 'alf%' } },
        { label: { $notlike: 'A' } }
      ]) {
        expect(await service.find({ query })).toEqual([record])
      }
      expect(await service.get(id)).toEqual(record)
      expect(await service.patch(id, { code: other, label: 'y' })).toEqual({ code: id, label: 'y' })
    })
  })
})

describeDatabases('relations by keys that a collation takes for the same', (database) => {
  it.each(LOOSE[database.name])('lead where they lead in memory: %s', async (type) => {
    const app = alula()
    const reference = alula()
    const db = database.open()
    const drop = async () => {
      for (const name of ['alula_loose_links', 'alula_loose_books', 'alula_loose_people'])
        await db.schema.dropTable(name).ifExists().execute()
    }

    onTestFinished(async () => {
      await drop()
      await db.destroy()
    })
    await prepare(db, database)
    await drop()
    await sql`create table alula_loose_people (code ${sql.raw(type)}, name ${sql.raw(type)}, number integer primary key)`.execute(
      db
    )
    await sql`create table alula_loose_books (id integer primary key, author varchar(50))`.execute(db)
    await sql`create table alula_loose_links (id integer primary key, author ${sql.raw(type)}, book integer)`.execute(
      db
    )
    await sql`create index alula_loose_people_code on alula_loose_people (code)`.execute(db)
    await sql`create index alula_loose_links_author on alula_loose_links (author)`.execute(db)

    const relations = {
      books: many('books', { to: 'author', from: 'code', filter: ['id'] }),
      links: many('links', { to: 'author', from: 'code', filter: ['id'] }),
      through: many('books', { from: 'code', through: { path: 'links', from: 'author', to: 'book' } }),
      bookCount: count('books', { to: 'author', from: 'code' }),
      linkCount: count('links', { to: 'author', from: 'code' }),
      hasBooks: exists('books', { to: 'author', from: 'code' })
    }
    const bookRelations = { writer: one('people', { from: 'author', to: 'code', filter: ['number'] }) }
    const text = { type: ['string', 'null'] }
    const whole = { type: 'integer' }
    const record = (properties: object) => ({ type: 'object', properties }) as any

    for (const [path, id, declared] of [
      ['people', 'number', relations],
      ['books', 'id', bookRelations],
      ['links', 'id', {}]
    ] as const) {
      const properties = {
        people: { code: text, name: text, number: whole },
        books: { id: whole, author: text },
        links: { id: whole, author: text, book: whole }
      }[path]

      app.use(path, kysely({ Model: db, name: `alula_loose_${path}`, id, multi: true }), {
        schema: table({ relations: declared as any })
      })
      reference.use(path, memory({ id, multi: true }), {
        schema: schema(record(properties), { relations: declared } as any)
      })
    }

    const codes = ['a', 'A', 'a ', 'á', 'b', 'B']
    const people = codes.map((code, number) => ({ code, name: code, number }))
    const books = [...codes, 'a', 'c', 'b', null].map((author, id) => ({ id, author }))
    const links = [...codes, 'A', 'C'].map((author, id) => ({ id, author, book: 7 - id }))

    for (const one of [app, reference]) {
      await one.setup()
      await (one.service('people') as any).create(people)
      await (one.service('books') as any).create(books)
      await (one.service('links') as any).create(links)
    }

    const names = Object.keys(relations)
    const queries = [
      ...names.map((name) => ['people', { $include: name }]),
      ...names.map((name) => ['people', { $include: name, $limit: 3, $sort: { name: -1 } }]),
      ...books.map(({ id }) => ['people', { 'books.id': id }]),
      ...links.map(({ id }) => ['people', { 'links.id': id, $sort: { code: 1 } }]),
      ...people.map(({ number }) => ['books', { 'writer.number': number }]),
      ['people', { $sort: { bookCount: -1, number: 1 } }],
      ['people', { $sort: { linkCount: -1, number: 1 }, $select: ['linkCount'] }],
      ['books', { $include: 'writer' }],
      ['books', { $include: ['writer.links', 'writer.bookCount'], $limit: 20 }]
    ] as [string, object][]

    for (const provider of [undefined, 'rest']) {
      for (const [path, query] of queries) {
        const [found, expected] = await Promise.all(
          [app, reference].map((one) => (one.service(path) as any).find({ query, provider }))
        )

        expect(found, `${path} ${JSON.stringify(query)}`).toEqual(expected)
      }
    }
  })
})

describeDatabases(
  'a string of a fixed length',
  (database) => {
    it('matches a pattern with the blanks that the record has', async () => {
      const db = await createTable(database, 'alula_collations', 'code char(5) primary key')
      const options = { id: 'code', multi: true, operators: ['$like', '$ilike', '$notlike'] }
      const stored: any = kysely({ Model: db, name: 'alula_collations', ...options })
      const reference: any = memory({ ...options, predicates: PATTERN_PREDICATES })

      await stored.create([{ code: 'AD' }, { code: 'ABCDE' }])
      await reference.create(await stored.find())

      for (const operator of options.operators) {
        for (const pattern of ['AD', 'AD   ', 'AD___', 'ad%', 'A%D%', '_____', 'ABCDE']) {
          const query = { code: { [operator]: pattern }, $sort: { code: 1 } }

          expect(await stored.find({ query })).toEqual(await reference.find({ query }))
        }
      }
    })

    it('is found with and without the blanks that the database adds', async () => {
      const db = await createTable(database, 'alula_collations', 'code char(5) primary key, boss char(5)')
      const relations = {
        leader: one('people', { from: 'boss' }),
        team: many('people', { to: 'boss' }),
        teamSize: count('people', { to: 'boss' })
      }
      const app = alula()
      const people: any = app
        .use(
          'people',
          kysely({ Model: db, name: 'alula_collations', id: 'code', multi: true, operators: ['$like'] }),
          {
            schema: table({ relations })
          }
        )
        .service('people')
      const ada = { code: 'AD   ', boss: null }

      await app.setup()
      await people.create([
        { code: 'AD', boss: null },
        { code: 'BO', boss: 'AD' },
        { code: 'ad', boss: 'AD   ' }
      ])

      for (const code of ['AD', 'AD   ']) {
        expect(await people.get(code)).toEqual(ada)
        expect(await people.find({ query: { code } })).toEqual([ada])
        expect(await people.find({ query: { code: { $in: [code] } } })).toEqual([ada])
        expect(await people.find({ query: { code: { $lte: code } } })).toEqual([ada])
      }

      await expect(people.create({ code: 'AD ' })).rejects.toMatchObject({ name: 'Conflict' })
      expect(await people.find({ query: { code: { $like: 'A%' } } })).toEqual([ada])
      expect(await people.get('AD', { query: { $include: ['team', 'teamSize'] } })).toMatchObject({
        team: [{ code: 'BO   ' }, { code: 'ad   ' }],
        teamSize: 2
      })
      expect(await people.get('BO', { query: { $include: 'leader' } })).toMatchObject({ leader: ada })
      expect(await people.find({ query: { $sort: { teamSize: -1 }, $limit: 1 } })).toEqual([ada])
    })
  },
  [POSTGRES]
)

/** Options of the suite, for a table that is there while its tests run. */
function openSuite(database: TestDatabase, type: string): AdapterTestOptions {
  const { number, boolean, date, json } = database
  const name = 'alula_collations_suite'
  const text = sql.raw(type)
  let db: Kysely<any>

  beforeAll(async () => {
    db = database.open()
    await prepare(db, database)
    await sql`drop table if exists ${sql.table(name)}`.execute(db)
    await sql`create table ${sql.table(name)} (code ${text} primary key, name ${text}, age ${sql.raw(number)},
      team ${text}, position integer, active ${sql.raw(boolean)}, joined ${sql.raw(date)},
      address ${sql.raw(json)}, tags ${sql.raw(json)})`.execute(db)
  })

  afterAll(async () => {
    await sql`drop table ${sql.table(name)}`.execute(db)
    await db.destroy()
  })

  return {
    name: `kysely with ${type}`,
    id: 'code',
    ids: ['text'],
    features: FEATURES,
    random: { runs: scaled(200) },
    // A unique index takes them for the same.
    skip: ['ids that differ in case or in an accent are different'],
    create: async (wanted) => {
      await db.deleteFrom(name).execute()

      return kysely({ ...wanted, Model: db, name })
    }
  }
}
