import { z } from 'zod'
import { hashPassword, protect } from '../../../dist/authentication.js'
import { kysely } from '../../../dist/kysely.js'
import { body, maybeSignedIn, noQuery, signedIn, status, text } from './common.mjs'

const newUser = z.object({ username: text, email: z.email().toLowerCase(), password: z.string().min(1) })
const login = newUser.pick({ email: true, password: true })
const changes = newUser.extend({ bio: z.string().nullable(), image: z.string().nullable() }).partial()

const toUser = ({ email, username, bio, image }, token) => ({ user: { email, token, username, bio, image } })

async function withToken(app, user) {
  const session = { authentication: { strategy: 'local' }, user }
  const { accessToken } = await app.service('authentication').issueToken(session)

  return toUser(user, accessToken)
}

class Login {
  constructor(app) {
    this.app = app
  }

  async create(data) {
    const authentication = this.app.service('authentication')
    const { accessToken, user } = await authentication.create({ strategy: 'local', ...data })

    return toUser(user, accessToken)
  }
}

class CurrentUser {
  constructor(app) {
    this.app = app
  }

  async find({ user, authentication }) {
    return toUser(user, authentication.accessToken)
  }

  async update(_id, data, { user }) {
    return withToken(this.app, await this.app.service('users').patch(user.id, data))
  }
}

/** `POST` and `DELETE` of `/profiles/:username/follow`. */
class Follow {
  constructor(app) {
    this.app = app
  }

  async create(_data, { user, route }) {
    const followed = await this.app.service('profiles').get(route.username)

    await this.app
      .get('db')
      .insertInto('follows')
      .values({ followerId: user.id, followedId: followed.id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()

    return followed
  }

  async remove(_id, { user, route }) {
    const followed = await this.app.service('profiles').get(route.username)

    await this.app
      .get('db')
      .deleteFrom('follows')
      .where('followerId', '=', user.id)
      .where('followedId', '=', followed.id)
      .execute()

    return followed
  }
}

/** Profiles by the ids of their users, as a viewer sees them. */
export async function loadProfiles(db, ids, viewer) {
  if (ids.length === 0) return new Map()

  const rows = await db
    .selectFrom('users')
    .leftJoin('follows', (join) =>
      join.onRef('followedId', '=', 'users.id').on('followerId', '=', viewer?.id ?? -1)
    )
    .select(['users.id', 'username', 'bio', 'image', 'followedId'])
    .where('users.id', 'in', ids)
    .execute()

  return new Map(rows.map(({ id, followedId, ...user }) => [id, { ...user, following: followedId !== null }]))
}

async function sendProfile(context) {
  const { app, params, result } = context
  const profiles = await loadProfiles(app.get('db'), [result.id], params.user)

  context.dispatch = { profile: profiles.get(result.id) }
}

async function sendToken(context) {
  if (context.params.provider) context.dispatch = await withToken(context.app, context.result)
}

export function configureUsers(app) {
  const Model = app.get('db')

  // Their results hold tokens, which are nobody else's.
  app.use('users', kysely({ Model, name: 'users' }), { methods: ['create'], serviceEvents: [] })
  app.use('users/login', new Login(app), { serviceEvents: [] })
  app.use('user', new CurrentUser(app), { serviceEvents: [] })
  app.use('profiles', kysely({ Model, name: 'users', id: 'username' }), { methods: ['get'] })
  app.use('profiles/:username/follow', new Follow(app))

  app.service('users').hooks({
    before: {
      create: [noQuery, body('user', newUser), hashPassword('password')],
      patch: [hashPassword('password')]
    },
    after: { all: [protect('password')], create: [sendToken] }
  })
  app
    .service('users/login')
    .hooks({ before: { create: [body('user', login)] }, after: { create: [status(200)] } })
  app.service('user').hooks({ before: { all: [signedIn], update: [body('user', changes)] } })
  app.service('profiles').hooks({ before: { get: [maybeSignedIn, noQuery] }, after: { get: [sendProfile] } })
  app
    .service('profiles/:username/follow')
    .hooks({ before: { all: [signedIn] }, after: { all: [sendProfile, status(200)] } })
}
