import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { rewriteCompilerOptions } from './compiler-options.ts'
import { findFiles, readText, writeText } from './files.ts'
import { getText, locateJson } from './json.ts'
import { listDependencies, rewriteManifest } from './manifest.ts'
import { lookUp } from './packages.ts'
import { rewriteSource } from './rewrite.ts'
import type { Change, Remark, Rewritten } from './rewritten.ts'

export interface MigrationOptions {
  /** Whether files stay as they are. */
  readonly dryRun?: boolean
}

/** What a migration did to one file, or would do. */
export interface MigratedFile {
  /** Relative to the folder. */
  readonly path: string
  readonly changes: readonly Change[]
  readonly remarks: readonly Remark[]
}

/**
 * Moves a project from Feathers v5 to alula: its sources, its `package.json` and its `tsconfig.json`. Everything is
 * read before the first file is written.
 *
 * @param folder The folder of the project
 * @param options Whether to write
 * @returns What there is to say about each file that it read
 */
export function migrateFolder(folder: string, { dryRun = false }: MigrationOptions = {}): MigratedFile[] {
  const { sources, components, packages: nested } = findFiles(folder)
  const rewritten = new Map<string, Rewritten>()
  const packages = new Set<string>()
  const take = (path: string, rewrite: (text: string) => Rewritten): Rewritten => {
    const text = readText(join(folder, path))
    const result = text === undefined ? unreadable() : rewrite(text)

    rewritten.set(path, result)

    return result
  }

  for (const path of sources) {
    for (const name of take(path, rewriteFile(path)).packages) packages.add(name)
  }
  for (const path of components) take(path, remarkOnComponent)
  takeManifest(folder, packages, take)
  if (packages.has('alula') && !rewritten.has('package.json')) {
    rewritten.set('package.json', remarkOnMissing())
  }
  for (const path of nested) rewritten.set(path, remarkOnPackage())

  if (!dryRun) {
    for (const [path, { text, changes }] of rewritten) {
      if (changes.length > 0) writeText(join(folder, path), text)
    }
  }

  return [...rewritten].map(([path, { changes, remarks }]) => ({ path, changes, remarks }))
}

function rewriteFile(path: string): (text: string) => Rewritten {
  const jsx = !['.ts', '.mts', '.cts'].includes(extname(path))

  return (text) => (text.includes('@feathersjs/') ? rewriteSource(text, { jsx }) : nothing(text))
}

/** `package.json`, and `tsconfig.json`, which depends on it. */
function takeManifest(
  folder: string,
  packages: ReadonlySet<string>,
  take: (path: string, rewrite: (text: string) => Rewritten) => Rewritten
): void {
  const has = (path: string) => existsSync(join(folder, path))

  if (!has('package.json')) return

  const root = locateJson(readText(join(folder, 'package.json')) ?? '')
  const listed = [...listDependencies(root).keys()]
  const isTyped = listed.includes('typescript') || has('tsconfig.json')

  take('package.json', (text) => rewriteManifest(text, { packages, isTyped }))

  if (has('tsconfig.json') && packages.has('alula')) {
    take('tsconfig.json', (text) =>
      rewriteCompilerOptions(text, {
        isModule: getText(root, 'type') === 'module',
        hasHostedTypes: [...listed, ...packages].some(hasFeathersTypes)
      })
    )
  }
}

/** Whether the types of a package are written with those of `@feathersjs/feathers`. */
function hasFeathersTypes(name: string): boolean {
  return name.startsWith('feathers-') || (lookUp(name)?.kind === 'kept' && !NO_TYPES.has(name))
}

const NO_TYPES: ReadonlySet<string> = new Set([
  '@feathersjs/cli',
  '@feathersjs/generators',
  '@feathersjs/hooks'
])

function remarkOnComponent(text: string): Rewritten {
  const isConcerned = [...text.matchAll(/['"](@feathersjs\/[^'"]+)['"]/g)].some(
    ([, specifier]) => lookUp(specifier as string)?.kind === 'replaced'
  )

  return isConcerned ? remarkOnly('the imports of its script are left to you') : nothing(text)
}

function remarkOnPackage(): Rewritten {
  return remarkOnly('is a package of its own: run alula-migrate in it')
}

function remarkOnMissing(): Rewritten {
  return remarkOnly(
    "is not in this folder: list 'alula' in that of the package, or run alula-migrate where it is"
  )
}

function unreadable(): Rewritten {
  return remarkOnly('is not UTF-8, and left as it is')
}

/** A remark on a file that is not written. */
function remarkOnly(sentence: string): Rewritten {
  const remark: Remark = { line: 1, text: sentence, anchor: 'manual-changes' }

  return { text: '', changes: [], remarks: [remark], packages: new Set() }
}

function nothing(text: string): Rewritten {
  return { text, changes: [], remarks: [], packages: new Set() }
}
