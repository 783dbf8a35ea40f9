import { type Kysely, sql } from 'kysely'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { callService, getResponse } from '../../../src/core/call.ts'
import { alula } from '../../../src/index.ts'
import { KyselyService, kysely } from '../../../src/kysely.ts'
import { count, exists, many, one, schema } from '../../../src/schema.ts'
import type { TestDatabase } from '../../support/sql.ts'

const TABLES = ['people', 'notes', 'comments', 'tags', 'links'] as const

const relations = {
  author: one('people', { from: 'owner' }),
  comments: many('comments', { to: 'note' }),
  tags: many('tags', { through: { path: 'links', from: 'note', to: 'tag' } }),
  commentCount: count('comments', { to: 'note' }),
  hasComments: exists('comments', { to: 'note' })
}

const ALL = Object.keys(relations)
const People = z.looseObject({ id: z.int(), name: z.string(), secret: z.string() })
const Comment = z.object({ id: z.int(), note: z.int(), person: z.int(), text: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), owner: z.int().nullable() })
const Tag = z.object({ id: z.int(), name: z.string() })
const Link = z.object({ id: z.int(), note: z.int(), tag: z.int().nullable() })

/** What differs from an application whose page is one statement. */
export interface Difference {
  /** A further column of people, and what Ada has in it as SQL. */
  readonly column?: (database: TestDatabase) => string
  readonly value?: string
  readonly withoutIndex?: boolean
  /** Options of the service of people. */
  readonly people?: object
  readonly settings?: object
  readonly Service?: new (...options: any[]) => object
  readonly Links?: new (...options: any[]) => object
  readonly prepare?: (app: any, db: Kysely<any>, database: TestDatabase) => unknown
  readonly query?: object
  readonly params?: object
  /** The number of statements, on SQLite and on PostgreSQL; a page without a limit has another. */
  readonly statements: number | readonly [sqlite: number, postgres: number]
  /** What the first record of the page has. */
  readonly first?: object
}

/** Starts an application with notes and what belongs to them. */
export async function open(database: TestDatabase, difference: Partial<Difference>) {
  const {
    column,
    value,
    withoutIndex,
    people = {},
    settings,
    Service = KyselyService,
    Links = KyselyService
  } = difference
  const statements: string[] = []
  const db = database.open((event) => void statements.push(event.query.sql))
  const app: any = alula()
  const { text, countedId } = database
  const columns: { readonly [name in (typeof TABLES)[number]]: string } = {
    people: `name ${text}, secret ${text}${column ? `, extra ${column(database)}` : ''}`,
    notes: `text ${text}, owner integer`,
    comments: `note integer, person integer, text ${text}`,
    tags: `name ${text}`,
    links: 'note integer, tag integer'
  }
  const run = (statement: string) => sql.raw(statement).execute(db)
  const drop = async () => {
    for (const name of TABLES) await run(`drop table if exists alula_prefetch_${name}`)
  }

  await drop()
  onTestFinished(async () => {
    await drop()
    await db.destroy()
  })
  for (const name of TABLES)
    await run(`create table alula_prefetch_${name} (id ${countedId}, ${columns[name]})`)
  if (!withoutIndex) {
    await run('create index alula_prefetch_note on alula_prefetch_comments (note)')
    await run('create index alula_prefetch_links_note on alula_prefetch_links (note)')
  }

  await run(`insert into alula_prefetch_people (name, secret) values ('Ada', 's'), ('Bob "é" \\\\ 你', 's')`)
  if (value) await run(`update alula_prefetch_people set extra = ${value} where id = 1`)
  await run(
    `insert into alula_prefetch_notes (text, owner) values ('a', 1), ('b', 2), ('c', 1), ('d', null), ('e', 9)`
  )
  await run(
    `insert into alula_prefetch_comments (note, person, text) values (2, 1, 'x'), (1, 2, 'y'), (1, 1, 'z')`
  )
  await run(`insert into alula_prefetch_tags (name) values ('history'), ('code')`)
  await run(
    'insert into alula_prefetch_links (note, tag) values (1, 2), (1, 1), (2, 2), (1, 2), (3, 9), (3, null)'
  )

  const create = (name: string) => ({ Model: db, name: `alula_prefetch_${name}`, paginate: { default: 10 } })

  app.use('people', new Service(create('people'), []), {
    schema: schema(People, { hidden: ['secret'], ...settings }),
    ...people
  })
  app.use('comments', kysely(create('comments')), {
    schema: schema(Comment, { relations: { person_: one('people', { from: 'person' }) } })
  })
  app.use('tags', kysely(create('tags')), { schema: schema(Tag) })
  app.use('links', new Links(create('links'), []), { schema: schema(Link), methods: [] })
  app.use('notes', kysely(create('notes')), { schema: schema(Note, { relations }) })
  await difference.prepare?.(app, db, database)
  await app.service('notes').find({ query: { $include: ALL } })

  const find = async (params: object): Promise<any[]> => {
    const context = await callService(app.service('notes'), { method: 'find', params } as any)
    const response: any = 'provider' in params && params.provider ? getResponse(context) : context.result

    statements.push('end')

    return response.data ?? response
  }

  return { app, db, find, statements }
}

/** What a page has, and the number of its statements. */
export async function read(database: TestDatabase, difference: Partial<Difference>) {
  const { find, statements } = await open(database, difference)
  const { query = {}, params } = difference
  const shared = { provider: 'rest', ...params }
  const asked = { $sort: { id: 1 }, ...('$select' in query ? {} : { $include: ALL }), ...query }

  statements.length = 0

  const page = await find({ ...shared, query: asked })
  const count = statements.indexOf('end')
  // Without a limit, each relation is read by itself.
  const expected = await find({ ...shared, paginate: false, query: asked })

  return { page, expected, count }
}
