import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Reads the sources of all packages of this repository, parsed.
 *
 * @param {string} [root] The repository
 * @returns {ts.SourceFile[]} Each with its path from the root as `fileName`: `src/core/router.ts`
 */
export function readSources(root = ROOT) {
  return listFiles(root)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

/** Parses a source; its nodes know their parents. */
export function parseSource(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

/** The paths of all files of a folder of sources: `src`, and `packages/*\/src` where there are any. */
export function listFiles(root = ROOT) {
  const packages = join(root, 'packages')
  const folders = existsSync(packages) ? readdirSync(packages).map((name) => `packages/${name}/src`) : []

  return ['src', ...folders]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
    )
    .sort()
}

/** Calls a function with each node of a source, a node before those inside of it. */
export function visitNodes(source, visit) {
  function enter(node) {
    visit(node)
    ts.forEachChild(node, enter)
  }

  enter(source)
}
