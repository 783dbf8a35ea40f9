// What an application uses of its runtime, on Bun or Deno: servers, sockets, streams, threads, SQLite and Redis. It prints a line
// for each part.
import { createServer } from 'node:http'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { io } from 'socket.io-client'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from '../../dist/authentication.js'
import {
  authentication,
  alula as createClient,
  rest as overHttp,
  socketio as overSocket
} from '../../dist/client.js'
import { events } from '../../dist/events.js'
import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { bodyParser, koa, rest as koaRest } from '../../dist/koa.js'
import { kysely, nodeSqlite } from '../../dist/kysely.js'
import { memory } from '../../dist/memory.js'
import { prepareClose, toListener } from '../../dist/node.js'
import { socketio } from '../../dist/socketio.js'
import { sync } from '../../dist/sync.js'

const CREDENTIALS = { email: 'wren@example.com', password: 'correct horse' }

const show = (name, ...values) => console.log(name, JSON.stringify(values).slice(1, -1))
const toUrl = (server) => `http://localhost:${server.address().port}`
const post = (url, body) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const app = express(alula())

app.configure(rest())
app.configure(socketio())
app.configure(events())
app.set('authentication', {
  secret: 'a secret of these tests, which is long enough',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})

const logins = new AuthenticationService(app)

logins.register('jwt', new JWTStrategy())
logins.register('local', new LocalStrategy())
app.use('authentication', logins)
app.use('users', memory({ id: 'email' }))
app.service('users').hooks({
  before: { create: [hashPassword('password')] },
  after: { all: [protect('password')] }
})
app.use('notes', memory({ startId: 1 }))
app.service('notes').hooks({ before: { find: [authenticate('jwt')] } })
app.on('connection', (connection) => app.channel('all').join(connection))
app.service('notes').publish(() => app.channel('all'))
app.use(notFound(), errorHandler({ logger: false }))

const server = await app.listen(0)
const url = toUrl(server)
const overREST = createClient().configure(overHttp(url).fetch(fetch)).configure(authentication())
const socket = io(url, { transports: ['websocket'] })
const client = createClient().configure(overSocket(socket)).configure(authentication())

const { password } = await app.service('users').create(CREDENTIALS)
const wrong = { ...CREDENTIALS, password: 'wrong' }

show('a thread hashes', password.slice(0, 7))
show('no login', (await overREST.authenticate({ strategy: 'local', ...wrong }).catch((error) => error)).code)
show('a login', (await overREST.authenticate({ strategy: 'local', ...CREDENTIALS })).user.email)
await client.authenticate({ strategy: 'local', ...CREDENTIALS })

const created = new Promise((resolve) => client.service('notes').once('created', resolve))

show('HTTP', (await post(`${url}/notes`, { text: 'Héllo' })).status, (await fetch(`${url}/nothing`)).status)
show('an event', await created)
show('a page', await overREST.service('notes').find({ query: { text: { $gte: 'H' }, $select: ['text'] } }))

const polling = io(url, { transports: ['polling'], forceNew: true })
const overPolling = createClient().configure(overSocket(polling))

show(
  'polling',
  (
    await overPolling
      .service('notes')
      .find()
      .catch((error) => error)
  ).code
)
polling.close()

const stream = await fetch(`${url}/events?services=notes`)
const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader()
let streamed = (await reader.read()).value

await post(`${url}/notes`, { text: 'streamed' })
while (!streamed.includes('streamed')) streamed += (await reader.read()).value
await reader.cancel()
show('a stream', stream.headers.get('content-type'))

socket.close()
await app.teardown()
show('closed', server.listening)

const listening = alula().use('slow', {
  async find() {
    begin()
    await proceeding

    return ['done']
  }
})
let begin
let proceed
const begun = new Promise((resolve) => {
  begin = resolve
})
const proceeding = new Promise((resolve) => {
  proceed = resolve
})
const plain = createServer(toListener(listening))
const close = prepareClose(plain, listening)

await listening.setup()
await new Promise((resolve) => plain.listen(0, resolve))

const response = fetch(`${toUrl(plain)}/slow`)

await begun

const closed = close()

setTimeout(proceed, 200)
show('closed after a request', await (await response).json(), (await closed) ?? plain.listening)

const onKoa = koa(alula())

onKoa.use(bodyParser())
onKoa.configure(koaRest())
onKoa.use('notes', memory({ startId: 1 }))

const koaServer = await onKoa.listen(0)

show('Koa', await (await post(`${toUrl(koaServer)}/notes`, { text: 'Hello' })).json())
await onKoa.teardown()

const db = new Kysely({ dialect: new SqliteDialect({ database: nodeSqlite(':memory:') }) })

await sql`create table notes (id integer primary key, text text unique, done boolean default false, due timestamp)`.execute(
  db
)

const stored = alula()

stored.use('notes', kysely({ Model: db, name: 'notes' }))
await stored.setup()

const notes = stored.service('notes')

await notes.create({ text: 'Hello', due: '2026-12-01T09:00:00Z' })
show(
  'SQLite',
  await notes.patch(1, { done: true }),
  (await notes.create({ text: 'Hello' }).catch((error) => error)).code
)
await db.destroy()

const [one, other] = [1, 2].map(() => {
  const shared = alula().configure(
    sync({ redis: process.env.REDIS_URL, prefix: `alula-runtimes-${process.pid}` })
  )

  shared.use('notes', memory({ startId: 1 }))
  shared.service('notes').publish(() => shared.channel('all'))

  return shared
})

await Promise.all([one.setup(), other.setup()])
other.channel('all').join({})

const published = new Promise((resolve) =>
  other.on('publish', (event, _channel, { data, result }) => resolve([event, result ?? data]))
)

await one.service('notes').create({ text: 'Hello' })
show('Redis', ...(await published))
await Promise.all([one.teardown(), other.teardown()])
