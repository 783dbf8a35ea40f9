import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readBlocks } from './support/session.ts'
import { createDatabase, describeDatabases, MARIADB, MARIADB_URL, POSTGRES, SQLITE } from './support/sql.ts'

const ROOT = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

const MIGRATIONS = `
const isPostgres = /^postgres/.test(process.env.DATABASE_URL)
const number = isPostgres ? 'serial' : 'integer'
const id = (column) => column.primaryKey()
const migrations = {
  first: {
    async up(db) {
      for (const name of ['messages', 'accounts', 'stock', 'orders']) {
        await db.schema.createTable(name).addColumn('id', 'integer', id)
          .addColumn('text', 'text').addColumn('balance', 'integer').addColumn('reserved', 'boolean')
          .addColumn('item', 'integer').execute()
      }
      for (const name of ['audit', 'notes']) {
        await db.schema.createTable(name).addColumn('id', number, id).addColumn('text', 'text').execute()
      }
      await db.schema.createTable('people').addColumn('id', number, id)
        .addColumn('email', 'text', (column) => column.notNull()).addColumn('password', 'text')
        .addColumn('active', 'boolean', (column) => column.notNull().defaultTo(sql\`true\`)).execute()
      await db.schema.createTable('tags').addColumn('id', number, id).addColumn('name', 'text').execute()
      await db.schema.createTable('notes_tags')
        .addColumn('note', 'integer', (column) => column.references('notes.id'))
        .addColumn('tag', 'integer', (column) => column.references('tags.id'))
        .addPrimaryKeyConstraint('notes_tags_key', ['note', 'tag']).execute()
      await db.schema.createTable('users').addColumn('id', number, id)
        .addColumn('email', 'text', (column) => column.notNull().unique()).addColumn('password', 'text').execute()
      await db.schema.createTable('tasks').addColumn('id', number, id)
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('user', 'integer', (column) => column.references('users.id')).execute()
    }
  }
}`

/** What is printed of an outcome. */
const PRINT = `
const print = async (promise) => console.log(JSON.stringify(await promise.catch(({ code, errors }) => [code, errors])))`

/** Puts blocks of code into one program, as statements of their own behind all imports. */
function toProgram(...blocks: readonly string[]): string {
  const code = blocks.join('\n')
  const pattern = /^import [^']*'[^']*'$/gm

  return [...new Set(code.match(pattern)), code.replaceAll(pattern, '')].join('\n')
}

/** A block with names of its own. */
function inside(...blocks: readonly string[]): string {
  return ['{', 'const app = alula()', ...blocks, '}'].join('\n')
}

describeDatabases(
  'The page about SQL',
  (database) => {
    it('has programs that run', async () => {
      const page = await readFile(resolve(ROOT, 'docs/sql.md'), 'utf8')
      const blocks = readBlocks(page, 'js')

      expect(blocks).toHaveLength(16)

      const [postgres, sqlite, declared, patterns, transfer, hooks, counts, links, tagged, ...rest] =
        blocks as [...[string, string, string, string, string, string, string, string, string], ...string[]]
      const [users, tasks, progress, signUp, end, migrate] = rest as [
        ...[string, string, string, string, string, string]
      ]
      const url = await createDatabase(database)
      const table = (name: string) =>
        `app.use('${name}', kysely({ Model: db, name: '${name}', multi: true }))`
      const program = toProgram(
        "import { alula } from 'alula'\nimport { kysely } from 'alula/kysely'\nimport { sql } from 'kysely'",
        database === SQLITE ? `${sqlite.replace('messages.db', url)}\nconst app = alula()` : postgres,
        MIGRATIONS,
        PRINT,
        migrate,
        inside(
          declared,
          'await app.setup()',
          "const people = app.service('people')",
          "await print(people.create({ email: 'ada@example.org', password: 'x' }))",
          "await print(people.create({ email: 'ada', active: 1 }))",
          "await print(people.find({ provider: 'rest', query: { active: 'true', $select: ['email'] } }))",
          "await print(people.find({ provider: 'rest', query: { password: 'x' } }))"
        ),
        inside(patterns),
        inside(
          table('accounts'),
          'const [from, to] = [1, 2]',
          "await app.service('accounts').create([{ id: from, balance: 100 }, { id: to, balance: 0 }])",
          transfer,
          "await print(app.service('accounts').find({ query: { $select: ['balance'] } }))",
          "await print(db.selectFrom('audit').select('text').execute())"
        ),
        inside(
          table('stock'),
          table('orders'),
          "await app.service('stock').create({ id: 7, reserved: false })",
          hooks,
          "await app.service('orders').create({ id: 1, item: 7 })",
          "await app.service('orders').create({ id: 1, item: 7 }).catch(({ code }) => console.log(code))",
          "console.log((await app.service('stock').get(7)).reserved)"
        ),
        inside(
          table('tags'),
          counts,
          links,
          tagged,
          "const notes = app.service('notes')",
          "await app.service('tags').create([{ name: 'blue' }, { name: 'red' }, { name: 'unused' }])",
          "await print(notes.create({ text: 'One', tags: [1, 2] }))",
          "await print(notes.create({ text: 'Two', tags: [2] }))",
          "await print(notes.create({ text: 'No such tag', tags: [1, 99] }))",
          "await print(notes.create({ text: 'The same twice', tags: [1, 1] }))",
          "await print(notes.find({ query: { tag: '2', $select: ['text'] } }))",
          "await print(notes.find({ query: { tag: '2', text: 'One', $select: ['text'] } }))",
          'await print(notes.find({ query: { tag: 3 } }))',
          "await print(app.service('tag-counts').find())"
        ),
        inside(
          users,
          tasks,
          progress,
          signUp,
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
          "console.log('password' in await app.service('users').get(1, { provider: 'rest', query: {} }))"
        ),
        end
      )
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: ROOT,
        env: { ...process.env, DATABASE_URL: url, SECRET: 'a secret of more than thirty-two bytes' }
      })

      expect(stdout.trim().split('\n')).toEqual([
        '{"id":1,"email":"ada@example.org","password":"x","active":true}',
        `[400,{"email":"expects the format 'email'","active":"expects a boolean, got a number"}]`,
        '[{"email":"ada@example.org","id":1}]',
        '[400,{"password":"is not a field that can be queried"}]',
        '[{"balance":0,"id":1},{"balance":100,"id":2}]',
        '[{"text":"1 gave 100 to 2"}]',
        '409',
        'true',
        '{"id":1,"text":"One","tags":[1,2]}',
        '{"id":2,"text":"Two","tags":[2]}',
        '[400,null]',
        '[409,null]',
        '[{"text":"One","id":1},{"text":"Two","id":2}]',
        '[{"text":"One","id":1}]',
        '[]',
        '[{"name":"blue","notes":1},{"name":"red","notes":2},{"name":"unused","notes":0}]',
        '{"id":1,"email":"ada@example.com"}',
        '[409,{"email":"is taken"}]',
        '[400,{"text":"is required"}]',
        expect.stringMatching(/^\{"id":\d,"email":"bob@example.com"\}$/),
        expect.stringMatching(/^\{"id":\d,"text":"Own","user":(?!1)\d\}$/),
        expect.stringMatching(/^\[\{"text":"Write","id":\d\},\{"text":"Own","id":\d\}\]$/),
        '[404,null]',
        '[401,null]',
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
    const page = await readFile(resolve(ROOT, 'docs/sql.md'), 'utf8')
    const program = toProgram(
      readBlocks(page, 'js').at(-1) as string,
      "import { sql } from 'kysely'",
      'const { rows } = await sql`select @@max_statement_time as time, @@innodb_lock_wait_timeout as lock_time`.execute(db)',
      'console.log(Number(rows[0].time), Number(rows[0].lock_time))',
      'await db.destroy()'
    )
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: MARIADB_URL }
    })

    expect(stdout.trim()).toBe('3 3')
  })
}, [MARIADB])
