import { randomBytes } from 'node:crypto'
import { asCaller, type HookContext } from 'alula'
import { access, anyone, owner, user } from 'alula/access'
import { type KyselyParams, KyselyService, kysely, withTransaction } from 'alula/kysely'
import { count, exists, type LongForm, many, one, onWrite, schema, typed } from 'alula/schema'
import { z } from 'zod'
import type { Db } from './database.js'
import type { Application, FavoriteParams } from './declarations.js'
import { ignoreConflict, text, type User } from './users.js'

const own = { id: z.int(), authorId: z.int(), createdAt: z.date(), updatedAt: z.date() }
const Listed = z.object({ ...own, slug: z.string(), title: text, description: text })
const Article = Listed.extend({ body: text.optional() }) // lists have none
const ArticleTag = z.object({ id: z.int(), articleId: z.int(), tag: z.string() })
const Favorite = z.object({ id: z.int(), articleId: z.int(), userId: z.int() })
const Comment = z.object({ ...own, articleId: z.int(), body: text })
const Content = z.object({ title: text, description: text, body: text })
const Changes = Content.partial()
const NewArticle = Content.extend({ tagList: z.array(text).optional() })
const Page = z.object({ limit: z.int().min(0).max(100).default(20), offset: z.int().min(0).default(0) })
const Names = z.object({ tag: z.string(), author: z.string(), favorited: z.string() }).partial()
const Tags = z.object({ tags: z.array(z.string()) })

type Article = z.infer<typeof Article>
type Changes = z.infer<typeof Changes>
type NewArticle = z.infer<typeof NewArticle>
type ArticleTag = z.infer<typeof ArticleTag>

/** Another one for the same title. */
const toSlug = (title: string) =>
  [...(title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []), randomBytes(4).toString('hex')].join('-')
const toTagLists = (articles: readonly { tags?: ArticleTag[] }[]) =>
  articles.map(({ tags }) => tags?.map(({ tag }) => tag))
/** The newest first. An index of SQLite does not help to sort by dates. */
const toPage = ({ limit, offset }: z.infer<typeof Page>) => ({
  $sort: { id: -1 },
  $limit: limit,
  $skip: offset
})

const authorId = ({ params }: HookContext) => params.user.id
const author = one(typed<User>('profiles'), { from: 'authorId', filter: ['username'] })
const likes = { table: 'favorites', from: 'articleId', to: 'userId' }

const shared = {
  record: Article,
  create: NewArticle,
  update: Changes,
  hidden: ['id', 'authorId', 'tags', 'fans', 'follows'],
  unknown: 'drop',
  envelope: { one: 'article', many: 'articles', total: 'articlesCount', request: true },
  timestamps: true,
  server: { authorId, slug: onWrite(({ data }) => data.title && toSlug(data.title)) },
  relations: {
    author,
    tags: many(typed<ArticleTag>('article-tags'), { to: 'articleId', filter: ['tag'] }),
    favoritesCount: count('favorites', { to: 'articleId' }),
    favorited: exists('my-favorites', { to: 'articleId' }),
    fans: many('profiles', { through: likes, filter: ['username'] }),
    follows: many('follows', { from: 'authorId', to: 'followedId', filter: ['id'] }) // those of the caller
  },
  include: ['author.following', 'tags', 'favoritesCount', 'favorited'],
  computed: { tagList: { from: ['id'], many: toTagLists } }
} as const satisfies LongForm

export const articles = schema({
  ...shared,
  query: Page.extend(Names.shape).transform(({ tag, author, favorited, ...page }) => ({
    ...(tag !== undefined && { 'tags.tag': tag }),
    ...(author !== undefined && { 'author.username': author }),
    ...(favorited !== undefined && { 'fans.username': favorited }),
    ...toPage(page)
  })),
  status: { remove: 204 },
  methods: { favorite: { result: Article }, unfavorite: { result: Article } }
})
export const feed = schema({
  ...shared,
  record: Listed,
  query: Page.transform((page) => ({ 'follows.id': { $gt: 0 }, ...toPage(page) }))
})
export const comments = schema(Comment, {
  hidden: ['articleId', 'authorId'],
  unknown: 'drop',
  envelope: { one: 'comment', many: 'comments', request: true },
  timestamps: true,
  server: { authorId },
  relations: { author },
  include: ['author.following'],
  query: z.object({}),
  status: { create: 200, remove: 204 }
})
export const articleTags = schema(ArticleTag)
export const favorites = schema(Favorite)
const tags = schema(Tags, { query: z.object({}), view: { schema: Tags, make: ({ dispatch }) => dispatch } })

const listed = Object.keys(Listed.shape)
const withoutBody = async ({ params }: HookContext) => {
  params.query = { ...params.query, $select: listed }
}

/** Articles with tags and comments, and who likes them. */
export const declareArticles = (db: Db) => (app: Application) => {
  class Articles extends KyselyService<Article, NewArticle, KyselyParams, Changes> {
    override async create(data: NewArticle[], params?: KyselyParams): Promise<Article[]>
    override async create(data: NewArticle, params?: KyselyParams): Promise<Article>
    override async create(data: NewArticle | NewArticle[], params?: KyselyParams) {
      if (Array.isArray(data)) return super.create(data, params) // refused: the service has no `multi`

      const { tagList, ...content } = data

      return withTransaction(db, async () => {
        const article = await super.create(content, params)
        const tags = [...new Set(tagList)].sort().map((tag) => ({ articleId: article.id, tag }))

        await app.service('article-tags').create(tags)

        return article
      })
    }

    // PUT of Conduit changes the fields that it is given.
    override async update(slug: string, changes: Changes, params?: KyselyParams) {
      return super.patch(slug, changes, params)
    }

    async favorite(_data: unknown, params: FavoriteParams) {
      const { id, slug } = await this.get(params.route.slug, asCaller(params, { $include: [] }))

      await app.service('favorites').create({ articleId: id, userId: params.user.id }).catch(ignoreConflict)

      return this.get(slug, asCaller(params))
    }

    async unfavorite(_data: unknown, params: FavoriteParams) {
      const { id, slug } = await this.get(params.route.slug, asCaller(params, { $include: [] }))

      await app.service('favorites').remove(null, { query: { articleId: id, userId: params.user.id } })

      return this.get(slug, asCaller(params))
    }
  }

  const table = { Model: db, name: 'articles', paginate: { default: 20, max: 100 } }
  const toTags = () => kysely<ArticleTag>({ Model: db, name: 'article_tags', multi: ['create'] })
  const toFavorites = () =>
    kysely<z.infer<typeof Favorite>>({ Model: db, name: 'favorites', multi: ['remove'] })
  const readable = access({ find: anyone })
  const mine = access({ find: owner('userId') })

  app.use('articles', new Articles(table), {
    by: 'slug',
    methods: ['find', 'get', 'create', 'update', 'remove', 'favorite', 'unfavorite'],
    routes: { 'POST /:slug/favorite': 'favorite', 'DELETE /:slug/favorite': 'unfavorite' },
    schema: articles,
    access: access({
      find: anyone,
      get: anyone,
      update: owner('authorId'),
      remove: owner('authorId'),
      all: user
    })
  })
  app.use('articles/feed', kysely<Article>(table), {
    methods: ['find'],
    schema: feed,
    access: access({ find: user })
  })
  app.service('articles').hooks({ before: { find: [withoutBody] } })
  app.service('articles/feed').hooks({ before: { find: [withoutBody] } })
  app.use('articles/:slug/comments', kysely<z.infer<typeof Comment>>({ Model: db, name: 'comments' }), {
    parent: { articleId: 'articles' },
    methods: ['find', 'get', 'create', 'remove'], // who may get a comment gets a 403 for the removal of another's
    schema: comments,
    access: access({ find: anyone, get: anyone, create: user, remove: owner('authorId') })
  })

  // Clients find these through relations alone.
  app.use('article-tags', toTags(), { methods: [], schema: articleTags, access: readable })
  app.use('favorites', toFavorites(), { methods: [], schema: favorites, access: readable })
  app.use('my-favorites', toFavorites(), { methods: [], schema: favorites, access: mine })

  const findTags = () => db.selectFrom('article_tags').select('tag').distinct().orderBy('tag').execute()
  const list = { find: async () => ({ tags: (await findTags()).map(({ tag }) => tag) }) }

  app.use('tags', list, { schema: tags, access: readable })
}
