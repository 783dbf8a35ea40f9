// The application on a database without records, on a free port.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { sql } from 'kysely'
import { createApp } from '../src/app.js'
import { openDatabase } from '../src/database.js'

const TABLES = ['comments', 'favorites', 'article_tags', 'articles', 'follows', 'users']

/** Opens the database of `DATABASE_URL`, whose records are deleted, or a new file. */
export async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'conduit-'))
  const statements: string[] = []
  const db = await openDatabase(process.env.DATABASE_URL ?? join(folder, 'conduit.db'), (event) => {
    statements.push(event.query.sql)
  })

  for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(db)

  const app = createApp(db)
  const server = await app.listen(0)

  after(async () => {
    await app.teardown()
    await db.destroy()
    await rm(folder, { recursive: true })
  })

  return { app, statements, url: `http://localhost:${(server.address() as AddressInfo).port}` }
}

/** Makes calls of the API: `await call('POST', '/users', { user })` resolves to the status and the body. */
export function createCaller(url: string) {
  return async (verb: string, path: string, body?: unknown, token?: string): Promise<[number, any]> => {
    const response = await fetch(`${url}/api${path}`, {
      method: verb,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Token ${token}` })
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const text = await response.text()

    return [response.status, text === '' ? undefined : JSON.parse(text)]
  }
}
