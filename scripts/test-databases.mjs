// Runs the tests of SQL on every database, driver and version of Node that the table in docs/sql.md names, and writes its
// results into it. With `--further` it runs those that `npm test` does not have, and leaves the table as it is. It needs
// the servers of the tests, and what `node scripts/install-servers.mjs` installs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUNS, toCells } from './support/database-runs.mjs'
import { findNode, toEnv } from './support/node-versions.mjs'
import { createReport } from './support/report.mjs'
import { run } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const PAGE = fileURLToPath(new URL('../docs/sql.md', import.meta.url))
const HEAD = '| Database | Driver | Node | Tests | Result |\n|---|---|---|---|---|\n'

const isFurther = process.argv.includes('--further')
const report = createReport()
const folder = createTempFolder()
const rows = []

for (const wanted of RUNS.filter(({ args, isUsual }) => !isFurther || (args && !isUsual))) {
  rows.push([...toCells(wanted), wanted.args ? await toResult(wanted) : 'not run here'])
}

if (!isFurther) writeTable()

report.finish()

/** Runs the tests. Those that are skipped belong to another database, or are impossible with one connection. */
async function toResult({ node: version, args, env, ...wanted }) {
  const node = findNode(version)
  const file = join(folder, `${rows.length}.json`)
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const { code } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters], {
    env: { ...toEnv(node), CI_SERVERS: '1', TEST_VERSION: wanted.database, ...env },
    show: true
  })
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
  const failed = code === 0 ? numFailedTests : Math.max(numFailedTests, 1)

  report.add(toCells({ node: version, ...wanted }).join(', '), { passed, failed })

  return failed === 0 ? `${passed} passed` : `${failed} failed`
}

function writeTable() {
  const page = readFileSync(PAGE, 'utf8')
  const start = page.indexOf(HEAD) + HEAD.length
  const end = page.indexOf('\n\n', start) + 1
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')

  writeFileSync(PAGE, page.slice(0, start) + table + page.slice(end))
}
