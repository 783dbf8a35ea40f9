import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript5'
import type { TestContext } from 'vitest'
import { runNode } from '../../../test/support/command.ts'
import { findPort } from '../../../test/support/redis.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const MODULES = join(ROOT, 'node_modules')
/** The compiler in the range that is written; without `TEST_SCALE=1`, one that takes a fifth of its time. */
const TSC = join(MODULES, process.env.TEST_SCALE === '1' ? 'typescript5/bin/tsc' : 'typescript7/bin/tsc')

/** An application in a folder, as a user of Feathers has it. */
export interface Fixture {
  readonly folder: string
  /** The folder of the package that is a server. */
  readonly server: string
}

/** A copy of a fixture, whose files have a suffix more so that no tool of ours takes them for its own. */
export function createFixture(name: string, context: TestContext, server = '.'): Fixture {
  const folder = mkdtempSync(join(tmpdir(), 'alula-migrate-'))
  const fixture = join(import.meta.dirname, 'fixtures', name)

  // Tests run side by side: each knows its own end.
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of readdirSync(fixture, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.txt')) continue

    const target = join(folder, path.slice(0, -'.txt'.length).replace(/^gitignore$/, '.gitignore'))

    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readFileSync(join(fixture, path)))
  }

  return { folder, server: join(folder, server) }
}

/** Installs everything that is installed here, as npm does for packages that others bring. */
export function installAll({ folder }: Fixture): void {
  const names = readdirSync(MODULES).filter((name) => !/^\.|^alula/.test(name))

  link(join(folder, 'node_modules'), names, MODULES)
}

/** Installs what the manifests of the application list, and nothing else: alula, as it is packed, with its dependencies. */
export function installListed({ folder }: Fixture): void {
  const listed = readManifests(folder).flatMap(({ dependencies, devDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies })
  )
  const modules = join(folder, 'node_modules')
  const alula = join(modules, 'alula')
  const { dependencies } = readJson(join(ROOT, 'package.json'))

  rmSync(modules, { recursive: true })
  link(
    modules,
    listed.filter((name) => name !== 'alula'),
    MODULES
  )
  mkdirSync(alula)
  cpSync(join(ROOT, 'dist'), join(alula, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(alula, 'package.json'))
  link(join(alula, 'node_modules'), Object.keys(dependencies ?? {}), MODULES)
}

interface Manifest {
  readonly dependencies?: { readonly [name: string]: string }
  readonly devDependencies?: { readonly [name: string]: string }
}

/** The manifests of an application and of the packages in it. */
export function readManifests(folder: string): Manifest[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|\/)package\.json$/.test(path) && !path.includes('node_modules'))
    .map((path) => readJson(join(folder, path)))
}

function readJson(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function link(modules: string, names: readonly string[], from: string): void {
  for (const name of names) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(from, name), join(modules, name))
  }
}

/** Translates to JavaScript what the compiler options of the application include, without a look at the types. */
export function transpile({ server }: Fixture): void {
  const path = join(server, 'tsconfig.json')
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  const { options = {}, fileNames = [] } = ts.getParsedCommandLineOfConfigFile(path, {}, host) ?? {}

  for (const file of fileNames) {
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      fileName: file,
      compilerOptions: { ...options, ignoreDeprecations: '5.0', isolatedModules: true }
    })
    const target = join(
      options.outDir as string,
      file.slice((options.rootDir as string).length).replace(/ts$/, 'js')
    )

    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, outputText)
  }
}

/** Compiles an application by its own options. Returns what the compiler says. */
export async function compile({ server }: Fixture): Promise<string> {
  return (await runNode([TSC, '-p', '.'], { cwd: server })).stdout
}

/** Runs the tests of an application. Returns how many passed and failed. */
export async function runTests({ server }: Fixture, path: string): Promise<string> {
  const files = readdirSync(join(server, path)).filter((file) => /\.test\.[jt]s$/.test(file))
  const { stdout } = await runNode(
    ['--test', '--test-concurrency=1', '--test-reporter=tap', ...files.map((file) => join(path, file))],
    {
      cwd: server,
      env: { ...process.env, PORT: String(await findPort()), NODE_TEST_CONTEXT: undefined }
    }
  )
  const count = (name: string) => new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1]
  const failed = count('fail')

  return `${count('pass')} passed, ${failed} failed${failed === '0' ? '' : `\n${stdout}`}`
}

/** Makes the calls of the session of an application. Returns a line for each, and what went wrong in the end. */
export async function runSession({ server }: Fixture, entry: string, mode = 'test'): Promise<string[]> {
  const { stdout, stderr, code } = await runNode(
    [join(import.meta.dirname, 'session.mjs'), entry, 'session.json'],
    { cwd: server, env: { ...process.env, PORT: String(await findPort()), NODE_ENV: mode } }
  )

  return [...stdout.trim().split('\n'), ...(code === 0 ? [] : [`ended with code ${code}\n${stderr}`])]
}
