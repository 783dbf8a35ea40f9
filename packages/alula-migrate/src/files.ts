import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { foldersAround } from './project.ts'

/** What a folder holds that a migration looks at; paths are relative to it, with slashes. */
export interface FoundFiles {
  /** JavaScript and TypeScript, also scripts of Node.js without an ending. */
  readonly sources: readonly string[]
  /** Files with scripts inside of something else. */
  readonly components: readonly string[]
  /** Folders with a `package.json` of their own that lists packages of Feathers. */
  readonly packages: readonly string[]
}

const SOURCES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'])
const COMPONENTS: ReadonlySet<string> = new Set(['.vue', '.svelte'])
const SKIPPED = ['node_modules', 'dist', 'build', 'coverage']

/**
 * Looks for the sources of a project. What is hidden, made by a tool, ignored by git under its plain name, or behind
 * a symbolic link is left out, and so is JavaScript that was compiled from TypeScript beside it.
 *
 * @param root The folder of the project
 * @param compiled Folders that a compiler fills, whose JavaScript is left out
 */
export function findFiles(root: string, compiled: readonly string[] = []): FoundFiles {
  const found = { sources: [] as string[], components: [] as string[], packages: [] as string[] }
  const ignored = readIgnored(root)

  const visit = (folder: string): void => {
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, item.name)
      const name = relative(root, path).split(sep).join('/')

      if (item.name.startsWith('.') || ignored(path)) continue

      if (item.isDirectory()) {
        if (isFeathersPackage(path)) found.packages.push(name)
        else visit(path)
      } else if (item.isFile()) {
        if (SOURCES.has(extname(name)) || isScript(path)) found.sources.push(name)
        if (COMPONENTS.has(extname(name))) found.components.push(name)
      }
    }
  }

  visit(root)

  const all = new Set(found.sources)
  const isCompiled = (path: string) =>
    /jsx?$/.test(path) &&
    (all.has(path.replace(/js(x?)$/, 'ts$1')) || compiled.some((folder) => path.startsWith(`${folder}/`)))

  return {
    sources: found.sources.filter((path) => !isCompiled(path)).sort(),
    components: found.components.sort(),
    packages: found.packages.sort()
  }
}

/**
 * Reads a file, with its byte order mark.
 *
 * @returns Nothing for what is not UTF-8: it would not come back as it was
 */
export function readText(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return undefined
    throw error
  }
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
 * What is ignored: names and paths of `.gitignore` without patterns, which is how folders are listed there that a build
 * fills. In a repository, the files of the folders around count too.
 */
function readIgnored(root: string): (path: string) => boolean {
  const around = foldersAround(root)
  const repository = around.findIndex((folder) => existsSync(join(folder, '.git')))
  const ignored = new Set(SKIPPED)

  for (const folder of around.slice(0, Math.max(repository, 0) + 1)) {
    const file = join(folder, '.gitignore')
    const lines = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split(/\r?\n/)
          .map((line) => line.trim())
      : []

    for (const line of lines.filter((line) => /^[^#!*?[\]]+$/.test(line))) {
      const path = line.replace(/^\/|\/$/g, '')

      ignored.add(line.startsWith('/') || path.includes('/') ? join(folder, path) : path)
    }
  }

  return (path) => ignored.has(path) || ignored.has(basename(path))
}

/** Whether a file without an ending begins with the name of Node.js. */
function isScript(path: string): boolean {
  return extname(path) === '' && /^\uFEFF?#!.*\bnode\b/.test(readText(path) ?? '')
}

function isFeathersPackage(folder: string): boolean {
  const file = join(folder, 'package.json')

  return existsSync(file) && /"(?:@feathersjs\/|alula")/.test(readFileSync(file, 'utf8'))
}
