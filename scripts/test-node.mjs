// Runs tests on another version of Node: `npm run test:node -- 24` all of them, `npm run test:node -- 24 test/kysely` a
// folder. What follows the version goes to Vitest.
import { findNode, toEnv } from './support/node-versions.mjs'
import { run } from './support/run.mjs'

const [version, ...args] = process.argv.slice(2)

if (!/^\d+$/.test(version ?? '')) {
  throw new Error(`Expected the version of Node, as in 'npm run test:node -- 24', got ${version}`)
}

const node = findNode(version)
const { code } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
  env: toEnv(node),
  show: true
})

process.exitCode = code ?? 1
