// Changes the sources in small ways, one at a time, and asks the tests whether they notice. `npm run test:mutation` goes
// through all folders, which takes hours; `npm run test:mutation -- hooks query` through some. What did not change
// since the last time is not tried again.
import { Stryker } from '@stryker-mutator/core'

/** By folder, the tests that have to notice: those of the folder, none that measures, and no server that can do without. */
const TESTS = {
  hooks: ['test/hooks/*.test.ts', 'test/core/*.test.ts'],
  query: [
    'test/query/{comparator,compare,filters,like,malformed,parse,predicate,select}.test.ts',
    'test/{memory,adapter}/*.test.ts'
  ],
  core: ['test/{core,hooks}/*.test.ts', 'test/{*mistakes,warnings}.test.ts'],
  adapter: ['test/{adapter,memory}/*.test.ts'],
  memory: ['test/memory/*.test.ts', 'test/memory-conformance.test.ts'],
  transport: [
    'test/transports/{http,methods,queries,hostile-requests}.test.ts',
    'test/{transport,node,fetch}/*.test.ts',
    'test/{*mistakes,warnings}.test.ts',
    'test/express/application.test.ts',
    'test/socketio/{answers,arguments,calls,closing,closing-calls,limits}.test.ts'
  ],
  authentication: ['test/authentication/*.test.ts', 'test/{*mistakes,warnings}.test.ts'],
  'authentication-hooks': [
    'test/authentication/{authenticate-hook,authenticated,dispatch,events,hash-password,hooks,protect,verified}.test.ts',
    'test/security/protected-fields.test.ts',
    'test/{*mistakes,warnings}.test.ts'
  ],
  application: ['test/core/*.test.ts', 'test/{*mistakes,warnings}.test.ts'],
  schema: [
    'test/schema/!(bundle|recursive|random-relations).test.ts',
    'test/access/closed.test.ts',
    'test/transports/{output,reported-results,schemas,values}.test.ts'
  ],
  access: ['test/access/!(races|random).test.ts', 'test/transports/access.test.ts'],
  manifest: ['test/access/{closed,proof}.test.ts', 'test/openapi/document*.test.ts'],
  openapi: ['test/openapi/{document*,page-data,serve*}.test.ts']
}

/** What is generated, and what runs in browsers. */
const EXCLUDED = ['!src/openapi/assets.ts', '!src/openapi/page/**']

/** Ways into an application that have all of `src/transport` behind them. */
const TRANSPORTS = ['a server of Node', 'Socket.IO']

/** A database that needs no server. */
const DATABASES = ['SQLite']

/** The share of changes, in percent, that the tests have to notice. */
const LOWEST_SCORE = 85

const folders = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TESTS)
const rows = {}

for (const folder of folders) rows[folder] = count(await mutate(folder))

console.table(rows)
process.exitCode = Object.values(rows).some(({ score }) => score < LOWEST_SCORE) ? 1 : 0

function mutate(folder) {
  // Read by the configuration of Vitest and by test/support, in the processes that Stryker starts.
  process.env.MUTATION_TESTS = TESTS[folder].join(';')
  process.env.MUTATION_TRANSPORTS = TRANSPORTS.join(';')
  process.env.MUTATION_DATABASES = DATABASES.join(';')

  const stryker = new Stryker({
    mutate: [`src/${folder}/**/*.ts`, ...EXCLUDED],
    ignorePatterns: ['/bench', '/docs', '/examples', '/reports', '/coverage'],
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: `reports/mutation/${folder}.incremental.json`,
    reporters: ['clear-text', 'progress-append-only', 'json'],
    jsonReporter: { fileName: `reports/mutation/${folder}.json` },
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    timeoutMS: 10_000,
    concurrency: 2
  })

  return stryker.runMutationTest()
}

function count(mutants) {
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const noticed = of('Killed', 'Timeout')
  const missed = of('Survived', 'NoCoverage')

  return { noticed, missed, score: Number(((100 * noticed) / (noticed + missed)).toFixed(1)) }
}
