// Everything that has to hold, in a fresh clone: what is committed and nothing else. It needs Node, npm, git and tar, the
// servers of the tests (Redis, PostgreSQL, MariaDB; it installs further versions of PostgreSQL and Node itself), and on
// Debian the right to install Chromium and nginx, unless they are there.
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReport, parseCounts } from './support/report.mjs'
import { mustRun, run } from './support/run.mjs'
import { checkStart } from './support/start.mjs'
import { createTempFolder } from './support/temp.mjs'
import { readTestCounts } from './support/test-counts.mjs'

/** Tests that need a server fail without it, and are not skipped. */
const SERVERS = { CI_SERVERS: '1' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Packages of Debian, by the program that shows whether they are there. */
const PACKAGES = { '/usr/bin/chromium': 'chromium', '/usr/sbin/nginx': 'nginx' }

const report = createReport()
const folder = createTempFolder()
const results = join(folder, 'tests.json')
const clone = join(folder, 'clone')

/** Where Vitest writes its counts. */
const COUNTED = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]

/** What runs on further versions of Node. To measure which branches tests take costs a fifth of their time: one run does. */
const FURTHER_TESTS = {
  22: { name: 'most tests and their coverage', args: ['--config', 'vitest.quick.config.ts', '--coverage'] },
  24: { name: 'the heart', args: ['--config', 'vitest.core.config.ts'] }
}

/**
 * The bundles that run on another version of Node. What Rollup makes does not depend on it, a bundle that runs alone also runs
 * beside `node_modules`, and one as CommonJS has the same code.
 */
const BUNDLES = ['test/bundles/bundles', '-t', '^(?!.*(?:Rollup|beside node_modules|cjs))']

// What downloads runs beside what computes.
const [isInstalled] = await Promise.all([
  report.check('git clone and npm install', install),
  report.check('Chromium and nginx', installPackages)
])

if (isInstalled) {
  await report.check('the lockfile and the generated pages are up to date', () =>
    show('git', ['diff', '--exit-code'])
  )
  await report.check('npm start', () => checkStart(clone))
  await Promise.all([checkSources(), report.check('the servers of the tests', installServers)])
  await addTests('npm test', ['npm', 'test', '--'])
  for (const [version, { name, args }] of Object.entries(FURTHER_TESTS)) {
    await addTests(`${name} on Node ${version}`, ['node', 'scripts/test-node.mjs', version, ...args])
  }
  await addTests('bundles on Node 24', ['node', 'scripts/test-node.mjs', '24', ...BUNDLES])
  await addCounts('further databases', ['node', 'scripts/test-databases.mjs', '--further'], parseCounts)
  // Much of these is waiting for the registry, or work of one process.
  await Promise.all([addPackages(), addOthers()])
}

report.finish()

/** The commands of the README. `npm install` builds by `prepack`, as `npm pack` does. */
async function install() {
  await mustRun('git', ['clone', '--quiet', ROOT, clone], { show: true })
  await show('npm', ['install'])
}

async function checkSources() {
  await report.check('npm run lint', () => show('npm', ['run', 'lint']))
  await report.check('npm run test:types', () => show('npm', ['run', 'test:types']))
  await report.check('the types, as TypeScript 6 sees them', () =>
    show('npx', ['tsc', '-p', 'tsconfig.build.json', '--noEmit'])
  )
}

async function installServers() {
  // PostgreSQL runs as another user than root, who has to find its programs.
  chmodSync(folder, 0o755)
  await mustRun('node', ['scripts/install-servers.mjs'], { cwd: clone })
}

async function addPackages() {
  for (const [name, command] of [
    ['an application of the official generator of Feathers', ['node', 'scripts/try-migration.mjs', '--one']],
    // Packed as it is built: others read it meanwhile.
    ['npm run test:package', ['npm', 'run', 'test:package', '--', '--built']]
  ]) {
    await addCounts(name, command, parseCounts, { beside: true })
  }
}

async function addOthers() {
  for (const [name, command] of [
    ['the budget of types', ['node', 'scripts/type-budget.mjs']],
    ['generated clients', ['node', 'scripts/check-generated.mjs']],
    ['an application of npm create alula', ['node', 'scripts/try-create.mjs', '--one']]
  ]) {
    await addCounts(name, command, parseCounts, { beside: true })
  }
  await report.check('npm run docs:build', async () => {
    await mustRun('npm', ['run', 'docs:build'], { cwd: clone })
  })
}

function show(command, args) {
  return mustRun(command, args, { cwd: clone, show: true }).then(() => undefined)
}

/** The browser of the tests that show pages, and the proxy of those that deploy. */
async function installPackages() {
  const missing = Object.keys(PACKAGES).filter((program) => !existsSync(program))
  const names = missing.map((program) => PACKAGES[program])

  if (names.length === 0) return

  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...names]]) {
    await mustRun('apt-get', args)
  }
}

/** Runs tests, with the servers that they need. */
async function addTests(name, command) {
  await addCounts(name, [...command, ...COUNTED], () => readTestCounts(results), { env: SERVERS })
}

/**
 * Runs a command that counts by itself. One that fails without counting a failure is one failure. What runs beside others
 * is printed when it has ended.
 */
async function addCounts(name, [command, ...args], readCounts, { env, beside = false } = {}) {
  const { code, stdout, output } = await run(command, args, { cwd: clone, env, show: !beside })

  if (beside) process.stdout.write(output)

  const { passed, failed } = readCounts(stdout) ?? { passed: 0, failed: 1 }

  report.add(name, { passed, failed: code === 0 ? failed : Math.max(failed, 1) })
}
