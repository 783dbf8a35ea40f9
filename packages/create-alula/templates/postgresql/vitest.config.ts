import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const toPath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  // Each file of tests has its own database, inside of the process.
  resolve: { alias: [{ find: './dialect.ts', replacement: toPath('src/test/dialect.ts') }] },
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: [toPath('src/test/setup.ts')],
    testTimeout: 60_000,
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://not-used-by-tests',
      SECRET: 'a secret for tests, which no server uses'
    }
  }
})
