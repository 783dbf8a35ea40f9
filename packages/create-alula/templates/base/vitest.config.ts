import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('src/test/setup.ts', import.meta.url))],
    testTimeout: 60_000,
    // Each file of tests has its own database, in memory.
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: ':memory:',
      SECRET: 'a secret for tests, which no server uses'
    }
  }
})
