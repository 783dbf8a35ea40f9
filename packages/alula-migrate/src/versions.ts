import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from './project.ts'

export type Version = readonly [major: number, minor: number, patch: number]

/** The lowest version of a range; of what has none, `NaN`, which comes before nothing. */
export function toVersion(range = ''): Version {
  const [, major, minor = 0, patch = 0] = /^\D{0,2}(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(range) ?? []

  return [Number(major), Number(minor), Number(patch)]
}

/** Whether a range begins with a version, as `*` and tags do not. */
export function isVersion(range: string | undefined): boolean {
  return !Number.isNaN(toVersion(range)[0])
}

/** Whether the lowest version of a range is below another version. */
export function isBefore(range: string | undefined, version: Version): boolean {
  const own = toVersion(range)
  const index = own.findIndex((number, position) => number !== version[position])

  return index !== -1 && (own[index] as number) < (version[index] as number)
}

/**
 * Reads which version of a package a lock file installs: that of npm, Yarn or pnpm.
 *
 * @param folders Where it may be; the first one that has a lock file decides
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
