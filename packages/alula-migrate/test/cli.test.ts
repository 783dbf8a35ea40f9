import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { buildCommand, createFolder, runNode } from '../../../test/support/command.ts'
import manifest from '../package.json' with { type: 'json' }

const IMPORT = `import { feathers } from '@feathersjs/feathers'\n`
const MOVED = `import { feathers } from 'alula'\n`

let run: (...args: string[]) => ReturnType<typeof runNode>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alula-command-'))
  const file = await buildCommand(folder, 'packages/alula-migrate')

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
  const { code, stdout, stderr } = await run(folder)

  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toBe(`src/app.ts:2  @feathersjs/feathers → alula
package.json:2  dependencies: + alula@^${manifest.version}
package.json:4  dependencies: − @feathersjs/feathers
tsconfig.json:2  skipLibCheck: (none) → true
tsconfig.json:2  paths: + @feathersjs/feathers, whose types are those of alula
tsconfig.json:2  paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula
tsconfig.json:2  paths: + @feathersjs/authentication-client, whose types are those of alula
tsconfig.json:3  module: commonjs → nodenext

8 changes in 3 files, 0 places need manual changes. Next: npm install, then your tests.
`)
  expect(read(folder, 'src/app.ts')).toBe(`\n${MOVED}import configuration from '@feathersjs/configuration'\n`)
  expect(JSON.parse(read(folder, 'package.json'))).toEqual({
    dependencies: { '@feathersjs/configuration': '5', alula: `^${manifest.version}` }
  })
})

it('--dry-run writes nothing', async () => {
  const folder = createFolder({ 'a.mjs': IMPORT })
  const { stdout } = await run('--dry-run', folder)

  expect(stdout).toContain('Nothing was written (--dry-run).')
  expect(read(folder, 'a.mjs')).toBe(IMPORT)
})

it('--check prints what would be left as JSON, for the current folder, and writes nothing', async () => {
  const source = `${IMPORT}import '@feathersjs/other'\n`
  const folder = createFolder({ 'a.mjs': source })
  const { code, stdout } = await run('--check', folder)

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    changes: 1,
    left: [
      {
        file: 'a.mjs',
        line: 2,
        message: "'@feathersjs/other': no counterpart of it is known",
        guide: 'node_modules/alula/docs/migrating.md#manual-changes'
      },
      {
        file: 'package.json',
        line: 1,
        message:
          "is not in this folder: list 'alula' in that of the package, or run alula-migrate where it is",
        guide: 'node_modules/alula/docs/migrating.md#manual-changes'
      }
    ]
  })
  expect(read(folder, 'a.mjs')).toBe(source)
})

it('a pre-release of v5 is refused with a sentence', async () => {
  const manifest = JSON.stringify({ dependencies: { '@feathersjs/koa': '^5.0.0-pre.32' } })
  const { code, stderr } = await run(createFolder({ 'a.mjs': IMPORT, 'package.json': manifest }))

  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^package\.json lists @feathersjs\/koa \^5\.0\.0-pre\.32, a pre-release of Feathers v5, .*\.\n$/
  )
})

it('what cannot be read is said in one line, before the first file is written', async () => {
  const folder = createFolder({ 'a.js': IMPORT, 'package.json/a.txt': '' })
  const { code, stderr } = await run(folder)

  expect(code).toBe(1)
  expect(stderr).toMatch(/^EISDIR.*\n$/)
  expect(read(folder, 'a.js')).toBe(IMPORT)
})

it.each([
  [['.', '--force'], "Unknown option '--force'."],
  [['a', 'b'], "One folder at a time, and not 'b' as well."],
  [['/does/not/exist'], "There is no folder '/does/not/exist'."]
])('%j is answered with a sentence and how to do it', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.split('\n')[0]).toBe(sentence)
  expect(stderr).toContain('Usage: alula-migrate [folder] [--dry-run | --check]')
})

it('a file is no folder', async () => {
  const folder = createFolder({ 'a.js': IMPORT })

  expect((await run(join(folder, 'a.js'))).stderr).toContain('There is no folder')
})

it('--help shows how, and --version which', async () => {
  expect((await run('--help')).stdout).toContain('Usage: alula-migrate [folder] [--dry-run | --check]')
  expect((await run('-h')).stdout).toContain('--dry-run')
  expect((await run('--version')).stdout).toBe(`${manifest.version}\n`)
})

it('the package says where the command is', () => {
  expect(manifest.bin).toEqual({ 'alula-migrate': 'dist/cli.js' })
})

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}
