import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, user } from '../../src/access.ts'
import { type Application, alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { one, type SchemaSettings, schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { addAuthentication } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { describeHttpTransports, describeRemoteTransports } from '../support/transports.ts'

const Article = z.object({
  id: z.int(),
  slug: z.string(),
  title: z.string().min(1),
  secret: z.string().optional(),
  authorId: z.int().default(0)
})

const ENVELOPE = { one: 'article', many: 'articles', total: 'articlesCount', request: true } as const

const AUTHOR = { id: 0, name: 'Ada' }

class Articles extends MemoryService<any> {
  async feed(_data: unknown, params: any) {
    return await this.find({ query: params.query })
  }

  async titles() {
    return ['first']
  }

  async rename({ title }: { title: string }, { route }: any) {
    return { id: 0, slug: route.slug, title, secret: 'hidden', authorId: 0 }
  }

  async echo(data: unknown) {
    return { echoed: data }
  }

  async nothing() {
    return undefined
  }

  async noValue() {
    return null
  }

  async fails() {
    throw new Error('no')
  }
}

const CUSTOM = ['feed', 'titles', 'rename', 'echo', 'nothing', 'noValue', 'fails'] as const

function useArticles(app: Application, settings: SchemaSettings = { envelope: ENVELOPE }) {
  app.use('authors', memory({ store: { 0: AUTHOR } }), {
    schema: schema(z.object({ id: z.int(), name: z.string() }), {
      envelope: { one: 'author', many: 'authors', request: true }
    })
  })
  app.use(
    'articles',
    new Articles({
      multi: true,
      paginate: { default: 10 },
      store: { 0: { id: 0, slug: 'a', title: 'A', secret: 'hidden', authorId: 0 } }
    }),
    {
      methods: ['find', 'get', 'create', 'update', 'patch', 'remove', ...CUSTOM],
      routes: { 'POST /:slug/rename': 'rename' },
      schema: schema(Article, {
        hidden: ['secret'],
        relations: { author: one('authors', { from: 'authorId' }) },
        methods: {
          feed: {},
          rename: { data: z.object({ title: z.string().min(1) }), result: Article },
          echo: {}
        },
        ...settings
      } as SchemaSettings)
    }
  )
}

const A = { id: 0, slug: 'a', title: 'A', authorId: 0 }
const NEW = { slug: 'b', title: 'B' }

describeRemoteTransports('an envelope', (open) => {
  it('has one record in one field, and several in another', async () => {
    const { call } = await open(useArticles)

    expect(await call('get', 'articles', { id: 0 })).toEqual({ article: A })
    expect(await call('find', 'articles')).toEqual({ articles: [A], articlesCount: 1 })
    expect(await call('create', 'articles', { data: { article: NEW } })).toEqual({
      article: { ...NEW, id: 1, authorId: 0 }
    })
    expect(await call('create', 'articles', { data: { articles: [NEW, NEW] } })).toMatchObject({
      articles: [{ id: 2 }, { id: 3 }]
    })
    expect(await call('patch', 'articles', { id: 1, data: { article: { title: 'C' } } })).toMatchObject({
      article: { id: 1, title: 'C' }
    })
    expect(await call('update', 'articles', { id: 1, data: { article: NEW } })).toMatchObject({
      article: { id: 1, title: 'B' }
    })
    expect(
      await call('patch', 'articles', { id: null, data: { article: { title: 'D' } }, query: { slug: 'b' } })
    ).toMatchObject({ articles: [{ id: 1 }, { id: 2 }, { id: 3 }] })
    expect(await call('remove', 'articles', { id: 1 })).toMatchObject({ article: { id: 1, title: 'D' } })
    expect(await call('remove', 'articles', { id: null, query: { slug: 'b' } })).toMatchObject({
      articles: [{ id: 2 }, { id: 3 }]
    })
  })

  it('has related records in the record', async () => {
    const { call } = await open(useArticles)

    expect(await call('get', 'articles', { id: 0, query: { $include: ['author'] } })).toEqual({
      article: { ...A, author: AUTHOR }
    })
  })

  it('has limit and skip where they are named, and a list without a page where it is a list', async () => {
    const { call } = await open((app) => {
      useArticles(app, { envelope: { many: 'rows', limit: 'size', skip: 'from' } })
      app.use('tags', memory({ store: { 0: { id: 0 } } }), {
        schema: schema(z.object({ id: z.int() }), { envelope: { one: 'tag', many: 'tags', total: 'count' } })
      })
    })

    expect(await call('find', 'articles')).toEqual({ rows: [A], size: 10, from: 0 })
    expect(await call('get', 'articles', { id: 0 })).toEqual(A)
    expect(await call('create', 'articles', { data: NEW })).toMatchObject(NEW)
    expect(await call('find', 'tags')).toEqual({ tags: [{ id: 0 }] })
  })

  it('has all of what only looks like a page', async () => {
    const page = { data: [1], limit: 2, skip: 0 }
    const sums = { ...page, sum: 1 }
    const Page = z.object({ data: z.array(z.int()), limit: z.int(), skip: z.int() })
    const methods = { page, declaredPage: page, sums, declaredSums: sums, one: page }
    const { call } = await open((app) => {
      class Rows extends MemoryService<any> {}

      for (const [name, result] of Object.entries(methods))
        Object.assign(Rows.prototype, { [name]: async () => result })

      app.use('rows', new Rows(), {
        methods: Object.keys(methods),
        schema: schema(z.object({ id: z.int() }), {
          envelope: { one: 'row', many: 'rows' },
          methods: {
            declaredPage: { result: Page },
            declaredSums: { result: Page.extend({ sum: z.int() }) },
            one: { result: z.object({ data: z.array(z.int()), limit: z.int() }) }
          }
        })
      })
    })
    const results = Object.keys(methods).map((name) => call(name, 'rows', { data: {} }))

    expect(await Promise.all(results)).toEqual([
      { rows: [1] },
      { rows: [1] },
      { row: sums },
      { row: sums },
      { row: { data: [1], limit: 2 } }
    ])
  })

  it('has what custom methods return, but not nothing', async () => {
    const { call } = await open(useArticles)
    const rename = { slug: 'x', article: { title: 'X' } }

    expect(await call('feed', 'articles', { data: {} })).toEqual({ articles: [A], articlesCount: 1 })
    expect(await call('titles', 'articles', { data: {} })).toEqual({ articles: ['first'] })
    expect(await call('rename', 'articles', { data: rename })).toEqual({
      article: { id: 0, slug: 'x', title: 'X', authorId: 0 }
    })
    expect(await call('echo', 'articles', { data: {} })).toEqual({ article: { echoed: {} } })
    expect(await call('echo', 'articles', { data: { article: { a: 1 } } })).toEqual({
      article: { echoed: { a: 1 } }
    })
    expect((await call('nothing', 'articles', { data: {} })) ?? null).toBeNull()
    expect((await call('noValue', 'articles', { data: {} })) ?? null).toBeNull()
  })

  const expected = (field: string, example: string) => ({
    [field]: `expects the data of the request, as in ${example}`
  })
  const record = expected('article', '{ "article": { … } }')
  const refused: { [title: string]: [method: string, options: object, errors: object] } = {
    'a bare record': ['create', { data: NEW }, record],
    'no record': ['patch', { id: 0, data: {} }, record],
    'bare data of a custom method': ['rename', { data: { slug: 'a', title: 'X' } }, record],
    'bare data of a custom method without a schema': ['echo', { data: { a: 1 } }, record],
    'no data of a custom method that has some': ['rename', { data: { slug: 'a' } }, record],
    'several bare records': ['create', { data: [NEW] }, expected('articles', '{ "articles": [{ … }] }')],
    'both fields': [
      'create',
      { data: { article: NEW, articles: [NEW] } },
      { articles: "is not expected beside 'article'" }
    ],
    'another field': ['create', { data: { article: NEW, extra: 1 } }, { extra: 'is not a known field' }],
    'a list in the field of one': [
      'create',
      { data: { article: [NEW] } },
      { article: "expects an object: an array is expected as 'articles'" }
    ],
    'one in the field of several': [
      'create',
      { data: { articles: NEW } },
      { articles: 'expects an array, got an object' }
    ],
    null: ['create', { data: { article: null } }, { article: 'expects an object, got null' }],
    'a string': ['echo', { data: { article: 'a' } }, { article: 'expects an object, got a string' }],
    'a list of strings': [
      'create',
      { data: { articles: ['a'] } },
      { articles: 'expects every element of the array to be an object' }
    ],
    'several for a change': [
      'patch',
      { id: 0, data: { articles: [NEW] } },
      { articles: 'expected an object, got an array' }
    ]
  }

  it.each(Object.entries(refused))('is missed in %s', async (_title, [method, options, errors]) => {
    const { fail } = await open(useArticles)

    expect(await fail(method, 'articles', options)).toMatchObject({ name: 'BadRequest', code: 400, errors })
  })

  it('is a part of the names of faults', async () => {
    const { fail } = await open(useArticles)
    const faults = async (...call: Parameters<typeof fail>) => Object.keys((await fail(...call)).errors)

    expect(await faults('create', 'articles', { data: { article: { slug: 1, titel: 'x' } } })).toEqual([
      'article.titel',
      'article.slug',
      'article.title'
    ])
    expect(await faults('create', 'articles', { data: { articles: [NEW, { slug: 'c' }] } })).toEqual([
      'articles.1.title'
    ])
    expect(await faults('patch', 'articles', { id: 0, data: { article: { title: '' } } })).toEqual([
      'article.title'
    ])
    expect(await faults('rename', 'articles', { data: { slug: 'a', article: {} } })).toEqual([
      'article.title'
    ])
  })

  it('of other fields is dropped with them', async () => {
    const { call } = await open((app) => useArticles(app, { envelope: ENVELOPE, unknown: 'drop' }))

    expect(await call('create', 'articles', { data: { article: NEW, extra: 1 } })).toMatchObject({
      article: NEW
    })
  })

  it('never has an error', async () => {
    const { fail } = await open(useArticles)

    expect(await fail('get', 'articles', { id: 9 })).toMatchObject({ name: 'NotFound', code: 404 })
    expect(await fail('fails', 'articles', { data: {} })).toMatchObject({ name: 'GeneralError', code: 500 })
  })

  it('is opened before hooks run', async () => {
    const seen: unknown[] = []
    const { call } = await open((app) => {
      useArticles(app)
      app.hooks({ before: { create: [({ data }) => void seen.push(data)] } })
    })

    await call('create', 'articles', { data: { article: NEW } })

    expect(seen).toEqual([NEW])
  })

  it('is not told of to those who may not call', async () => {
    const { fail } = await open((app) => {
      addAuthentication(app)
      app.use('users', memory())
      app.use('articles', memory(), {
        schema: schema(Article, { envelope: ENVELOPE }),
        access: access({ all: user })
      })
    })

    expect(await fail('create', 'articles', { data: NEW })).toMatchObject({ code: 401 })
  })
})

describeHttpTransports('an envelope', (open) => {
  const send = (method: string, article: object, headers: object = {}): RequestInit => ({
    method,
    body: JSON.stringify({ article }),
    headers: { 'Content-Type': 'application/json', ...headers }
  })

  it('is not around the placeholders of a path', async () => {
    const { request } = await open(useArticles)
    const response = await request('/articles/x/rename', send('POST', { title: 'X' }))

    expect(await response.json()).toMatchObject({ article: { slug: 'x', title: 'X' } })
  })

  it('is what the tag of a response is of, which writes compare', async () => {
    const { request } = await open(useArticles)
    const tag = (await request('/articles/0')).headers.get('etag') as string
    const write = () => request('/articles/0', send('PATCH', { title: 'B' }, { 'If-Match': tag }))

    expect((await write()).status).toBe(200)
    expect((await write()).status).toBe(412)
  })

  it('can be that of an HTML form', async () => {
    const { request } = await open((app) =>
      app.use('articles', memory(), { forms: true, schema: schema(Article, { envelope: ENVELOPE }) })
    )
    const post = (body: string) =>
      request('/articles', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
      }).then((response) => response.json())

    expect(await post('article[slug]=a&article[title]=A&article[authorId]=5')).toMatchObject({
      article: { slug: 'a', authorId: 5 }
    })
    expect(await post('slug=a&title=A')).toMatchObject({ code: 400 })
  })

  it('is not around nothing', async () => {
    const { request } = await open(useArticles)

    for (const name of ['nothing', 'noValue']) {
      const response = await request(`/articles/${name}`, { method: 'POST' })

      expect([response.status, await response.text()]).toEqual([204, ''])
    }
  })
})

describe('an envelope', () => {
  it('is neither around events, nor around calls from inside, also with a provider', async () => {
    const app = alula()

    app.configure(socketio({ logger: false }))
    useArticles(app)
    app.service('articles').publish(() => app.channel('all'))
    app.on('connection', (connection) => app.channel('all').join(connection))

    const socket = await connectSocket(await serve(app as any))
    const event = next(socket, 'articles created')

    expect(await ask(socket, 'create', 'articles', { article: NEW }, {})).toMatchObject([
      null,
      { article: NEW }
    ])
    expect(await event).toEqual({ ...NEW, id: 1, authorId: 0 })

    for (const params of [{}, { provider: 'rest', query: {} }]) {
      expect(await app.service('articles').create(NEW, params)).toMatchObject(NEW)
      expect((await app.service('articles').find(params)).data[0]).toMatchObject(A)
    }
  })

  it('keeps bytes that a socket sends', async () => {
    const app = alula()

    app.configure(socketio({ logger: false }))
    app.use('files', memory(), {
      schema: schema(
        z.object({ id: z.int(), bytes: z.instanceof(Uint8Array).meta({ type: 'string' }) as any }),
        {
          envelope: { one: 'file', request: true }
        }
      )
    })

    const socket = await connectSocket(await serve(app as any))
    const [error, result] = await ask(socket, 'create', 'files', { file: { bytes: Buffer.from('abc') } }, {})

    expect(error).toBeNull()
    expect(Buffer.from(result.file.bytes).toString()).toBe('abc')
  })
})
