// Makes a release of all packages with one version, up to a tag and the tarballs. The caller does what cannot be undone.
//
//   npm run release -- patch|minor|major|<version> [--dry-run]      with --dry-run it changes nothing

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

const VERSION_IN_README = /^Version \S+ needs Node/m
/** As in `"alula": "^0.1.0"`. */
const RANGE_IN_GUIDE = /(\balula(?:@|": "))\^\d+\.\d+\.\d+/g

const { values: options, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true
})
const isDryRun = options['dry-run']
/** The folders of the packages, that of the repository first. */
const folders = ['', ...readdirSync(join(ROOT, 'packages')).map((folder) => `packages/${folder}`)]
const manifests = folders.map((folder) => readJson(join(folder, 'package.json')))
const [{ version: current }] = manifests
const published = manifests.filter((manifest) => !manifest.private).map(({ name }) => name)
const version = toNext(current, positionals)
const tag = `v${version}`
const tarballs = published.map((name) => `${name}-${version}.tgz`)

/** The section of the changelog that is released: `Unreleased`, or this version without a date. */
const UNRELEASED = new RegExp(
  `^## (?:Unreleased|${version.replaceAll('.', '\\.')})\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`,
  'm'
)

/** The address of the repository on the web; undefined for one that nobody else can open. */
const site = toSite((await git('remote', 'get-url', 'origin')).trim())
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
    // The first release has the version that the packages have had so far.
    [`${version} is not earlier than ${current}`]: () => {
      if (isLater(current, version)) throw new Error(`Expected a version from ${current} on`)
    },
    [`there is no tag ${tag}`]: async () => {
      if ((await git('tag', '--list', tag)) !== '') throw new Error('It has been released')
    },
    'origin says where the repository is': () => {
      if (!site) throw new Error("Expected an address such as 'https://example.com/alula/alula.git'")
    },
    'CHANGELOG.md says what is new': () => {
      const [, changes = ''] = UNRELEASED.exec(read('CHANGELOG.md')) ?? []

      if (changes.trim() === '') throw new Error(`Expected text below '## Unreleased' or '## ${version}'`)
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
    [`write ${version} into each package.json, package-lock.json, README.md and docs/migrating.md`]: () => {
      for (const [index, manifest] of manifests.entries()) {
        if (!manifest.private) Object.assign(manifest, toAddresses(folders[index]))
      }
      writeVersions()
      edit('README.md', VERSION_IN_README, () => `Version ${version} needs Node`)
      edit('docs/migrating.md', RANGE_IN_GUIDE, `$1^${version}`)
    },
    "put the version and today's date above the changes in CHANGELOG.md": () => {
      const today = new Date().toISOString().slice(0, 10)

      edit('CHANGELOG.md', UNRELEASED, (_section, changes) => `## ${version} - ${today}\n${changes}`)
    },
    // Before the commit, so that a version that cannot be built is not committed.
    [`build, and pack ${tarballs.join(', ')}`]: async () => {
      const [, ...others] = published

      // The first package builds all of them.
      await mustRun('npm', ['pack'], { cwd: ROOT })
      await mustRun('npm', ['pack', ...others.flatMap((name) => ['--workspace', name])], { cwd: ROOT })
    },
    [`commit 'Version ${version}'`]: () => git('commit', '--all', '--message', `Version ${version}`),
    [`tag ${tag}`]: () => git('tag', '--annotate', tag, '--message', `Version ${version}`)
  }

  for (const [sentence, step] of Object.entries(steps)) {
    // After a failure the changes stay: git shows and reverts them.
    if (!(await perform(sentence, step))) return
  }

  console.log(`
Left to you${isDryRun ? ' then' : ''}, because it cannot be taken back:

  git push origin ${BRANCH} ${tag}

.github/workflows/publish.yml then publishes the tarballs. A package that npm does not have yet is published by hand:

${tarballs.map((tarball) => `  npm publish ${tarball}\n`).join('')}`)
}

/** What a manifest says of where its package comes from. */
function toAddresses(directory) {
  return {
    homepage: `${site}#readme`,
    bugs: `${site}/issues`,
    repository: { type: 'git', url: `git+${site}.git`, ...(directory && { directory }) }
  }
}

function toSite(remote) {
  const [, host, path] = /^(?:https:\/\/|ssh:\/\/git@|git@)([^/:@]+)[/:](.+?)(?:\.git)?$/.exec(remote) ?? []

  return host && `https://${host}/${path}`
}

/** Writes the version into each manifest and the lockfile, and the ranges by which the packages depend on each other. */
function writeVersions() {
  const lock = readJson('package-lock.json')

  manifests.forEach((manifest, index) => {
    const folder = folders[index]

    for (const entry of [manifest, lock.packages[folder]]) {
      entry.version = version
      for (const name of published) {
        if (entry.peerDependencies?.[name] !== undefined) entry.peerDependencies[name] = `^${version}`
      }
    }
    writeJson(join(folder, 'package.json'), manifest)
  })
  writeJson('package-lock.json', { ...lock, version })
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

function readJson(file) {
  return JSON.parse(read(file))
}

/** As npm formats its files. */
function writeJson(file, value) {
  writeFileSync(join(ROOT, file), `${JSON.stringify(value, null, 2)}\n`)
}

function edit(file, pattern, replacement) {
  writeFileSync(join(ROOT, file), read(file).replace(pattern, replacement))
}
