import { Kysely, Migrator, PostgresDialect, SqliteDialect } from 'kysely'
import { toMigrations } from './migrations.js'

/** Opens the database of a URL, or of the path of a file, and brings its tables up to date. */
export async function openDatabase(url) {
  const isPostgres = /^postgres(?:ql)?:/.test(url)
  const db = new Kysely({ dialect: isPostgres ? await connect(url) : await openFile(url) })
  const migrations = toMigrations(isPostgres)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()

  if (error) {
    await db.destroy()
    throw error
  }

  return db
}

/** A server that cannot be reached is an error within seconds, not a call that hangs. */
async function connect(connectionString) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: 3000,
    statement_timeout: 3000,
    query_timeout: 4000
  })
  const report = (error) => console.error(`A connection broke: ${error.message}`)

  // The pool makes another one. Without listeners, for those in use too, the process would end.
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))

  return new PostgresDialect({ pool })
}

async function openFile(path) {
  const { default: Database } = await import('libsql')
  const database = new Database(path)

  // Others may read while one writes, and a second process waits for its turn.
  database.pragma('journal_mode = wal')
  database.pragma('busy_timeout = 5000')
  // SQLite checks references only then.
  database.pragma('foreign_keys = on')

  return new SqliteDialect({ database })
}
