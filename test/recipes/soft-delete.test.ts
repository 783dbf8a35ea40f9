import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { createDatabase, describeDatabases, POSTGRES, SQLITE, type TestDatabase } from '../support/sql.ts'
import { call, HEADER_LOGIN } from './header-login.ts'

const [recipe] = readBlocks(await readPage('recipes/06-soft-delete'), 'js') as [string]

/** An application with the recipe. It purges what was deleted by now when a client asks. */
async function toProgram(database: TestDatabase): Promise<string> {
  const url = JSON.stringify(await createDatabase(database))
  const dialect =
    database === SQLITE
      ? `new SqliteDialect({ database: new Database(${url}) })`
      : `new PostgresDialect({ pool: new Pool({ connectionString: ${url} }) })`

  return toModule(
    `import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'

const db = new Kysely({ dialect: ${dialect} })
const app = express(alula())

await sql\`create table notes (id ${database.countedId}, slug text, text text, "ownerId" integer, "deletedAt" bigint)\`.execute(db)
await sql\`create table comments (id ${database.countedId}, text text, "noteId" integer)\`.execute(db)`,
    HEADER_LOGIN,
    'app.configure(rest({ logger: false }))',
    recipe,
    `for (const event of ['removed', 'created', 'patched']) {
  app.service('notes').on(event, ({ id }) => console.log(event, id))
}
app.use('purges', { create: async () => await app.service('notes').purge(Date.now() + 1) }, { methods: ['create'] })
app.use(errorHandler({ logger: false }))
await app.listen(3030)`
  )
}

describeDatabases(
  'Soft delete',
  (database) => {
    it('hides, lists and restores records of their owners', async () => {
      const { address, waitFor } = await runServer(await toProgram(database))
      const ask = (path: string, user?: number, init: object = {}) =>
        call(`${address}/${path}`, { ...(user && { user }), ...init })
      const create = async (slug: string, ownerId = 1, more = {}) =>
        (await ask('notes', ownerId, { data: { slug, ownerId, ...more } })).status
      const list = async (path: string, user = 1) => {
        const { body } = await ask(path, user)

        return (body.data ?? body).map(({ id }: { id: number }) => id)
      }
      const readStatus = async (path: string, user: number | undefined, method = 'GET', data?: object) =>
        (await ask(path, user, { method, ...(data && { body: JSON.stringify(data) }) })).status

      expect([await create('one'), await create('two'), await create('one', 2)]).toEqual([201, 201, 201])
      expect(await create('one')).toBe(409)
      expect(await create('three', 1, { deletedAt: 5 })).toBe(403)
      expect(await readStatus('notes/1/comments', 1, 'POST', { text: 'Good' })).toBe(201)
      expect(await readStatus('notes/1', 2, 'DELETE')).toBe(404)
      expect(await readStatus('notes/1', 1, 'PATCH', { deletedAt: 5 })).toBe(403)
      expect(await readStatus('notes', 1, 'DELETE')).toBe(405)
      expect(await readStatus('notes/1', 1, 'DELETE')).toBe(200)
      await waitFor('removed 1')

      // Out of sight, whatever the query says.
      expect(await list('notes')).toEqual([2])
      expect(await list('notes?deletedAt[$gt]=0')).toEqual([])
      expect(await list('notes?$or[0][deletedAt][$gt]=0&$or[1][slug]=one')).toEqual([])
      expect(await readStatus('notes/1', 1)).toBe(404)
      expect(await readStatus('notes/1', 1, 'PATCH', { text: 'New', deletedAt: null })).toBe(404)
      expect(await readStatus('notes/1', 1, 'DELETE')).toBe(404)
      expect(await readStatus('notes/1/comments', 1)).toBe(404)
      expect(await readStatus('notes/1/comments', 1, 'POST', { text: 'Late' })).toBe(404)

      // The trash is that of its owner.
      expect([await list('notes/trash'), await list('notes/trash', 2)]).toEqual([[1], []])
      expect(await readStatus('notes/trash', undefined)).toBe(401)
      expect(await readStatus('notes/1/restore', 2, 'POST', {})).toBe(404)
      expect(await readStatus('notes/2/restore', 1, 'POST', {})).toBe(404)

      const headers = { 'X-Service-Method': 'restore' }

      expect((await ask('notes', 1, { headers, data: {} })).status).toBe(400)
      expect((await ask('notes', 2, { headers, data: { id: 1 } })).status).toBe(404)

      // A unique value that was taken meanwhile.
      expect(await create('one')).toBe(201)
      expect(await readStatus('notes/1/restore', 1, 'POST', {})).toBe(409)
      expect(await list('notes/trash')).toEqual([1])

      const [, last] = await list('notes')

      expect(await readStatus(`notes/${last}`, 1, 'DELETE')).toBe(200)
      expect(await readStatus('notes/1/restore', 1, 'POST', {})).toBe(200)
      await waitFor('created 1')
      expect((await list('notes')).sort()).toEqual([1, 2])
      expect((await ask('notes/1/comments', 1)).body).toHaveLength(1)

      // Rows are removed by the server alone.
      expect(await readStatus('notes/purge', 1, 'POST', {})).toBe(405)
      expect((await ask('purges', 1, { data: {} })).body).toHaveLength(1)
      expect([await list('notes/trash'), (await list('notes')).sort()]).toEqual([[], [1, 2]])
    })
  },
  [SQLITE, POSTGRES]
)
