import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { BoundedMap } from '../utils/bounded-map.ts'
import { isFunction } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'

/** How many statements are kept, those that were used last. */
const MAX_STATEMENTS = 200

/** In characters. Longer ones have lists of values, and are hardly used twice. */
const MAX_LENGTH = 10_000

/** All others change tables or settings. */
const KEPT = /^\s*(?:select|with|insert|update|delete|replace|begin|commit|rollback)\b/i

/** Each has the name of its savepoint, and runs once. */
const SAVEPOINT = /^\s*(?:savepoint|release|rollback\s+to)\b/i

/**
 * Keeps the prepared statements of a database of SQLite, because `SqliteDialect` of Kysely prepares a statement each time that
 * it runs. A statement that changes tables or settings evicts them all. {@link nodeSqlite} does this itself.
 *
 * @param database A database of `libsql` or `better-sqlite3`. It stays as it is
 * @returns What the option `database` of `SqliteDialect` takes. At most 200 statements are kept
 * @throws TypeError for anything that has no `prepare` and `close`
 * @example
 * const db = new Kysely({ dialect: new SqliteDialect({ database: cacheStatements(new Database('notes.db')) }) })
 */
export function cacheStatements(database: SqliteDatabase): SqliteDatabase {
  if (!isFunction(database?.prepare) || !isFunction(database.close)) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      "cacheStatements() expects an open database of SQLite, as in cacheStatements(new Database('notes.db'))"
    )
  }

  const statements = new BoundedMap<string, SqliteStatement>(MAX_STATEMENTS)

  return {
    prepare(text) {
      const kept = statements.get(text)

      if (kept) {
        // As long as there is room, it does not matter which of them is used least.
        if (statements.size === MAX_STATEMENTS) {
          statements.delete(text)
          statements.set(text, kept)
        }

        return kept
      }

      const statement = database.prepare(text)

      if (SAVEPOINT.test(text)) return statement

      const isKept = KEPT.test(text)

      if (!isKept) statements.clear()
      if (!isKept || text.length > MAX_LENGTH) return statement

      const reusable = toReusable(database, text, statement)

      statements.set(text, reusable)

      return reusable
    },
    close() {
      statements.clear()
      database.close()
    }
  }
}

function toReusable(database: SqliteDatabase, text: string, statement: SqliteStatement): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    // A statement is open until its last row is read, and the same one may be needed meanwhile.
    iterate: (parameters) => database.prepare(text).iterate(parameters)
  }
}
