// Runs the tests of SQL on the databases, drivers and versions of Node that the table in docs/sql.md names, and writes the
// results into it: all of them, or `npm run test:databases -- PGlite MariaDB` the rows with one of these words. With
// `--further` it runs those that `.ci/run` adds to `npm test`, and leaves the table as it is. It needs the servers of the
// tests, and what `node scripts/install-servers.mjs` installs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUNS, toCells } from './support/database-runs.mjs'
import { findNode, toEnv } from './support/node-versions.mjs'
import { createReport } from './support/report.mjs'
import { run } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'
import { readTestCounts } from './support/test-counts.mjs'

const PAGE = fileURLToPath(new URL('../docs/sql.md', import.meta.url))
const HEAD = '| Database | Driver | Node | Tests | Result |\n|---|---|---|---|---|\n'

const words = process.argv.slice(2)
const isFurther = words.includes('--further')
/** Two of the further runs have PostgreSQL 18, and each takes minutes: one of them is left out, by chance. */
const alike = RUNS.filter(({ isFurther, database }) => isFurther && database === 'PostgreSQL 18')
const leftOut = alike[Math.floor(Math.random() * alike.length)]
const report = createReport()
const folder = createTempFolder()

for (const wanted of RUNS) {
  if (!wanted.args) writeResult(wanted, 'not run here')
  else if (isWanted(wanted)) writeResult(wanted, await toResult(wanted))
}

report.finish()

function isWanted(wanted) {
  const cells = toCells(wanted).join(' ')

  return isFurther
    ? wanted.isFurther && wanted !== leftOut
    : words.length === 0 || words.some((word) => cells.includes(word))
}

/** Runs the tests. A run that does not start is one failure, and those after it run all the same. */
async function toResult({ node: version, args: all, furtherArgs, env, ...wanted }) {
  const args = (isFurther && furtherArgs) || all
  const { passed, failed } = await runTests(version, args, { TEST_VERSION: wanted.database, ...env }).catch(
    (error) => {
      console.error(error.message)

      return { passed: 0, failed: 1 }
    }
  )

  report.add(toCells({ node: version, ...wanted }).join(', '), { passed, failed })

  return failed === 0 && passed > 0 ? 'passed' : 'failed'
}

/** Those that are skipped are for another database. */
async function runTests(version, args, env) {
  const node = findNode(version)
  const file = join(folder, 'tests.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const { code } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters], {
    env: { ...toEnv(node), CI_SERVERS: '1', ...env },
    show: true
  })
  const { passed, failed } = readTestCounts(file) ?? { passed: 0, failed: 1 }

  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) }
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
