import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

// MariaDB sorts by the last part.
const UUIDS = ['1b9d6bcd-bbfd-4b2d-9b5d-1b8dfbbd4bed', '2c5ea4c0-cbfe-4be9-9bad-9b1deb4d3b7d']
const NUMBERS = [7, 8]

// Both columns of a relation hold the same values, and their types differ.
describeDatabases('related records', ({ name, ...database }) => {
  it.each([
    ['integer', 'integer', NUMBERS],
    ['integer', database.number, NUMBERS],
    [database.number, 'integer', NUMBERS],
    ['uuid', { SQLite: 'text', PostgreSQL: 'text', MariaDB: 'varchar(40)' }[name], UUIDS],
    [{ SQLite: 'text', PostgreSQL: 'text', MariaDB: 'varchar(40)' }[name], 'uuid', UUIDS]
  ])('belong to ids of the type %s by columns of the type %s', async (idType, ownerType, [first, second]) => {
    const db = await createTable({ name, ...database }, 'alula_kinds', `id ${idType} primary key`)

    onTestFinished(() => sql`drop table if exists alula_kinds_of`.execute(db).then(() => undefined))
    await sql`drop table if exists alula_kinds_of`.execute(db)
    await sql`create table alula_kinds_of (id integer primary key, owner ${sql.raw(String(ownerType))})`.execute(
      db
    )

    const app: any = alula()
    const Id = typeof first === 'number' ? z.number() : z.string()
    const owned = { to: 'owner' }

    app.use('people', kysely({ Model: db, name: 'alula_kinds', multi: true }), {
      schema: schema({
        record: z.object({ id: Id }),
        create: z.object({ id: Id }),
        relations: {
          notes: many('notes', { ...owned, filter: ['id'] }),
          size: count('notes', owned),
          has: exists('notes', owned)
        }
      })
    })

    const Note = z.object({ id: z.int(), owner: Id.nullable() })

    app.use('notes', kysely({ Model: db, name: 'alula_kinds_of', multi: true }), {
      schema: schema({
        record: Note,
        create: Note,
        relations: { author: one('people', { from: 'owner', filter: ['id'] }) }
      })
    })
    await app.setup()
    await app.service('people').create([{ id: first }, { id: second }])
    await app.service('notes').create([1, 2, 3].map((id) => ({ id, owner: id < 3 ? second : null })))

    const find = (path: string, query: object) => app.service(path).find({ query })
    const ids = async (path: string, query: object) => (await find(path, query)).map(({ id }: any) => id)
    const notes = [1, 2].map((id) => ({ id, owner: second }))
    const without = { id: first, notes: [], size: 0, has: false }

    for (const $limit of [10, undefined]) {
      expect(
        await find('people', {
          $include: ['notes', 'size', 'has'],
          $sort: { id: 1 },
          ...($limit && { $limit })
        })
      ).toEqual([without, { id: second, notes, size: 2, has: true }])
      expect(
        await find('notes', { $include: 'author', $sort: { id: 1 }, ...($limit && { $limit }) })
      ).toEqual([
        ...notes.map((note) => ({ ...note, author: { id: second } })),
        { id: 3, owner: null, author: null }
      ])
    }

    for (const by of ['size', 'has']) {
      expect(await ids('people', { $sort: { [by]: 1 } })).toEqual([first, second])
      expect(await ids('people', { $sort: { [by]: -1 } })).toEqual([second, first])
    }

    expect(await ids('people', { 'notes.id': 2 })).toEqual([second])
    expect(await ids('notes', { 'author.id': second, $sort: { id: 1 } })).toEqual([1, 2])
  })

  // Records of the first three have other strings, and none of the others has.
  it.each(
    (
      [
        ['numeric(10,2)', 'numeric(10,1)', "'1'", name === 'SQLite'],
        ['char(5)', 'varchar(20)', "'ab'", name !== 'PostgreSQL'],
        ['char(5)', 'char(3)', "'ab'", name !== 'PostgreSQL'],
        ['numeric(10,2)', 'numeric(12,2)', "'1'", true],
        ['char(5)', 'char(5)', "'ab'", true],
        ['varchar(5)', 'varchar(20)', "'ab'", true]
      ] as const
    ).flatMap(([one, other, value, areEqual]) => [
      [one, other, value, areEqual] as const,
      [other, one, value, areEqual] as const
    ])
  )('of %s and %s are those whose records have equal values', async (type, otherType, value, areEqual) => {
    const db = await createTable(
      { name, ...database },
      'alula_kinds',
      `id integer primary key, code ${type} unique`
    )

    onTestFinished(() => sql`drop table if exists alula_kinds_of`.execute(db).then(() => undefined))
    await sql`drop table if exists alula_kinds_of`.execute(db)
    await sql
      .raw(`create table alula_kinds_of (id integer primary key, code ${otherType}, unique (code, id))`)
      .execute(db)
    await sql.raw(`insert into alula_kinds values (1, ${value}), (2, null)`).execute(db)
    await sql.raw(`insert into alula_kinds_of values (7, ${value})`).execute(db)

    const app: any = alula()
    const by = { from: 'code', to: 'code' }

    app.use('codes', kysely({ Model: db, name: 'alula_kinds' }), {
      schema: table({
        relations: {
          notes: many('notes', { ...by, filter: ['id'] }),
          size: count('notes', by),
          has: exists('notes', by)
        }
      })
    })
    app.use('notes', kysely({ Model: db, name: 'alula_kinds_of' }), {
      schema: table({ relations: { info: one('codes', { ...by, filter: ['id'] }) } })
    })
    await app.setup()

    const find = (path: string, query: object) => app.service(path).find({ query })

    expect((await app.service('codes').get(1)).code === (await app.service('notes').get(7)).code).toBe(
      areEqual
    )

    for (const $limit of [10, undefined]) {
      const query = { $sort: { id: 1 }, ...($limit && { $limit }) }

      expect(await find('codes', { ...query, $include: ['notes', 'size', 'has'] })).toMatchObject([
        areEqual ? { notes: [{ id: 7 }], size: 1, has: true } : { notes: [], size: 0, has: false },
        { notes: [], size: 0, has: false }
      ])
      expect(await find('notes', { ...query, $include: 'info' })).toMatchObject([
        { info: areEqual ? { id: 1 } : null }
      ])
    }

    expect(await find('codes', { 'notes.id': 7 })).toHaveLength(Number(areEqual))
    expect(await find('notes', { 'info.id': 1 })).toHaveLength(Number(areEqual))
    expect((await find('codes', { $sort: { size: -1, id: -1 } })).map(({ id }: any) => id)).toEqual(
      areEqual ? [1, 2] : [2, 1]
    )
  })

  it('belong to ids that are bytes', async () => {
    const type = { SQLite: 'blob', PostgreSQL: 'bytea', MariaDB: 'varbinary(16)' }[name]
    const db = await createTable({ name, ...database }, 'alula_kinds', `id ${type} primary key`)
    const notes = await createTable(
      { name, ...database },
      'alula_kinds_of',
      `id integer primary key, owner ${type}`
    )
    const app: any = alula()
    const owned = { to: 'owner' }

    app.use('people', kysely({ Model: db, name: 'alula_kinds' }), {
      schema: table({
        relations: { notes: many('notes', owned), size: count('notes', owned), has: exists('notes', owned) }
      })
    })
    app.use('notes', kysely({ Model: notes, name: 'alula_kinds_of' }), { schema: table() })
    await app.setup()

    // They are no text in UTF-8.
    const id = Buffer.of(0, 0xff, 0x80, 0x27).toString('base64')

    await app.service('people').create({ id })
    await app.service('notes').create({ id: 1, owner: id })
    await app.service('notes').create({ id: 2, owner: null })
    expect(await app.service('people').find({ query: { $include: ['notes', 'size', 'has'] } })).toEqual([
      { id, notes: [{ id: 1, owner: id }], size: 1, has: true }
    ])
  })

  it('of the same table are counted for sorting', async () => {
    const db = await createTable(
      { name, ...database },
      'alula_kinds',
      'id integer primary key, parent integer'
    )
    const app: any = alula()
    const Part = z.object({ id: z.int(), parent: z.int().nullable() })
    const relations = { parts: count('parts', { to: 'parent' }) }

    app.use('parts', kysely({ Model: db, name: 'alula_kinds', multi: true }), {
      schema: schema({ record: Part, create: Part, relations })
    })
    await app.service('parts').create(
      [
        [1, null],
        [2, 3],
        [3, 1],
        [4, 3]
      ].map(([id, parent]) => ({ id, parent }))
    )

    const sorted = await app
      .service('parts')
      .find({ query: { $sort: { parts: -1, id: -1 }, $include: 'parts' } })

    expect(sorted.map(({ id, parts }: any) => [id, parts])).toEqual([
      [3, 2],
      [1, 1],
      [4, 0],
      [2, 0]
    ])
  })
})
