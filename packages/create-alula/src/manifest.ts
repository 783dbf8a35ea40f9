import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Choices } from './choices.ts'

/** Where the packages of alula come from. */
export interface Origin {
  /** The version that is made for. */
  readonly version: string
  /** A folder with their tarballs, in place of the registry. */
  readonly packages?: string | undefined
}

/** What is written to `package.json`. */
export interface Manifest {
  engines?: { node: string }
  scripts?: { [name: string]: string }
  dependencies?: { [name: string]: string }
  devDependencies?: { [name: string]: string }
  [key: string]: unknown
}

/** Merges files `package.json`, at every depth. A value of a later one takes precedence, and `null` removes the key. */
export function mergeManifests(manifests: readonly object[]): Manifest {
  const merged: { [key: string]: unknown } = {}

  for (const [key, value] of manifests.flatMap((manifest) => Object.entries(manifest))) {
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) && isObject(merged[key]) ? mergeManifests([merged[key], value]) : value
  }

  return merged
}

/**
 * Completes a merged manifest: the versions of alula, the scripts for this version of Node, and packages in the order of npm.
 */
export function toManifest(manifest: Manifest, choices: Choices, origin: Origin): Manifest {
  const needsLoader = choices.language === 'typescript' && !stripsTypes()
  // The script `dev` of a server is `tsx watch`: `node --watch` misses files that are replaced by another one.
  const needsTsx = needsLoader || choices.template !== 'express'
  const { engines, scripts = {}, dependencies = {}, devDependencies = {}, ...rest } = manifest

  return {
    ...rest,
    // The scripts run the sources, which are TypeScript.
    ...(engines && {
      engines: choices.language === 'typescript' && !needsLoader ? { node: '>=22.18' } : engines
    }),
    scripts: Object.fromEntries(
      Object.entries(scripts).map(([name, script]) => [
        choices.template === 'express' && !name.startsWith('api:') ? `api:${name}` : name,
        needsLoader ? script.replace(/^node src\//, 'node --import tsx src/') : script
      ])
    ),
    dependencies: toPackages(dependencies, origin),
    devDependencies: toPackages({ ...devDependencies, ...(needsTsx && { tsx: '^4.23.15' }) }, origin)
  }
}

/** Whether this version of Node runs TypeScript. Its types are those of an older version. */
function stripsTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: string | false }).typescript)
}

function toPackages(packages: { readonly [name: string]: string }, origin: Origin) {
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))

  return Object.fromEntries(
    sorted.map(([name, range]) => [name, /^alula(-|$)/.test(name) ? toSource(name, origin) : range])
  )
}

function toSource(name: string, { version, packages }: Origin): string {
  if (packages === undefined) return `^${version}`

  const pattern = new RegExp(`^${name}-\\d.*\\.tgz$`)
  const file = readdirSync(packages).find((file) => pattern.test(file))

  if (file === undefined) throw new Error(`There is no tarball of '${name}' in '${packages}'`)

  return `file:${join(resolve(packages), file)}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
