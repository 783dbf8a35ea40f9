import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'
import quick from './vitest.quick.config.ts'

/** The tests that `scripts/mutation.mjs` runs against the mutants of a folder. */
const include = process.env.MUTATION_TESTS?.split(';') ?? []

const config = process.env.MUTATION_CONFIG === 'quick' ? quick : all
const ownDatabases = process.env.TEST_DATABASE === undefined ? ['test/support/own-databases.ts'] : []
const globalSetup = [config.test?.globalSetup ?? [], ownDatabases].flat()

export default defineConfig({
  ...config,
  // What a module does when it is loaded is changed too, so that it has to be loaded again.
  test: { ...config.test, include, globalSetup, isolate: true, reporters: ['default'] }
})
