// node --log-maps warm-requests.mjs: serves requests until the engine has seen all of them, and then as many again between
// two hidden classes of its own, which stand in the log of V8.
import { randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { alula } from 'alula'
import { access, anyone, user } from 'alula/access'
import { AuthenticationService, JWTStrategy, LocalStrategy } from 'alula/authentication'
import { cacheStatements, kysely } from 'alula/kysely'
import { memory } from 'alula/memory'
import { toListener } from 'alula/node'
import { count, many, one, schema } from 'alula/schema'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { z } from 'zod'

const WARM = 300
const WATCHED = 100

const Author = z.object({ id: z.int(), name: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), stars: z.int(), authorId: z.int() })
const Tag = z.object({ id: z.int(), name: z.string(), noteId: z.int() })

const notes = schema(Note, {
  relations: {
    author: one('authors', { from: 'authorId' }),
    tags: many('tags', { to: 'noteId' }),
    tagCount: count('tags', { to: 'noteId' })
  }
})

const db = new Kysely({ dialect: new SqliteDialect({ database: cacheStatements(new Database(':memory:')) }) })
const table = (name, columns) =>
  columns
    .reduce(
      (made, [column, type]) => made.addColumn(column, type, (it) => it.notNull()),
      db.schema.createTable(name)
    )
    .addColumn('id', 'integer', (id) => id.primaryKey().autoIncrement())
    .execute()

await table('authors', [['name', 'text']])
await table('tags', [
  ['name', 'text'],
  ['noteId', 'integer']
])
await table('notes', [
  ['text', 'text'],
  ['stars', 'integer'],
  ['authorId', 'integer']
])

const app = alula()
const authentication = new AuthenticationService(app, 'authentication', {
  secret: randomUUID() + randomUUID(),
  entity: 'user',
  service: 'users',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})
const open = { access: access({ all: user, find: anyone, get: anyone }) }
const sql = (name) => kysely({ Model: db, name, multi: true, paginate: { default: 20, max: 100 } })

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
app.use('users', memory(), { methods: [] })
app.use('plain', memory({ multi: true, paginate: { default: 10, max: 100 } }))
app.use('headed', memory({ paginate: { default: 10, max: 100 } }))
app.service('headed').hooks({ after: { find: [setHeaders] } })
app.set('requestIds', true)
app.use('authors', sql('authors'), { ...open, schema: schema(Author) })
app.use('tags', sql('tags'), { ...open, schema: schema(Tag) })
app.use('notes', sql('notes'), { ...open, schema: notes })
await app.setup()

const account = await app.service('users').create({ email: 'ada@example.com', password: 'unused' })
const accessToken = await authentication.createAccessToken({}, { subject: `${account.id}` })
const ofUser = { Authorization: `Bearer ${accessToken}` }
const ofData = { 'Content-Type': 'application/json' }

await app.service('authors').create([{ name: 'Ada' }, { name: 'Grace' }])
for (let index = 0; index < 20; index++) {
  await app.service('plain').create({ text: `Note ${index}`, stars: index })
  await app.service('notes').create({ text: `Note ${index}`, stars: index, authorId: (index % 2) + 1 })
  await app.service('tags').create({ name: 'tag', noteId: index + 1 })
}

const server = createServer(toListener(app)).listen(0)
const included = '$include[]=author&$include[]=tags&$include[]=tagCount'
const REQUESTS = [
  { path: '/plain/3' },
  { path: '/plain?stars[$gt]=5&$sort[stars]=-1&$limit=5' },
  { method: 'PATCH', path: '/plain/3', body: { text: 'Changed' }, headers: ofData },
  { path: '/headed' },
  { path: '/plain/no-such-id', status: 404 },
  { path: '/notes/3', headers: ofUser },
  { path: `/notes?stars[$gt]=5&$sort[stars]=-1&${included}` },
  { path: `/notes?stars[$gt]=5&$sort[stars]=-1&${included}`, headers: ofUser },
  { path: `/notes/3?${included}`, headers: ofUser },
  { method: 'PATCH', path: '/notes/3', body: { text: 'Changed' }, headers: { ...ofUser, ...ofData } }
]

async function setHeaders(context) {
  context.http = { headers: { 'Cache-Control': 'max-age=60' } }
}

async function send({ method = 'GET', path, body, headers = {}, status = 200 }) {
  const { port } = server.address()

  return await new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers }, async (response) => {
      const answer = await json(response)

      if (response.statusCode === status) resolve(answer)
      else reject(new Error(`${method} ${path}: ${JSON.stringify(answer)}`))
    })

    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

async function sendAll(times) {
  for (let turn = 0; turn < times; turn++) for (const each of REQUESTS) await send(each)
}

const mark = {}

await sendAll(WARM)
mark.watchedFromHere = true
await sendAll(WATCHED)
mark.watchedUntilHere = true
// The log ends with the process.
process.exit(0)
