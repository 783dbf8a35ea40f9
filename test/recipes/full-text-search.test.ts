import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { createDatabase, describeDatabases, POSTGRES, SQLITE, type TestDatabase } from '../support/sql.ts'
import { call, HEADER_LOGIN } from './header-login.ts'

const [postgres, sqlite] = readBlocks(await readPage('recipes/15-full-text-search'), 'js') as [string, string]

/** The application of the page about SQL, with the recipe for a database. */
async function toProgram(database: TestDatabase): Promise<string> {
  const url = JSON.stringify(await createDatabase(database))
  const [dialect, recipe] =
    database === SQLITE
      ? [
          `new SqliteDialect({ database: new Database(${url}) })`,
          postgres.replace(/const words[\s\S]+?(?=class Notes)/, () => `${sqlite}\n`)
        ]
      : [`new PostgresDialect({ pool: new Pool({ connectionString: ${url} }) })`, postgres]

  return toModule(
    `import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'

const db = new Kysely({ dialect: ${dialect} })
const app = express(alula())

await sql\`create table notes (id ${database.countedId}, title text, text text, "ownerId" integer)\`.execute(db)`,
    HEADER_LOGIN,
    'app.configure(rest())',
    recipe,
    'app.use(errorHandler())\nawait app.listen(3030)'
  )
}

describeDatabases(
  'The search of the recipe',
  (database) => {
    it('finds the notes of the caller by their words, best first', async () => {
      const { address } = await runServer(await toProgram(database))

      async function search(q: string, user?: number, limit = ''): Promise<unknown> {
        const url = `${address}/notes/search?q=${encodeURIComponent(q)}${limit}`
        const { status, body } = await call(url, { user })

        return status === 200 ? body.map(({ id }: { id: number }) => id) : [status, body.message]
      }

      for (const [title, text, ownerId] of [
        ['Shopping', 'Oats, apples, one bottle of milk', 1],
        ['Milk', 'Milk prices: the milk of farms', 1],
        ['Nothing', 'of that kind', 1],
        ['Milk', 'of another user', 2]
      ] as const) {
        const { status } = await call(`${address}/notes`, { user: ownerId, data: { title, text, ownerId } })

        expect(status).toBe(201)
      }

      expect(await search('milk', 1)).toEqual([2, 1])
      expect(await search('milk', 2)).toEqual([4])
      expect(await search('bottle milk', 1)).toEqual([1])
      expect(await search('milk', 1, '&limit=1')).toEqual([2])
      expect(await search(`" ) AND * ' -- title:`, 1)).toEqual([])
      expect(await search('milk')).toEqual([401, 'Not authenticated'])
      expect(await search('m'.repeat(201), 1)).toEqual([400, expect.stringContaining('up to 200')])
      expect(await search('milk', 1, '&limit=1e3')).toEqual([400, expect.stringContaining('up to 99')])

      await call(`${address}/notes/2`, { user: 1, method: 'PATCH', body: '{"text":"Bread","title":"Bread"}' })
      expect(await search('milk', 1)).toEqual([1])
      await call(`${address}/notes/1`, { user: 1, method: 'DELETE' })
      expect(await search('milk', 1)).toEqual([])
    })
  },
  [SQLITE, POSTGRES]
)
