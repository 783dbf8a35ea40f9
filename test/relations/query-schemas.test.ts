// Filters through relations to services that say in a schema which queries clients may send.
import { querySyntax, Type } from '@feathersjs/typebox'
import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { count, one, schema } from '../../src/schema.ts'
import { createTable, SQLITE } from '../support/sql.ts'

const WEB = { provider: 'rest' }
const User = z.object({ id: z.int(), name: z.string() })
const Note = z.object({ id: z.int(), authorId: z.int() })
const NAMES = ['Ada', 'Grace', 'Grace']

/** Clients find notes by the name of their author. */
async function open(users: object, notes: object, user: any) {
  const app: any = alula()
  const author = one('users', { from: 'authorId', filter: ['name'] })

  app.use('users', users, { schema: user })
  app.use('notes', notes, { schema: schema(Note, { relations: { author } }) })
  for (const name of NAMES) await app.service('users').create({ name })
  for (const { id } of await app.service('users').find()) await app.service('notes').create({ authorId: id })

  return async (query: object) => (await app.service('notes').find({ ...WEB, query })).length
}

const STRICT = z.object({ name: z.string().optional() })
const PAGED = z.object({ name: z.string().optional(), $limit: z.coerce.number().default(1) })

it.each([
  ['of its fields alone', schema(User, { query: STRICT })],
  ['with a page of its own', schema(User, { query: PAGED })],
  ['that leaves out what it does not know', schema(User, { query: STRICT, unknown: 'drop' })],
  ['without its id', schema(User.omit({ id: true }))]
])('a filter goes by a schema %s, in memory', async (_title, user) => {
  const count = await open(memory({ multi: true }), memory({ multi: true }), user)

  expect(await count({ 'author.name': 'Grace' })).toBe(2)
  expect(await count({ 'author.name': 'Ada' })).toBe(1)
})

it.each([
  ['of its fields alone', schema(User, { query: STRICT })],
  ['with a page of its own', schema(User, { query: PAGED })]
])('a filter goes by a schema %s, in one database', async (_title, user) => {
  const db = await createTable(SQLITE, 'filter_users', 'id integer primary key, name text not null')

  await sql`create table filter_notes (id integer primary key, "authorId" integer not null)`.execute(db)

  const count = await open(
    kysely({ Model: db, name: 'filter_users' }),
    kysely({ Model: db, name: 'filter_notes' }),
    user
  )

  expect(await count({ 'author.name': 'Grace' })).toBe(2)
})

it('what a client asks of the other service is checked', async () => {
  const user = schema(User, { query: z.object({ name: z.enum(['Ada']).optional() }) })
  const count = await open(memory({ multi: true }), memory({ multi: true }), user)

  expect(await count({ 'author.name': 'Ada' })).toBe(1)
  await expect(count({ 'author.name': 'Grace' })).rejects.toMatchObject({
    code: 400,
    errors: { 'author.name': expect.any(String) }
  })
})

it('an operator that only the schema of the other service allows is taken', async () => {
  const record = Type.Object({ id: Type.Number(), name: Type.String() })
  const data = Type.Pick(record, ['name'])
  const user = schema({
    ...{ record, create: data, update: data, patch: data },
    query: querySyntax(data, { name: { $ilike: Type.String() } }),
    ajv: { data: new Ajv(), query: new Ajv({ coerceTypes: true }) }
  } as any)
  const db = await createTable(SQLITE, 'filter_users', 'id integer primary key, name text not null')
  const count = await open(kysely({ Model: db, name: 'filter_users' }), memory({ multi: true }), user)

  expect(await count({ 'author.name': { $ilike: 'gr%' } })).toBe(2)
})

it.each([
  ['selects a computed field', { $select: ['id', 'loud'] }],
  ['includes records', { $include: 'author' }],
  ['selects records', { $select: ['id', 'author'] }],
  ['sorts by a count', { $sort: { comments: -1 } }],
  ['filters by a relation', { 'author.name': 'Ada' }]
])('an operator that only a schema of queries allows is taken where a call %s', async (_title, further) => {
  const app: any = alula()
  const queries = { type: 'object', properties: { text: { type: 'object' } }, additionalProperties: true }

  app.use('users', memory({ store: [{ id: 1, name: 'Ada' }] }), { schema: schema(User) })
  app.use('comments', memory({ multi: true }), { schema: schema(z.object({ id: z.int(), noteId: z.int() })) })
  app.use('notes', memory({ store: [{ id: 1, authorId: 1, text: 'abc' }], predicates: PATTERN_PREDICATES }), {
    schema: schema(Note.extend({ text: z.string() }), {
      query: queries,
      ajv: { query: new Ajv() },
      computed: {
        loud: { from: ['text'], many: (records: any[]) => records.map(({ text }) => text.toUpperCase()) }
      },
      relations: {
        author: one('users', { from: 'authorId', filter: ['name'] }),
        comments: count('comments', { to: 'noteId' })
      }
    } as any)
  })
  await app.setup()

  const find = (query: object) => app.service('notes').find({ ...WEB, query: { ...query, ...further } })

  expect(await find({ text: { $like: 'a%' } })).toMatchObject([{ id: 1 }])
  expect(await find({ text: { $like: 'b%' } })).toEqual([])
})

it('an operator of a condition that only the schema of the other service adds is taken', async () => {
  const app: any = alula()
  const query = { type: 'object', properties: { name: { default: { $like: 'A%' } }, $select: {} } }
  const users = memory({
    store: NAMES.map((name, id) => ({ id, name })),
    predicates: PATTERN_PREDICATES
  })

  app.use('users', users, { schema: schema(User, { query, ajv: { query: new Ajv({ useDefaults: true }) } }) })
  app.use('notes', memory({ store: [0, 1].map((id) => ({ id, authorId: id })) }), {
    schema: schema(Note, { relations: { author: one('users', { from: 'authorId' }) } })
  })

  expect(await app.service('notes').find({ ...WEB, query: { $include: 'author' } })).toMatchObject([
    { author: { name: 'Ada' } },
    { author: null }
  ])
})

it('an operator that only a schema of queries allows is taken where the server sets a field, and by a rule', async () => {
  const app: any = alula()
  const queries = { type: 'object', properties: { text: { type: 'object' } }, additionalProperties: true }
  const settings: any = { query: queries, ajv: { query: new Ajv() }, server: { at: () => 5 } }
  const records = memory({ store: [{ id: 1, text: 'abc', ownerId: 1 }], predicates: PATTERN_PREDICATES })
  const Text = z.object({ id: z.int(), text: z.string(), ownerId: z.int(), at: z.int().optional() })

  app.use('notes', records, { schema: schema(Text, settings) })
  app.use('shown', { find: async ({ query }: any) => records.find({ query }) } as any, {
    schema: schema(Text, { query: queries, ajv: { query: new Ajv() } } as any),
    access: access({ find: () => ({ ownerId: 1 }) })
  })
  await app.setup()

  const query = { text: { $like: 'a%' } }
  const found = await app.service('shown').find({ ...WEB, query: { ...query, $select: ['id', 'text'] } })

  expect(await app.service('notes').update(1, { text: 'abd', ownerId: 1 }, { ...WEB, query })).toMatchObject({
    text: 'abd'
  })
  expect(found).toEqual([{ id: 1, text: 'abc' }])
})
