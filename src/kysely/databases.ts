import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { mysql } from './dialects/mysql.ts'
import { postgres } from './dialects/postgres.ts'
import { sqlite } from './dialects/sqlite.ts'

/** The databases that are recognised. */
export const DIALECTS: readonly Dialect[] = [sqlite, mysql, postgres]

/** Dialects by the adapter of a Kysely instance, which its transactions and its variants with plugins share. */
const known = new WeakMap<object, Dialect>()

/**
 * Says which database a Kysely instance uses, where alula does not recognise it. Call it before the instance has a
 * service.
 *
 * @param db The Kysely instance
 * @param dialect The dialect, often one of the three with a few members of its own
 * @example
 * registerDialect(db, { ...sqlite, name: 'My database', maxValues: 999 })
 */
export function registerDialect(db: Kysely<any>, dialect: Dialect): void {
  known.set(db.getExecutor().adapter, dialect)
}

/**
 * Finds out which database a Kysely instance uses: by the SQL that it compiles. Its classes say less; there is more than
 * one copy of them where some modules use `require`, and other dialects for the same database have their own.
 *
 * @throws Error for a database that we do not know
 */
export function findDialect(db: Kysely<any>): Dialect {
  const { adapter } = db.getExecutor()
  const dialect = known.get(adapter) ?? recognise(db)

  known.set(adapter, dialect)

  return dialect
}

function recognise(db: Kysely<any>): Dialect {
  const { sql: text } = sql`${sql.id('a')} = ${0}`.compile(db.withoutPlugins())
  const dialect = DIALECTS.find(({ probe }) => probe === text)

  if (!dialect) {
    throw new Error(
      `Invalid adapter option 'Model': expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes ${text}`
    )
  }

  return dialect
}
