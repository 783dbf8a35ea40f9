import bcrypt from 'bcryptjs'
import cors from 'cors'
import express from 'express'
import jsonwebtoken from 'jsonwebtoken'
import { jsonArrayFrom } from 'kysely/helpers/sqlite'
import { z } from 'zod'
import { openFile } from '../realworld/database.mjs'

const Page = z.object({
  limit: z.coerce.number().int().min(0).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0)
})
const Filters = Page.extend({
  tag: z.string().optional(),
  author: z.string().optional(),
  favorited: z.string().optional()
})
const FIELDS = ['a.slug', 'a.title', 'a.description', 'a.createdAt', 'a.updatedAt']

/** What is measured, with Express 5 and Kysely: articles, the feed and favorites, a page in two statements. */
export async function createServer() {
  const app = express()
  const db = openFile()
  const router = express.Router()

  app.use(cors())
  app.use(express.json())
  app.use('/api', router)

  router.post('/users/login', async ({ body: { user } }, response) => {
    const found = await db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', user.email)
      .executeTakeFirstOrThrow()

    if (!(await bcrypt.compare(user.password, found.password))) throw toError(401, 'Not authenticated')

    const { id, password: _, ...shown } = found
    const token = jsonwebtoken.sign({}, process.env.SECRET, { subject: String(id), expiresIn: '1d' })

    response.json({ user: { ...shown, token } })
  })
  router.get('/articles', async (request, response) => {
    const viewer = await findUser(request)
    const { tag, author, favorited, limit, offset } = parse(Filters, request.query)
    const linked = (table) => db.selectFrom(table).select('articleId')
    const toStatement = (statement) => {
      let filtered = statement

      if (tag) filtered = filtered.where('a.id', 'in', linked('article_tags').where('tag', '=', tag))
      if (author) filtered = filtered.where('u.username', '=', author)
      if (favorited) {
        const fans = linked('favorites').innerJoin('users', 'users.id', 'userId')

        filtered = filtered.where('a.id', 'in', fans.where('username', '=', favorited))
      }

      return filtered
    }

    response.json(await findPage(toStatement, viewer, limit, offset))
  })
  router.get('/articles/feed', async (request, response) => {
    const viewer = await requireUser(request)
    const { limit, offset } = parse(Page, request.query)
    const followed = db.selectFrom('follows').select('followedId').where('followerId', '=', viewer.id)

    response.json(
      await findPage((statement) => statement.where('a.authorId', 'in', followed), viewer, limit, offset)
    )
  })
  router.get('/articles/:slug', async (request, response) => {
    response.json({ article: await getArticle(request.params.slug, await findUser(request)) })
  })
  router.post('/articles/:slug/favorite', async (request, response) => {
    const viewer = await requireUser(request)

    await db
      .insertInto('favorites')
      .values({ userId: viewer.id, articleId: await findId(request.params.slug) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    response.json({ article: await getArticle(request.params.slug, viewer) })
  })
  router.delete('/articles/:slug/favorite', async (request, response) => {
    const viewer = await requireUser(request)

    await db
      .deleteFrom('favorites')
      .where('userId', '=', viewer.id)
      .where('articleId', '=', await findId(request.params.slug))
      .execute()
    response.json({ article: await getArticle(request.params.slug, viewer) })
  })
  app.use((error, _request, response, _next) => {
    response.status(error.status ?? 500).json({ errors: { body: [error.message] } })
  })

  return app.listen(0)

  async function findUser({ headers: { authorization } }) {
    if (authorization === undefined) return undefined

    try {
      const { sub } = jsonwebtoken.verify(authorization.replace(/^Token /, ''), process.env.SECRET)

      return await db.selectFrom('users').selectAll().where('id', '=', Number(sub)).executeTakeFirstOrThrow()
    } catch {
      throw toError(401, 'Not authenticated')
    }
  }

  async function requireUser(request) {
    const user = await findUser(request)

    if (!user) throw toError(401, 'Not authenticated')

    return user
  }

  async function findId(slug) {
    const found = await db.selectFrom('articles').select('id').where('slug', '=', slug).executeTakeFirst()

    if (!found) throw toError(404, 'Not found')

    return found.id
  }

  async function findPage(filter, viewer, limit, offset) {
    const [{ total }, rows] = await Promise.all([
      filter(selectArticles())
        .select(({ fn }) => fn.countAll().as('total'))
        .executeTakeFirstOrThrow(),
      filter(selectWhole(viewer)).orderBy('a.id', 'desc').limit(limit).offset(offset).execute()
    ])

    return { articles: rows.map(toArticle), articlesCount: Number(total) }
  }

  async function getArticle(slug, viewer) {
    const row = await selectWhole(viewer).select('a.body').where('a.slug', '=', slug).executeTakeFirst()

    if (!row) throw toError(404, 'Not found')

    return toArticle(row)
  }

  function selectArticles() {
    return db.selectFrom('articles as a').innerJoin('users as u', 'u.id', 'a.authorId')
  }

  function selectWhole(viewer) {
    const me = viewer?.id ?? -1

    return selectArticles()
      .select([...FIELDS, 'u.username', 'u.bio', 'u.image'])
      .select((eb) => {
        const tags = eb.selectFrom('article_tags as t').select('t.tag').whereRef('t.articleId', '=', 'a.id')
        const favorites = eb.selectFrom('favorites as f').whereRef('f.articleId', '=', 'a.id')
        const follows = eb.selectFrom('follows').whereRef('followedId', '=', 'u.id')

        return [
          jsonArrayFrom(tags.orderBy('t.tag')).as('tags'),
          favorites.select(({ fn }) => fn.countAll().as('n')).as('favoritesCount'),
          eb.exists(favorites.select('f.id').where('f.userId', '=', me)).as('favorited'),
          eb.exists(follows.select('follows.id').where('followerId', '=', me)).as('following')
        ]
      })
  }
}

function toArticle({ username, bio, image, following, favorited, favoritesCount, tags, ...article }) {
  return {
    ...article,
    tagList: JSON.parse(tags).map(({ tag }) => tag),
    favorited: favorited === 1,
    favoritesCount: Number(favoritesCount),
    author: { username, bio, image, following: following === 1 }
  }
}

function parse(schema, value) {
  const { success, data, error } = schema.safeParse(value)

  if (!success) throw toError(422, error.message)

  return data
}

function toError(status, message) {
  return Object.assign(new Error(message), { status })
}
