import { gtr, minVersion, validRange } from 'semver'
import type { Manifest } from './manifest.ts'

/** Versions below those of the templates with which the API works too. */
const LOWEST: { readonly [name: string]: string } = { express: '^4.22.0' }

/**
 * Finds the packages that an application keeps in a version older than the API is made for: a line for each, with both ranges.
 * `wanted` is the `package.json` that the API would have alone.
 */
export function findOldPackages(present: Manifest, wanted: Manifest): string[] {
  const kept = [present.dependencies, present.devDependencies].flatMap((packages) =>
    Object.entries(packages ?? {})
  )
  const ranges = { ...wanted.dependencies, ...wanted.devDependencies }

  return kept.flatMap(([name, range]) => {
    const made = Object.hasOwn(ranges, name) ? ranges[name] : undefined

    return made !== undefined && isOlder(range, LOWEST[name] ?? made)
      ? [`${name} ${range}, and the API is made for ${made}`]
      : []
  })
}

/** Whether a range allows only older versions than another. What is no range, such as a tag, may be any version. */
function isOlder(range: string, other: string): boolean {
  const lowest = validRange(range) !== null && validRange(other) !== null ? minVersion(other) : null

  return lowest !== null && gtr(lowest, range)
}
