import { io } from 'socket.io-client'
import { all, keysOf, notes, type Script } from './script.ts'
import type { Library, Session } from './servers.ts'

const WREN = { email: 'wren@example.org', password: 'correct horse' }
const LOGIN = { strategy: 'local', ...WREN }

/** Users who can log in, notes that are for them, and things for all. */
function configureLogin(app: any, { authentication }: Library): void {
  const { AuthenticationService, authenticate, hashPassword, JWTStrategy, LocalStrategy, protect } =
    authentication
  const users: any[] = []

  app.set('authentication', {
    secret: 'a secret of the tests that is long enough to be one',
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    jwtOptions: { algorithm: 'HS256', issuer: 'feathers', audience: 'all', header: { typ: 'access' } }
  })

  const service = new AuthenticationService(app)

  service.register('jwt', new JWTStrategy())
  service.register('local', new LocalStrategy())
  app.use('authentication', service)
  app.use('users', {
    id: 'id',
    find: async ({ query }: any) => users.filter(({ email }) => email === query.email),
    get: async () => ({ ...users[0] }),
    create: async (data: any) => {
      users.push({ id: 7, ...data })

      return { ...users[0] }
    }
  })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
  app.use('notes', { find: async ({ user }: any) => user.email, create: notes.create })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
  app.use('things', { find: async () => 'things' })
  app.on('login', (_result: unknown, { connection }: any) => all(app).join(connection))
  app.publish(() => all(app))
}

/** The token that the next client comes with. */
const tokenFor = async (app: any): Promise<string> => {
  await app.service('users').create({ ...WREN })

  return (await app.service('authentication').create(LOGIN)).accessToken
}

/** A token that is signed with another secret. */
const forge = (app: any): Promise<string> =>
  app
    .service('authentication')
    .createAccessToken({}, { subject: '7' }, 'another secret of the tests, long enough')

/** What a client that comes with a header is told, and what it can do. */
async function arrive({ app, url, connections }: Session, header: string): Promise<unknown> {
  const heard: unknown[] = []

  app.on('login', (result: any, params: any) => {
    heard.push(['login', result.user.email, keysOf(params), params.connection.provider])
  })

  const socket = io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { Authorization: header }
  })
  const outcome = await new Promise((resolve) => {
    socket.once('connect', () => socket.emit('find', 'notes', {}, (...answer: unknown[]) => resolve(answer)))
    socket.once('connect_error', ({ message, data }: any) => resolve(['refused', message, data]))
  })

  socket.close()

  return [outcome, heard, connections.map(keysOf)]
}

export const loginScripts: readonly Script[] = [
  {
    title: 'a login, and what it leads to',
    clients: 2,
    configure: configureLogin,
    act: async ({ app, send, connections: [connection] }) => {
      const heard: unknown[] = []

      for (const event of ['login', 'logout']) {
        app.on(event, (result: any, params: any, context: any) => {
          const isSame = params.connection === connection

          heard.push([event, result.user.email, isSame, keysOf(connection), context.method, context.path])
        })
      }

      await app.service('users').create({ ...WREN })
      await send(['find', 'notes', {}])
      await send(['create', 'authentication', LOGIN, {}])
      await send(['find', 'notes', {}])
      await send(['create', 'notes', { n: 1 }, {}])
      await send(['find', 'notes', {}], 1)
      await send(['create', 'authentication', { strategy: 'jwt', accessToken: await forge(app) }, {}])
      await send(['find', 'notes', {}])
      await send(['remove', 'authentication', null, {}])
      heard.push(keysOf(connection))
      await send(['find', 'notes', {}])
      await send(['find', 'things', {}])
      await send(['remove', 'authentication', null, {}])
      await app.service('notes').create({ n: 2 })

      return [heard, app.channel('all').length]
    }
  },
  {
    title: 'logins that fail',
    configure: configureLogin,
    act: async ({ app, send, connections: [connection] }) => {
      await app.service('users').create({ ...WREN })

      for (const changes of [
        { password: 'wrong' },
        { email: 'nobody@example.org' },
        { password: undefined },
        { email: { $ne: '' } },
        { strategy: 'unknown' },
        { strategy: undefined }
      ]) {
        await send(['create', 'authentication', { ...LOGIN, ...changes }, {}])
      }

      return keysOf(connection)
    }
  },
  {
    title: 'a login on a connection that is somebody’s already',
    configure: configureLogin,
    act: async ({ app, send, connections: [connection] }) => {
      await app.service('users').create({ ...WREN })
      await send(['create', 'authentication', LOGIN, {}])

      const { accessToken } = connection.authentication

      await send(['create', 'authentication', { strategy: 'jwt', accessToken }, {}])
      await send(['find', 'notes', {}])

      return [connection.authentication.accessToken === accessToken, keysOf(connection)]
    }
  },
  {
    title: 'the end of a connection that is somebody’s',
    configure: configureLogin,
    act: async ({ app, send, clients: [socket], connections: [connection] }) => {
      await app.service('users').create({ ...WREN })
      await send(['create', 'authentication', LOGIN, {}])

      const seen = new Promise((resolve) => app.once('disconnect', (ended: any) => resolve(ended.user.email)))

      socket?.close()

      const email = await seen

      await new Promise(setImmediate)

      return [email, keysOf(connection), app.channels]
    }
  },
  {
    title: 'a client that comes with a token',
    clients: 0,
    configure: configureLogin,
    act: async (session) => arrive(session, `Bearer ${await tokenFor(session.app)}`)
  },
  {
    title: 'a client that comes with a token that is not valid',
    clients: 0,
    configure: configureLogin,
    act: (session) => arrive(session, 'Bearer none')
  },
  {
    title: 'a client that comes with a token that is somebody else’s',
    clients: 0,
    configure: configureLogin,
    act: async (session) => arrive(session, `Bearer ${(await tokenFor(session.app)).slice(0, -3)}abc`)
  },
  {
    title: 'a client that comes with a header that is no token',
    clients: 0,
    configure: configureLogin,
    act: (session) => arrive(session, 'Basic YW5uOm9wZW4gc2VzYW1l')
  }
]
