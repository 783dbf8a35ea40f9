// Packages in folders of their own, as an application would have them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toPath } from './lib.mjs'

const run = promisify(execFile)

const INSTALL = [
  'install',
  '--omit=dev',
  '--omit=optional',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  // Who is offline need not wait.
  '--fetch-retries=0'
]

/** `node_modules/name/package.json` or `node_modules/@scope/name/package.json`, however deep. */
const PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/

/**
 * Installs packages into a folder, as for production.
 *
 * @param {string} folder An empty folder
 * @param {Record<string, string>} dependencies What stands in a `package.json`
 * @returns How many packages came, and how many bytes all their files have
 */
export async function install(folder, dependencies) {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await run('npm', [...INSTALL, '--prefix', folder], { cwd: folder })

  const files = (await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))

  return {
    packages: files.filter((file) => PACKAGE.test(file)).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0)
  }
}

/**
 * Packs alula as `npm publish` would pack it now.
 *
 * @param {string} folder Where the tarball goes
 * @returns Its path, its size, and the number and the size of the files in it
 */
export async function packAlula(folder) {
  // Its `prepack` would build it anew, while others may use what is there.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: toPath('..') })
  const [{ filename, size, entryCount, unpackedSize }] = Object.values(JSON.parse(stdout))

  return { file: join(folder, filename), size, files: entryCount, unpackedSize }
}

/** The versions that the other benchmarks run with. */
export function pickVersions(names) {
  const { packages } = JSON.parse(readFileSync(toPath('package-lock.json'), 'utf8'))

  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]))
}

/** Lets something work in a folder that is gone afterwards. */
export async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), 'alula-bench-'))

  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
