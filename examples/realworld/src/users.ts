import { randomBytes } from 'node:crypto'
import { asCaller, type Id } from 'alula'
import { access, anyone, owner, user } from 'alula/access'
import { AuthenticationService, hashPassword, JWTStrategy, LocalStrategy } from 'alula/authentication'
import { KyselyService, kysely } from 'alula/kysely'
import { exists, schema } from 'alula/schema'
import { z } from 'zod'
import type { Db } from './database.js'
import type { Application, FollowParams } from './declarations.js'

export const text = z.string().trim().min(1)

export const User = z.object({
  id: z.int(),
  username: text,
  email: z.email().toLowerCase(),
  password: z.string().min(1).max(72),
  bio: z.string().nullable(),
  image: z.string().nullable()
})
const CurrentUser = User.extend({ token: z.string() })
const Login = User.pick({ email: true, password: true })
const NewUser = Login.extend({ username: text })
const Changes = User.omit({ id: true }).partial()
const Follow = z.object({ id: z.int(), followerId: z.int(), followedId: z.int() })

export type User = z.infer<typeof User>
type NewUser = z.infer<typeof NewUser>
type Changes = z.infer<typeof Changes>

const envelope = { one: 'user', many: 'users', request: true } as const
const shared = { record: CurrentUser, hidden: ['id', 'password'], unknown: 'drop', envelope } as const
const login = { data: Login, result: CurrentUser }

export const accounts = schema({ record: User, create: NewUser, patch: Changes, hidden: ['id', 'password'] })
export const users = schema({ ...shared, create: NewUser, methods: { login } })
export const currentUser = schema({ ...shared, update: Changes })
export const follows = schema(Follow)
export const profiles = schema(User, {
  hidden: ['id', 'email', 'password'],
  query: { fields: ['username'] },
  envelope: { one: 'profile' },
  relations: { following: exists('follows', { to: 'followedId' }) },
  include: ['following'],
  methods: { follow: { result: User }, unfollow: { result: User } }
})

/** For links that may be there already. */
export const ignoreConflict = (error: { code?: unknown }) => {
  if (error.code !== 409) throw error
}

/** Users sign up, log in, read and change their own record, and follow others. */
export const declareUsers = (db: Db) => (app: Application) => {
  app.set('authentication', {
    secret: process.env.SECRET ?? randomBytes(48).toString('base64'), // without SECRET tokens end with the process
    service: 'accounts',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    jwt: { schemes: ['Token', 'Bearer'] }, // that of Conduit, and that of the page and of alula's clients
    local: { usernameField: 'email', passwordField: 'password' }
  })

  const authentication = new AuthenticationService(app)
  const hash = hashPassword('password')

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)

  // Of code alone: whole users, whom logins load.
  app.use('accounts', kysely<User>({ Model: db, name: 'users' }), { methods: [], schema: accounts })
  app.service('accounts').hooks({ before: { create: [hash], patch: [hash] } })

  /** With a new token: a new password revokes those from before. */
  const withToken = async (user: User) => {
    return { ...user, token: (await authentication.issueToken({ user })).accessToken }
  }
  const signUp = {
    create: async (user: NewUser) => withToken(await app.service('accounts').create(user)),
    login: async (data: z.infer<typeof Login>) => {
      return withToken((await authentication.authenticate({ strategy: 'local', ...data }, {}, 'local')).user)
    }
  }
  const self = {
    get: async (id: Id) => withToken(await app.service('accounts').get(id)),
    update: async (id: Id, changes: Changes) => withToken(await app.service('accounts').patch(id, changes))
  }

  app.use('users', signUp, {
    methods: ['create', 'login'],
    routes: { 'POST /login': 'login' },
    schema: users,
    access: access({ all: anyone })
  })
  app.use('user', self, {
    singleton: ({ user }) => user?.id,
    schema: currentUser,
    access: access({ all: user })
  })

  class Profiles extends KyselyService<User> {
    async follow(_data: unknown, params: FollowParams) {
      const { id, username } = await this.get(params.route.username, asCaller(params, { $include: [] }))

      await app
        .service('follows')
        .create({ followerId: params.user.id, followedId: id })
        .catch(ignoreConflict)

      return this.get(username, asCaller(params))
    }

    async unfollow(_data: unknown, params: FollowParams) {
      const { id, username } = await this.get(params.route.username, asCaller(params, { $include: [] }))

      await app.service('follows').remove(null, { query: { followerId: params.user.id, followedId: id } })

      return this.get(username, asCaller(params))
    }
  }

  const table = kysely<z.infer<typeof Follow>>({ Model: db, name: 'follows', multi: ['remove'] })

  app.use('profiles', new Profiles({ Model: db, name: 'users' }), {
    by: 'username',
    methods: ['get', 'follow', 'unfollow'],
    routes: { 'POST /:username/follow': 'follow', 'DELETE /:username/follow': 'unfollow' },
    schema: profiles,
    access: access({ find: anyone, get: anyone, all: user })
  })
  // Relations find whom the caller follows, and no others.
  app.use('follows', table, { methods: [], schema: follows, access: access({ find: owner('followerId') }) })
}
