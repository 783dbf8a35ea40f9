import { getServiceOptions } from '../core/service.ts'
import type { Application, HookContext } from '../core/types.ts'
import { isFunction } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { toBadRequest } from './faults.ts'
import {
  findProperty,
  getProperties,
  getTypes,
  isOpenObject,
  type JsonSchema,
  toAlternatives,
  toNames
} from './json-schema.ts'
import { isCountRelation, type Relation } from './relation.ts'

/** The relations of a service by name. */
export type Relations = Readonly<Record<string, Relation>>

/** What a call includes: by the name of a relation, what its records include in turn. */
export type Includes = ReadonlyMap<string, readonly string[]>

/** How deep `$include` may go, and how many relations it may name, those on the way among them. */
export const MAX_LEVELS = 3
export const MAX_NAMES = 10

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

/**
 * Checks that the services of relations are there, and let clients query what relations ask for: otherwise related
 * records would be missing without a word.
 *
 * @param app The application, when it is set up
 * @param path The path of the service that has the relations
 * @param relations The relations
 * @throws Error that names the relation and what it needs
 */
export function assertRelated(app: Application, path: string, relations: Relations): void {
  for (const [name, relation] of Object.entries(relations)) {
    const through = 'through' in relation ? relation.through : undefined
    const own = getDefinition(app, path)?.record
    const asked = [relation.to ?? [], 'filter' in relation ? relation.filter : []].flat()

    if (own && relation.from !== undefined && isCompound(own, relation.from)) {
      throw createTypeError(
        'ALULA_INVALID_RELATION',
        `The relation '${name}' of service '${path}' starts from '${relation.from}', which is an object or a list: it needs a single value, such as an id`
      )
    }

    for (const other of [relation.path, ...(through ? [through.path] : [])]) {
      if (!Object.hasOwn(app.services, other)) {
        throw createError(
          'ALULA_UNKNOWN_SERVICE',
          `The relation '${name}' of service '${path}' needs the service '${other}', which is not registered${didYouMean(other, Object.keys(app.services))}`
        )
      }
      if (!isFunction(app.services[other].find)) {
        throw createError(
          'ALULA_UNKNOWN_METHOD',
          `The relation '${name}' of service '${path}' needs the method 'find' of '${other}'`
        )
      }
    }

    const linked = through && getDefinition(app, through.path)?.record
    const unlinked = linked && [through.from, through.to].find((field) => !toNames(linked).includes(field))

    if (unlinked !== undefined) {
      throw createError(
        'ALULA_UNKNOWN_FIELD',
        `The relation '${name}' of service '${path}' asks '${through?.path}' for '${unlinked}', which its schema does not declare`
      )
    }

    const related = getDefinition(app, relation.path)
    const fields = related?.query?.fields
    const missing = fields && asked.find((field) => !Object.hasOwn(fields, field))
    // A schema for queries says nothing of it: no client has written the query of a relation.
    const isUndeclared = related && !fields && relation.to !== undefined && !mayHave(related, relation.to)

    if (missing !== undefined) {
      throw createError(
        'ALULA_UNKNOWN_FIELD',
        `The relation '${name}' of service '${path}' asks '${relation.path}' for '${missing}', which its clients cannot query`
      )
    }
    if (isUndeclared) {
      throw createError(
        'ALULA_UNKNOWN_FIELD',
        `The relation '${name}' of service '${path}' asks '${relation.path}' for '${relation.to}', which its schema does not declare`
      )
    }
  }
}

/**
 * Whether a relation leads to records that not all callers may find: then events do not carry them.
 *
 * @param context The context of the call
 * @param relation The relation
 */
export function isPrivate({ app }: HookContext, { path }: Relation): boolean {
  const { access } = getServiceOptions(app.service(path))

  return access !== undefined && access.who?.('find') !== 'anyone'
}

/** The relations of the service at a path; none where it has no schema, or is not registered. */
export function getRelations({ app }: HookContext, path: string): Relations {
  return getDefinition(app, path)?.relations ?? {}
}

/** Whether a field is never a single value. An object without properties may stand for an id of a database. */
function isCompound(record: JsonSchema, field: string): boolean {
  const parts = findProperty(toAlternatives(record, record), field)
    .flatMap((part) => toAlternatives(part, record))
    .map((part) => ({ part, types: getTypes(part).filter((type) => type !== 'null') }))
    .filter(({ part, types }) => types.length > 0 || !getTypes(part).includes('null'))

  return (
    parts.length > 0 &&
    parts.every(({ part, types }) => getProperties(part).size > 0 || types.join() === 'array')
  )
}

function mayHave({ record, extra }: NonNullable<Declared['definition']>, name: string): boolean {
  return extra === 'keep' || isOpenObject(record) || toNames(record).includes(name)
}

function getDefinition(app: Application, path: string): Declared['definition'] {
  const service = app.services[path]

  return service && (getServiceOptions(service)?.schema as Declared | undefined)?.definition
}

/** The part of a declaration that is read here. */
interface Declared {
  readonly definition?:
    | {
        readonly record: JsonSchema
        readonly relations: Relations
        readonly extra: 'drop' | 'keep'
        readonly query?: { readonly fields?: object }
      }
    | undefined
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
