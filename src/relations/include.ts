import { getServiceOptions } from '../core/service.ts'
import type { Application, HookContext } from '../core/types.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { toBadRequest } from '../schema/faults.ts'
import { isCountRelation, MAX_LEVELS, MAX_NAMES, type Relations } from '../schema/relation.ts'
import { isString } from '../utils/check.ts'
import { didYouMean } from '../utils/did-you-mean.ts'

/** What a call includes: by the name of a relation, what its records include in turn. */
export type Includes = ReadonlyMap<string, readonly string[]>

/**
 * Reads `$include`: a name, or an array of names such as `comments.author`. An empty string is an empty list, which URLs cannot
 * write otherwise. Throws BadRequest for names that are no relations, and for too many.
 */
export function readIncludes({ app }: HookContext, $include: unknown, relations: Relations): Includes {
  const names = [$include].flat().filter((name) => name !== '')

  if (!names.every(isString)) refuse('expects names of relations')

  const fault = findFault(app, names, relations)

  if (fault !== undefined) refuse(fault)

  return toIncludes(names)
}

/** What is wrong with names of relations; `undefined` where nothing is. */
export function findFault(
  app: Application,
  names: readonly string[],
  relations: Relations
): string | undefined {
  if (names.some((name) => name.split('.').length > MAX_LEVELS)) return `expects at most ${MAX_LEVELS} levels`

  const all = new Set(names.flatMap(toSteps))

  if (all.size > MAX_NAMES) return `expects at most ${MAX_NAMES} relations`

  return [...all].map((name) => findUnknown(app, name, relations)).find((fault) => fault !== undefined)
}

/** What is included by names of relations that there are. */
export function toIncludes(names: readonly string[]): Includes {
  return toTree(new Set(names.flatMap(toSteps)))
}

/** The relations of the service at a path; none where it has no schema, or is not registered. */
export function getRelations(app: Application, path: string): Relations {
  const { schema } = getServiceOptions(app.services[path] ?? {}) ?? {}
  const { relations, definition } = (schema ?? {}) as Partial<DescribedExtension>

  // The definition of a table is there once it was read.
  return relations ?? definition?.relations ?? {}
}

/** `comments.author` includes `comments` too. */
function toSteps(name: string): readonly string[] {
  const parts = name.split('.')

  return parts.map((_, index) => parts.slice(0, index + 1).join('.'))
}

function findUnknown(app: Application, name: string, relations: Relations): string | undefined {
  let known = relations

  for (const part of name.split('.')) {
    const relation = Object.hasOwn(known, part) ? known[part] : undefined

    if (!relation) return toUnknown(name, part, Object.keys(known))

    known = isCountRelation(relation) ? {} : getRelations(app, relation.path)
  }

  return undefined
}

function toUnknown(name: string, part: string, known: readonly string[]): string {
  if (name.includes(',')) return 'expects a list for several relations: $include[]=one&$include[]=other'

  return `has no relation '${name}'${didYouMean(part, known)}`
}

/** By the first of the names on the way, what stands below it. */
export function toTree(names: Iterable<string>): Includes {
  const tree = new Map<string, string[]>()

  for (const name of names) {
    const [first, ...rest] = name.split('.') as [string, ...string[]]
    const within = tree.get(first) ?? []

    tree.set(first, within)
    if (rest.length > 0) within.push(rest.join('.'))
  }

  return tree
}

function refuse(message: string): never {
  throw toBadRequest('query', [{ path: '$include', message }])
}
