import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'
import { LONG } from './vitest.quick.config.ts'

/** What `vitest.quick.config.ts` leaves out, for runs that follow it on the same version of Node. */
export default defineConfig({
  ...config,
  test: { ...config.test, include: LONG.map((path) => path.replace(/\/\*\*$/, '/**/*.test.ts')) }
})
