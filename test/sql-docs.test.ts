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
const migrations = {
  first: {
    async up(db) {
      for (const name of ['messages', 'accounts', 'stock', 'orders']) {
        await db.schema.createTable(name).addColumn('id', 'integer', (column) => column.primaryKey())
          .addColumn('text', 'text').addColumn('balance', 'integer').addColumn('reserved', 'boolean')
          .addColumn('item', 'integer').execute()
      }
    }
  }
}`

/** Puts blocks of code into one program, as statements of their own behind all imports. */
function toProgram(...blocks: readonly string[]): string {
  const lines = blocks.join('\n').split('\n')
  const isImport = (line: string) => line.startsWith('import ')

  return [...new Set(lines.filter(isImport)), ...lines.filter((line) => !isImport(line))].join('\n')
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

      expect(blocks).toHaveLength(8)

      const [postgres, sqlite, patterns, transfer, hooks, end, migrate] = blocks as [
        ...[string, string, string, string, string, string, string]
      ]
      const url = await createDatabase(database)
      const table = (name: string) =>
        `app.use('${name}', kysely({ Model: db, name: '${name}', multi: true }))`
      const program = toProgram(
        "import { alula } from 'alula'\nimport { kysely } from 'alula/kysely'",
        database === SQLITE ? `${sqlite.replace('messages.db', url)}\nconst app = alula()` : postgres,
        MIGRATIONS,
        migrate,
        inside(patterns),
        inside(
          table('accounts'),
          'const [from, to] = [1, 2]',
          "await app.service('accounts').create([{ id: from, balance: 100 }, { id: to, balance: 0 }])",
          transfer,
          "console.log(JSON.stringify(await app.service('accounts').find({ query: { $select: ['balance'] } })))"
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
        end
      )
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: ROOT,
        env: { ...process.env, DATABASE_URL: url }
      })

      expect(stdout.trim().split('\n')).toEqual([
        '[{"balance":0,"id":1},{"balance":100,"id":2}]',
        '409',
        'true'
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
