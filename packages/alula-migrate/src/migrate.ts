import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rewriteCompilerOptions } from './compiler-options.ts'
import { rewriteConfiguration } from './configuration.ts'
import { findFiles, readText, writeText } from './files.ts'
import { COMPANIONS, listDependencies, refusePreRelease, rewriteManifest } from './manifest.ts'
import { lookUp } from './packages.ts'
import { findCompiled, findModules, foldersAround, readCompilerOptions, readJson } from './project.ts'
import { rewriteSource } from './rewrite.ts'
import { type Rewritten, unchanged } from './rewritten.ts'
import { readLocked } from './versions.ts'

export interface MigrationOptions {
  /** Whether files stay as they are. */
  readonly dryRun?: boolean
}

/** What a migration did to one file, or would do. */
export interface MigratedFile extends Pick<Rewritten, 'changes' | 'remarks'> {
  /** Relative to the folder. */
  readonly path: string
}

/**
 * Moves a project from Feathers v5 to alula: its sources, its `package.json`, its `tsconfig.json` and its configuration, and
 * each package below that lists packages of Feathers. Everything is read before the first file is written. Returns what there
 * is to say about each file that it read, by line. Throws an Error for a project on a pre-release of Feathers v5.
 */
export function migrateFolder(folder: string, { dryRun = false }: MigrationOptions = {}): MigratedFile[] {
  const rewritten = planFolder(folder, '')

  for (const [path, { text, changes }] of dryRun ? [] : rewritten) {
    if (changes.length > 0) writeText(join(folder, path), text)
  }

  return [...rewritten].map(([path, { changes, remarks }]) => {
    return { path, changes: changes.toSorted(byLine), remarks: remarks.toSorted(byLine) }
  })
}

function byLine(a: { readonly line: number }, b: { readonly line: number }): number {
  return a.line - b.line
}

/** Sources in TypeScript, and no declarations of types alone. */
const TYPED = /(?<!\.d)\.[cm]?tsx?$/

/** What becomes of each file of a folder in the project, by its path from there. */
function planFolder(root: string, path: string): Map<string, Rewritten> {
  const folder = join(root, path)
  const manifest = readJson(join(folder, 'package.json'))
  const listed = listDependencies(manifest)
  const refusal = refusePreRelease(listed)

  if (refusal !== undefined) throw new Error(`${join(path, 'package.json')} ${refusal}.`)

  const found = findFiles(folder, findCompiled(folder))
  const rewritten = new Map<string, Rewritten>()
  const packages = new Set<string>()
  const take = (name: string, rewrite: (text: string) => Rewritten): void => {
    const text = readText(join(folder, name))
    const result = text === undefined ? unchanged('', 'is not UTF-8, and stays as it is') : rewrite(text)

    rewritten.set(join(path, name), result)
    for (const one of result.packages) packages.add(one)
  }
  const has = (name: string) => existsSync(join(folder, name))
  const below = found.packages.flatMap((name) => [...planFolder(root, join(path, name))])

  for (const name of found.sources)
    take(name, (text) => rewriteFile(name, text, listed.has('@feathersjs/koa')))

  const isMoved = packages.has('alula')

  if (has('package.json')) {
    const isTyped = has('tsconfig.json') || found.sources.some((name) => TYPED.test(name))
    const isTypedBelow = below.some(([name, result]) => TYPED.test(name) && result.packages.has('alula'))
    const locked = readLocked(foldersAround(folder))

    take('package.json', (text) => rewriteManifest(text, { packages, isTyped, isTypedBelow, locked }))
  } else if (isMoved) {
    const text =
      "is not in this folder: list 'alula' in that of the package, or run alula-migrate where it is"

    rewritten.set(join(path, 'package.json'), unchanged('', text))
  }
  if (isMoved && has('tsconfig.json')) {
    take('tsconfig.json', (text) =>
      rewriteCompilerOptions(text, {
        isModule: manifest.getString('type') === 'module',
        hasHostedTypes: [...listed.keys(), ...packages].some(hasFeathersTypes),
        options: readCompilerOptions(join(folder, 'tsconfig.json')),
        path: join(folder, 'tsconfig.json'),
        modules: findModules(folder)
      })
    )
  }
  if (isMoved && has('config/default.json')) take('config/default.json', rewriteConfiguration)

  return new Map([...rewritten, ...below])
}

/** What else a file can import that concerns the migration: packages that came with those of Feathers. */
const CONCERNED = new RegExp(
  `['"](?:@feathersjs/|(?:alula|${Object.keys(COMPANIONS).join('|')}|@koa/router|koa-router)[/'"])`
)

function rewriteFile(path: string, text: string, hasKoa: boolean): Rewritten {
  if (!CONCERNED.test(text)) return unchanged(text)
  if (/\.(?:vue|svelte)$/.test(path)) {
    const isReplaced = [...text.matchAll(/['"](@feathersjs\/[^'"]+)['"]/g)].some(
      ([, specifier = '']) => lookUp(specifier)?.kind === 'replaced'
    )

    return unchanged(text, isReplaced ? 'the imports of its script are left to you' : undefined)
  }

  try {
    return rewriteSource(text, path, hasKoa)
  } catch (error) {
    const remark = `cannot be parsed, and stays as it is: ${(error as Error).message}`

    return unchanged(text, text.includes('@feathersjs/') ? remark : undefined)
  }
}

/** Whether the types of a package are written with those of `@feathersjs/feathers`. */
function hasFeathersTypes(name: string): boolean {
  return name.startsWith('feathers-') || (lookUp(name)?.kind === 'kept' && !NO_TYPES.includes(name))
}

const NO_TYPES = ['@feathersjs/cli', '@feathersjs/generators', '@feathersjs/hooks']
