// What parents and single records say about types.
import { z } from 'zod'
import type { ClientServices } from '../../src/client.ts'
import express from '../../src/express.ts'
import {
  type Application,
  alula,
  type Parent,
  type ParentOptions,
  type RegistrationOptions,
  type Singleton
} from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { type Nested, one, type ServiceOf, type SingletonOf, schema, typed } from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

const articles = schema(z.object({ id: z.int(), slug: z.string() }))

const comments = schema(z.object({ id: z.int(), articleId: z.int(), text: z.string() }), {
  relations: { article: one(typed<{ slug: string }>('articles'), { from: 'articleId' }) }
})

interface Services {
  articles: ServiceOf<typeof articles>
  'articles/:slug/comments': ServiceOf<Nested<typeof comments, 'articleId'>>
  comment: SingletonOf<typeof comments>
}

const stored = memory<{ id: number; articleId: number; text: string }>({ paginate: { default: 10 } })
const path = 'articles/:slug/comments'
const app = alula<Services>()

app.use(path, stored, {
  parent: { articleId: 'articles' },
  methods: ['find', 'create']
})
app.use(path, stored, {
  parent: { articleId: { service: 'articles', placeholder: 'slug' } }
})
app.use('comment', stored, { singleton: (params) => params.user.id })
app.use('comment', stored, { singleton: async () => undefined })
express(app).use(path, stored, { parent: { articleId: 'articles' } })
alula().use('a/:b/c', stored, { parent: { any: 'name' } })

// @ts-expect-error -- comments have no such field
app.use(path, stored, { parent: { articelId: 'articles' } })
// @ts-expect-error -- there is no such service
app.use(path, stored, { parent: { articleId: 'article' } })
// @ts-expect-error -- it needs a placeholder
app.use(path, stored, { parent: { articleId: { service: 'articles' } } })
// @ts-expect-error -- a single record is found by a function
app.use('comment', stored, { singleton: 1 })
// @ts-expect-error -- a misspelt method
app.use(path, stored, { parent: { articleId: 'articles' }, methods: ['fnd'] })

export const untyped: Application = app
export const parents: ParentOptions = { articleId: 'articles' }
export const parent: Parent<keyof Services & string> = { service: 'articles', placeholder: 'slug' }
export const options: RegistrationOptions<Services, typeof path> = { parent: { articleId: parent } }
export const singleton: Singleton = () => 1

export async function callMethods() {
  const nested = app.service(path)
  const single = app.service('comment')

  expectType<number>().of((await nested.create({ text: 'x' })).articleId)
  await nested.create({ text: 'x', articleId: 1 })
  await nested.update(1, { text: 'x' }, { route: { slug: 'intro' } })
  // @ts-expect-error -- the text is not set by the path
  await nested.create({ articleId: 1 })
  expectType<string | undefined>().of((await nested.get(1, { query: { $include: 'article' } })).article?.slug)

  expectType<string>().of((await single.get(null)).text)
  expectType<string>().of((await single.patch(null, { text: 'x' })).text)
  expectType<number>().of((await single.remove(null)).id)
  expectType<string | undefined>().of(
    (await single.get(null, { query: { $include: 'article' } })).article?.slug
  )
  // @ts-expect-error -- there is one record
  await single.find()
}

export async function callServer(client: Application<ClientServices<Services>>) {
  expectType<string>().of((await client.service('comment').get(null)).text)
  await client.service(path).create({ text: 'x' }, { route: { slug: 'intro' } })
}

// The path has the values of its placeholders.
export async function callAsClient() {
  const nested = app.asClient().service('articles/intro/comments' as typeof path)

  expectType<number>().of((await nested.create({ text: 'x' })).articleId)
}
