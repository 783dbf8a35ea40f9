import { getInternals, type Internals } from '../core/internals.ts'
import type { MountedHandler, RouteLookup } from '../core/types.ts'
import { stripPrefix } from '../utils/path.ts'

/** What a path leads to: a service, or a mounted function. */
export type HttpTarget = RouteLookup | MountedTarget

/** A mounted function, the path that it is mounted for, and the path that it gets. */
export interface MountedTarget {
  readonly mounted: MountedHandler
  readonly prefix: string
  readonly path: string
}

/** The part of an application that finds services. */
interface RoutedApplication {
  lookup(path: string): RouteLookup | null
}

/**
 * Finds the service of a request path, or `null`. A path with an empty segment has none: middleware that guards `/users`
 * does not see `//users`.
 *
 * @param app The application
 * @param path The path, without the prefix of the transport
 */
export function findRoute(app: RoutedApplication, path: string): RouteLookup | null {
  return path.includes('//') ? null : app.lookup(path)
}

/** Finds what a request path leads to: a mounted function, or else a service; `null` for neither. */
export function findTarget(app: RoutedApplication, path: string, prefix: string): HttpTarget | null {
  const inside = stripPrefix(path, prefix)

  return inside === null ? null : (findMounted(getInternals(app).mounts, inside) ?? findRoute(app, inside))
}

/** Whether a target is a mounted function. */
export function isMounted(target: HttpTarget): target is MountedTarget {
  return 'mounted' in target
}

/** The longest prefix wins. */
function findMounted(mounts: Internals['mounts'], path: string): MountedTarget | null {
  if (mounts.size === 0 || path.includes('//')) return null

  let found: MountedTarget | null = null

  // Prefix by prefix and not segment by segment: clients decide on the number of segments.
  for (const [prefix, mounted] of mounts) {
    if (prefix.length > (found?.prefix.length ?? 0) && stripPrefix(path, prefix) !== null)
      found = { mounted, prefix, path }
  }

  return found
}
