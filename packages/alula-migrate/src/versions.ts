import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lt, minVersion, validRange } from 'semver'
import { readJson } from './project.ts'

/** Whether the lowest version of a range is below another version; nothing for tags, and for ranges without one. */
export function isBefore(range: string | undefined, version: string): boolean | undefined {
  const lowest = range && validRange(range) ? minVersion(range) : null

  return lowest && lowest.version !== '0.0.0' ? lt(lowest, version) : undefined
}

/**
 * Reads which version of a package a lock file installs: that of npm, Yarn or pnpm, in the first of the folders that has one.
 */
export function readLocked(folders: readonly string[]): (name: string) => string | undefined {
  const find = (file: string) => folders.map((folder) => join(folder, file)).find((path) => existsSync(path))
  const npm = find('package-lock.json')

  if (npm !== undefined) {
    const lock = readJson(npm)

    return (name) =>
      lock.getString('packages', `node_modules/${name}`, 'version') ??
      lock.getString('dependencies', name, 'version')
  }

  const other = find('yarn.lock') ?? find('pnpm-lock.yaml')
  const text = other === undefined ? '' : readFileSync(other, 'utf8')

  return (name) => {
    const start = `^\\s*["'/]*${name.replace(/[/.]/g, '\\$&')}`
    const version = new RegExp(`${start}(?:@[^\\n]*:\\n\\s+version:? "?|[@/])(\\d+\\.\\d+\\.\\d+)`, 'm')

    return version.exec(text)?.[1]
  }
}
