import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ANCHORS } from '../../src/migrate/rewritten.ts'
import { buildCommand, createFolder, runNode } from '../support/command.ts'

const IMPORT = `import { feathers } from '@feathersjs/feathers'\n`
const MOVED = `import { feathers } from 'alula'\n`
const PACKAGE = `${JSON.stringify({ dependencies: { '@feathersjs/feathers': '^5.0.0' } }, null, 2)}\n`

let run: (...args: string[]) => ReturnType<typeof runNode>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alula-command-'))
  const file = await buildCommand(folder)

  run = (...args) => runNode([file, ...args])

  return () => rmSync(folder, { recursive: true, force: true })
})

it('sources, package.json and tsconfig.json are rewritten, and the report says each line', async () => {
  const folder = createFolder({
    'src/app.ts': `\n${IMPORT}import configuration from '@feathersjs/configuration'\n`,
    'package.json': `${JSON.stringify(
      { dependencies: { '@feathersjs/configuration': '5', '@feathersjs/feathers': '5' } },
      null,
      2
    )}\n`,
    'tsconfig.json': '{\n  "compilerOptions": {\n    "module": "commonjs"\n  }\n}\n'
  })
  const { code, stdout, stderr } = await run('migrate', folder)

  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toBe(`src/app.ts:2  @feathersjs/feathers → alula
package.json:2  dependencies: + alula@^${manifest.version}
package.json:4  dependencies: − @feathersjs/feathers
tsconfig.json:2  paths: + @feathersjs/feathers, whose types are those of alula
tsconfig.json:2  paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula
tsconfig.json:3  module: commonjs → nodenext

6 changes in 3 files, 0 places need manual changes. Next: npm install, then your tests.
`)
  expect(read(folder, 'src/app.ts')).toBe(`\n${MOVED}import configuration from '@feathersjs/configuration'\n`)
  expect(JSON.parse(read(folder, 'package.json'))).toEqual({
    dependencies: { '@feathersjs/configuration': '5', alula: `^${manifest.version}` }
  })
})

it('what needs a human has its line, a sentence and a place to read on', async () => {
  const folder = createFolder({ 'a.js': `\nconst other = require('@feathersjs/other')\n` })
  const { code, stdout } = await run('migrate', folder)

  expect(code).toBe(0)
  expect(stdout).toBe(`Needs manual changes:
a.js:2  '@feathersjs/other': no counterpart of it is known
  node_modules/alula/docs/migrating.md#manual-changes

0 changes in 0 files, 1 place needs manual changes.
`)
})

it('a folder without package.json is told to list the package', async () => {
  const { stdout } = await run('migrate', createFolder({ 'a.js': IMPORT }))

  expect(stdout).toBe(`a.js:1  @feathersjs/feathers → alula

Needs manual changes:
package.json:1  is not in this folder: list 'alula' in that of the package, or run alula migrate where it is
  node_modules/alula/docs/migrating.md#manual-changes

1 change in 1 file, 1 place needs manual changes. Next: npm install, then your tests.
`)
})

it('a second time there is nothing to do, and no file is touched', async () => {
  const folder = createFolder({ 'a.mjs': IMPORT, 'package.json': PACKAGE })

  await run('migrate', folder)

  const before = snapshot(folder)
  const { stdout } = await run('migrate', folder)

  expect(stdout).toBe('Nothing to do: no imports of Feathers v5 that alula replaces.\n')
  expect(snapshot(folder)).toEqual(before)
})

it('--dry-run says the same and changes nothing', async () => {
  const folder = createFolder({ 'a.mjs': IMPORT, 'package.json': PACKAGE })
  const before = snapshot(folder)
  const dry = await run('migrate', '--dry-run', folder)

  expect(snapshot(folder)).toEqual(before)
  expect(dry.stdout).toContain('Nothing was written (--dry-run).')

  const wet = await run('migrate', folder)

  expect(wet.stdout.replace(/\. [^.]*\.\n$/, '.')).toBe(dry.stdout.replace(/\. [^.]*\.\n$/, '.'))
  expect(snapshot(folder)).not.toEqual(before)
})

it('only JavaScript and TypeScript is rewritten, in every spelling', async () => {
  const extensions = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx']
  const folder = createFolder({
    ...Object.fromEntries(extensions.map((extension) => [`src/a.${extension}`, IMPORT])),
    'src/a.md': IMPORT,
    'src/a.txt': IMPORT
  })

  await run('migrate', folder)

  for (const extension of extensions) expect(read(folder, `src/a.${extension}`)).toBe(MOVED)
  expect(read(folder, 'src/a.md')).toBe(IMPORT)
  expect(read(folder, 'src/a.txt')).toBe(IMPORT)
})

it('packages, hidden files and what Git ignores are left alone', async () => {
  const paths = [
    ...['node_modules/a/a.js', 'deep/node_modules/a.js', 'dist/a.js', 'build/a.js', 'coverage/a.js'],
    ...['.hidden/a.js', '.a.js', 'lib/a.js', 'made/by/tool/a.js']
  ]
  const folder = createFolder({
    ...Object.fromEntries(paths.map((path) => [path, IMPORT])),
    '.gitignore': '# made\nlib/\n!keep\n*.log\n/made/by\n'
  })
  const { stdout } = await run('migrate', folder)

  expect(stdout).toContain('Nothing to do')
  for (const path of paths) expect(read(folder, path), path).toBe(IMPORT)
})

it('the folder itself may be called like one that is left alone', async () => {
  const folder = join(createFolder({ 'dist/a.js': IMPORT }), 'dist')

  await run('migrate', folder)
  expect(read(folder, 'a.js')).toBe(MOVED)
})

it('links are not followed', async () => {
  const outside = createFolder({ 'a.js': IMPORT, 'b/a.js': IMPORT })
  const folder = createFolder()

  symlinkSync(join(outside, 'a.js'), join(folder, 'a.js'))
  symlinkSync(join(outside, 'b'), join(folder, 'b'))
  await run('migrate', folder)

  expect(read(outside, 'a.js')).toBe(IMPORT)
  expect(read(outside, 'b/a.js')).toBe(IMPORT)
})

it('components, packages in the folder and other encodings need a human', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(IMPORT, 'utf16le')])
  const folder = createFolder({
    'a.vue': `<script>\n${IMPORT}</script>`,
    'b.svelte': '<p>nothing</p>',
    'c.ts': utf16,
    'packages/d/package.json': PACKAGE,
    'packages/d/d.js': IMPORT
  })
  const before = snapshot(folder)
  const { stdout } = await run('migrate', folder)

  expect(stdout).toContain('a.vue:1  the imports of its script are left to you')
  expect(stdout).toContain('c.ts:1  is not UTF-8, and left as it is')
  expect(stdout).toContain('packages/d:1  is a package of its own: run alula migrate in it')
  expect(stdout).not.toContain('b.svelte')
  expect(snapshot(folder)).toEqual(before)
})

it('a file keeps its mode', async () => {
  const folder = createFolder({ 'a.js': IMPORT })

  chmodSync(join(folder, 'a.js'), 0o777)
  await run('migrate', folder)

  expect(statSync(join(folder, 'a.js')).mode & 0o777).toBe(0o777)
  expect(readdirSync(folder)).toEqual(['a.js'])
})

it('what cannot be read is said in one line, before the first file is written', async () => {
  const folder = createFolder({ 'a.js': IMPORT, 'package.json/a.txt': '' })
  const { code, stderr } = await run('migrate', folder)

  expect(code).toBe(1)
  expect(stderr).toMatch(/^EISDIR.*\n$/)
  expect(read(folder, 'a.js')).toBe(IMPORT)
})

it.each([
  [[], 'Missing command. There are three: migrate, audit and openapi.'],
  [['move', '.'], "Unknown command 'move'. There are three: migrate, audit and openapi."],
  [['migrate'], 'Missing folder. Use . for the current one.'],
  [['migrate', '.', '--force'], "Unknown option '--force'."],
  [['migrate', 'a', 'b'], "One folder at a time, and not 'b' as well."],
  [['migrate', '/does/not/exist'], "There is no folder '/does/not/exist'."],
  [['migrate', '.', '--check'], "This command has no option '--check'."],
  [['audit'], 'Missing file. Name the one that exports the application.'],
  [['audit', 'app.js', '--check'], 'Missing snapshot. Name its file after --check.'],
  [['audit', 'a.js', 'b.js'], "One file at a time, and not 'b.js' as well."],
  [['audit', 'a.js', '--dry-run'], "This command has no option '--dry-run'."]
])('%j is answered with a sentence and how to do it', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.split('\n')[0]).toBe(sentence)
  expect(stderr).toContain('Usage: alula migrate <folder> [--dry-run]')
})

it('a file is no folder', async () => {
  const folder = createFolder({ 'a.js': IMPORT })

  expect((await run('migrate', join(folder, 'a.js'))).stderr).toContain('There is no folder')
})

it('--help shows how, and --version which', async () => {
  expect((await run('--help')).stdout).toContain('Usage: alula migrate <folder> [--dry-run]')
  expect((await run('migrate', '-h')).stdout).toContain('--dry-run')
  expect((await run('--version')).stdout).toBe(`${manifest.version}\n`)
})

it('the package says where the command is', () => {
  expect(manifest.bin).toEqual({ alula: 'dist/cli/cli.js' })
})

it('every place to read on is a heading of the page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/migrating.md'), 'utf8')
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string).toLowerCase().replaceAll(' ', '-')
  )

  expect(headings).toEqual(expect.arrayContaining([...ANCHORS]))
})

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** The content and the time of every file. */
function snapshot(folder: string): object {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => {
        const hash = createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex')

        return [path, { hash, time: statSync(join(folder, path)).mtimeMs }]
      })
  )
}
