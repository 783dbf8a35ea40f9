// One of several processes of an application with sessions, in the store that the test names.

import { createServer } from 'node:http'
import { alula } from 'alula'
import { AuthenticationService, JWTStrategy, LocalStrategy } from 'alula/authentication'
import { kysely } from 'alula/kysely'
import { memory } from 'alula/memory'
import { toListener } from 'alula/node'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

const { REDIS_URL, POSTGRES_URL, PREFIX, PASSWORD_HASH, STORE } = process.env
const app = alula()

app.set('authentication', {
  secret: 'a secret for tests, longer than thirty-two bytes',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
  refresh: { store: STORE === 'Redis' ? { redis: REDIS_URL, prefix: PREFIX } : 'sessions' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.configure(socketio())
app.configure(sync({ redis: REDIS_URL, prefix: PREFIX }))
app.use('users', memory({ store: { 1: { id: 1, email: 'wren@example.org', password: PASSWORD_HASH } } }))
app.use('authentication', authentication)

if (STORE === 'PostgreSQL') {
  const db = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: POSTGRES_URL }) })
  })

  app.use('sessions', kysely({ Model: db, name: PREFIX, id: 'id' }), { methods: [] })
}

const server = createServer(toListener(app))

await app.setup(server)
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`))
