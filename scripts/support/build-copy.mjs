import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTempFolder } from './temp.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Copies the compiled package of a checkout, to change it or to measure it while `dist` is built anew. The copy uses the
 * packages that are installed here, and is removed when this process ends.
 *
 * @param {string} [checkout] A folder with `dist` and `package.json`; this one by default
 * @returns {string} The folder of the copy, for `ALULA_BUILD` of `redirect.mjs`
 * @throws Error when the folder has no compiled package
 */
export function copyBuild(checkout = ROOT) {
  const source = resolve(checkout)
  const cache = join(ROOT, 'node_modules/.cache')

  if (!existsSync(join(source, 'dist/index.js'))) {
    throw new Error(`There is no compiled package in ${join(source, 'dist')}: run 'npm run build' there`)
  }

  mkdirSync(cache, { recursive: true })

  const folder = createTempFolder(cache)

  for (const name of ['dist', 'package.json']) {
    cpSync(join(source, name), join(folder, name), { recursive: true })
  }

  return folder
}
