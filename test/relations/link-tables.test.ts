// A relation through a table that has no service.
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { KyselyService, kysely, table, transaction, withTransaction } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { type LinkOptions, many, schema } from '../../src/schema.ts'
import { describeDatabases, MARIADB, SQLITE, type TestDatabase } from '../support/sql.ts'
import { openTables } from './support/tables.ts'

const PREFIX = 'alula_links_'
const Note = z.object({ id: z.int(), text: z.string() })
const Tag = z.object({ id: z.int(), name: z.string() })
const LINK: LinkOptions = { table: `${PREFIX}note_tags`, from: 'note', to: 'tag' }

interface Opened {
  readonly app: any
  readonly db: any
  readonly statements: string[]
  /** What the start has said. */
  readonly mistakes: string[]
}

/** Notes and tags, and a table of both ids without an id of its own. */
async function open(database: TestDatabase, through: LinkOptions = LINK, tags: object = {}): Promise<Opened> {
  const statements: string[] = []
  const db = await openTables(
    database,
    PREFIX,
    { notes: `text ${database.text}`, tags: `name ${database.text}` },
    (statement) => statements.push(statement)
  )
  const run = (statement: string) => sql.raw(statement).execute(db)
  const drop = () => run(`drop table if exists ${PREFIX}note_tags`)

  await drop()
  await run(
    `create table ${PREFIX}note_tags (note integer not null, tag integer not null, primary key (note, tag))`
  )
  onTestFinished(async () => void (await drop()))

  const app: any = alula()
  const create = (name: string) => ({ Model: db, name: `${PREFIX}${name}`, paginate: { default: 10 } })
  const mistakes: string[] = []

  app.on('error', ({ message }: Error) => mistakes.push(message))
  app.use('tags', kysely(create('tags')), { schema: schema(Tag), ...tags })
  app.use('notes', kysely(create('notes')), {
    schema: schema(Note, { relations: { tags: many('tags', { through, filter: ['name'] }) } }),
    access: access({ all: anyone })
  })
  await app.setup()
  await run(`insert into ${PREFIX}notes (id, text) values (1, 'a'), (2, 'b'), (3, 'c')`)
  await run(`insert into ${PREFIX}tags (id, name) values (1, 'history'), (2, 'code')`)
  await run(`insert into ${PREFIX}note_tags (note, tag) values (1, 2), (1, 1), (2, 2), (2, 9)`)

  return { app, db, statements, mistakes }
}

async function ask(app: any, query: object, params: object = {}): Promise<any[]> {
  const call = { method: 'find', params: { provider: 'rest', query, ...params } }
  const response: any = getResponse(await callService(app.service('notes'), call as any))

  return response.data ?? response
}

const [history, code] = [
  { id: 1, name: 'history' },
  { id: 2, name: 'code' }
]

describeDatabases('a relation through a table without a service', (database) => {
  it('includes what it links, and filters by it', async () => {
    const { app, statements, mistakes } = await open(database)
    const query = { $include: 'tags', $sort: { id: 1 } }
    const expected = [
      { id: 1, text: 'a', tags: [history, code] },
      { id: 2, text: 'b', tags: [code] },
      { id: 3, text: 'c', tags: [] }
    ]

    expect(mistakes).toEqual([])
    expect(await ask(app, query, { paginate: false })).toEqual(expected)
    statements.length = 0
    expect(await ask(app, query)).toEqual(expected)
    expect(statements).toHaveLength(database === MARIADB ? 3 : 1)
    statements.length = 0
    expect((await ask(app, { 'tags.name': 'history' })).map(({ id }) => id)).toEqual([1])
    expect(statements).toHaveLength(1)
    expect((await app.service('notes').get(2, { query: { $include: 'tags' } })).tags).toEqual([code])
  })

  it('shows what the rule of the related service lets the caller find', async () => {
    const { app } = await open(database, LINK, {
      methods: [],
      access: access({ find: ({ params }) => (params.admin ? true : { name: 'code' }) })
    })
    const query = { $include: 'tags', id: 1 }

    expect(await ask(app, query)).toMatchObject([{ tags: [code] }])
    expect(await ask(app, query, { admin: true })).toMatchObject([{ tags: [history, code] }])
    expect(await ask(app, { 'tags.name': 'history' })).toEqual([])
  })

  it('is read in the transaction of the call', async () => {
    const { app, db } = await open(database)

    await withTransaction(db, async (transaction: any) => {
      await transaction.insertInto(`${PREFIX}note_tags`).values({ note: 3, tag: 1 }).execute()
      expect((await app.service('notes').get(3, { query: { $include: 'tags' } })).tags).toEqual([history])
    })
  })

  it('is checked by a first call in a transaction that only params lead to', async () => {
    const { db } = await open(database)
    const app: any = alula()
    // An instance of which nothing was read.
    const fresh = db.withTables()
    const create = (name: string) => kysely({ Model: fresh, name: `${PREFIX}${name}` })

    app.use('tags', create('tags'))
    app.use('labels', create('tags'), { methods: ['find'] })
    app.use('notes', create('notes'), {
      schema: table({ relations: { tags: many('tags', { through: { ...LINK, to: 'tga' } as LinkOptions }) } })
    })
    app.service('labels').hooks({
      before: {
        find: [
          transaction.start(),
          async (context: any) => {
            const params = { transaction: context.params.transaction, query: { $include: 'tags' } }

            context.result = await app.service('notes').get(1, params)
          }
        ]
      },
      after: { find: [transaction.end()] },
      error: { find: [transaction.rollback()] }
    })

    await expect(app.service('labels').find()).rejects.toThrow("for 'tga', which is none of its columns")
  })

  it('is read where a call of its service reads', async () => {
    const { db } = await open(database)
    const app: any = alula()
    const other = database.open()

    class Elsewhere extends KyselyService {
      override getModel(params?: any): any {
        return params?.elsewhere ? db : other
      }
    }

    onTestFinished(() => other.destroy())
    app.use('tags', kysely({ Model: db, name: `${PREFIX}tags` }))
    app.use('others', new Elsewhere({ Model: other, name: `${PREFIX}notes` }), {
      schema: schema(Note, { relations: { tags: many('tags', { through: LINK }) } })
    })

    const note = await app.service('others').get(1, { elsewhere: true, query: { $include: 'tags' } })

    expect(note.tags).toEqual([history, code])
  })

  it('reads by its own column where another relation has the same table', async () => {
    const { text } = database
    const db = await openTables(database, PREFIX, {
      ...{ notes: `text ${text}`, tags: `name ${text}`, pairs: 'note integer, first integer, second integer' }
    })
    const app: any = alula()
    const create = (name: string) =>
      kysely({ Model: db, name: `${PREFIX}${name}`, multi: true, paginate: { default: 10 } })
    const through = (to: string) => ({ through: { table: `${PREFIX}pairs`, from: 'note', to } })

    app.use('tags', create('tags'), { schema: schema(Tag) })
    app.use('pairs', create('pairs'))
    app.use('notes', create('notes'), {
      schema: schema(Note, {
        relations: { first: many('tags', through('first')), second: many('tags', through('second')) }
      })
    })
    await app.setup()
    await app.service('tags').create([history, code])
    await app.service('notes').create({ id: 1, text: 'a' })
    await app.service('pairs').create({ id: 1, note: 1, first: 1, second: 2 })

    expect(await ask(app, { $include: 'first' })).toMatchObject([{ first: [history] }])
    expect(await ask(app, { $include: 'second' })).toMatchObject([{ second: [code] }])
  })

  it('is checked when the application starts', async () => {
    await expect(open(database, { ...LINK, to: 'tga' } as LinkOptions)).rejects.toMatchObject({
      code: 'ALULA_UNKNOWN_FIELD',
      message: `The relation 'tags' of service 'notes' asks the table '${PREFIX}note_tags' for 'tga', which is none of its columns. Did you mean 'tag'? (ALULA_UNKNOWN_FIELD)`
    })
    await expect(open(database, { ...LINK, from: 'x' } as LinkOptions)).rejects.toThrow("for 'x'")

    const { mistakes } = await open(database, { table: `${PREFIX}none`, from: 'note', to: 'tag' })

    expect(mistakes).toEqual([
      `The relation 'tags' of service 'notes' reads the table '${PREFIX}none', which is not in the database (ALULA_MISSING_TABLE)`
    ])
  })
})

describe('a relation through a table without a service', () => {
  it('needs a service that reads tables', async () => {
    const app: any = alula()

    app.use('tags', memory(), { schema: schema(Tag) })
    app.use('notes', memory(), {
      schema: schema(Note, { relations: { tags: many('tags', { through: LINK }) } })
    })

    await expect(app.setup()).rejects.toMatchObject({
      code: 'ALULA_INVALID_RELATION',
      message: `The relation 'tags' of service 'notes' reads the table '${PREFIX}note_tags', which only a service of alula/kysely can. Register a service for what links, and write through: { path: '…', from: 'note', to: 'tag' } (ALULA_INVALID_RELATION)`
    })
    await expect(ask(app, { $include: 'tags' })).rejects.toThrow('This service cannot read the table')
  })

  it('leads to a service in memory', async () => {
    const { app } = await open(SQLITE)

    app.use('labels', memory({ store: [history, code] }), { schema: schema(Tag) })
    app.use('marked', kysely({ Model: app.service('notes').getModel(), name: `${PREFIX}notes` }), {
      schema: schema(Note, { relations: { labels: many('labels', { through: LINK, filter: ['name'] }) } })
    })
    await app.setup()

    const find = (query: object) => app.service('marked').find({ query })

    expect(await find({ $include: 'labels', id: 1 })).toMatchObject([{ labels: [history, code] }])
    expect(await find({ 'labels.name': 'history' })).toMatchObject([{ id: 1 }])
  })
})

it('options of a link name a table or a service', () => {
  const link = (through: object) => () => many('tags', { through } as any)

  expect(link({ table: 'note_tags', path: 'links', from: 'note', to: 'tag' })).toThrow(
    "Unknown option 'path' of through of many()"
  )
  expect(link({ table: '', from: 'note', to: 'tag' })).toThrow(
    "Invalid option 'table' of through of many(): expected the name of a table"
  )
  expect(link({ table: 'note_tags', from: 'note' })).toThrow("Invalid option 'to' of through of many()")
})
