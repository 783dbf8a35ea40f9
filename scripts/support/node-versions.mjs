import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVERS = fileURLToPath(new URL('../../test/servers/node_modules', import.meta.url))

/**
 * Finds a version of Node: this one, or one that `scripts/install-servers.mjs` has installed.
 *
 * @param {string} version The first part of its number: `22`
 * @returns {string} The path of its program
 * @throws Error that says how to get it
 */
export function findNode(version) {
  if (process.versions.node.split('.')[0] === version) return process.execPath

  const path = join(SERVERS, `node-${version}`, 'bin', 'node')

  if (existsSync(path)) return path

  throw new Error(
    `Node ${version} is not there: node scripts/install-servers.mjs installs 22 and 24 on Linux with an x64 processor. Elsewhere, change to Node ${version} yourself and run 'npm test'`
  )
}

/** The environment in which the commands `node` and `npm` are those of a program of Node. */
export function toEnv(node) {
  return { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
}
