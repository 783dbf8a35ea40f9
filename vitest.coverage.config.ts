import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** The folders with logic that everything else rests on. */
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

/** What a build makes. */
const EXCLUDED = ['src/openapi/assets.ts']

/** Their tests. */
const TESTS = [
  'test/{access,adapter,authentication,core,express,fetch,hooks,memory,node}/*.test.ts',
  'test/{query,schema,socketio,transport,transports}/*.test.ts',
  'test/openapi/{document*,page-data,serve*}.test.ts',
  'test/{errors,memory-conformance,*mistakes,warnings}.test.ts',
  'test/security/{forged*,login*,protected*,repeated*,revocation*,token*}.test.ts'
]

/** The share of branches, in percent, that the tests have to take. */
const LOWEST_COVERAGE = 95

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: TESTS,
    coverage: {
      enabled: true,
      include: MEASURED.map((folder) => `src/${folder}/**`),
      exclude: EXCLUDED,
      reporter: ['text-summary', 'html'],
      thresholds: Object.fromEntries(
        MEASURED.map((folder) => [`src/${folder}/**`, { branches: LOWEST_COVERAGE }])
      )
    }
  }
})
