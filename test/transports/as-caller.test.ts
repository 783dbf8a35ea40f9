import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../src/access.ts'
import { asCaller, type Params } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { exists, one, schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport
} from '../support/transports.ts'

const Article = z.object({
  id: z.int(),
  slug: z.string(),
  text: z.string(),
  draft: z.string(),
  ownerId: z.int()
})
const Favorite = z.object({ id: z.int(), articleId: z.int(), userId: z.int() })

const articles = () =>
  schema(Article, {
    hidden: ['draft'],
    server: { ownerId: ({ params }: any) => params.user.id },
    relations: {
      author: one('users', { from: 'ownerId' }),
      favorited: exists('favorites', { to: 'articleId' })
    }
  })

/** The custom methods of the articles, whatever store their class has. */
const methods = {
  async favorite(this: any, _data: unknown, params: Params) {
    const { id } = await this.get(params.route?.slug, asCaller(params))

    await this.app.service('favorites').create({ articleId: id }, asCaller(params))

    return await this.get(params.route?.slug, asCaller(params, { $include: ['favorited', 'author'] }))
  },
  async feed(this: any, _data: unknown, params: Params) {
    const query = { $include: 'favorited', $sort: { id: 1 }, ...params.query }

    return await this.find({ ...asCaller(params, query), paginate: false })
  },
  async rewrite(this: any, { text }: { text: string }, params: Params) {
    return await this.patch(params.route?.slug, { text }, asCaller(params))
  }
}

/** Articles that all may read, and favorites that only their owners may, in a store of each kind. */
async function openBlog(open: OpenTransport, stores: { articles: any; favorites: any }) {
  let app: any

  const client = await open((opened: any) => {
    app = opened
    addAuthentication(app)
    app.use('users', memory(), { methods: ['find'], access: access({ find: user }), schema: schema(User) })
    app.use('favorites', stores.favorites, {
      schema: schema(Favorite, { server: { userId: ({ params }: any) => params.user.id } }),
      access: access({ find: owner('userId'), create: owner('userId') })
    })

    app.use('articles', Object.assign(stores.articles, methods, { app }), {
      by: 'slug',
      methods: ['find', 'get', 'patch', 'favorite', 'feed', 'rewrite'],
      routes: { 'POST /:slug/favorite': 'favorite', 'POST /:slug/rewrite': 'rewrite' },
      schema: articles(),
      access: access({ all: anyone, patch: owner('ownerId'), favorite: user, rewrite: user })
    })
  })

  for (const email of ['ada', 'bob']) await app.service('users').create({ email })

  for (const [slug, ownerId] of [
    ['one', 0],
    ['two', 1]
  ]) {
    await app.service('articles').create({ slug, text: slug, draft: 'secret', ownerId })
  }

  const as = async (id: number): Promise<{ [name: string]: string }> => {
    const { accessToken } = await app
      .service('authentication')
      .issueToken({ user: await app.service('users').get(id), authentication: { strategy: 'jwt' } })

    return { authorization: `Bearer ${accessToken}` }
  }

  return { app, client, ada: await as(0), bob: await as(1) }
}

const User = z.object({ id: z.int(), email: z.string() })

/** What holds in every store. */
function callsAsCaller(
  open: OpenTransport,
  createStores: () => Promise<{ articles: any; favorites: any }>
): void {
  it('a custom method names its record as its client does, and relations are those of the client', async () => {
    const { client, ada, bob, app } = await openBlog(open, await createStores())

    expect(await client.call('favorite', 'articles', { data: { slug: 'two' }, headers: ada })).toEqual({
      ...{ id: expect.anything(), slug: 'two', text: 'two', ownerId: 1 },
      favorited: true,
      author: { id: 1, email: 'bob' }
    })
    expect(await client.fail('favorite', 'articles', { data: { slug: 'none' }, headers: ada })).toMatchObject(
      {
        code: 404
      }
    )
    expect(await app.service('favorites').find({ paginate: false })).toMatchObject([{ userId: 0 }])

    const feed = async (headers?: { [name: string]: string }) =>
      (await client.call('feed', 'articles', { data: {}, ...(headers && { headers }) })).map(
        ({ favorited }: any) => favorited
      )

    expect(await feed(ada)).toEqual([false, true])
    expect(await feed(bob)).toEqual([false, false])
    expect(await feed()).toEqual([false, false])
  })

  it('a write is held to the rule of its method, and emits one event', async () => {
    const { client, ada, app } = await openBlog(open, await createStores())
    const events: unknown[] = []

    app.service('articles').on('patched', ({ text }: any) => events.push(text))

    const rewrite = { data: { slug: 'one', text: 'new' }, headers: ada }

    expect(await client.call('rewrite', 'articles', rewrite)).toEqual({
      ...{ id: expect.anything(), slug: 'one', text: 'new', ownerId: 0 }
    })
    expect(
      await client.fail('rewrite', 'articles', { ...rewrite, data: { slug: 'two', text: 'new' } })
    ).toMatchObject({ code: 403 })
    expect(events).toEqual(['new'])
  })
}

const createMemoryStores = async () => ({
  articles: new MemoryService({ multi: true }),
  favorites: memory()
})

describeRemoteTransports('asCaller, in memory', (open) => callsAsCaller(open, createMemoryStores))

describeDatabases('asCaller', (database: TestDatabase) => {
  const quote = (columns: string) => (database.name === 'MariaDB' ? columns.replaceAll('"', '`') : columns)
  const createStores = async () => {
    const db = await createTable(
      database,
      'alula_articles',
      quote(
        `id ${database.countedId}, slug varchar(50) not null unique, text ${database.text} not null, draft ${database.text} not null, "ownerId" integer not null`
      )
    )
    const favorites = await createTable(
      database,
      'alula_favorites',
      quote(`id ${database.countedId}, "articleId" integer not null, "userId" integer not null`)
    )

    return {
      articles: kysely({ Model: db, name: 'alula_articles', multi: true }),
      favorites: kysely({ Model: favorites, name: 'alula_favorites' })
    }
  }

  describeRemoteTransports('in SQL', (open) => callsAsCaller(open, createStores))
})

describeHttpTransports('the query of asCaller', (open) => {
  it('is checked as that of a client', async () => {
    const { client } = await openBlog(open, await createMemoryStores())
    const feed = async (query: object) => client.fail('feed', 'articles', { data: {}, query })

    expect(await feed({ draft: 'secret' })).toMatchObject({
      code: 400,
      errors: { draft: expect.any(String) }
    })
    expect(await feed({ $select: ['draft'] })).toMatchObject({ code: 400 })
    expect(await client.call('feed', 'articles', { data: {}, query: { ownerId: '1' } })).toMatchObject([
      { slug: 'two' }
    ])
  })
})
