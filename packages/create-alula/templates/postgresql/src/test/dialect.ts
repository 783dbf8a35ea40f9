import { PGlite } from '@electric-sql/pglite'
import { pglite } from 'alula/kysely'
import type { Dialect } from 'kysely'

/** PostgreSQL inside of the process: tests need no server. */
export function createDialect(): Dialect {
  return pglite(new PGlite())
}
