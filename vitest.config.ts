import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // Most files wait for servers and not for the processor.
    maxWorkers: 4,
    coverage: { include: ['src/**'], reporter: ['text', 'html'] }
  }
})
