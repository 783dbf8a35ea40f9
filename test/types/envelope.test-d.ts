// Services with an envelope or a view: what the server calls, and what clients do.
import { z } from 'zod'
import { type ClientServices, alula as createClient, rest } from '../../src/client.ts'
import { type Application, alula, type REMOTE, type SentData } from '../../src/index.ts'
import { table } from '../../src/kysely.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import {
  type Envelope,
  one,
  type PagedByCursor,
  type ServiceOf,
  type SingletonOf,
  schema,
  typed,
  type View,
  type ViewContext,
  type ViewFunction
} from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

const Article = z.object({ id: z.int(), slug: z.string(), title: z.string() })

type Article = z.infer<typeof Article>

const articles = schema(Article, {
  envelope: { one: 'article', many: 'articles', total: 'articlesCount', request: true },
  relations: { author: one(typed<{ name: string }>('authors'), { from: 'slug' }) },
  methods: {
    rename: { data: z.object({ title: z.string() }), result: Article },
    titles: { data: z.array(z.string()), result: z.array(z.string()) },
    favorite: {}
  }
})
const tags = schema(z.object({ id: z.int() }), { envelope: { many: 'tags' } })
const users = schema(Article, {
  view: {
    schema: z.object({ user: z.object({ name: z.string() }) }),
    make: ({ dispatch }) => ({ user: { ...dispatch } })
  },
  methods: { login: { result: Article } }
})
const viewed = schema(Article, {
  // What is spread may be anything.
  view: ({ dispatch, method, http }) => ({ ...dispatch, method, status: http?.status })
})
const annotated = schema(Article, { view: ({ dispatch }: { dispatch: any }) => ({ article: dispatch }) })
const longForm = schema({
  record: Article,
  create: z.object({ title: z.string() }),
  envelope: { one: 'article', request: true }
})

class Articles extends MemoryService<Article> {
  async rename({ title }: { title: string }): Promise<Article> {
    return { id: 0, slug: '', title }
  }

  async titles(titles: string[]): Promise<string[]> {
    return titles
  }

  async favorite(): Promise<Article> {
    return this._get(1)
  }
}

interface Services {
  articles: ServiceOf<typeof articles>
  tags: ServiceOf<typeof tags>
  users: ServiceOf<typeof users>
  viewed: ServiceOf<typeof viewed>
  short: ServiceOf<typeof longForm, 'get' | 'create'>
  article: SingletonOf<typeof articles>
}

declare const app: Application<Services>

app.use('articles', new Articles({}), {
  schema: articles,
  methods: ['find', 'get', 'create', 'rename', 'titles', 'favorite']
})
app.use('tags', memory<{ id: number }>(), { schema: tags })

export async function callInside() {
  const service = app.service('articles')

  expectType<string>().of((await service.create({ slug: 'a', title: 'A' })).title)
  expectType<string | undefined>().of((await service.find()).data[0]?.title)
  expectType<Article>().of(await service.rename({ title: 'B' }))
  expectType<Article>().of(await app.service('users').get(1))
  service.on('created', (article) => expectType<string>().of(article.title))

  // @ts-expect-error -- calls from inside have no envelope
  await service.create({ article: { slug: 'a', title: 'A' } })
}

// An application calls its own services with the types of clients.
export async function callAsClient() {
  const service = app.asClient().service('articles')

  expectType<number>().of((await service.find({ query: { title: 'A' } })).articlesCount)
  expectType<Article>().of((await service.create({ article: { slug: 'a', title: 'A' } })).article)
  expectType<Article>().of((await service.rename({ article: { title: 'B' } })).article)
  expectType<{ user: { name: string } }>().of(await app.asClient().service('users').find())

  // @ts-expect-error -- requests have an envelope
  await service.create({ slug: 'a', title: 'A' })
}

type Remote = ClientServices<Services, { articles: 'rename' | 'titles' | 'favorite'; users: 'login' }>

const client = createClient<Remote>().configure(rest('').fetch(fetch))

export async function callOutside() {
  const service = client.service('articles')
  const page = await service.find({ query: { $include: 'author' } })

  expectType<number>().of(page.articlesCount)
  expectType<string | undefined>().of(page.articles[0]?.author?.name)
  expectType<Article>().of((await service.get(1)).article)
  expectType<Article>().of((await service.create({ article: { slug: 'a', title: 'A' } })).article)
  expectType<Article[]>().of((await service.create({ articles: [{ slug: 'a', title: 'A' }] })).articles)
  expectType<Article[]>().of((await service.patch(null, { article: { title: 'B' } })).articles)
  expectType<Article>().of((await service.remove(1)).article)
  expectType<Article>().of((await service.rename({ article: { title: 'B' } })).article)
  expectType<string[]>().of((await service.titles({ articles: ['a'] })).articles)
  expectType<{ id: number }[]>().of((await client.service('tags').find()).tags)
  expectType<{ id: number }>().of(await client.service('tags').create({}))
  expectType<{ user: { name: string } }>().of(await client.service('users').find())
  expectType<{ user: { name: string } }>().of(await client.service('users').login({}))
  expectType<Article>().of((await client.service('short').create({ article: { title: 'A' } })).article)
  expectType<Article>().of((await client.service('article').get(null)).article)
  expectType<Article>().of((await client.service('article').patch(null, { article: { title: 'B' } })).article)

  // @ts-expect-error -- requests have an envelope
  await service.create({ slug: 'a', title: 'A' })
  // @ts-expect-error -- the title is missing in it
  await service.create({ article: { slug: 'a' } })
  // @ts-expect-error -- a page has no data
  page.data
  // @ts-expect-error -- and no limit, which has no name
  page.limit
  // @ts-expect-error -- responses have an envelope
  ;(await service.get(1)).title
  // @ts-expect-error -- the view makes something else
  ;(await client.service('users').get(1)).title
  // @ts-expect-error -- this service has no patch
  client.service('short').patch

  // What a view makes without a schema may be anything.
  const anything: number = (await client.service('viewed').get(1)).anything

  return anything
}

const inOne = schema(z.object({ id: z.int(), text: z.string() }), {
  envelope: { one: 'note', request: true }
})
const feed = schema(Article, {
  envelope: { one: 'article', many: 'articles', total: 'total', limit: 'size', skip: 'from' }
})

declare const others: Application<
  ClientServices<{ notes: ServiceOf<typeof inOne>; feed: ServiceOf<PagedByCursor<typeof feed>> }>
>

export async function callOthers() {
  const page = await others.service('feed').find()

  expectType<string | null>().of(page.endCursor)
  expectType<number>().of(page.size)
  expectType<number | undefined>().of(page.total)
  // @ts-expect-error -- pages with cursors have no place in numbers
  page.from
  // @ts-expect-error -- the records have another name
  page.data

  // Without a name for several, they are in the field of one.
  expectType<{ id: number; text: string }[]>().of(
    await others.service('notes').create({ note: [{ text: 'a' }] })
  )
  // @ts-expect-error -- requests have an envelope
  await others.service('notes').create([{ text: 'a' }])
}

// The types of a table are named, and then that of its envelope too.
interface Row {
  id: number
  title: string
}

const rows = table<Row, never, { readonly one: 'row'; readonly many: 'rows' }>({
  envelope: { one: 'row', many: 'rows' }
})

// @ts-expect-error -- without it, clients would have the wrong types
table<Row>({ envelope: { one: 'row' } })

declare const rowClient: Application<ClientServices<{ rows: ServiceOf<typeof rows> }>>

expectType<Row[]>().of((await rowClient.service('rows').find()).rows)

// The parts by name.
export const envelope: Envelope = { one: 'article', request: true }
export const view: View<{ a: number }> = { schema: Article, make: () => ({ a: 1 }) }
export const make: ViewFunction<string> = ({ dispatch }: ViewContext) => String(dispatch.title)
export type Received = Services['articles'][typeof REMOTE]
export type Data = SentData['data']
export const declared = [alula(), annotated]
