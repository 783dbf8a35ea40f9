// Runs the tests of SQL on the databases, drivers and versions of Node that the table in docs/sql.md names, and writes the
// results into it: all of them, or `npm run test:databases -- PGlite MariaDB` the rows with one of these words. With
// `--further` it runs those that `.ci/run` adds to `npm test`, and leaves the table as it is. It needs the servers of the
// tests, and what `node scripts/install-servers.mjs` installs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUNS, toCells } from './support/database-runs.mjs'
import { findNode, toEnv } from './support/node-versions.mjs'
import { createReport } from './support/report.mjs'
import { run } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const PAGE = fileURLToPath(new URL('../docs/sql.md', import.meta.url))
const HEAD = '| Database | Driver | Node | Tests | Result |\n|---|---|---|---|---|\n'

const words = process.argv.slice(2)
const isFurther = words.includes('--further')
const report = createReport()
const folder = createTempFolder()

for (const wanted of RUNS) {
  if (!wanted.args) writeResult(wanted, 'not run here')
  else if (isWanted(wanted)) writeResult(wanted, await toResult(wanted))
}

report.finish()

function isWanted(wanted) {
  const cells = toCells(wanted).join(' ')

  return isFurther ? wanted.isFurther : words.length === 0 || words.some((word) => cells.includes(word))
}

/** Runs the tests. Those that are skipped are for another database. */
async function toResult({ node: version, args, env, ...wanted }) {
  const node = findNode(version)
  const file = join(folder, 'tests.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const { code } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters], {
    env: { ...toEnv(node), CI_SERVERS: '1', TEST_VERSION: wanted.database, ...env },
    show: true
  })
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))

  // The next run may write none.
  rmSync(file)
  const failed = code === 0 ? numFailedTests : Math.max(numFailedTests, 1)

  report.add(toCells({ node: version, ...wanted }).join(', '), { passed, failed })

  return failed === 0 && passed > 0 ? 'passed' : 'failed'
}

/** Writes the row of a run, and leaves the others as they are. */
function writeResult(wanted, result) {
  if (isFurther) return

  const page = readFileSync(PAGE, 'utf8')
  const start = page.indexOf(HEAD) + HEAD.length
  const end = page.indexOf('\n\n', start - 1) + 1
  const old = page.slice(start, end).split('\n')
  const rows = RUNS.map((run) => {
    const row = `| ${toCells(run).join(' | ')} | `

    return run === wanted
      ? `${row}${result} |\n`
      : `${old.find((line) => line.startsWith(row)) ?? `${row}not run |`}\n`
  })

  writeFileSync(PAGE, page.slice(0, start) + rows.join('') + page.slice(end))
}
