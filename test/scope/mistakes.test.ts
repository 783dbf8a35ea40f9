import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { alula, getServiceOptions } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { many, schema } from '../../src/schema.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const PATH = 'articles/:slug/comments'

const Comment = z.object({ id: z.int(), articleId: z.int(), text: z.string() })

async function start(path: string, options: object, others: { [path: string]: object } = {}): Promise<void> {
  const app = alula()

  app.use('articles', memory())
  for (const [other, given] of Object.entries(others)) app.use(other, memory(), given)
  app.use(path, memory(), options)
  await app.setup()
}

it.each([
  [
    'a placeholder that the path lacks',
    PATH,
    { articleId: { service: 'articles', placeholder: 'slugg' } },
    "':slugg'. Did you mean 'slug'?"
  ],
  [
    'the short form without a placeholder',
    'comments',
    { articleId: 'articles' },
    'the path has no placeholder'
  ],
  [
    'the short form with several',
    ':a/comments/:b',
    { articleId: 'articles' },
    "{ service: 'articles', placeholder: 'b' }"
  ],
  [
    'two fields for one placeholder',
    PATH,
    { articleId: 'articles', postId: 'articles' },
    "'articleId' has the placeholder ':slug' already"
  ]
])('%s fails at registration', async (_name, path, parent, message) => {
  await expect(start(path, { parent })).rejects.toMatchObject({
    code: 'ALULA_INVALID_PARENT',
    message: expect.stringContaining(message)
  })
})

it.each([
  ['no service', { articleId: 7 }],
  ['no placeholder', { articleId: { service: 'articles' } }],
  ['a path into an object', { 'article.id': 'articles' }],
  ['no object', 'articles']
])('a parent with %s is no option', async (_name, parent) => {
  await expect(start(PATH, { parent })).rejects.toMatchObject({
    code: 'ALULA_INVALID_OPTION',
    message: expect.stringContaining(`Invalid option 'parent' of service '${PATH}'`)
  })
})

it.each([
  [
    'a service that is not there',
    PATH,
    { articleId: 'article' },
    'ALULA_UNKNOWN_SERVICE',
    "'article', which is not registered. Did you mean 'articles'?"
  ],
  [
    'a service without get for clients',
    PATH,
    { articleId: 'lists' },
    'ALULA_UNKNOWN_METHOD',
    "needs the method 'get' of 'lists'"
  ],
  ['a singleton', PATH, { articleId: 'user' }, 'ALULA_INVALID_PARENT', "'user' is a singleton"],
  [
    'a service whose placeholders the path lacks',
    PATH,
    { articleId: 'teams/:team/articles' },
    'ALULA_INVALID_PARENT',
    "has the placeholder ':team', which the path lacks"
  ]
])('%s fails at start', async (_name, path, parent, code, message) => {
  const others = { lists: { methods: ['find'] }, user: { singleton: () => 1 }, 'teams/:team/articles': {} }

  await expect(start(path, { parent }, others)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message)
  })
})

it('a get that clients do not have is enough where it has a rule', async () => {
  await start(
    PATH,
    { parent: { articleId: 'lists' } },
    { lists: { methods: ['find'], access: access({ all: anyone }) } }
  )
})

it('a field that the schema does not declare fails at start', async () => {
  await expect(
    start(PATH, { parent: { articelId: 'articles' }, schema: schema(Comment) })
  ).rejects.toMatchObject({
    code: 'ALULA_UNKNOWN_FIELD',
    message: expect.stringContaining(
      `The parent 'articelId' of service '${PATH}' is no field of its schema. Did you mean 'articleId'?`
    )
  })
})

it('a relation to a service with a parent needs a path that names the same record', async () => {
  const start = async (path: string, parent?: { articleId: string }) => {
    const app = alula()
    const relations = { all: many(PATH, { to: 'articleId' }) }
    const record = z.object({ id: z.int(), ...(parent && { articleId: z.int().optional() }) })

    app.use('articles', memory(), { by: 'slug' })
    app.use('authors', memory(), { by: 'slug' })
    app.use(path, memory(), { schema: schema(record, { relations }), ...(parent && { parent }) })
    app.use(PATH, memory({ store: { 1: { id: 1, articleId: 1, text: 'x' } } }), {
      parent: { articleId: 'articles' },
      schema: schema(Comment)
    })
    await app.service('articles').create({ id: 1, slug: 'intro' })
    await app.service('articles').create({ id: 2, slug: 'outro' })
    await app.service(path).create({ id: 1 })
    await app.setup()

    return async (slug: string) =>
      await app.service(path).find({ provider: 'rest', route: { slug }, query: { $include: 'all' } })
  }

  // The second names a record of another service by the same word.
  for (const path of ['drafts', 'authors/:slug/notes']) {
    await expect(start(path), path).rejects.toMatchObject({
      code: 'ALULA_INVALID_RELATION',
      message: expect.stringContaining("whose calls name a record of 'articles' by ':slug'")
    })
  }
  await expect(start('articles/:slug/notes', { articleId: 'authors' })).rejects.toMatchObject({
    code: 'ALULA_INVALID_RELATION'
  })
  await start('words/:slug/notes', { articleId: 'articles' })

  const find = await start('articles/:slug/notes')

  expect(await find('intro')).toMatchObject([{ all: [{ articleId: 1 }] }])
  expect(await find('outro')).toMatchObject([{ all: [] }])
})

it('a field that the schema sets itself fails at registration', async () => {
  const declared = schema(Comment, { server: { articleId: () => 1 } })

  await expect(start(PATH, { parent: { articleId: 'articles' }, schema: declared })).rejects.toMatchObject({
    code: 'ALULA_CONFLICTING_FIELD'
  })
})

it.each<readonly [string, object, string]>([
  [
    'a function',
    { singleton: 'user' },
    "Invalid option 'singleton' of service 'user': expected a function of the params"
  ],
  ['a function on a server', { singleton: true }, 'a function of the params'],
  [
    'no method of several records',
    { singleton: () => 1, methods: ['get', 'find'] },
    "'methods' lists 'find'"
  ],
  ['no field in place of the id', { singleton: () => 1, by: 'slug' }, "leave 'by' out"]
])('a singleton has %s', async (_name, options, message) => {
  await expect(start('user', options)).rejects.toMatchObject({
    code: 'ALULA_INVALID_OPTION',
    message: expect.stringContaining(message)
  })
})

it('a singleton may lack methods', () => {
  const app = alula()

  app.use('user', { find: async () => [], get: async () => ({}) } as any, { singleton: () => 1 })

  expect(getServiceOptions(app.service('user')).methods).toEqual(['get'])
})

it('a relation to a service without a parent may be declared before one with it', async () => {
  const relations = { words: many('words', { to: 'articleId' }), all: many(PATH, { to: 'articleId' }) }
  const record = z.object({ id: z.int() })

  await expect(
    start(
      PATH,
      { parent: { articleId: 'articles' }, schema: schema(Comment) },
      { words: { schema: schema(Comment) }, drafts: { schema: schema(record, { relations }) } }
    )
  ).rejects.toThrow("The relation 'all' of service 'drafts' leads to")
})

describeDatabases('a parent of a table', (database) => {
  it('names a column', async () => {
    const db = await createTable(database, 'nest_mistakes', `id ${database.countedId}, text ${database.text}`)
    const app = alula()

    app.use('articles', memory())
    app.use(PATH, kysely({ Model: db, name: 'nest_mistakes' }), { parent: { texts: 'articles' } })

    await expect(app.setup()).rejects.toMatchObject({
      code: 'ALULA_UNKNOWN_FIELD',
      message: expect.stringContaining(
        `The parent 'texts' of service '${PATH}' is no field of its table. Did you mean 'text'?`
      )
    })
  })
})
