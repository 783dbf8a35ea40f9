// Programs that a bundler makes one file of. As CommonJS has no `await` of modules, each is one function.

const AUTHENTICATION = `
import { AuthenticationService, authenticate, hashPassword, JWTStrategy, LocalStrategy, protect } from 'alula/authentication'

function addLogin(app, users) {
  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', users, { methods: ['create'] })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
}

const settings = {
  secret: 'a secret for the programs of bundles, long enough',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
}
`

const IMPORTS = `
import { alula } from 'alula'
import { memory } from 'alula/memory'
import { openapi } from 'alula/openapi'
import { schema } from 'alula/schema'
`

const NOTE = `schema({ type: 'object', properties: {
  id: { type: 'integer' }, text: { type: 'string', minLength: 1 }, at: { type: 'string', format: 'date-time' }
} })`

/** The quickstart, with a login, and schemas that Ajv checks. */
export const LOGIN = `${IMPORTS}${AUTHENTICATION}
import express, { errorHandler, notFound, rest } from 'alula/express'

async function start() {
  const app = express(alula())

  app.set('authentication', settings)
  app.configure(rest())
  app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' } }))
  addLogin(app, memory({ startId: 1 }))
  app.use('notes', memory({ startId: 1 }), { schema: ${NOTE} })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
  app.use(notFound(), errorHandler())

  const server = await app.listen(0)

  console.log('localhost:' + server.address().port)
}

start()
`

/** As above, with Koa and its packages. */
export const KOA = LOGIN.replace(
  /^import express.*$/m,
  "import { bodyParser, cors, errorHandler, koa, rest } from 'alula/koa'"
)
  .replace('express(alula())', 'koa(alula())')
  .replace(
    'app.configure(rest())',
    'app.use(cors()); app.use(errorHandler()); app.use(bodyParser()); app.configure(rest())'
  )
  .replace(/^.*notFound.*$/m, '')

/** PostgreSQL, Socket.IO and Redis. */
export const REAL_TIME = `${AUTHENTICATION}
import { alula } from 'alula'
import express, { rest } from 'alula/express'
import { kysely } from 'alula/kysely'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'

async function start() {
  const { POSTGRES_URL, REDIS_URL, TABLE, PREFIX } = process.env
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: POSTGRES_URL }) }) })

  const app = express(alula())

  app.set('authentication', settings)
  app.configure(rest())
  app.configure(socketio())
  app.configure(sync({ redis: REDIS_URL, prefix: PREFIX }))
  addLogin(app, kysely({ Model: db, name: TABLE }))
  app.use('messages', { create: async (data) => data })
  app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })
  app.on('login', (_result, { connection }) => connection && app.channel('users').join(connection))
  app.service('messages').publish(() => app.channel('users'))

  const server = await app.listen(0)

  console.log('localhost:' + server.address().port)
}

start()
`

/** MariaDB, with a schema of its table. */
export const TABLE = `
import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { kysely, table } from 'alula/kysely'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'

async function start() {
  const { MARIADB_URL, TABLE } = process.env
  const db = new Kysely({ dialect: new MysqlDialect({ pool: createPool({ uri: MARIADB_URL, timezone: 'Z' }) }) })
  const app = express(alula())

  app.configure(rest())
  app.use('notes', kysely({ Model: db, name: TABLE }), { schema: table() })
  app.use(errorHandler())

  const server = await app.listen(0)

  console.log('localhost:' + server.address().port)
}

start()
`

/** The same with PGlite, which makes its table. */
export const IN_PROCESS = TABLE.replace(
  "import { createPool } from 'mysql2'",
  "import { PGlite } from '@electric-sql/pglite'\nimport { pglite } from 'alula/kysely'"
)
  .replace('const { MARIADB_URL, TABLE } = process.env', "const [database, TABLE] = [new PGlite(), 'notes']")
  .replace(
    /const db = .*$/m,
    `await database.exec('create table notes (id serial primary key, text text not null, at timestamptz)')

  const db = new Kysely({ dialect: pglite(database) })`
  )

/** Uses of optional packages, none of which is installed. */
const ATTEMPTS = {
  'socket.io': 'express(alula()).configure(socketio()).listen(0)',
  'koa-body': 'koa(alula()).use(bodyParser()).listen(0)',
  '@koa/cors': 'koa(alula()).use(cors()).listen(0)',
  'koa-static': "koa(alula()).use(serveStatic('.')).listen(0)",
  redis: "alula().configure(sync({ redis: 'redis://localhost' })).setup()",
  ajv: 'createNote()',
  'openid-client': 'startOAuth()',
  'swagger-ui-dist':
    "(async () => alula().configure(openapi({ info: { title: 'Notes', version: '1' }, page: 'swagger-ui' })))()"
}

/** The optional packages that the program below needs. */
export const MISSING: readonly string[] = Object.keys(ATTEMPTS)

/** Prints the message of each attempt. */
export const WITHOUT_PACKAGES = `${IMPORTS}${AUTHENTICATION}
import express from 'alula/express'
import { bodyParser, cors, koa, serveStatic } from 'alula/koa'
import { OAuthStrategy, oauth } from 'alula/oauth'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'

async function createNote() {
  const app = alula().use('notes', memory(), { schema: ${NOTE} })

  await app.setup()
  await app.service('notes').create({ text: 'a' }, { provider: 'rest' })
}

async function startOAuth() {
  const app = alula()

  app.set('authentication', {
    ...settings,
    authStrategies: ['jwt', 'nest'],
    oauth: { origins: ['http://localhost'], nest: { key: 'a', secret: 'b', issuer: 'http://localhost:1' } }
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('nest', new OAuthStrategy())
  app.use('authentication', authentication)
  app.use('users', memory())
  await app.configure(oauth()).setup()
}

async function start() {
  ${Object.values(ATTEMPTS)
    .map((attempt) => `await ${attempt}.then(() => 'no error', ({ message }) => message).then(console.log)`)
    .join(';')}
  process.exit()
}

start()
`
