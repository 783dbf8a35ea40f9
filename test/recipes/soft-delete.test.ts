import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { createDatabase, describeDatabases, POSTGRES, SQLITE, type TestDatabase } from '../support/sql.ts'
import { call, HEADER_LOGIN } from './header-login.ts'

const [recipe] = readBlocks(await readPage('recipes/06-soft-delete'), 'js') as [string]

/** The recipe under a parent, as its notes say. */
const NESTED = `${recipe.replace(/\n\/\/ Comments are out of sight[\s\S]*/, '')}`
  .replace("app.use('notes'", "app.use('teams/:team/notes'")
  .replace("methods: ['find'", "parent: { teamId: 'teams' },\n  methods: ['find'")

/** Both teams have the first user; the second user has none. */
const TEAMS = `
import { memory } from 'alula/memory'

app.use('teams', memory({ store: { 1: { id: 1, users: [1] }, 2: { id: 2, users: [1, 3] } }, operators: ['$contains'] }), {
  access: access({ get: ({ params }) => ({ users: { $contains: params.user?.id } }) })
})`

/** An application with the recipe. It purges what was deleted by now when a client asks. */
async function toProgram(database: TestDatabase): Promise<string> {
  return toModule(
    await toStart(database),
    recipe,
    `for (const event of ['removed', 'created', 'patched']) {
  app.service('notes').on(event, ({ id }) => console.log(event, id))
}
app.use('purges', { create: async () => await app.service('notes').purge(Date.now() + 1) }, { methods: ['create'] })`,
    END
  )
}

const END = `app.use(errorHandler({ logger: false }))
await app.listen(3030)`

/** An application with the tables of the recipe. */
async function toStart(database: TestDatabase): Promise<string> {
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

await sql\`create table notes (id ${database.countedId}, slug text, text text, "ownerId" integer, "teamId" integer, "deletedAt" bigint)\`.execute(db)
await sql\`create table comments (id ${database.countedId}, text text, "noteId" integer)\`.execute(db)`,
    HEADER_LOGIN,
    'app.configure(rest({ logger: false }))'
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

    it('under a parent: the trash of a team has no record of another team', async () => {
      const { address, waitFor } = await runServer(
        toModule(
          await toStart(database),
          TEAMS,
          NESTED,
          "app.service('teams/:team/notes').on('created', ({ id, text }) => console.log('created', id, text))",
          END
        )
      )
      const ask = async (path: string, method = 'GET', user = 1) => {
        const { status, body } = await call(`${address}/teams/${path}`, {
          user,
          method,
          ...(method === 'POST' && { body: '{}' })
        })

        return Array.isArray(body) ? body.map(({ id }: { id: number }) => id) : status
      }

      await call(`${address}/teams/1/notes`, { user: 1, data: { slug: 'one', text: 'Red', ownerId: 1 } })
      await waitFor('created 1')
      expect(await ask('2/notes/1', 'DELETE')).toBe(404)
      expect(await ask('1/notes/1', 'DELETE')).toBe(200)

      expect([await ask('1/notes/trash'), await ask('2/notes/trash')]).toEqual([[1], []])
      expect(await ask('2/notes/1/restore', 'POST')).toBe(404)

      // Not of the team, and of the team without being the owner.
      expect([await ask('1/notes/trash', 'GET', 2), await ask('1/notes/1/restore', 'POST', 2)]).toEqual([
        404, 404
      ])
      expect([await ask('2/notes/trash', 'GET', 3), await ask('2/notes/1/restore', 'POST', 3)]).toEqual([
        [],
        404
      ])

      expect(await ask('1/notes/1/restore', 'POST')).toBe(200)
      await waitFor('created 1')
      expect([await ask('1/notes/trash'), await ask('1/notes/1')]).toEqual([[], 200])
    })
  },
  [SQLITE, POSTGRES]
)
