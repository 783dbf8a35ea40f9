import { isUtf8 } from 'node:buffer'
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix, relative, sep } from 'node:path'
import { escapePath, globSync } from 'tinyglobby'
import { foldersAround } from './project.ts'

/** What a folder holds that a migration looks at; paths are relative to it, with slashes. */
export interface FoundFiles {
  /** JavaScript and TypeScript, scripts of Node.js without an ending, and components with scripts in them. */
  readonly sources: readonly string[]
  /** Folders with a `package.json` of their own that lists packages of Feathers. */
  readonly packages: readonly string[]
}

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte)$/
const SKIPPED = ['node_modules', 'dist', 'build', 'coverage']

/**
 * Looks for the sources of a project. What is hidden, made by a tool, ignored by git under its plain name, or behind a symbolic
 * link is left out, and so is JavaScript that was compiled from TypeScript: beside it, or into one of the folders `compiled`.
 */
export function findFiles(root: string, compiled: readonly string[] = []): FoundFiles {
  const paths = globSync('**', { cwd: root, ignore: readIgnored(root), followSymbolicLinks: false }).sort()
  const all = new Set(paths)
  const folders = paths.filter((path) => path.endsWith('/package.json')).map((path) => posix.dirname(path))
  const isBelow = (path: string, around: readonly string[]) =>
    around.some((folder) => path.startsWith(`${folder}/`))
  const packages = folders.filter((folder) =>
    /"(?:@feathersjs\/|alula")/.test(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  )
  const isCompiled = (path: string) =>
    /jsx?$/.test(path) && (all.has(path.replace(/js(x?)$/, 'ts$1')) || isBelow(path, compiled))
  const isSource = (path: string) => SOURCE.test(path) || isScript(join(root, path))

  return {
    sources: paths.filter((path) => !isBelow(path, packages) && !isCompiled(path) && isSource(path)),
    packages: packages.filter((folder) => !isBelow(folder, packages))
  }
}

/** Reads a file, with its byte order mark. Returns nothing for what is not UTF-8: it would not come back as it was. */
export function readText(path: string): string | undefined {
  const bytes = readFileSync(path)

  return isUtf8(bytes) ? bytes.toString() : undefined
}

/** Replaces a file in one step: readers get the old text or the new one, never a part. */
export function writeText(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)

  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    // The mode of a new file is cut by the mask of the process.
    chmodSync(temporary, statSync(path).mode)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Patterns for what is ignored: names and paths of `.gitignore` without patterns, which is how folders are listed there
 * that a build fills. In a repository, the files of the folders around count too.
 */
function readIgnored(root: string): string[] {
  const around = foldersAround(root)
  const repository = around.findIndex((folder) => existsSync(join(folder, '.git')))
  const ignored = SKIPPED.map((name) => `**/${name}`)

  for (const folder of around.slice(0, Math.max(repository, 0) + 1)) {
    const file = join(folder, '.gitignore')
    const lines = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split(/\r?\n/)
          .map((line) => line.trim())
      : []

    for (const line of lines.filter((line) => /^[^#!*?[\]]+$/.test(line))) {
      const path = line.replace(/^\/|\/$/g, '')
      const start = line.startsWith('/') || path.includes('/') ? relative(root, folder).split(sep) : ['**']

      ignored.push([...start.filter(Boolean), escapePath(path)].join('/'))
    }
  }

  return ignored
}

/** Whether a file without an ending begins with the name of Node.js. */
function isScript(path: string): boolean {
  return extname(path) === '' && /^\uFEFF?#!.*\bnode\b/.test(readText(path) ?? '')
}
