import { type Kysely, sql } from 'kysely'

/** The databases that we know. MariaDB is a MySQL that can do more. */
export type Dialect = 'mysql' | 'postgres' | 'sqlite'

/** How each writes a name and a value. */
const HANDWRITINGS: ReadonlyMap<string, Dialect> = new Map([
  ['`a` = ?', 'mysql'],
  ['"a" = $1', 'postgres'],
  ['"a" = ?', 'sqlite']
])

/**
 * Finds out which database a Kysely instance speaks to: by how it writes. Its classes say less; there is more than one
 * copy of them where some modules use `require`, and other dialects for the same database have their own.
 *
 * @throws Error for a database that we do not know
 */
export function findDialect(Model: Kysely<any>): Dialect {
  const { sql: text } = sql`${sql.id('a')} = ${0}`.compile(Model.withoutPlugins())
  const dialect = HANDWRITINGS.get(text)

  if (!dialect) {
    throw new Error(
      `Invalid adapter option 'Model': expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes ${text}`
    )
  }

  return dialect
}
