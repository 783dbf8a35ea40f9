import { PGlite } from '@electric-sql/pglite'
import type { Dialect } from 'kysely'
import { pglite } from '../../src/kysely.ts'

let shared: Dialect | undefined

/** A dialect for the PostgreSQL in this process. All tests share one, because it takes seconds to start. */
export function openSharedPglite(): Dialect {
  if (!shared) {
    const database = new PGlite()

    shared = pglite({ query: database.query.bind(database), close: async () => undefined })
  }

  return shared
}
