import type { HookContext } from '../core/types.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { toBadRequest } from '../schema/faults.ts'
import { isCountRelation, MAX_LEVELS, MAX_NAMES, type Relations } from '../schema/relation.ts'
import { didYouMean } from '../utils/did-you-mean.ts'

/** What a call includes: by the name of a relation, what its records include in turn. */
export type Includes = ReadonlyMap<string, readonly string[]>

/**
 * Reads `$include`.
 *
 * @param context The context of the call
 * @param $include A name, or an array of names such as `comments.author`
 * @param relations The relations of the service
 * @throws BadRequest for names that are no relations, and for too many
 */
export function readIncludes(context: HookContext, $include: unknown, relations: Relations): Includes {
  const names = [$include].flat()

  if (!names.every((name) => typeof name === 'string')) refuse('expects names of relations')

  const all = new Set((names as string[]).flatMap(toSteps))

  if (all.size > MAX_NAMES) refuse(`expects at most ${MAX_NAMES} relations`)
  for (const name of all) assertRelation(context, name, relations)

  return toTree(all)
}

/** The relations of the service at a path; none where it has no schema, or is not registered. */
export function getRelations({ app }: HookContext, path: string): Relations {
  const service = app.services[path]

  return (service && getSchemaDefinition(service)?.relations) ?? {}
}

/** `comments.author` includes `comments` too. */
function toSteps(name: string): readonly string[] {
  const parts = name.split('.')

  if (parts.length > MAX_LEVELS) refuse(`expects at most ${MAX_LEVELS} levels`)

  return parts.map((_, index) => parts.slice(0, index + 1).join('.'))
}

function assertRelation(context: HookContext, name: string, relations: Relations): void {
  let known = relations

  for (const part of name.split('.')) {
    const relation = Object.hasOwn(known, part) ? known[part] : undefined

    if (!relation) refuse(toUnknown(name, part, Object.keys(known)))
    else known = isCountRelation(relation) ? {} : getRelations(context, relation.path)
  }
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
