/** The tests of SQL: of the adapter, and of what schemas and relations make of tables. */
const SQL = ['test/kysely/', 'test/schema/along', 'test/schema/random', 'relation']

/** The test of the catalog starts versions of PostgreSQL itself. */
const WITHOUT_CATALOG = [...SQL, '--exclude', '**/catalog.test.ts']

/** What needs several connections, breaks them, or runs in another process. */
const OF_SERVERS = '{catalog,docs,events,gone,kill,lost,outage,own-statements,timeout}'
const ONE_CONNECTION = [...SQL, '--exclude', `**/kysely/${OF_SERVERS}.test.ts`]

const SQLITE = { TEST_DATABASE: 'SQLite' }
const POSTGRES = { TEST_DATABASE: 'PostgreSQL' }

/**
 * What `npm run test:databases` runs, and the rows of the table in docs/sql.md. A run without `tests` says that there is
 * none. `args` and `env` are those of Vitest. `npm test` on Node 20 has what is `isUsual`.
 *
 * @type {readonly import('./database-runs.d.mts').DatabaseRun[]}
 */
export const RUNS = [
  toSqlite('libsql', '20', { isUsual: true }),
  toSqlite('libsql', '22'),
  toSqlite('libsql', '24'),
  toSqlite('node:sqlite', '22'),
  toSqlite('node:sqlite', '24'),
  { database: 'SQLite', driver: 'better-sqlite3 13' },
  toPostgres('18', {
    ...{ driver: 'PGlite 0.5', tests: 'SQL, one connection', args: ONE_CONNECTION },
    env: { ...POSTGRES, TEST_DRIVER: 'pglite' }
  }),
  toPostgres('15', { isUsual: true }),
  toCatalog('16'),
  toCatalog('17'),
  toPostgres('18', { env: { ...POSTGRES, TEST_POSTGRES: '18' } }),
  {
    ...{ database: 'MariaDB 10.11', driver: 'mysql2', node: '20', tests: 'SQL', isUsual: true },
    ...{ args: WITHOUT_CATALOG, env: { TEST_DATABASE: 'MariaDB' } }
  },
  { database: 'MySQL', driver: 'mysql2' }
]

function toSqlite(driver, node, more = {}) {
  const env = { ...SQLITE, TEST_DRIVER: driver }

  return { database: 'SQLite', driver, node, tests: 'SQL', args: WITHOUT_CATALOG, env, ...more }
}

function toPostgres(version, more) {
  const database = `PostgreSQL ${version}`
  const env = POSTGRES

  return { database, driver: 'pg', node: '20', tests: 'SQL', args: WITHOUT_CATALOG, env, ...more }
}

function toCatalog(version) {
  const args = ['test/kysely/catalog', '-t', `PostgreSQL ${version}`]

  return toPostgres(version, { tests: 'catalog', args, isUsual: true })
}

/** The cells of a run in the table, without the last one. */
export function toCells({ database, driver, node = '–', tests = '–' }) {
  return [database, driver, node, tests]
}
