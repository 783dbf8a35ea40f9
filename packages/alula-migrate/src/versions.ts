import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
  const read = (file: string) => {
    const path = folders.map((folder) => join(folder, file)).find((one) => existsSync(one))

    return path === undefined ? undefined : readFileSync(path, 'utf8')
  }
  const npm = read('package-lock.json')
  const text = read('yarn.lock') ?? read('pnpm-lock.yaml') ?? ''

  if (npm !== undefined) {
    const { packages = {}, dependencies = {} } = parse(npm)

    return (name) => (packages[`node_modules/${name}`] ?? dependencies[name])?.version
  }

  return (name) => {
    const start = `^\\s*["'/]*${name.replace(/[/.]/g, '\\$&')}`

    return new RegExp(`${start}(?:@[^\\n]*:\\n\\s+version:? "?|[@/])(\\d+\\.\\d+\\.\\d+)`, 'm').exec(
      text
    )?.[1]
  }
}

type Lock = { readonly [name: string]: { readonly version?: string } | undefined }

function parse(text: string): { packages?: Lock; dependencies?: Lock } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
