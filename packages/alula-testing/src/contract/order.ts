// The order in which the operations of a document are called.
import type { ManifestService } from 'alula/plugin'
import type { Operation } from '../document-requests.ts'

/** What makes records comes first, and what removes them last. */
const ORDER: readonly string[] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']

/**
 * Makes what compares two operations. Parents are created before the records in their path, and removed after them. A record
 * that a relation points to is removed after the records that point to it: a database may remove those with it.
 */
export function createOrder(
  services: readonly ManifestService[]
): (first: Operation, second: Operation) => number {
  const levels = toLevels(services)

  const rank = ({ verb, path, tags: [tag = ''] }: Operation) => {
    const isCreating = verb === 'POST' && path.split('/').length === tag.split('/').length + 1
    const depth = path.split('/').length / 100

    if (verb === 'POST') return isCreating || !path.includes('{') ? depth * Number(path.includes('{')) : 3

    return ORDER.indexOf(verb) - (verb === 'DELETE' ? depth : 0)
  }
  const compareLevels = ({ tags: [first = ''] }: Operation, { tags: [second = ''] }: Operation) =>
    (levels.get(second) ?? 0) - (levels.get(first) ?? 0)

  return (first, second) =>
    (first.verb === 'DELETE' && second.verb === 'DELETE' && compareLevels(first, second)) ||
    rank(first) - rank(second)
}

/** The length of the longest chain of relations from each service. */
function toLevels(services: readonly ManifestService[]): ReadonlyMap<string, number> {
  const targets = new Map(services.map((service) => [service.path, listTargets(service, services)]))

  // What points to itself on the way counts once.
  const toLevel = (path: string, seen: ReadonlySet<string>): number => {
    const next = (targets.get(path) ?? []).filter((target) => !seen.has(target))

    return Math.max(0, ...next.map((target) => 1 + toLevel(target, new Set([...seen, target]))))
  }

  return new Map(services.map(({ path }) => [path, toLevel(path, new Set([path]))]))
}

/** The services that records of a service point to, whichever side declares it. */
function listTargets(
  { path, parent = {}, definition }: ManifestService,
  services: readonly ManifestService[]
): readonly string[] {
  const own = Object.values(definition?.relations ?? {}).filter(({ kind }) => kind === 'one')
  const others = services.filter((other) =>
    Object.values(other.definition?.relations ?? {}).some(
      (relation) =>
        relation.path === path && relation.kind !== 'one' && !('through' in relation && relation.through)
    )
  )

  return [
    ...new Set([
      ...own.map((relation) => relation.path),
      ...Object.values(parent).map(({ service }) => service),
      ...others.map((other) => other.path)
    ])
  ]
}
