// Changes the sources in small ways, one at a time, and asks the tests whether they notice. `npm run test:mutation` goes
// through all folders, which takes a day; `npm run test:mutation -- hooks query` through some. What did not change since
// the last time is not tried again. With `--share 0.1` a tenth of the lines is changed, chosen by SEED, which is printed.
// With `--quick` only the tests are asked that `npm run check` runs.
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import fc from 'fast-check'

/** What developers do wrong, which concerns all folders. */
const MISTAKES = 'test/{*mistakes,warnings}.test.ts'

/** By folder, the tests that have to notice: those of the folder, none that measures, and no server that can do without. */
const TESTS = {
  hooks: ['test/hooks/*.test.ts', 'test/core/*.test.ts', 'test/otel/otel.test.ts', MISTAKES],
  query: [
    'test/query/!(long-patterns|predicate.fuzz).test.ts',
    'test/{memory,adapter}/*.test.ts',
    'test/relations/{related,relations,link-tables}.test.ts'
  ],
  core: [
    'test/{access,core,hooks}/*.test.ts',
    'test/transports/{by,custom-methods,methods,mount,own-errors,routes}.test.ts',
    MISTAKES
  ],
  adapter: ['test/{adapter,memory}/*.test.ts', 'test/core/routes.test.ts', 'test/transports/by.test.ts'],
  memory: [
    'test/{adapter,memory}/*.test.ts',
    'test/memory-conformance.test.ts',
    'test/relations/{related,relations,sort}.test.ts',
    'test/transports/by.test.ts',
    MISTAKES
  ],
  transport: [
    'test/transports/{http,methods,queries,hostile-requests}.test.ts',
    'test/{transport,node,fetch}/*.test.ts',
    MISTAKES,
    'test/express/application.test.ts',
    'test/socketio/{answers,arguments,calls,closing,closing-calls,limits}.test.ts'
  ],
  authentication: ['test/authentication/*.test.ts', MISTAKES],
  'authentication-hooks': [
    'test/authentication/{authenticate-hook,authenticated,dispatch,events,fresh-login,hash-password,hooks,protect,verified}.test.ts',
    'test/{sessions,socketio}/second-service.test.ts',
    'test/security/protected-fields.test.ts',
    MISTAKES
  ],
  application: [
    'test/core/*.test.ts',
    'test/transports/{error-status,repeated-calls,request-ids,routes}.test.ts',
    MISTAKES
  ],
  schema: [
    'test/schema/!(bundle|recursive).test.ts',
    'test/access/closed.test.ts',
    'test/relations/{mistakes,relations}.test.ts',
    'test/transports/{output,reported-results,schemas,values}.test.ts'
  ],
  relations: ['test/relations/!(random).test.ts', 'test/kysely/table-relations.test.ts'],
  events: [
    'test/events/*.test.ts',
    'test/transports/{event-position,events,mounted-streams}.test.ts',
    'test/{client/events,live/connections,log/heartbeat,openapi/document-events,sessions/connections}.test.ts',
    MISTAKES
  ],
  log: ['test/log/*.test.ts', 'test/events/*.test.ts', 'test/sync/{fail-closed,replay}.test.ts'],
  idempotency: ['test/idempotency/!(processes).test.ts', 'test/transports/idempotency*.test.ts', MISTAKES],
  'login-budget': ['test/login-budget/!(waiting).test.ts', 'test/sync/login-budget.test.ts', MISTAKES],
  mcp: ['test/mcp/!(conformance|docs|registries.random).test.ts', MISTAKES],
  otel: ['test/otel/{conventions,otel}.test.ts'],
  scope: [
    'test/scope/!(random).test.ts',
    'test/transports/*.test.ts',
    'test/security/singleton-many.test.ts'
  ],
  sessions: ['test/sessions/!(browser|docs|model|processes).test.ts', MISTAKES],
  redis: [
    'test/redis/*.test.ts',
    'test/sync/{options,outage,stream}.test.ts',
    'test/sessions/stores.test.ts'
  ],
  access: ['test/access/!(races|random).test.ts', 'test/transports/access.test.ts'],
  manifest: ['test/access/{closed,proof}.test.ts', 'test/openapi/document*.test.ts'],
  openapi: ['test/openapi/{document*,page-data,serve*}.test.ts'],
  client: ['test/client/!(bundle).test.ts', MISTAKES],
  express: [
    'test/{express,transports}/*.test.ts',
    'test/security/{cookie-middleware,path-guards}.test.ts',
    MISTAKES
  ],
  fetch: ['test/fetch/*.test.ts', 'test/transports/*.test.ts', MISTAKES],
  koa: ['test/koa/*.test.ts', 'test/transports/{http,methods,queries}.test.ts', MISTAKES],
  kysely: [
    'test/kysely/!(docs|hostile|kill|large|official|outage).test.ts',
    'test/adapter/*.test.ts',
    'test/relations/{prefetch,relations}.test.ts',
    MISTAKES
  ],
  // The command and the applications run in processes of their own, which have no mutants.
  'alula-migrate': ['packages/alula-migrate/test/!(applications|cli|page).test.ts'],
  node: ['test/{node,transport,transports}/*.test.ts', MISTAKES],
  oauth: ['test/oauth/!(docs|providers|random).test.ts', MISTAKES],
  socketio: [
    'test/socketio/!(sessions.random).test.ts',
    'test/security/{slow-readers,waiting-calls}.test.ts',
    'test/transports/*.test.ts',
    MISTAKES
  ],
  sync: ['test/sync/!(cut-off|docs|outage|processes).test.ts', MISTAKES],
  'alula-testing': [
    'packages/alula-testing/test/!(docs|examples).test.ts',
    'test/access/proof.test.ts',
    MISTAKES
  ],
  utils: [
    'test/{access,core,hooks,memory,query,utils}/*.test.ts',
    'test/authentication/{dispatch,hooks,issue-token,login,protect,service}.test.ts',
    'test/schema/{data,dispatch,output}.test.ts',
    'test/transports/{authentication,caches,output,values}.test.ts',
    MISTAKES
  ]
}

/** What a build makes, and the adapter suite: planted faults show that it notices them. */
const EXCLUDED = ['src/openapi/assets.ts', 'packages/alula-testing/src/adapters']

/** Ways into an application that have all of `src/transport` behind them, and those of the folders that are one. */
const TRANSPORTS = ['a server of Node', 'Socket.IO']
const OWN_TRANSPORTS = { express: ['Express'], fetch: ['Fetch'], koa: ['Koa'] }

/** A database that needs no server. The folder that speaks to databases has all of them. */
const DATABASE = 'SQLite'
const WITH_ALL_DATABASES = 'kysely'

/** The share of changes, in percent, that the tests have to notice. */
const LOWEST_SCORE = 85

/** How many lines are chosen together by `--share`. A change that reaches into the lines after them is left out. */
const BLOCK = 12

const { values, positionals } = parseArgs({
  options: { share: { type: 'string' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true
})
const share = Number(values.share ?? 1)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const folders = positionals.length > 0 ? positionals : Object.keys(TESTS)
const rows = {}

if (share < 1) console.log(`${100 * share}% of the lines, of the seed ${seed}`)

for (const folder of folders) rows[folder] = count(await mutate(folder))

console.table(rows)
process.exitCode = Object.values(rows).some(({ score }) => score < LOWEST_SCORE) ? 1 : 0

function mutate(folder) {
  // Read by the configuration of Vitest and by test/support, in the processes that Stryker starts.
  process.env.MUTATION_TESTS = TESTS[folder].join(';')
  process.env.MUTATION_CONFIG = values.quick ? 'quick' : 'all'
  process.env.TEST_TRANSPORTS = (OWN_TRANSPORTS[folder] ?? TRANSPORTS).join(';')
  if (folder === WITH_ALL_DATABASES) delete process.env.TEST_DATABASE
  else process.env.TEST_DATABASE = DATABASE

  const name = [folder, ...(share < 1 ? [share, seed] : []), ...(values.quick ? ['quick'] : [])].join('-')
  const stryker = new Stryker({
    mutate:
      share < 1
        ? chooseLines(folder)
        : [`${toFolder(folder)}/**/*.ts`, ...EXCLUDED.map((path) => `!${path}**`)],
    ignorePatterns: ['/bench', '/reports', '/coverage'],
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // What was chosen of other lines would count as well.
    incremental: share === 1,
    incrementalFile: `reports/mutation/${name}.incremental.json`,
    reporters: ['clear-text', 'progress-append-only', 'json'],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    // Tests of databases take long where several processes share one.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 20,
    // Most tests wait for servers and not for the processor.
    concurrency: 4
  })

  return stryker.runMutationTest()
}

/** The sources of a folder of alula, or of another package. */
function toFolder(name) {
  return name.startsWith('alula-') ? `packages/${name}/src` : `src/${name}`
}

/** Part of the lines of a folder, as Stryker writes them. */
function chooseLines(folder) {
  const root = toFolder(folder)
  const files = readdirSync(root, { recursive: true })
    .map((file) => `${root}/${file}`)
    .filter((file) => file.endsWith('.ts') && !EXCLUDED.some((path) => file.startsWith(path)))
  const blocks = files.sort().flatMap((file) => {
    const { length } = readFileSync(file, 'utf8').trimEnd().split('\n')

    return Array.from({ length: Math.ceil(length / BLOCK) }, (_, block) => {
      return `${file}:${block * BLOCK + 1}-${(block + 1) * BLOCK}`
    })
  })
  const length = Math.ceil(share * blocks.length)
  const subset = fc.shuffledSubarray(blocks, { minLength: length, maxLength: length })

  return fc.sample(subset, { seed, numRuns: 1 })[0]
}

function count(mutants) {
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const noticed = of('Killed', 'Timeout')
  const missed = of('Survived', 'NoCoverage')

  return { noticed, missed, score: Number(((100 * noticed) / (noticed + missed)).toFixed(1)) }
}
