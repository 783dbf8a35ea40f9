import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { KyselyService, transaction } from '../../../dist/kysely.js'
import {
  assertAuthor,
  body,
  loadArticle,
  maybeSignedIn,
  noContent,
  noQuery,
  parse,
  signedIn,
  status,
  text
} from './common.mjs'
import { loadProfiles } from './users.mjs'

const newArticle = z.object({
  title: text,
  description: text,
  body: text,
  tagList: z.array(text).optional()
})
const changes = newArticle.omit({ tagList: true }).partial()
const page = z.object({
  limit: z.coerce.number().int().min(0).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0)
})
const filters = page.extend({ tag: z.string(), author: z.string(), favorited: z.string() }).partial({
  tag: true,
  author: true,
  favorited: true
})

class Articles extends KyselyService {
  // In Conduit a PUT changes the fields that it is given.
  async update(id, data, params) {
    return this._patch(id, data, params)
  }
}

class Feed {
  constructor(app) {
    this.app = app
  }

  async find({ query, user }) {
    const { limit, offset } = parse(page, query)
    const followed = await this.app
      .get('db')
      .selectFrom('follows')
      .select('followedId')
      .where('followerId', '=', user.id)
      .execute()

    return this.app.service('articles').find({
      query: {
        authorId: { $in: followed.map(({ followedId }) => followedId) },
        $sort: { id: -1 },
        $limit: limit,
        $skip: offset
      }
    })
  }
}

/** `POST` and `DELETE` of `/articles/:slug/favorite`. */
class Favorites {
  constructor(db) {
    this.db = db
  }

  async create(_data, { user, article }) {
    await this.db
      .insertInto('favorites')
      .values({ userId: user.id, articleId: article.id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()

    return article
  }

  async remove(_id, { user, article }) {
    await this.db
      .deleteFrom('favorites')
      .where('userId', '=', user.id)
      .where('articleId', '=', article.id)
      .execute()

    return article
  }
}

class Tags {
  constructor(db) {
    this.db = db
  }

  async find() {
    const rows = await this.db.selectFrom('article_tags').select('tag').distinct().orderBy('tag').execute()

    return { tags: rows.map(({ tag }) => tag) }
  }
}

/** Adds authors, tags and favorites. */
async function present(db, articles, viewer) {
  if (articles.length === 0) return []

  const ids = articles.map(({ id }) => id)
  const authorIds = articles.map(({ authorId }) => authorId)
  const [authors, tags, favorites] = await Promise.all([
    loadProfiles(db, authorIds, viewer),
    db
      .selectFrom('article_tags')
      .select(['articleId', 'tag'])
      .where('articleId', 'in', ids)
      .orderBy('tag')
      .execute(),
    db
      .selectFrom('favorites')
      .select((eb) => [
        'articleId',
        eb.fn.countAll().as('count'),
        eb.fn
          .max(
            eb
              .case()
              .when('userId', '=', viewer?.id ?? -1)
              .then(1)
              .else(0)
              .end()
          )
          .as('mine')
      ])
      .where('articleId', 'in', ids)
      .groupBy('articleId')
      .execute()
  ])

  return articles.map(({ id, authorId, ...article }) => {
    const favorite = favorites.find(({ articleId }) => articleId === id)

    return {
      ...article,
      tagList: tags.filter(({ articleId }) => articleId === id).map(({ tag }) => tag),
      favorited: favorite?.mine === 1,
      favoritesCount: Number(favorite?.count ?? 0),
      author: authors.get(authorId)
    }
  })
}

async function sendArticle(context) {
  const { app, params, result } = context

  if (!params.provider) return

  const [article] = await present(app.get('db'), [result], params.user)

  context.dispatch = { article }
}

async function sendArticles(context) {
  const { app, params, result } = context

  if (!params.provider) return

  const articles = await present(app.get('db'), result.data, params.user)

  context.dispatch = {
    articles: articles.map(({ body: _, ...article }) => article),
    articlesCount: result.total
  }
}

/** Makes a query of the filters of Conduit. */
async function filterArticles({ app, params }) {
  if (!params.provider) return

  const { tag, author, favorited, limit, offset } = parse(filters, params.query)
  const db = app.get('db')
  const conditions = []
  const byName = (name) => db.selectFrom('users').select('id').where('username', '=', name)
  const toIds = async (statement) => ({
    id: { $in: (await statement.execute()).map(({ articleId }) => articleId) }
  })
  const select = (table) => db.selectFrom(table).select('articleId')

  if (author) conditions.push({ authorId: (await byName(author).executeTakeFirst())?.id ?? -1 })
  if (tag) conditions.push(await toIds(select('article_tags').where('tag', '=', tag)))
  if (favorited) conditions.push(await toIds(select('favorites').where('userId', 'in', byName(favorited))))

  params.query = { $and: conditions, $sort: { id: -1 }, $limit: limit, $skip: offset }
}

async function onlyAuthor(context) {
  const { article, provider, user } = context.params

  if (!provider) return

  assertAuthor(article, user)
  context.id = article.id
}

async function useLoaded(context) {
  context.result = context.params.article
}

const toSlug = (title) =>
  [...(title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []), randomBytes(4).toString('hex')].join('-')

async function addArticle(context) {
  const { tagList = [], ...article } = context.data
  const now = new Date()

  context.params.tags = [...new Set(tagList)]
  context.data = {
    ...article,
    slug: toSlug(article.title),
    authorId: context.params.user.id,
    createdAt: now,
    updatedAt: now
  }
}

async function addTags({ params, result }) {
  const rows = params.tags.map((tag) => ({ articleId: result.id, tag }))

  if (rows.length > 0) await params.transaction.trx.insertInto('article_tags').values(rows).execute()
}

async function touch(context) {
  const { title } = context.data

  context.data = { ...context.data, ...(title && { slug: toSlug(title) }), updatedAt: new Date() }
}

export function configureArticles(app) {
  const db = app.get('db')

  app.use('articles', new Articles({ Model: db, name: 'articles', paginate: { default: 20, max: 100 } }), {
    methods: ['find', 'get', 'create', 'update', 'remove']
  })
  app.use('articles/feed', new Feed(app))
  app.use('articles/:slug/favorite', new Favorites(db))
  app.use('tags', new Tags(db))

  app.service('articles').hooks({
    before: {
      find: [maybeSignedIn, filterArticles],
      get: [maybeSignedIn, noQuery, loadArticle, useLoaded],
      create: [signedIn, noQuery, body('article', newArticle), addArticle, transaction.start()],
      update: [signedIn, noQuery, loadArticle, onlyAuthor, body('article', changes), touch],
      remove: [signedIn, noQuery, loadArticle, onlyAuthor]
    },
    after: {
      find: [sendArticles],
      get: [sendArticle],
      create: [addTags, transaction.end(), sendArticle],
      update: [sendArticle],
      remove: [noContent]
    },
    error: { create: [transaction.rollback()] }
  })
  app.service('articles/feed').hooks({ before: { find: [signedIn] }, after: { find: [sendArticles] } })
  app
    .service('articles/:slug/favorite')
    .hooks({ before: { all: [signedIn, loadArticle] }, after: { all: [sendArticle, status(200)] } })
}
