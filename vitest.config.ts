import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SlowestFiles } from './test/support/slowest-files.ts'

/** The warnings of the package. */
const WARNINGS = [
  'ALULA_ID_NOT_UNIQUE',
  'ALULA_LATE_ERROR',
  'ALULA_MISSING_TABLE',
  'ALULA_NO_ERROR_HANDLER',
  'ALULA_NO_RESULT',
  'ALULA_NO_TRANSPORT',
  'ALULA_NOT_SET_UP',
  'ALULA_OUTSIDE_TRANSACTION',
  'ALULA_REPEATED_CALLS',
  'ALULA_RESULT',
  'ALULA_SHORT_SECRET',
  'ALULA_SHOWN_PASSWORD',
  'ALULA_TWO_COPIES',
  'ALULA_UNHEARD_ERROR',
  'ALULA_UNKNOWN_PROVIDER',
  'ALULA_UNKNOWN_STRATEGY',
  'ALULA_UNREACHABLE_RELATION',
  'ALULA_UNSUPPORTED_DATABASE',
  'ALULA_UNUSED_INDEX',
  'ALULA_WRITTEN_PROVIDER'
]

/** The folders whose branches are measured. */
const MEASURED = [
  'hooks',
  'query',
  'core',
  'transport',
  'adapter',
  'authentication',
  'memory',
  'schema',
  'access',
  'manifest',
  'openapi',
  'application'
]

/** The share of their branches, in percent, that tests have to take. */
const LOWEST_COVERAGE = 95

/** Tests of the other packages run on the sources of alula, as its own tests do. */
const SOURCES = [
  [/^alula$/, './src/index.ts'],
  [/^alula\/(.+)$/, './src/$1.ts'],
  [/^alula-testing$/, './packages/alula-testing/src/index.ts'],
  [/^alula-testing\/(.+)$/, './packages/alula-testing/src/$1.ts']
] as const

export default defineConfig({
  resolve: {
    alias: SOURCES.map(([find, path]) => ({
      find,
      replacement: fileURLToPath(new URL(path, import.meta.url))
    }))
  },
  test: {
    setupFiles: ['test/support/random-limit.ts', 'test/support/real-clock.ts'],
    // What has been compiled once is not compiled again.
    experimental: { fsModuleCache: true },
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: [
      'scripts/build-thread.mjs',
      'packages/page/build.mjs',
      // A version of PostgreSQL that `scripts/test-databases.mjs` chooses.
      ...(process.env.TEST_POSTGRES ? ['test/support/own-postgres.ts'] : [])
    ],
    // A machine that does other things as well may take long. Longer than any wait, so that its failure says what for.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
    // Most files wait for servers and not for the processor.
    maxWorkers: 4,
    // To import everything anew for each file would take a third of the time.
    isolate: false,
    // What tests provoke is not for who reads their output; they hear of it all the same.
    execArgv: WARNINGS.map((code) => `--disable-warning=${code}`),
    reporters: ['default', new SlowestFiles()],
    onConsoleLog: (text) => !text.startsWith('oidc-provider '),
    // Measured with the option --coverage.
    coverage: {
      include: MEASURED.map((folder) => `src/${folder}/**`),
      // Written by the build.
      exclude: ['src/openapi/assets.ts', 'src/authentication/bcrypt-thread-text.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: Object.fromEntries(
        MEASURED.map((folder) => [`src/${folder}/**`, { branches: LOWEST_COVERAGE }])
      )
    }
  }
})
