// Makes a release of what is committed, up to a tag and a tarball. What cannot be undone is left to whoever runs it.
//
//   npm run release -- patch|minor|major|<version> [--dry-run]      with --dry-run it changes nothing

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createReport } from './support/report.mjs'
import { mustRun } from './support/run.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BRANCH = 'main'
const USAGE = 'npm run release -- patch|minor|major|<version> [--dry-run]'

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/
const STEPS = ['major', 'minor', 'patch']

/** The section of the changelog without a version, up to the next one. */
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m
const VERSION_IN_README = /^Version \S+ needs Node/m

const { values: options, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true
})
const isDryRun = options['dry-run']
const { name, version: current } = JSON.parse(read('package.json'))
const version = toNext(current, positionals)
const tag = `v${version}`
const tarball = `${name}-${version}.tgz`

const report = createReport()
const isReady = await checkAll()

if (isReady) await release()

report.finish()

/** Looks at everything before anything is changed. Returns whether nothing is wrong. */
async function checkAll() {
  const checks = {
    [`the branch is ${BRANCH}`]: async () => {
      const branch = (await git('rev-parse', '--abbrev-ref', 'HEAD')).trim()

      if (branch !== BRANCH) throw new Error(`It is ${branch}`)
    },
    'everything is committed': async () => {
      const changes = await git('status', '--porcelain')

      if (changes !== '') throw new Error(changes)
    },
    [`${version} is later than ${current}`]: () => {
      if (!isLater(version, current)) throw new Error(`Expected a version after ${current}`)
    },
    [`there is no tag ${tag}`]: async () => {
      if ((await git('tag', '--list', tag)) !== '') throw new Error('It has been released')
    },
    'CHANGELOG.md says what is new': () => {
      const [, changes = ''] = UNRELEASED.exec(read('CHANGELOG.md')) ?? []

      if (changes.trim() === '') throw new Error("Expected something below '## Unreleased'")
    },
    'README.md has the version': () => {
      if (!VERSION_IN_README.test(read('README.md'))) throw new Error(`Expected ${VERSION_IN_README}`)
    },
    'SECURITY.md has the minor version': () => {
      const minor = version.replace(/\d+$/, 'x')

      if (!read('SECURITY.md').includes(`| ${minor} `))
        throw new Error(`Expected ${minor} among the supported`)
    }
  }
  const results = []

  for (const [sentence, check] of Object.entries(checks)) results.push(await report.check(sentence, check))
  // Last, because it takes minutes.
  if (results.every(Boolean)) {
    results.push(
      await perform('npm run check', () => mustRun('npm', ['run', 'check'], { cwd: ROOT, show: true }))
    )
  }

  return results.every(Boolean)
}

async function release() {
  const steps = {
    [`write ${version} into package.json, package-lock.json and README.md`]: async () => {
      await mustRun('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], { cwd: ROOT })
      edit('README.md', VERSION_IN_README, `Version ${version} needs Node`)
    },
    "put the version and today's date above the changes in CHANGELOG.md": () => {
      const today = new Date().toISOString().slice(0, 10)

      edit('CHANGELOG.md', /^## Unreleased$/m, `## ${version} (${today})`)
    },
    // In front of the commit, so that nothing is committed that can not be built.
    [`build, and pack ${tarball}`]: () => mustRun('npm', ['pack'], { cwd: ROOT }),
    [`commit 'Version ${version}'`]: () => git('commit', '--all', '--message', `Version ${version}`),
    [`tag ${tag}`]: () => git('tag', '--annotate', tag, '--message', `Version ${version}`)
  }

  for (const [sentence, step] of Object.entries(steps)) {
    // What is half done is there to be looked at: git shows it, and takes it back.
    if (!(await perform(sentence, step))) return
  }

  console.log(`
Left to you${isDryRun ? ' then' : ''}, because it cannot be taken back:

  git push origin ${BRANCH} ${tag}
  npm publish ${tarball}
`)
}

/** Does a step, or only says that it would. Returns whether it went well. */
async function perform(sentence, step) {
  if (!isDryRun) return report.check(sentence, async () => void (await step()))

  console.log(`would ${sentence.replace(/^npm/, 'run npm')}`)
  return true
}

function toNext(version, [wanted, ...more]) {
  const step = STEPS.indexOf(wanted)

  if (more.length > 0 || (step === -1 && !VERSION.test(wanted ?? ''))) {
    console.error(`Expected: ${USAGE}`)
    process.exit(1)
  }
  if (step === -1) return wanted

  return toNumbers(version)
    .map((number, index) => (index < step ? number : index === step ? number + 1 : 0))
    .join('.')
}

function isLater(version, other) {
  const [numbers, others] = [toNumbers(version), toNumbers(other)]
  const index = numbers.findIndex((number, index) => number !== others[index])

  return index !== -1 && numbers[index] > others[index]
}

function toNumbers(version) {
  return version.split('.').map(Number)
}

function git(...args) {
  return mustRun('git', args, { cwd: ROOT })
}

function read(file) {
  return readFileSync(join(ROOT, file), 'utf8')
}

function edit(file, pattern, replacement) {
  writeFileSync(join(ROOT, file), read(file).replace(pattern, replacement))
}
