import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, exposure, user } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeApp, toBody, toNames, toResult } from './support/describe.ts'

const Article = z.object({ id: z.int(), slug: z.string().min(3) })

const Comment = z.object({ id: z.int(), articleId: z.int(), text: z.string() })

const Profile = z.object({ id: z.int(), name: z.string() })

function createApp() {
  const app = alula()

  app.use('articles', memory(), { by: 'slug', schema: schema(Article) })
  app.use('articles/:slug/comments', memory({ multi: true }), {
    parent: { articleId: 'articles' },
    schema: schema(Comment)
  })
  app.use('articles/:slug/comments/:commentId/marks', memory(), {
    parent: {
      articleId: { service: 'articles', placeholder: 'slug' },
      commentId: { service: 'articles/:slug/comments', placeholder: 'commentId' }
    }
  })
  app.use('user', Object.assign(memory({ multi: true }), { rename: async () => ({}) }), {
    methods: ['get', 'update', 'patch', 'remove', 'rename'],
    routes: { 'POST /name': 'rename' },
    singleton: () => 1,
    schema: schema(Profile),
    access: access({ get: anyone, all: user })
  })

  return app
}

it('a path of parents has what their own paths have in place of an id', async () => {
  const { paths } = await describeApp(createApp())
  const toPlaceholders = (operation: any) =>
    operation.parameters
      .filter((one: any) => one.in === 'path')
      .map(({ name, schema }: any) => [name, schema])
  const slug = ['slug', { type: 'string', minLength: 1 }]
  const nested = paths['/articles/{slug}/comments']

  expect(toPlaceholders(nested.get)).toEqual([slug])
  expect(nested.get.parameters[0].description).toBe("A record of 'articles' that the caller may get")
  expect(toPlaceholders(paths['/articles/{slug}/comments/{id}'].get)).toEqual([
    slug,
    ['id', expect.objectContaining({ type: 'integer' })]
  ])
  expect(toPlaceholders(paths['/articles/{slug}/comments/{commentId}/marks'].get)).toEqual([
    slug,
    ['commentId', expect.objectContaining({ type: 'integer' })]
  ])
  expect(Object.keys(nested.get.responses)).toContain('404')
  expect(Object.keys(nested.post.responses)).toContain('404')
})

it('the field of a parent is one of the server', async () => {
  const { paths, components } = await describeApp(createApp())
  const { ArticleComment, ArticleCommentCreate, ArticleCommentPatch } = components.schemas

  expect(toBody(paths['/articles/{slug}/comments'].post)).toMatchObject({
    anyOf: [{ $ref: '#/components/schemas/ArticleCommentCreate' }, { type: 'array' }]
  })
  expect(Object.keys(ArticleCommentCreate.properties)).toEqual(['text'])
  expect(Object.keys(ArticleCommentPatch.properties)).toEqual(['text'])
  expect(ArticleComment.properties.articleId).toMatchObject({ type: 'integer', readOnly: true })
  expect(toNames(paths['/articles/{slug}/comments'].get)).toContain('articleId')
})

it('a singleton has one path, without an id', async () => {
  const { paths } = await describeApp(createApp())
  const record = { $ref: '#/components/schemas/User' }
  const { get, put, patch, delete: remove } = paths['/user']

  expect(Object.keys(paths).filter((path) => path.startsWith('/user'))).toEqual(['/user', '/user/name'])
  expect(Object.keys(paths['/user'])).toEqual(['get', 'put', 'patch', 'delete'])

  for (const operation of [get, put, patch, remove]) {
    expect(toResult(operation)).toEqual(record)
    expect(toNames(operation)).toEqual([])
    expect(Object.keys(operation.responses)).toContain('404')
  }

  expect(get.operationId).toBe('getUser')
  expect(toBody(patch)).toEqual({ $ref: '#/components/schemas/UserPatch' })
  expect(Object.keys(get.responses)).not.toContain('401')
})

it('the table of access says which records a path and a caller reach', () => {
  const rows = exposure(createApp())
  const of = (service: string) => rows.filter((row) => row.service === service)

  expect(of('articles')[0]).not.toHaveProperty('parent')
  expect(of('articles')[0]).not.toHaveProperty('singleton')
  expect(of('articles/:slug/comments').map(({ parent }) => parent)).toEqual(
    Array(6).fill({ articleId: { service: 'articles', placeholder: 'slug' } })
  )
  expect(of('user').map(({ method, singleton, several }) => [method, singleton, several])).toEqual(
    ['get', 'update', 'patch', 'remove', 'rename'].map((method) => [method, true, false])
  )
})
