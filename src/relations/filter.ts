import { isPlainMethod } from '../core/adapter-method.ts'
import type { HookContext, Query } from '../core/types.ts'
import { BadRequest, type FeathersError } from '../errors.ts'
import { addConditions } from '../query/conditions.ts'
import { LOGICAL_OPERATORS } from '../query/operators.ts'
import { type Budget, hasSets, isRelating, isSamePlace, Operand, type SetPlace } from '../query/related.ts'
import { refuseUndefined } from '../query/undefined.ts'
import { keepValidated } from '../query/validated.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { toBadRequest } from '../schema/faults.ts'
import { isHidden } from '../schema/fields.ts'
import { describeUnknown } from '../schema/query.ts'
import {
  getThrough,
  type LinkOptions,
  MAX_NAMES,
  type ManyRelation,
  type OneRelation,
  type Relations
} from '../schema/relation.ts'
import { isPlainObject, setOwn } from '../utils/object.ts'
import { findLinkSet, findLinks, findRelated, findSet, getLinkSource } from './ask.ts'
import { openBudget, TooManyRelated } from './budget.ts'
import { getEnds } from './ends.ts'

type WithRecords = OneRelation | ManyRelation

/**
 * Replaces the conditions of a query that go through relations by conditions on fields of the record; the query is not changed.
 * The related records are those that the caller may find. `filters` are the names by which queries filter through them. Throws
 * BadRequest for a name that is no filter, for too many filters, when too many related records match, and for an undefined
 * value where the query chooses the records that are changed.
 */
export async function resolveFilters(
  context: HookContext,
  query: Query,
  relations: Relations,
  filters: ReadonlySet<string>
): Promise<Query> {
  const budget = openBudget(context)
  let count = 0

  return await resolve(query)

  // One after another: each may load what those before it have left.
  async function resolve(level: Query): Promise<Query> {
    const resolved: Query = keepValidated(level, {})
    const through = new Map<string, Query>()

    for (const name of Object.keys(level)) {
      if (filters.has(name)) {
        const [relation, ...field] = name.split('.') as [string, ...string[]]
        const conditions = through.get(relation) ?? {}

        // A call that changes several records. To `find` of the related service, undefined is null.
        if (context.id === null) refuseUndefined({ [name]: level[name] }, context.method)

        through.set(relation, conditions)
        setOwn(conditions, field.join('.'), level[name])
      } else if (namesRelation(name, relations)) {
        // An adapter would look for a field of the record, and memory would find none.
        throw toBadRequest('query', [{ path: name, message: describeUnknown(name, [...filters]) }])
      } else setOwn(resolved, name, await resolveEntry(name, level[name]))
    }

    if (through.size === 0) return resolved

    count += through.size
    // Each may read all records of another service.
    if (count > MAX_NAMES)
      throw new BadRequest(`Invalid query: expected at most ${MAX_NAMES} filters by relations`)

    const conditions: Query[] = []

    for (const [name, asked] of through) {
      const condition = toCondition(context, relations[name] as WithRecords, asked, budget)

      conditions.push(
        await condition.catch((error) => {
          throw underRelation(name, error)
        })
      )
    }

    return addConditions(resolved, conditions)
  }

  async function resolveEntry(name: string, value: unknown): Promise<unknown> {
    if (name === '$not' && isPlainObject(value)) return await resolve(value)
    if (!LOGICAL_OPERATORS.includes(name) || !Array.isArray(value)) return value

    const parts: unknown[] = []

    for (const part of value) parts.push(isPlainObject(part) ? await resolve(part) : part)

    return parts
  }
}

/** Whether a query filters through relations. */
export function hasFilter(query: unknown, relations: Relations): boolean {
  if (!isPlainObject(query)) return false

  return Object.keys(query).some(
    (name) =>
      namesRelation(name, relations) ||
      listParts(name, query[name]).some((part) => hasFilter(part, relations))
  )
}

/** The queries that an entry of a query combines. */
function listParts(name: string, value: unknown): readonly unknown[] {
  if (name === '$not') return [value]

  return LOGICAL_OPERATORS.includes(name) && Array.isArray(value) ? value : []
}

/** Whether a path begins with the name of a relation: no field of the record has that name. */
export function namesRelation(path: string, relations: Relations): boolean {
  const end = path.indexOf('.')

  return Object.hasOwn(relations, end === -1 ? path : path.slice(0, end))
}

/** What the other service says of a field, for a client that has asked through a relation. */
function underRelation(name: string, error: unknown): unknown {
  const { code, errors, message } = (error ?? {}) as Partial<FeathersError>

  if (code !== 400 || error instanceof TooManyRelated) return error

  const faults = Object.entries(errors ?? {}).map(([path, fault]) => ({
    path: `${name}.${path}`,
    message: String(fault)
  }))

  return toBadRequest(
    'query',
    faults.length > 0 ? faults : [{ path: name, message: `is refused: ${message}` }]
  )
}

/** What must hold of a record for a related one to match. */
async function toCondition(
  context: HookContext,
  relation: WithRecords,
  asked: Query,
  budget: Budget
): Promise<Query> {
  const { from, to } = getEnds(context, relation)
  const through = getThrough(relation)
  const values = await listRelated(context, relation, asked, to, budget)

  return { [from]: { $in: through ? await listOwners(context, through, values, budget) : values } }
}

/** The values that related records have in a field: as part of the statement where all is in one database. */
async function listRelated(
  context: HookContext,
  relation: WithRecords,
  query: Query,
  field: string,
  budget: Budget
): Promise<readonly unknown[]> {
  const { app, service } = context
  const through = getThrough(relation)
  const related = app.service(relation.path)
  const place = findPlace(service, context)
  const others = through ? [related, getLinkSource(context, through)] : [related]
  const places = others.map((other) => findPlace(other, context))

  if (place && places.every((other) => other && isSamePlace(other, place))) {
    const set = await findSet(context, relation, query)

    if (set === null) return []
    // A hook may have it read elsewhere, or as another user.
    if (set?.toOperand && isSamePlace(set, place)) return await set.toOperand(field)
  }

  // A hook or a class may decide by any field, and clients cannot select what a schema hides.
  const isWhole =
    !isPlainMethod(related, 'find') || isHidden(field, getSchemaDefinition(related)?.hidden ?? [])
  const selection = isWhole ? {} : { $select: [field] }

  return listPresent(await findRelated(context, relation, { ...query, ...selection }, budget), field)
}

/** The values of the records that are linked to related ones. */
async function listOwners(
  context: HookContext,
  link: LinkOptions,
  values: readonly unknown[],
  budget: Budget
): Promise<readonly unknown[]> {
  const { from, to } = link

  if (values instanceof Operand) {
    const set = await findLinkSet(context, link, { [to]: { $in: values } })

    // A hook that returns other records than the adapter does has no set.
    if (set?.toOperand) return await set.toOperand(from)
  } else if (values.length === 0) return []

  return [
    ...new Set(listPresent(await findLinks(context, { ...link, from: to, to: from }, values, budget), from))
  ]
}

function listPresent(records: readonly Query[], field: string): readonly unknown[] {
  return records.map(({ [field]: value }) => value).filter(isRelating)
}

/** Where a service reads for a call, if values that it has there can be part of a query. */
function findPlace(service: object, { params }: HookContext): SetPlace | undefined {
  return hasSets(service) ? service.getPlace?.(params) : undefined
}
