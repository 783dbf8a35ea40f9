// Everything that has to hold, from a clean clone on. It needs Node, npm, git and tar, the servers of the tests (Redis,
// PostgreSQL, MariaDB; it installs further versions of PostgreSQL itself), and on Debian the right to install Chromium,
// unless that is there.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReport, parseCounts } from './support/report.mjs'
import { mustRun, run } from './support/run.mjs'
import { checkStart } from './support/start.mjs'
import { createTempFolder } from './support/temp.mjs'

/** Tests that need a server fail without it, and are not skipped. */
const SERVERS = { CI_SERVERS: '1' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const CHROMIUM = '/usr/bin/chromium'

const report = createReport()
const folder = createTempFolder()
const results = join(folder, 'tests.json')
const clone = join(folder, 'clone')

await report.check('Chromium', installChromium)

const isInstalled = await report.check('npm ci', () => show('npm', ['ci']))

if (isInstalled) {
  await report.check('npm run lint', () => show('npm', ['run', 'lint']))
  await report.check('npm run test:types', () => show('npm', ['run', 'test:types']))
  await report.check('the types, as TypeScript 6 sees them', () =>
    show('npx', ['tsc', '-p', 'tsconfig.json'])
  )
  await report.check('npm run test:coverage', () => show('npm', ['run', 'test:coverage']))
  await addCounts('the budget of types', ['node', 'scripts/type-budget.mjs'], parseCounts)
  await addCounts('npm run test:package', ['npm', 'run', 'test:package'], parseCounts)
  await addCounts('generated clients', ['node', 'scripts/check-generated.mjs'], parseCounts)
  await report.check('npm run docs:build', () => show('npm', ['run', 'docs:build']))
  await report.check('npm start', () => checkStart(ROOT))
}

// What the README tells a reader to do: a fresh clone holds what is committed and nothing else.
const isCloned = await report.check('git clone and npm install', async () => {
  await show('git', ['clone', '--quiet', ROOT, clone])
  await show('npm', ['install'], clone)
})

if (isCloned) {
  await report.check('the servers of the tests', () => {
    // PostgreSQL runs as another user than root, who has to find its programs.
    chmodSync(folder, 0o755)

    return show('node', ['scripts/install-servers.mjs'], clone)
  })
  await report.check('npm start in the clone', () => checkStart(clone))
  await addCounts(
    'npm test in the clone',
    ['npm', 'test', '--', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
    readTestCounts,
    { cwd: clone, env: SERVERS }
  )
}

report.finish()

function show(command, args, cwd = ROOT, env = {}) {
  return mustRun(command, args, { cwd, env, show: true }).then(() => undefined)
}

/** The browser of the tests that show pages. */
async function installChromium() {
  if (existsSync(CHROMIUM)) return

  await show('apt-get', ['update'])
  await show('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'])
}

/** Runs a command that counts by itself. One that fails without counting a failure is one failure. */
async function addCounts(name, [command, ...args], readCounts, { cwd = ROOT, env } = {}) {
  const { code, stdout } = await run(command, args, { cwd, env, show: true })
  const { passed, failed } = readCounts(stdout) ?? { passed: 0, failed: 1 }

  report.add(name, { passed, failed: code === 0 ? failed : Math.max(failed, 1) })
}

function readTestCounts() {
  if (!existsSync(results)) return undefined

  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(results, 'utf8'))

  return { passed: numPassedTests, failed: numFailedTests }
}
