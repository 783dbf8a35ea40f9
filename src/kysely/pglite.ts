import {
  type DialectAdapter,
  type Dialect as KyselyDialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient
} from 'kysely'
import { isFunction } from '../utils/check.ts'
import { assertOption } from '../utils/options.ts'
import { registerAdapter } from './databases.ts'
import { postgres } from './dialects/postgres.ts'

/** What `pglite` calls of an instance of PGlite. */
export interface PgliteDatabase {
  query(
    text: string,
    values: any[],
    options: { parsers: Record<number, (text: string) => unknown> }
  ): Promise<{ rows: any[]; affectedRows?: number }>
  close(): Promise<void>
}

/** Reads what PGlite reads otherwise than `pg`, by the numbers that PostgreSQL has for types. */
const PARSERS = {
  // bytea
  17: (text: string) => Buffer.from(text.slice(2), 'hex'),
  // timestamp: PGlite writes it in UTC, and reads it in the time zone of the process.
  1114: (text: string) => new Date(`${text}Z`)
}

class PgliteDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    const adapter = super.createAdapter()

    registerAdapter(adapter, { ...postgres, hasOneConnection: true })

    return adapter
  }
}

/**
 * Makes a Kysely dialect for PGlite, which is PostgreSQL in this process: for tests and first tries. PGlite has one
 * connection: a transaction keeps it until it ends, and other statements of the dialect wait for it.
 *
 * @param database An instance of PGlite, which `db.destroy()` closes
 * @throws TypeError for anything else
 * @example
 * import { PGlite } from '@electric-sql/pglite'
 *
 * const db = new Kysely({ dialect: pglite(new PGlite()) })
 */
export function pglite(database: PgliteDatabase): KyselyDialect {
  assertOption('pglite()', 'database', database, [isPglite, 'an instance of PGlite'])

  return new PgliteDialect({ pool: createPool(database) })
}

function isPglite(value: unknown): boolean {
  const { query, close } = (value ?? {}) as Partial<PgliteDatabase>

  return isFunction(query) && isFunction(close)
}

/** A pool with the one connection that there is. Those who want it get it in turn. */
function createPool(database: PgliteDatabase): PostgresPool {
  let last = Promise.resolve()

  async function connect(): Promise<PostgresPoolClient> {
    const previous = last
    let release = () => {}

    last = new Promise((resolve) => {
      release = resolve
    })
    await previous

    return { query: query as PostgresPoolClient['query'], release }
  }

  async function query(text: string, values: readonly unknown[]) {
    const { rows, affectedRows = 0 } = await database.query(text, [...values], { parsers: PARSERS })

    // PGlite does not tell the command, and Kysely takes the number of rows from those that change some.
    return { command: 'UPDATE', rowCount: affectedRows, rows }
  }

  return { connect, end: () => database.close() }
}
