import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage, readSection, toModule } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'
import { createDatabase, describeDatabases, POSTGRES } from '../support/sql.ts'

const section = readSection(await readPage('sql'), 'Row level security')
const [policies] = readBlocks(section, 'sql') as [string]
const [notes, logins] = readBlocks(section, 'js') as [string, string]

const START = `
import { alula } from 'alula'
import { access } from 'alula/access'
import { AuthenticationService, hashPassword, JWTStrategy, LocalStrategy, protect } from 'alula/authentication'
import { kysely } from 'alula/kysely'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

const app = alula()
const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 }) }) })

app.set('authentication', {
  secret: 'a secret of more than thirty-two bytes',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})
`

const CALLS = `
const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
await app.setup()

for (const email of ['ada', 'bob']) {
  const password = 'correct horse'
  const client = app.asClient()

  await client.service('sign-up').create({ email, password })

  const { user } = await client.service('authentication').create({ strategy: 'local', email, password })
  const own = app.asClient({ user }).service('notes')

  await own.create({ text: 'of ' + email })
  console.log(JSON.stringify(await own.find()))
}
console.log(JSON.stringify(await app.asClient().service('notes').find()))

const notes = app.service('notes')

// Own code may choose a number, which the sequence then comes upon.
await notes.create({ id: 3, text: 'chosen' }, { user: { id: 1 } })
console.log(JSON.stringify(await notes.create({ text: 'counted' }, { user: { id: 1 } })))
await db.destroy()
`

describeDatabases(
  'The page about SQL',
  (database) => {
    it('has policies, settings and a login that work together', async () => {
      const url = new URL(await createDatabase(database))
      const root = database.open(undefined, url.href)
      const role = `alula_web_${url.pathname.slice(1)}`

      onTestFinished(async () => {
        await sql`drop owned by ${sql.id(role)}`.execute(root)
        await sql`drop role ${sql.id(role)}`.execute(root)
        await root.destroy()
      })
      for (const statement of policies.replaceAll(/\bweb\b/g, role).split(';\n')) {
        await sql.raw(statement).execute(root)
      }
      url.searchParams.set('options', `-c role=${role}`)

      expect(await runToEnd(toModule(START, notes, logins, CALLS), { DATABASE_URL: url.href })).toEqual([
        '[{"id":1,"owner":1,"text":"of ada"}]',
        '[{"id":2,"owner":2,"text":"of bob"}]',
        '[]',
        '{"id":4,"owner":1,"text":"counted"}'
      ])
    })
  },
  [POSTGRES]
)
