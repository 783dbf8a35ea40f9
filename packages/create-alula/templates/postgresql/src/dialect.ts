import { PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { config } from './config.ts'

/** Connects to a server. Without the timeouts, a call could wait without limit for one that cannot be reached. */
export function createDialect(): PostgresDialect {
  const pool = new Pool({
    connectionString: config.DATABASE_URL,
    connectionTimeoutMillis: 3000,
    statement_timeout: 3000,
    query_timeout: 4000
  })
  const report = (error: Error) => console.error(`A connection to the database broke: ${error.message}`)

  // The pool makes a new connection. Without both listeners the process would end.
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))

  return new PostgresDialect({ pool })
}
