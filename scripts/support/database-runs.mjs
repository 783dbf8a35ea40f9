/** The tests of SQL: of the adapter, and of what schemas and relations make of tables. */
const SQL = ['test/kysely/', 'test/schema/random', 'test/relations/']

/** Tests that open SQLite or no database, whatever is chosen: the runs of other databases leave them out. */
export const OF_SQLITE = [
  ...['cached-statements', 'date-indexes', 'dialect', 'id-order', 'node-sqlite', 'options', 'types'].map(
    (name) => `test/kysely/${name}.test.ts`
  ),
  ...['instances', 'limits', 'mistakes', 'related', 'relations', 'sort', 'unreachable'].map(
    (name) => `test/relations/${name}.test.ts`
  )
]
const OF_OTHERS = [...SQL, ...OF_SQLITE.flatMap((file) => ['--exclude', file])]

/** Tests that start what they need themselves: versions of PostgreSQL, one that fails, PGlite. */
const OWN = ['--exclude', '**/kysely/{catalog,outage,pglite}.test.ts']

/** The same with a PostgreSQL, which one of them starts to stop it. */
const WITH_OUTAGE = [...OF_OTHERS, '--exclude', '**/kysely/{catalog,pglite}.test.ts']

/**
 * What needs several connections, databases or roles, breaks them, or runs in another process; collations and extensions, which
 * PGlite does not have; and large records, which it reads slowly.
 */
const OF_SERVERS = [
  ...['catalog', 'collations', 'docs', 'drivers', 'events', 'gone', 'keys', 'kill', 'lost', 'outage'],
  ...['own-statements', 'row-level-security*', 'samples', 'samples-relations', 'timeout']
]
const ONE_CONNECTION = [...OF_OTHERS, '--exclude', `**/{${OF_SERVERS.join(',')},relations/large}.test.ts`]

const SQLITE = { TEST_DATABASE: 'SQLite' }
const POSTGRES = { TEST_DATABASE: 'PostgreSQL' }

/**
 * What `npm run test:databases` runs, and the rows of the table in docs/sql.md. A run without `tests` says that there is
 * none. `args` and `env` are those of Vitest. `.ci/run` adds what `isFurther` to `npm test`, each driver and each version of
 * Node once, by `furtherArgs` where a part of it has run already. Of two with PostgreSQL 18 it runs one.
 *
 * @type {readonly import('./database-runs.d.mts').DatabaseRun[]}
 */
export const RUNS = [
  toSqlite('libsql', '20'),
  // It runs the quick tests on Node 22 with this driver too.
  toSqlite('libsql', '22', {
    isFurther: true,
    furtherArgs: ['--config', 'vitest.slow.config.ts', ...SQL, ...OWN]
  }),
  toSqlite('libsql', '24'),
  toSqlite('node:sqlite', '22'),
  toSqlite('node:sqlite', '24', { isFurther: true }),
  { database: 'SQLite', driver: 'better-sqlite3 13' },
  toPostgres('18', {
    ...{ driver: 'PGlite 0.5', tests: 'SQL, one connection', args: ONE_CONNECTION },
    env: { ...POSTGRES, TEST_DRIVER: 'pglite' },
    isFurther: true
  }),
  toPostgres('15'),
  toCatalog('16'),
  toCatalog('17'),
  toPostgres('18', { env: { ...POSTGRES, TEST_POSTGRES: '18' }, isFurther: true }),
  {
    ...{ database: 'MariaDB 10.11', driver: 'mysql2', node: '20', tests: 'SQL' },
    ...{ args: [...OF_OTHERS, ...OWN], env: { TEST_DATABASE: 'MariaDB' } }
  },
  { database: 'MySQL', driver: 'mysql2' }
]

function toSqlite(driver, node, more = {}) {
  const env = { ...SQLITE, TEST_DRIVER: driver }

  return { database: 'SQLite', driver, node, tests: 'SQL', args: [...SQL, ...OWN], env, ...more }
}

function toPostgres(version, more = {}) {
  const database = `PostgreSQL ${version}`
  const env = POSTGRES

  return { database, driver: 'pg', node: '20', tests: 'SQL', args: WITH_OUTAGE, env, ...more }
}

function toCatalog(version) {
  const args = ['test/kysely/catalog', '-t', `PostgreSQL ${version}`]

  return toPostgres(version, { tests: 'catalog', args })
}

/** The cells of a run in the table, without the last one. */
export function toCells({ database, driver, node = '–', tests = '–' }) {
  return [database, driver, node, tests]
}
