import { PGlite } from '@electric-sql/pglite'
import { type Dialect, Kysely } from 'kysely'
import { pglite } from '../../src/kysely.ts'

/** Starts a PostgreSQL in this process that all tests share: it takes seconds. None of them closes it. */
export async function startPglite(): Promise<Dialect> {
  const database = await PGlite.create()

  return pglite({ query: database.query.bind(database), close: async () => undefined })
}

/** A PostgreSQL in this process, which nobody else has. */
export function openPglite(): Kysely<any> {
  return new Kysely({ dialect: pglite(new PGlite()) })
}
