import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

const SCRIPTS = resolve(import.meta.dirname, '../scripts')
const AS_SOMEBODY = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com']

const README = '# thing\n\nVersion 0.1.9 needs Node 20.19 or later.\n'
const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n- Something is new.\n\n## 0.1.9 - 2026-01-01\n\nIt was 0.1.9.\n'
const GUIDE = '+ alula@^0.1.9\n"alula": "^0.1.9"\n"other": "^0.1.9"\n'
const SECURITY = '| Version | Fixes |\n|---|---|\n| 0.1.x | yes |\n| 0.2.x | yes |\n'
const MANIFEST = {
  name: 'thing',
  version: '0.1.9',
  workspaces: ['packages/*'],
  files: ['index.js'],
  scripts: {
    check: 'node check.mjs',
    release: 'node scripts/release.mjs'
  }
}
/** A package that works with the first one. */
const TOOLS = {
  name: 'thing-tools',
  version: '0.1.9',
  peerDependencies: { thing: '^0.1.9', other: '^1.0.0' }
}
const INTERNAL = { name: 'thing-page', version: '0.1.9', private: true }
const LOCK = {
  name: 'thing',
  version: '0.1.9',
  lockfileVersion: 3,
  packages: {
    '': { name: 'thing', version: '0.1.9' },
    'packages/page': { version: '0.1.9' },
    'packages/tools': { version: '0.1.9', peerDependencies: TOOLS.peerDependencies }
  }
}

/** A clone of a repository that is ready for a release, with our scripts and files of its own. */
async function createClone(files: { [name: string]: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'alula-release-'))
  const [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')]
  const all = {
    'README.md': README,
    'CHANGELOG.md': CHANGELOG,
    'SECURITY.md': SECURITY,
    'package.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
    'package-lock.json': `${JSON.stringify(LOCK, null, 2)}\n`,
    'packages/page/package.json': `${JSON.stringify(INTERNAL, null, 2)}\n`,
    'packages/tools/package.json': `${JSON.stringify(TOOLS, null, 2)}\n`,
    'docs/migrating.md': GUIDE,
    'index.js': '',
    'check.mjs': '',
    '.gitignore': '*.tgz\n',
    ...files
  }
  const git = async (...args: string[]) => (await run('git', args, { cwd: clone })).stdout.trim()

  onTestFinished(() => rm(folder, { recursive: true }))

  await cp(SCRIPTS, join(origin, 'scripts'), { recursive: true })
  for (const folder of ['docs', 'packages/page', 'packages/tools']) {
    await mkdir(join(origin, folder), { recursive: true })
  }

  for (const [name, text] of Object.entries(all)) await writeFile(join(origin, name), text)
  await run('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: origin })
  await run('git', ['add', '.'], { cwd: origin })
  await run('git', [...AS_SOMEBODY, 'commit', '--quiet', '--message', 'The first'], { cwd: origin })
  await run('git', ['clone', '--quiet', origin, clone])
  await git('config', 'user.name', 'Somebody')
  await git('config', 'user.email', 'somebody@example.com')
  await git('remote', 'set-url', 'origin', 'git@example.com:things/thing.git')

  return {
    git,
    read: (name: string) => readFile(join(clone, name), 'utf8'),
    write: (name: string, text: string) => writeFile(join(clone, name), text),
    /** Runs the script; returns what it prints, and how it ends. */
    release: (...args: string[]) =>
      toOutcome(run(process.execPath, ['scripts/release.mjs', ...args], { cwd: clone })),
    /** Runs it as its reader does, which takes longer. */
    releaseByNpm: (...args: string[]) =>
      toOutcome(run('npm', ['run', '--silent', 'release', '--', ...args], { cwd: clone }))
  }
}

async function toOutcome(running: Promise<{ stdout: string }>): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await running

    return { code: 0, output: stdout }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }

    return { code, output: stdout + stderr }
  }
}

it('a dry run says what it would do, and changes nothing', async () => {
  const { git, release } = await createClone({ 'check.mjs': 'process.exit(1)' })
  const before = await git('rev-parse', 'HEAD')
  const { code, output } = await release('minor', '--dry-run')

  expect(output).toBe(`ok    the branch is main
ok    everything is committed
ok    0.2.0 is not earlier than 0.1.9
ok    there is no tag v0.2.0
ok    origin says where the repository is
ok    CHANGELOG.md says what is new
ok    README.md has the version
ok    SECURITY.md has the minor version
would run npm run check
would write 0.2.0 into each package.json, package-lock.json, README.md and docs/migrating.md
would put the version and today's date above the changes in CHANGELOG.md
would build, and pack thing-0.2.0.tgz, thing-tools-0.2.0.tgz
would commit 'Version 0.2.0'
would tag v0.2.0

Left to you then, because it cannot be taken back:

  git push origin main v0.2.0

.github/workflows/publish.yml then publishes the tarballs. A package that npm does not have yet is published by hand:

  npm publish thing-0.2.0.tgz
  npm publish thing-tools-0.2.0.tgz

8 passed, 0 failed
`)
  expect(code).toBe(0)
  expect(await git('rev-parse', 'HEAD')).toBe(before)
  expect(await git('status', '--porcelain', '--ignored')).toBe('')
  expect(await git('tag')).toBe('')
})

it('a release is a commit, a tag and the tarballs of all packages, with one version', async () => {
  const { git, read, release, releaseByNpm } = await createClone()
  const { code, output } = await releaseByNpm('patch')

  expect(output).toContain('\n\n  npm publish thing-0.1.10.tgz\n  npm publish thing-tools-0.1.10.tgz\n')
  expect(code).toBe(0)

  const addresses = {
    homepage: 'https://example.com/things/thing#readme',
    bugs: 'https://example.com/things/thing/issues'
  }
  const repository = { type: 'git', url: 'git+https://example.com/things/thing.git' }

  expect(JSON.parse(await read('package.json'))).toEqual({
    ...MANIFEST,
    ...addresses,
    repository,
    version: '0.1.10'
  })
  expect(JSON.parse(await read('packages/page/package.json'))).toEqual({ ...INTERNAL, version: '0.1.10' })

  const tools = { version: '0.1.10', peerDependencies: { thing: '^0.1.10', other: '^1.0.0' } }

  expect(JSON.parse(await read('packages/tools/package.json'))).toEqual({
    ...TOOLS,
    ...tools,
    ...addresses,
    repository: { ...repository, directory: 'packages/tools' }
  })
  expect(JSON.parse(await read('package-lock.json'))).toEqual({
    ...LOCK,
    version: '0.1.10',
    packages: {
      '': { name: 'thing', version: '0.1.10' },
      'packages/page': { version: '0.1.10' },
      'packages/tools': tools
    }
  })
  expect(await read('README.md')).toBe(README.replace('0.1.9', '0.1.10'))
  expect(await read('docs/migrating.md')).toBe('+ alula@^0.1.10\n"alula": "^0.1.10"\n"other": "^0.1.9"\n')

  const changelog = await read('CHANGELOG.md')
  const [, date = ''] = /^## 0\.1\.10 - (\d{4}-\d{2}-\d{2})$/m.exec(changelog) ?? []

  expect(changelog).toBe(CHANGELOG.replace('Unreleased', `0.1.10 - ${date}`))
  expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(2 * 24 * 60 * 60 * 1000)

  expect(await git('log', '-1', '--format=%s')).toBe('Version 0.1.10')
  expect(await git('rev-parse', 'v0.1.10^{commit}')).toBe(await git('rev-parse', 'HEAD'))
  expect(await git('status', '--porcelain', '--ignored')).toBe(
    '!! thing-0.1.10.tgz\n!! thing-tools-0.1.10.tgz'
  )

  // What is released has no changes to release.
  expect((await release('patch', '--dry-run')).output).toContain("Expected text below '## Unreleased'")
})

it('the first release has the version of the packages, under which the changelog lists what is new', async () => {
  const changelog = '# Changelog\n\n## 0.1.9\n\n### Added\n\n- Everything.\n'
  const { git, read, release } = await createClone({ 'CHANGELOG.md': changelog })

  expect(await release('0.1.9')).toMatchObject({ code: 0 })
  expect(await read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## 0\.1\.9 - \d{4}-\d{2}-\d{2}\n\n### Added\n\n- Everything\.\n$/
  )
  expect(await git('tag')).toBe('v0.1.9')
})

it('what is not ready is not released', async () => {
  const { git, write, release } = await createClone({
    'CHANGELOG.md': CHANGELOG.replace('- Something is new.\n', ''),
    'README.md': '# thing\n'
  })

  await git('remote', 'set-url', 'origin', '/srv/thing')
  await git('tag', 'v0.1.0')
  await git('switch', '--quiet', '--create', 'other')
  await write('index.js', 'changed')

  const { code, output } = await release('0.1.0')

  expect(code).toBe(1)
  expect(output).toBe(`FAIL  the branch is main
      It is other
FAIL  everything is committed
       M index.js
FAIL  0.1.0 is not earlier than 0.1.9
      Expected a version from 0.1.9 on
FAIL  there is no tag v0.1.0
      It has been released
FAIL  origin says where the repository is
      Expected an address such as 'https://example.com/alula/alula.git'
FAIL  CHANGELOG.md says what is new
      Expected text below '## Unreleased' or '## 0.1.0'
FAIL  README.md has the version
      Expected /^Version \\S+ needs Node/m
ok    SECURITY.md has the minor version
1 passed, 7 failed
`)
  expect(await git('status', '--porcelain')).toBe('M index.js')
})

it('nothing is written when the checks of the project fail', async () => {
  const { git, release } = await createClone({ 'check.mjs': 'process.exit(1)' })
  const { code, output } = await release('1.0.0')

  // That version is not among the supported, so the checks have not run.
  expect(output).toContain('Expected 1.0.x among the supported')
  expect(output).not.toContain('npm run check')
  expect(code).toBe(1)

  expect((await release('patch')).output).toContain('FAIL  npm run check')
  expect(await git('status', '--porcelain', '--ignored')).toBe('')
  expect(await git('tag')).toBe('')
})

it('what is no version is answered with the usage', async () => {
  const { release, releaseByNpm } = await createClone()
  const usage = 'Expected: npm run release -- patch|minor|major|<version> [--dry-run]\n'

  for (const args of [[], ['next'], ['1.0'], ['v1.0.0'], ['01.0.0'], ['patch', 'minor']]) {
    expect(await release(...args), args.join()).toEqual({ code: 1, output: usage })
  }
  expect(await releaseByNpm('next')).toEqual({ code: 1, output: usage })
})
