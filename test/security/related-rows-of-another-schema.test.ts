// Relation statements named their tables without the schema: a tenant got the related rows of the usual one.
import { type Kysely, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, exists, many, one } from '../../src/schema.ts'
import { describeDatabases, type TestDatabase } from '../support/sql.ts'

const TENANT = 'alula_related_tenant'
const LINK = { from: 'note', to: 'tag' }

/** Tables and their rows: those of the usual schema have other texts, and more of them. */
const TABLES = {
  alula_tenant_users: ['id integer primary key, name varchar(20)', "(1, 'ada')", "(1, 'other')"],
  alula_tenant_notes: [
    'id integer primary key, owner integer, text varchar(20)',
    "(1, 1, 'own')",
    "(1, 1, 'secret'), (2, 1, 'secret')"
  ],
  alula_tenant_links: [
    'note integer, tag integer, primary key (note, tag)',
    '(1, 1)',
    '(1, 1), (1, 2), (2, 1), (2, 2)'
  ],
  alula_tenant_tags: [
    'id integer primary key, text varchar(20)',
    "(1, 'red')",
    "(1, 'secret'), (2, 'secret')"
  ]
} as const

/** The tables in the usual schema, and once more in that of a tenant. */
async function createSchemas(database: TestDatabase): Promise<Kysely<any>> {
  const db = database.open()
  const run = (text: string) => sql.raw(text).execute(db)
  const drop = async () => {
    for (const name of Object.keys(TABLES)) await run(`drop table if exists ${name}`)
    if (database.name !== 'SQLite') {
      await run(`drop schema if exists ${TENANT} ${database.name === 'PostgreSQL' ? 'cascade' : ''}`)
    }
  }

  await drop()
  onTestFinished(async () => {
    await drop()
    await db.destroy()
  })
  await run(database.name === 'SQLite' ? `attach ':memory:' as ${TENANT}` : `create schema ${TENANT}`)

  for (const [name, [columns, own, others]] of Object.entries(TABLES)) {
    await run(`create table ${TENANT}.${name} (${columns})`)
    await run(`insert into ${TENANT}.${name} values ${own}`)
    await run(`create table ${name} (${columns})`)
    await run(`insert into ${name} values ${others}`)
  }

  // SQLite has the name of the schema before that of the index.
  await run(
    database.name === 'SQLite'
      ? `create index ${TENANT}.alula_tenant_owner on alula_tenant_notes (owner)`
      : `create index alula_tenant_owner on ${TENANT}.alula_tenant_notes (owner)`
  )
  await run('create index alula_tenant_owner_2 on alula_tenant_notes (owner)')

  return db
}

const WAYS = ['the option schema', 'an instance with a schema', 'a hook for each call'] as const

async function openApp(db: Kysely<any>, way: (typeof WAYS)[number], paginate?: object): Promise<any> {
  const app: any = alula()
  const place =
    way === WAYS[0] ? { Model: db, schema: TENANT } : { Model: way === WAYS[1] ? db.withSchema(TENANT) : db }
  const use = (path: string, options: object, relations?: any) =>
    app.use(path, kysely({ ...place, name: `alula_tenant_${path}`, paginate, ...options } as any), {
      schema: table({ relations } as any)
    })

  use('users', {}, { notes: many('notes', { to: 'owner', filter: ['text'] }), ...numbersOf('owner') })
  use(
    'notes',
    {},
    {
      author: one('users', { from: 'owner', filter: ['name'] }),
      tags: many('tags', { through: { path: 'links', ...LINK }, filter: ['text'] }),
      tagged: many('tags', { through: { table: 'alula_tenant_links', ...LINK }, filter: ['text'] })
    }
  )
  use('links', { id: 'note' })
  use('tags', {})

  if (way === WAYS[2]) {
    for (const path of ['users', 'notes', 'links', 'tags']) {
      app.service(path).hooks({
        before: {
          all: [
            (context: any) => {
              context.params = { ...context.params, adapter: { schema: TENANT } }
            }
          ]
        }
      })
    }
  }

  await app.setup()

  return app
}

function numbersOf(to: string): object {
  return { size: count('notes', { to }), has: exists('notes', { to }) }
}

const ADA = { id: 1, name: 'ada' }
const NOTE = { id: 1, owner: 1, text: 'own' }
const RED = { id: 1, text: 'red' }

describeDatabases('related rows are those of the schema of their service', (database) => {
  describe.each(WAYS)('which is that of %s', (way) => {
    it.each([undefined, { default: 10 }])('with the pages %o', async (paginate) => {
      const db = await createSchemas(database)
      const app = await openApp(db, way, paginate)
      const find = async (path: string, query: object) => {
        const result = await app.service(path).find({ query })

        return paginate ? result.data : result
      }

      expect(await find('users', { $include: ['notes', 'size', 'has'] })).toEqual([
        { ...ADA, notes: [NOTE], size: 1, has: true }
      ])
      expect(await app.service('users').get(1, { query: { $include: ['notes', 'size'] } })).toEqual({
        ...{ ...ADA, notes: [NOTE], size: 1 }
      })
      expect(await find('users', { $sort: { size: 1 } })).toEqual([ADA])
      expect(await find('users', { 'notes.text': 'own' })).toEqual([ADA])
      expect(await find('users', { 'notes.text': 'secret' })).toEqual([])
      expect(await find('notes', { $include: ['author', 'tags', 'tagged'] })).toEqual([
        { ...NOTE, author: ADA, tags: [RED], tagged: [RED] }
      ])
      expect(await find('notes', { 'author.name': 'ada' })).toEqual([NOTE])
      expect(await find('notes', { 'author.name': 'other' })).toEqual([])
      for (const relation of ['tags', 'tagged']) {
        expect(await find('notes', { [`${relation}.text`]: 'red' })).toEqual([NOTE])
        expect(await find('notes', { [`${relation}.text`]: 'secret' })).toEqual([])
      }
    })
  })

  it('which may be another one for each of two services, with tables of one name', async () => {
    const db = await createSchemas(database)
    const app: any = alula()
    const name = 'alula_tenant_notes'
    const relations = (path: string) => ({
      same: many(path, { from: 'owner', to: 'owner', filter: ['text'] }),
      size: count(path, { from: 'owner', to: 'owner' })
    })

    app.use('usual', kysely({ Model: db, name, paginate: { default: 10 } }), {
      schema: table({ relations: relations('own') })
    })
    app.use('own', kysely({ Model: db, schema: TENANT, name, paginate: { default: 10 } }), {
      schema: table({ relations: relations('usual') })
    })
    await app.setup()

    const find = async (path: string, query: object) => (await app.service(path).find({ query })).data
    const [own] = await find('own', { $include: ['same', 'size'] })
    const [usual] = await find('usual', { $include: ['same', 'size'] })

    expect(own).toMatchObject({ text: 'own', size: 2, same: [{ text: 'secret' }, { text: 'secret' }] })
    expect(usual).toMatchObject({ text: 'secret', size: 1, same: [NOTE] })
    expect(await find('own', { 'same.text': 'secret' })).toEqual([NOTE])
    expect(await find('own', { 'same.text': 'own' })).toEqual([])
    expect(await find('usual', { 'same.text': 'own' })).toHaveLength(2)
  })

  it('which relates a table to itself', async () => {
    const db = await createSchemas(database)
    const app: any = alula()
    const same = { from: 'owner', to: 'owner' }

    app.use('notes', kysely({ Model: db, schema: TENANT, name: 'alula_tenant_notes' }), {
      schema: table({
        relations: {
          same: many('notes', { ...same, filter: ['text'], limit: 1 }),
          size: count('notes', same)
        }
      })
    })
    await app.setup()

    const find = (query: object) => app.service('notes').find({ query })

    expect(await find({ $include: ['same', 'size'] })).toEqual([{ ...NOTE, same: [NOTE], size: 1 }])
    expect(await find({ 'same.text': 'own', $sort: { size: -1 } })).toEqual([NOTE])
    expect(await find({ 'same.text': 'secret' })).toEqual([])
  })
})
