// What an installation puts on the disk.
import { execFile } from 'node:child_process'
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
 * Installs packages into a folder of their own, as for production, and removes it again.
 *
 * @param {Record<string, string>} dependencies What stands in a `package.json`
 * @returns How many packages came, and how many bytes all their files have
 */
export function measureInstall(dependencies) {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await run('npm', [...INSTALL, '--prefix', folder], { cwd: folder })

    return measureFolder(join(folder, 'node_modules'))
  })
}

/** The same for alula, as `npm publish` would pack it now. */
export function measureInstallOfAlula() {
  return inFolder(async (folder) => {
    // Its `prepare` would build it anew, while others may use what is there.
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
    const { stdout } = await run('npm', pack, { cwd: toPath('..') })
    const [{ filename }] = JSON.parse(stdout)

    return measureInstall({ alula: `file:${join(folder, filename)}` })
  })
}

async function measureFolder(folder) {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))

  return {
    packages: files.filter((file) => PACKAGE.test(file)).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0)
  }
}

async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), 'alula-bench-'))

  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
