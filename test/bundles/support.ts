import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { describeUnless } from '../support/describe-unless.ts'
import { createPackageFolder } from '../support/package-folder.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Packages that only the tests of bundlers need. */
export const BUNDLERS = join(ROOT, 'test/bundlers/node_modules')

/** Tests that run Rollup or webpack. */
export function describeBundlers(name: string, define: () => void): void {
  const lack = existsSync(BUNDLERS)
    ? undefined
    : 'the bundlers are not there: node scripts/install-servers.mjs installs them'

  describeUnless(lack, name, define)
}

export const FORMATS = ['cjs', 'esm'] as const

export type Format = (typeof FORMATS)[number]

/** What `docs/bundling.md` shows: packages in CommonJS call `require`, which a module in ESM does not have. */
const REQUIRE =
  "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);"

/** Packages with native code, which their users import only where they are installed, and one with files beside its code. */
const EXTERNAL = ['pg-native', 'bufferutil', 'utf-8-validate', '@electric-sql/pglite']

/**
 * Makes one file of a program and all that it imports.
 *
 * @param program Its text
 * @param folder Where it imports packages from
 * @param target Where the file is written
 */
export async function bundle(
  program: string,
  format: Format,
  folder: string,
  target: string
): Promise<string> {
  const outfile = join(target, `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`)

  await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    platform: 'node',
    format,
    external: EXTERNAL,
    banner: format === 'esm' ? { js: REQUIRE } : {},
    preserveSymlinks: true,
    logLevel: 'silent',
    outfile
  })

  return outfile
}

/**
 * Runs Rollup with the settings of a section of the page on bundling.
 *
 * @param heading The section
 * @param program The text of the program
 * @param format That of the bundle
 * @param file Where the bundle is written
 */
export async function rollup(
  heading: string,
  program: string,
  format: Format | 'iife',
  file: string
): Promise<void> {
  const folder = withCleanUp(createPackageFolder(BUNDLERS))
  const settings = readBlocks(readSection(await readPage('bundling'), heading), 'js').at(-1) as string

  writeFileSync(join(folder, 'program.mjs'), program)
  writeFileSync(
    join(folder, 'rollup.config.mjs'),
    settings
      .replace(/input: '.*'/, "input: 'program.mjs'")
      .replace(/file: '.*?'/, `file: '${file}'`)
      .replace(/format: '.*?'/, `format: '${format}'`)
  )
  await promisify(execFile)(process.execPath, [join(BUNDLERS, 'rollup/dist/bin/rollup'), '-c', '--silent'], {
    cwd: folder
  })
}

/** A folder with alula and everything that is installed here. */
export function createFullFolder(): string {
  return withCleanUp(createPackageFolder())
}

/** A folder without packages. */
export function createEmptyFolder(): string {
  return withCleanUp(mkdtempSync(join(tmpdir(), 'alula-bundle-')))
}

/** A folder with alula as `npm install alula` leaves it, and some of its optional packages. */
export function createPlainFolder(...optional: readonly string[]): string {
  const folder = createEmptyFolder()
  const own = join(folder, 'node_modules/alula')
  const { dependencies } = readManifest(ROOT)
  const names = new Set([...Object.keys(dependencies), ...optional])

  mkdirSync(own, { recursive: true })
  for (const file of ['package.json', 'dist']) cpSync(join(ROOT, file), join(own, file), { recursive: true })

  for (const name of names) {
    const target = join(folder, 'node_modules', name)

    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), target)
    // Names that are added are iterated, too.
    for (const further of Object.keys(readManifest(target).dependencies ?? {})) names.add(further)
  }

  return folder
}

function readManifest(folder: string): { dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function withCleanUp(folder: string): string {
  onTestFinished(() => rmSync(folder, { recursive: true }))

  return folder
}
