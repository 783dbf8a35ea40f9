import { cacheStatements } from 'alula/kysely'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { config } from './config.ts'

/** The tables by name. The file of each service adds its own. */
export interface Tables {}

const database = new Database(config.DATABASE_URL)

// Others can read while one process writes; a second writer waits for its turn.
database.pragma('journal_mode = wal')
database.pragma('busy_timeout = 5000')
// SQLite checks references only with this setting.
database.pragma('foreign_keys = on')

export const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: cacheStatements(database) }) })
