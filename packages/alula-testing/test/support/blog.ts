// A blog as its guides declare it: slugs in paths, comments in the path of their article, profiles that are users, favorites.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AccessRules, access, anyone, owner, user } from '../../../../src/access.ts'
import { hashPassword } from '../../../../src/authentication.ts'
import { NotAuthenticated } from '../../../../src/errors.ts'
import { type Application, alula, type HookContext } from '../../../../src/index.ts'
import { MemoryService, memory } from '../../../../src/memory.ts'
import { exists, one, type SchemaSettings, schema } from '../../../../src/schema.ts'
import { socketio } from '../../../../src/socketio.ts'
import { addAuthentication } from '../../../../test/support/login.ts'
import type { ProofOptions } from '../../src/index.ts'

const User = z.object({
  id: z.int(),
  username: z.string().min(1),
  email: z.email(),
  password: z.string().min(1)
})
const Favorite = z.object({ id: z.int(), articleId: z.int(), userId: z.int() })
const Article = z.object({
  id: z.int(),
  slug: z.string(),
  title: z.string().min(1),
  body: z.string(),
  authorId: z.int(),
  draft: z.string().optional()
})
const Comment = z.object({ id: z.int(), body: z.string().min(1), articleId: z.int(), authorId: z.int() })
const Letter = z.object({
  id: z.int(),
  text: z.string(),
  ownerId: z.int(),
  senderId: z.int(),
  read: z.boolean().default(false)
})

const toUserId = ({ params }: HookContext) => params.user?.id

/** Articles, which are named by their slugs. */
export class Articles extends MemoryService<any> {
  async favorite(_data: unknown, { route, user: { id: userId } }: any): Promise<any> {
    const article = await this.get(route.slug, { adapter: { id: 'slug' } } as any)

    await this.app.service('favorites').create({ articleId: article.id, userId })

    return article
  }

  declare app: Application

  async setup(app: Application): Promise<void> {
    this.app = app
  }
}

/** Letters, which only their owners read. */
export class Letters extends MemoryService<any> {
  async open({ id }: { id: number }, params: any): Promise<any> {
    return await this.patch(id, { read: true }, { query: { ownerId: params.user.id } })
  }
}

class Users extends MemoryService<any> {
  async login({ email }: { email: string }): Promise<any> {
    const [found]: any = await this._find({ query: { email }, paginate: false } as never)

    if (!found) throw new NotAuthenticated('Invalid login')

    return { email: found.email }
  }
}

/** What a planted fault changes. */
export interface Changes {
  readonly Articles?: typeof Articles
  readonly Letters?: typeof Letters
  readonly Comments?: typeof Comments
  readonly access?: AccessRules
  readonly letterAccess?: AccessRules
  readonly settings?: SchemaSettings
  readonly toCurrentUser?: () => number
  readonly configure?: (app: Application) => unknown
}

/** Comments, each of an article. */
export class Comments extends MemoryService<any> {}

/** The rules of articles. */
const RULES: AccessRules = {
  find: anyone,
  get: anyone,
  create: user,
  favorite: user,
  patch: owner('authorId'),
  remove: owner('authorId')
}

/** The rules of letters. */
const LETTER_RULES: AccessRules = { all: owner('ownerId'), open: user }

/**
 * Makes the application.
 *
 * @param changes What is different from what it should be
 */
export async function createBlog(changes: Changes = {}): Promise<Application> {
  const app: Application = alula()
  const {
    Articles: ArticleClass = Articles,
    Comments: CommentClass = Comments,
    Letters: LetterClass = Letters
  } = changes

  app.configure(socketio())
  addAuthentication(app)
  const currentUser = {
    get: async (id: number) => await app.service('users').get(id),
    patch: async (id: number, data: object) => await app.service('users').patch(id, data)
  }

  app.use('users', new Users({ startId: 1 }), {
    methods: ['create', 'get', 'patch', 'login'],
    routes: { 'POST /login': 'login' },
    schema: schema(User, {
      hidden: ['password'],
      methods: {
        login: { data: User.pick({ email: true, password: true }), result: User.pick({ email: true }) }
      }
    }),
    access: access({ create: anyone, login: anyone, get: owner('id'), patch: owner('id') })
  })
  app
    .service('users')
    .hooks({ before: { create: [hashPassword('password')], patch: [hashPassword('password')] } })
  app.use('user', currentUser, {
    methods: ['get', 'patch'],
    singleton: changes.toCurrentUser ?? (({ user }) => user.id),
    schema: schema(User, { hidden: ['password'] }),
    access: access({ all: user })
  })
  app.use('favorites', memory({ startId: 1 }), {
    methods: ['find'],
    schema: schema(Favorite),
    access: access({ find: owner('userId') })
  })
  app.use('articles', new ArticleClass({ startId: 1, paginate: { default: 20 } }), {
    by: 'slug',
    methods: ['find', 'get', 'create', 'patch', 'remove', 'favorite'],
    routes: { 'POST /:slug/favorite': 'favorite' },
    schema: schema(Article, {
      hidden: ['draft'],
      envelope: { one: 'article', many: 'articles', total: 'articlesCount', request: true },
      server: { slug: () => randomUUID(), authorId: toUserId },
      relations: { favorited: exists('favorites', { to: 'articleId' }) },
      ...changes.settings,
      methods: { favorite: { result: Article.omit({ draft: true }) }, ...changes.settings?.methods }
    }),
    access: access({ ...RULES, ...changes.access })
  })
  app.use('articles/:slug/comments', new CommentClass({ startId: 1 }), {
    parent: { articleId: 'articles' },
    methods: ['find', 'get', 'create', 'remove'],
    schema: schema(Comment, {
      server: { authorId: toUserId },
      relations: { article: one('articles', { from: 'articleId' }) }
    }),
    access: access({ find: anyone, get: anyone, create: user, remove: owner('authorId') })
  })
  app.use('letters', new LetterClass({ startId: 1 }), {
    methods: ['find', 'get', 'create', 'open'],
    schema: schema(Letter, {
      server: { ownerId: toUserId, senderId: () => 99 },
      methods: {
        open: { data: z.object({ id: z.int() }), result: Letter }
      }
    }),
    access: access({ ...LETTER_RULES, ...changes.letterAccess })
  })
  changes.configure?.(app)

  return await app.setup()
}

/** Makes two users, and what a proof of the application needs. */
export async function toProof(app: Application): Promise<ProofOptions> {
  const users = app.service('users')
  const toUser = (name: string) => ({
    username: name,
    email: `${name}@example.com`,
    password: 'correct horse'
  })
  const [eve, ada] = [await users.create(toUser('eve')), await users.create(toUser('ada'))]
  const createArticle = () =>
    app.service('articles')._create({
      slug: randomUUID(),
      title: 'Engines',
      body: 'They compute',
      authorId: ada.id,
      draft: 'for my eyes only'
    })
  const article = await createArticle()

  return {
    users: { user: eve, owner: ada },
    records: {
      users: ada.id,
      user: ada.id,
      favorites: () => app.service('favorites')._create({ articleId: article.id, userId: ada.id }),
      articles: createArticle,
      'articles/:slug/comments': () =>
        app
          .service('articles/:slug/comments')
          ._create({ body: 'First', articleId: article.id, authorId: ada.id }),
      letters: () =>
        app.service('letters')._create({ text: 'Dear Ada', ownerId: ada.id, senderId: 99, read: false })
    },
    data: {
      users: {
        create: () => toUser(randomUUID()),
        login: { email: 'ada@example.com', password: 'correct horse' },
        username: 'ada'
      },
      user: { username: 'ada' },
      articles: { title: 'Looms', body: 'They weave' },
      'articles/:slug/comments': { body: 'Second' },
      letters: { text: 'Dear Grace', open: ({ id }) => ({ id }) }
    },
    log: false
  }
}
