import { expect, it } from 'vitest'
import { readBlocks, readPage, readSection, toModule } from './support/page.ts'
import { runToEnd } from './support/program.ts'
import { expectSession } from './support/session.ts'
import { shareProcess } from './support/shared-process.ts'
import {
  createDatabase,
  describeDatabases,
  hasNodeSqlite,
  MARIADB,
  MARIADB_URL,
  POSTGRES,
  SQLITE
} from './support/sql.ts'

const env = { SECRET: 'a secret of more than thirty-two bytes' }
const shared = shareProcess(env)
const page = await readPage('sql')
const [shown] = readBlocks(page, 'js') as [string]

/** The application of the page, with another driver for SQLite where Node has none. */
const application = hasNodeSqlite
  ? shown
  : `import Database from 'libsql'\n${shown.replace('nodeSqlite(', 'new Database(')}`

/** What is printed of an outcome. */
const PRINT = `
const print = async (promise) =>
  console.log(JSON.stringify(await promise.catch(({ code, message, errors }) => [code, errors ?? message])))`

/** The statement of the page that creates a table. */
function creating(name: string): string {
  const statement = new RegExp(
    `^await db\\.schema\\s*\\.createTable\\('${name}'\\)[^]+?\\.execute\\(\\)$`,
    'm'
  )
  const [found] = statement.exec(page) as unknown as [string]

  return found
}

/** Blocks of a section. */
function blocks(heading: string): string[] {
  return readBlocks(readSection(page, heading), 'js')
}

/** Blocks with names of their own. */
function inside(...parts: readonly string[]): string {
  return ['{', 'const app = alula()', ...parts, '}'].join('\n')
}

/** The calls of a block, each printed. */
function printed(block: string): string {
  return block.replace(/^await (.+?)(?: \/\/ .+)?$/gm, 'await print($1)')
}

/** A program with the URL of its database. */
function connected(program: string, url: string): string {
  return program.replace('process.env.DATABASE_URL', `'${url}'`)
}

it('the application on the page about SQL responds as shown', async () => {
  const { address } = await shared.runServer(application.replace('notes.db', await createDatabase(SQLITE)))

  await expectSession(readBlocks(page, 'console'), { 'localhost:3030': address })
})

it('PGlite takes the place of SQLite, with the tables of PostgreSQL', async () => {
  const [connect] = blocks('PGlite') as [string]
  const [migrate] = blocks('Migrations') as [string]
  const [patterns] = blocks('Patterns') as [string]
  const program = toModule(
    "import { alula } from 'alula'\nimport { kysely } from 'alula/kysely'",
    connect,
    'const app = alula()',
    PRINT,
    migrate.replaceAll('.autoIncrement()', '.generatedByDefaultAsIdentity()'),
    printed(patterns),
    'await db.destroy()'
  )

  expect((await runToEnd(program, env))[0]).toBe(
    '{"id":1,"slug":"welcome","text":"Hello","sentAt":null,"pinned":false}'
  )
})

describeDatabases(
  'The page about SQL',
  (database) => {
    /** A program that connects as the page shows, runs parts of it, and shuts down. */
    async function toProgram(...parts: readonly string[]): Promise<string> {
      const url = await createDatabase(database)
      const [sqlite] = blocks('SQLite on Node 20') as [string]
      const [postgres] = blocks('PostgreSQL') as [string]

      const program = toModule(
        "import { alula } from 'alula'\nimport { kysely } from 'alula/kysely'",
        database === SQLITE ? sqlite.replace('notes.db', url) : connected(postgres, url),
        'const app = alula()',
        PRINT,
        ...parts,
        ...blocks('Shutdown')
      )

      return database === POSTGRES
        ? program.replaceAll('.autoIncrement()', '.generatedByDefaultAsIdentity()')
        : program
    }

    async function runParts(...parts: readonly string[]): Promise<string[]> {
      return await shared.runToEnd(await toProgram(...parts))
    }

    const table = (name: string) => `app.use('${name}', kysely({ Model: db, name: '${name}', multi: true }))`

    it('has migrations, patterns and calls by a slug that run', async () => {
      const [migrate] = blocks('Migrations') as [string]
      const [patterns] = blocks('Patterns') as [string]
      const [bySlug] = blocks('Ids') as [string]
      const replies = [
        table('replies'),
        "await app.service('replies').create({ message: 1, text: 'Yes' })",
        "await app.service('messages').remove(1)",
        "await print(app.service('replies').find())",
        "await print(app.service('replies').create({ message: 1, text: 'Too late' }))"
      ]
      const lines = await runParts(migrate, printed(patterns), printed(bySlug), ...replies)
      const [first, second] = [
        '{"id":1,"slug":"welcome","text":"Hello","sentAt":null,"pinned":false}',
        '{"id":2,"slug":"ada","text":"Hello Ada","sentAt":null,"pinned":false}'
      ]

      expect(lines).toEqual([
        first,
        second,
        `[${first},${second}]`,
        `[${first},${second}]`,
        `[400,"Invalid query parameter $notlike: the service does not list it in 'operators'"]`,
        first,
        '{"id":1,"slug":"welcome","text":"Hello all","sentAt":null,"pinned":false}',
        expect.stringMatching(/^\[400,/),
        '[]',
        expect.stringMatching(/^\[400,.*refers to no record|^\[400,.*refers to a record that does not exist/)
      ])
    })

    it('has natural and composite keys that do what it says', async () => {
      const [create, calls] = blocks('Natural and composite keys') as [string, string]
      const line = '"order":1,"product":7,"quantity"'

      expect(await runParts(create, printed(calls))).toEqual([
        '[400,{"code":"is required"}]',
        '{"code":"KELPO","name":"Kelp & Co"}',
        `[404,"No record found for id 'kelpo'"]`,
        `{${line}:2}`,
        '{"order":1,"product":8,"quantity":1}',
        `[409,"Several records have '1' as 'order'"]`,
        `{${line}:3}`
      ])
    })

    it('shows what types of columns do', async () => {
      const [create, calls] = blocks('Column types') as [string, string]
      const record =
        '"name":"Ada","age":36,"active":true,"born":"1815-12-10T00:00:00.000Z","address":{"city":"London"}'

      expect(await runParts(create, printed(calls))).toEqual([
        `{"id":1,${record}}`,
        `{"id":1,${record}}`,
        ...Array(3).fill(`[{"id":1,${record}}]`),
        '[]',
        '[]',
        '[400,{"age":"expects a number"}]',
        `[400,"Unknown column 'colour'"]`,
        '{"id":1,"name":"Ada","age":null,"active":null,"born":null,"address":null}'
      ])
    })

    it('has a schema and a hook for tenants that run', async () => {
      const [declared] = blocks('Schemas') as [string]
      const [tenants] = blocks('Tenants') as [string]
      const lines = await runParts(
        inside(
          declared,
          'await app.setup()',
          "const contacts = app.service('contacts')",
          "await print(contacts.create({ email: 'ada@example.org', remark: 'x' }))",
          "await print(contacts.create({ email: 'ada', remark: 1 }))",
          "await print(contacts.find({ provider: 'rest', query: { $select: ['email'] } }))",
          "await print(contacts.find({ provider: 'rest', query: { remark: 'x' } }))"
        ),
        "import { Kysely, SqliteDialect } from 'kysely'\nimport Database from 'libsql'",
        "const acme = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })",
        "await acme.schema.createTable('notes').addColumn('text', 'text').addColumn('id', 'integer', (column) => column.primaryKey()).execute()",
        creating('notes'),
        inside(
          table('notes'),
          tenants.replace("['acme', db]", "['acme', acme]"),
          "await print(app.service('notes').create({ text: 'Of Acme' }, { user: { tenant: 'acme' } }))",
          "await print(app.service('notes').create({ text: 'Of nobody' }, { user: {} }))",
          "await print(app.service('notes').get('Of Acme', { user: { tenant: 'acme' }, adapter: { id: 'text' } }))",
          "await print(db.selectFrom('notes').select('text').execute())"
        )
      )

      expect(lines).toEqual([
        '{"id":1,"email":"ada@example.org","remark":"x"}',
        `[400,{"email":"expects the format 'email'","remark":"expects a string or null, got a number"}]`,
        '[{"email":"ada@example.org","id":1}]',
        '[400,{"remark":"is not a field that can be queried"}]',
        '{"text":"Of Acme","id":1}',
        '[403,"You belong to no tenant"]',
        '{"text":"Of Acme","id":1}',
        '[]'
      ])
    })

    it('has transactions that run as shown', async () => {
      const [tables, transfer, nested, ofApplication, hooks] = blocks('Transactions') as [
        string,
        string,
        string,
        string,
        string
      ]
      const [output] = readBlocks(readSection(page, 'Transactions'), '') as [string]
      const balances = "await print(app.service('accounts').find({ query: { $select: ['balance'] } }))"
      const program = await toProgram(
        inside(
          tables,
          transfer,
          balances,
          "await print(db.selectFrom('audit').select('text').execute())",
          nested,
          ofApplication,
          balances
        ),
        inside(
          hooks,
          "await app.service('stock').create({ id: 7, reserved: false })",
          "await app.service('orders').create({ id: 1, item: 7 })",
          "await app.service('stock').patch(7, { reserved: false })",
          "await print(app.service('orders').create({ id: 1, item: 7 }))",
          "console.log((await app.service('stock').get(7)).reserved)"
        )
      )

      // In a process of its own, which ends by itself once the pool is closed.
      const lines = await runToEnd(program, env)

      expect(lines).toEqual([
        '[{"balance":0,"id":1},{"balance":100,"id":2}]',
        '[{"text":"1 gave 100 to 2"}]',
        ...output.trim().split('\n'),
        '[{"balance":50,"id":1},{"balance":50,"id":2},{"balance":0,"id":3}]',
        expect.stringMatching(/^\[409,/),
        'false'
      ])
    })

    it('has statements beside the adapter that run', async () => {
      const [counts, links, tagged, outside] = blocks('Your own SQL beside the adapter') as [
        string,
        string,
        string,
        string
      ]
      const lines = await runParts(
        "import { withTransaction } from 'alula/kysely'",
        creating('notes'),
        creating('audit'),
        inside(
          table('tags'),
          counts,
          links,
          tagged,
          "const notes = app.service('notes')",
          "const find = (query) => notes.find({ query: { ...query, $select: ['text'] } })",
          "await app.service('tags').create([{ name: 'blue' }, { name: 'red' }, { name: 'unused' }])",
          "await print(notes.create({ text: 'One', tags: [1, 2] }))",
          "await print(notes.create({ text: 'Two', tags: [2] }))",
          "await print(notes.create({ text: 'No such tag', tags: [1, 99] }))",
          "await print(notes.create({ text: 'The same twice', tags: [1, 1] }))",
          "await print(find({ tag: '2' }))",
          "await print(find({ tag: '2', text: 'One' }))",
          'await print(find({ tag: 3 }))',
          "await print(app.service('tag-counts').find())",
          outside.replace('await withTransaction', 'await print(withTransaction').replace(/\}\)\n$/, '}))\n'),
          "await print(db.selectFrom('audit').select('text').orderBy('text').execute())"
        )
      )

      expect(lines).toEqual([
        '{"id":1,"text":"One","done":false,"due":null,"tags":[1,2]}',
        '{"id":2,"text":"Two","done":false,"due":null,"tags":[2]}',
        expect.stringMatching(/^\[400,/),
        expect.stringMatching(/^\[409,/),
        '[{"text":"One","id":1},{"text":"Two","id":2}]',
        '[{"text":"One","id":1}]',
        '[]',
        '[{"name":"blue","notes":1},{"name":"red","notes":2},{"name":"unused","notes":0}]',
        ...(database === SQLITE
          ? [expect.stringContaining('would wait for ever'), '[]']
          : ['undefined', '[{"text":"stored at once"},{"text":"stored with the rest"}]'])
      ])
    })

    it('has a login that runs', async () => {
      const lines = await runParts(
        inside(
          ...blocks('Login and SQL together'),
          'await app.setup()',
          "const login = (email) => app.service('authentication').create({ strategy: 'local', email, password: 'a password' })",
          "const toParams = ({ accessToken }) => ({ provider: 'rest', query: {}, authentication: { strategy: 'jwt', accessToken } })",
          "const signUp = (email, task) => app.service('sign-up').create({ email, task, password: 'a password' }, { provider: 'rest' })",
          "await print(signUp('ada@example.com', 'Read'))",
          "await print(signUp('ada@example.com', 'Again'))",
          "await print(signUp('bob@example.com', null))",
          "await print(signUp('bob@example.com', 'Write'))",
          "const [ada, bob] = [toParams(await login('ada@example.com')), toParams(await login('bob@example.com'))]",
          "await print(app.service('tasks').create({ text: 'Own', user: 1 }, bob))",
          "await print(app.service('tasks').find({ ...bob, query: { $select: ['text'] } }))",
          "await print(app.service('tasks').remove(1, bob))",
          "await print(app.service('tasks').find({ provider: 'rest', query: {} }))",
          "await print(app.service('progress').find(ada))",
          "await print(app.service('progress').find(bob))",
          "console.log('password' in await app.service('users').get(1, ada))",
          // The users are attacked before.
          'await app.teardown()'
        )
      )

      expect(lines).toEqual([
        '{"id":1,"email":"ada@example.com"}',
        '[409,{"email":"is taken"}]',
        '[400,{"text":"is required"}]',
        expect.stringMatching(/^\{"id":\d,"email":"bob@example.com"\}$/),
        expect.stringMatching(/^\{"id":\d,"text":"Own","user":(?!1)\d\}$/),
        expect.stringMatching(/^\[\{"text":"Write","id":\d\},\{"text":"Own","id":\d\}\]$/),
        expect.stringMatching(/^\[404,/),
        expect.stringMatching(/^\[401,/),
        '[{"email":"ada@example.com","tasks":1}]',
        '[{"email":"bob@example.com","tasks":2}]',
        'false'
      ])
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases('The page about SQL', () => {
  it('has a pool whose statements end in time', async () => {
    const program = toModule(
      ...blocks('MariaDB and MySQL'),
      "import { sql } from 'kysely'",
      'const { rows } = await sql`select @@max_statement_time as time, @@innodb_lock_wait_timeout as lock_time`.execute(db)',
      'console.log(Number(rows[0].time), Number(rows[0].lock_time))',
      'await db.destroy()'
    )

    expect(await shared.runToEnd(connected(program, MARIADB_URL))).toEqual(['3 3'])
  })
}, [MARIADB])
