import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * Makes a folder in which modules find alula, and everything that is installed here.
 *
 * @param packages Where further packages are
 */
export function createPackageFolder(packages = join(ROOT, 'node_modules')): string {
  const cache = join(packages, '.cache')

  mkdirSync(cache, { recursive: true })

  const folder = mkdtempSync(join(cache, 'alula-'))

  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/alula'))

  return folder
}
