import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, runNode } from '../../../test/support/command.ts'
import { findPort } from '../../../test/support/redis.ts'
import { migrateFolder } from '../src/migrate.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FIXTURES = join(import.meta.dirname, 'fixtures')
const TSC = join(ROOT, 'node_modules/typescript7/bin/tsc')

// Compilers are slow on a machine that does other things.
const TIMEOUT = 300_000

it(
  'an application of the generator, in TypeScript, passes its tests before and after',
  async () => {
    const folder = createProject('typescript')
    const test = async () => {
      expect(await runNode([TSC, '-p', '.'], { cwd: folder })).toMatchObject({ stdout: '', code: 0 })

      return runTests(folder, 'lib/test')
    }

    expect(await test()).toBe('4 passed, 0 failed')
    expect(migrate(folder)).toEqual([])
    expect(findImports(folder)).toEqual(['@feathersjs/schema'])
    expect(await test()).toBe('4 passed, 0 failed')
  },
  TIMEOUT
)

it(
  'an application in CommonJS passes its tests before and after',
  async () => {
    const folder = createProject('javascript')

    expect(await runTests(folder, 'test')).toBe('4 passed, 0 failed')
    expect(migrate(folder)).toEqual([])
    expect(findImports(folder)).toEqual([])
    expect(await runTests(folder, 'test')).toBe('4 passed, 0 failed')
  },
  TIMEOUT
)

/** A copy of a fixture, whose files have a suffix more so that no tool of ours takes them for its own. */
function createProject(name: string): string {
  const folder = createFolder()
  const fixture = join(FIXTURES, name)

  for (const path of readdirSync(fixture, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.txt')) continue

    const target = join(folder, path.slice(0, -'.txt'.length).replace(/^gitignore$/, '.gitignore'))

    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readFileSync(join(fixture, path)))
  }
  installPackages(folder)

  return folder
}

/** Everything that is installed here, and alula as it is packed. */
function installPackages(folder: string): void {
  const modules = join(folder, 'node_modules')

  mkdirSync(modules)
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!/^\.|^alula/.test(name)) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, 'alula'))
  cpSync(join(ROOT, 'dist'), join(modules, 'alula/dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(modules, 'alula/package.json'))
}

/** Migrates, and returns what needs a human. */
function migrate(folder: string): string[] {
  return migrateFolder(folder).flatMap(({ path, remarks }) =>
    remarks.map(({ line, text }) => `${path}:${line} ${text}`)
  )
}

/** The packages of Feathers that sources and `package.json` still name. */
function findImports(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(?:src|test|package\.json)/.test(path) && /\.(?:js|ts|json)$/.test(path)
  )
  const names = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/@feathersjs\/[\w-]+/g)].map(([name]) => name)
  )

  return [...new Set(names)].sort()
}

async function runTests(folder: string, path: string): Promise<string> {
  const files = readdirSync(join(folder, path)).filter((file) => /\.test\.[jt]s$/.test(file))
  const port = await findPort()
  const { stdout } = await runNode(
    ['--test', '--test-concurrency=1', ...files.map((file) => join(path, file))],
    {
      cwd: folder,
      env: { ...process.env, PORT: String(port), NODE_TEST_CONTEXT: undefined }
    }
  )
  const count = (name: string) => new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1]

  return `${count('pass')} passed, ${count('fail')} failed`
}
