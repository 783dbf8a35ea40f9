import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { defer } from './deferred.ts'

/** PostgreSQL in this process. It has one connection, which its users get in turn. */
export function openPglite(): Kysely<any> {
  const database = new PGlite()
  let last = Promise.resolve()

  async function connect(): Promise<PostgresPoolClient> {
    const previous = last
    const { promise, resolve } = defer()

    last = promise
    await previous

    return { query: query as PostgresPoolClient['query'], release: resolve }
  }

  async function query(text: string, values: readonly unknown[]) {
    const { rows } = await database.query<any>(text, [...values])

    return { command: 'SELECT', rows, rowCount: rows.length }
  }

  return new Kysely({ dialect: new PostgresDialect({ pool: { connect, end: () => database.close() } }) })
}
