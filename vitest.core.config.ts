import { defineConfig } from 'vitest/config'
import config from './vitest.quick.config.ts'

/** The folders that everything else rests on. */
const CORE = ['core', 'hooks', 'query', 'adapter', 'memory', 'access', 'schema', 'relations', 'utils']

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: [`test/{${CORE.join(',')}}/**/*.test.ts`],
    // They wait for nothing: a worker more than there are processors would only import everything once more.
    maxWorkers: '100%',
    env: { TEST_DATABASE: 'SQLite' }
  }
})
