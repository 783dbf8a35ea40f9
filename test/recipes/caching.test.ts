import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { createDatabase, SQLITE } from '../support/sql.ts'
import { call, HEADER_LOGIN } from './header-login.ts'

const [caching, headers] = readBlocks(await readPage('recipes/16-caching'), 'js') as [string, string]

/** The application with a table of notes of their owners, which two processes share. */
const APP = `
import { alula } from 'alula'
import { access, anyone, owner } from 'alula/access'
import express, { errorHandler, rest } from 'alula/express'
import { kysely } from 'alula/kysely'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'

const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(process.env.FILE) }) })
const app = express(alula())
`
const SERVICES = `
app.configure(rest())
app.use('notes', kysely({ Model: db, name: 'notes' }), { access: access({ all: owner('ownerId') }) })
app.use('countries', { find: async () => ['Peru'] }, { access: access({ all: anyone }) })`

describeRedis('The cache of the recipe', () => {
  it('keeps results of each user until a record changes in another process', async () => {
    const env = { REDIS_URL, FILE: await createDatabase(SQLITE) }
    const db = SQLITE.open(undefined, env.FILE)
    const change = async (text: string) => await sql`update notes set text = ${text}`.execute(db)

    await sql`create table notes (id integer primary key, text text, "ownerId" integer)`.execute(db)
    await sql`insert into notes values (1, 'first', 1), (2, 'first', 2)`.execute(db)

    const program = toModule(
      APP,
      HEADER_LOGIN,
      SERVICES,
      caching.replaceAll('`cache:', `\`${createPrefix()}:`),
      headers,
      'app.use(errorHandler())\nawait app.listen(3030)'
    )
    const [one, two] = [await runServer(program, env), await runServer(program, env)]
    const find = async (server: { address: string }, user: number) =>
      (await call(`${server.address}/notes`, { user })).body.map(({ text }: { text: string }) => text)

    const select = async () => (await call(`${one.address}/notes?$select[]=text`, { user: 1 })).body

    expect(await find(one, 1)).toEqual(['first'])
    expect(await select()).toEqual([{ id: 1, text: 'first' }])

    // A statement of another program: what is cached does not change.
    await change('second')
    expect(await select()).toEqual([{ id: 1, text: 'second' }])
    expect(await find(one, 1)).toEqual(['first'])
    expect(await find(two, 1)).toEqual(['first'])

    // Other callers and queries have other results.
    expect(await find(two, 2)).toEqual(['second'])
    expect((await call(`${one.address}/notes?text=second`, { user: 1 })).body).toHaveLength(1)
    expect((await call(`${one.address}/notes/2`, { user: 2 })).status).toBe(200)
    expect((await call(`${one.address}/notes/2`, { user: 1 })).status).toBe(404)
    expect((await call(`${one.address}/notes`)).status).toBe(401)

    // A write in one process expires the results in both.
    const data = { text: 'third', ownerId: 1 }

    expect((await call(`${two.address}/notes`, { user: 1, data })).status).toBe(201)
    expect(await find(two, 1)).toEqual(['second', 'third'])
    expect(await find(one, 1)).toEqual(['second', 'third'])

    const { headers: sent } = await call(`${one.address}/countries`)

    expect([sent.get('cache-control'), sent.has('etag')]).toEqual(['public, max-age=300', true])
    await db.destroy()
  })
})
