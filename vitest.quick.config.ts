import { configDefaults, defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** What takes most of the time: `npm test` runs it, and `npm run check` does not. */
const LONG = [
  // The same calls to Feathers v5, the suites of others against all databases, and further versions of PostgreSQL.
  'test/compat/**',
  'test/kysely/{catalog,conformance,official}.test.ts',
  // Documents, examples and commands as processes of their own, and pages in a browser.
  'test/{bundles,cli,docs,types}/**',
  'packages/alula-migrate/**',
  '**/*{chat,docs,example,page}*.test.ts',
  'test/{custom-adapter,custom-strategy,error-codes,existing-express-app,release}.test.ts',
  // Random and hostile input, many records, slow clients, dear passwords, and servers that fail.
  'test/**/*{along,cut-off,dear,fuzz,hostile,kill,large,lost,outage,processes,random,rivals,slow}*.test.ts',
  'test/{authentication/hasher,node/pipelining,security/aborted-logins,tools/roads}.test.ts',
  'packages/alula-testing/test/contract.test.ts'
]

export default defineConfig({
  ...config,
  test: { ...config.test, exclude: [...configDefaults.exclude, ...LONG] }
})
