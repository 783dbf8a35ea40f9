import { isPlainMethod } from '../core/adapter-method.ts'
import { getProvider } from '../core/client-call.ts'
import { reportError } from '../core/events.ts'
import { getIdField } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { compareAny } from '../query/compare.ts'
import {
  type Budget,
  isRelating,
  isSamePlace,
  lookUp,
  type RecordSet,
  type RelationCondition,
  toKey
} from '../query/related.ts'
import { makeRecordsOwn } from '../schema/plain-records.ts'
import {
  type CountRelation,
  isCountRelation,
  type LinkFields,
  type ManyRelation,
  type OneRelation,
  type Relation,
  type Relations
} from '../schema/relation.ts'
import { isObjectLike } from '../utils/check.ts'
import { copyWith } from '../utils/object.ts'
import { mapAll, waitForAll } from '../utils/promise.ts'
import { findLinks, findRelated, findSet } from './ask.ts'
import { assertResultSize, type Fields, MAX_LOADED, openBudget, TooManyRelated } from './budget.ts'
import { getEnds, getListRules, getListSort } from './ends.ts'
import type { Includes } from './include.ts'
import { getPrefetched } from './prefetch.ts'

/**
 * Puts what a call includes into the records of its result: one `find` of the related service for all of them, with the params
 * of the caller. Throws BadRequest when more records than allowed would be loaded, and what the related service rejects with;
 * not after a write: then the records have no relations.
 */
export async function addRelated(
  context: HookContext,
  includes: Includes,
  relations: Relations
): Promise<void> {
  const records = makeRecordsOwn(context)

  if (records.length === 0) return

  try {
    await load({ context, records, budget: openBudget(context) }, includes, relations)
    // In a call for a relation too: what it returns is copied before the call around it sees it.
    assertResultSize(records, includes)
  } catch (error) {
    if (!isWriting(context)) throw error

    // What is written is written.
    if (!(error instanceof TooManyRelated)) reportError(context.app, error, context)
    for (const record of records) for (const name of includes.keys()) delete record[name]
  }
}

async function load(page: Page, includes: Includes, relations: Relations): Promise<void> {
  const counts: [string, CountRelation][] = []
  const loading: Promise<Lookups>[] = []

  for (const [name, within] of includes) {
    const relation = relations[name] as Relations[string]

    if (isCountRelation(relation)) counts.push([name, relation])
    else if (relation.kind === 'one') loading.push(findOne(page, name, relation, within))
    else loading.push(findMany(page, name, relation, within))
  }

  if (counts.length > 0) loading.push(findCounts(page, counts))

  const byName = new Map((await waitForAll(loading)).flat())
  let count = 0

  // In the order in which they were asked for.
  for (const record of page.records) {
    for (const name of includes.keys()) {
      const related = byName.get(name)?.(record)

      // Each record has a list of its own of what many share: the check of the result would come after too many.
      if (Array.isArray(related)) count += related.length
      if (count > MAX_LOADED) throw new TooManyRelated()

      record[name] = related
    }
  }
}

/** By the name of a relation, what of all that was found is related to a record. */
type Lookups = readonly (readonly [name: string, (record: Fields) => unknown])[]

/** The records that others are related to, and the call that asks for those. */
interface Page {
  readonly context: HookContext
  readonly records: readonly Fields[]
  readonly budget: Budget
}

function isWriting({ method }: HookContext): boolean {
  return method !== 'find' && method !== 'get'
}

async function findOne(
  page: Page,
  name: string,
  relation: OneRelation,
  within: readonly string[]
): Promise<Lookups> {
  const { from, to } = getEnds(page.context, relation)
  const prefetched = getPrefetched(page.context, name)?.rows
  const values = listValues(page.records, from)
  const related = await findBy(page, relation, { field: to, values, prefetched }, within)
  const byKey = new Map(related.map((record) => [toKey(record[to]), record]))

  return [[name, (record) => lookUp(byKey, record[from]) ?? null]]
}

async function findMany(
  page: Page,
  name: string,
  relation: ManyRelation,
  within: readonly string[]
): Promise<Lookups> {
  const { context, records, budget } = page
  const { through, sort, limit = Number.POSITIVE_INFINITY } = relation
  const { from, to, related: service } = getEnds(context, relation)
  const own = listValues(records, from)
  const prefetched = getPrefetched(context, name)
  const links =
    through && own.length > 0 ? await findLinks(context, through, own, budget, prefetched?.rows) : []
  const { app } = context
  // A hook may take records out of a list, and a class may find others.
  const list = isPlainMethod(service, 'find') ? getListRules(app, relation) : undefined
  const condition = through
    ? { field: to, values: listValues(links, through.to), prefetched: prefetched?.next?.rows }
    : { field: to, values: own, list, prefetched: prefetched?.rows }
  const related = await findBy(page, relation, condition, within)
  // Its adapter knows the order of its values.
  const id = getIdField(service)
  const sorted = sort ? related : related.toSorted((a, b) => compareIds(a[id], b[id]))
  const groups = through ? groupByLinks(sorted, to, links, through) : groupBy(sorted, to)
  const max = Math.min(limit, getMaxListed(context, service))

  return [[name, (record) => lookUp(groups, record[from])?.slice(0, max) ?? []]]
}

/** How many records a client may get of a list: as many as `find` of their service gives in a page. */
function getMaxListed(context: HookContext, service: object): number {
  const { options } = service as { options?: { paginate?: { max?: number } | false } }
  const { max = Number.POSITIVE_INFINITY } = (getProvider(context) && options?.paginate) || {}

  return max
}

function groupByLinks(
  related: readonly Fields[],
  target: string,
  links: readonly Fields[],
  { from, to }: LinkFields
): ReadonlyMap<string, Fields[]> {
  const byTarget = groupBy(links, to)
  const groups = new Map<string, Fields[]>()

  for (const record of related) {
    for (const { [from]: owner } of byTarget.get(toKey(record[target])) ?? []) {
      const group = openGroup(groups, toKey(owner))

      // Two records may be linked more than once.
      if (group.at(-1) !== record) group.push(record)
    }
  }

  return groups
}

function groupBy(records: readonly Fields[], field: string): ReadonlyMap<string, Fields[]> {
  const groups = new Map<string, Fields[]>()

  for (const record of records) openGroup(groups, toKey(record[field])).push(record)

  return groups
}

function openGroup(groups: Map<string, Fields[]>, key: string): Fields[] {
  const group = groups.get(key) ?? []

  groups.set(key, group)

  return group
}

async function findBy(
  { context, budget }: Page,
  relation: Relation,
  condition: RelationCondition,
  within: readonly string[]
): Promise<readonly Fields[]> {
  const { field, values } = condition
  const $sort = getListSort(context.app, relation)

  if (values.length === 0) return []

  const query = {
    [field]: { $in: values },
    ...(within.length > 0 && { $include: within }),
    ...($sort && { $sort })
  }

  const further = $sort && Object.keys($sort)

  return await findRelated(context, relation, query, budget, copyWith(condition, { further }))
}

/** Finds all numbers of related records: those in one place at once. */
async function findCounts(
  page: Page,
  relations: readonly (readonly [string, CountRelation])[]
): Promise<Lookups> {
  const { context, records } = page
  const asked = await mapAll(relations, async ([name, relation]) => {
    const { from, to } = getEnds(context, relation)
    const values = listValues(records, from)
    // Where nothing can be related, nothing is asked.
    const set = values.length > 0 ? await findSet(context, relation) : null

    return { relation, from, field: to, values, set, prefetched: getPrefetched(context, name)?.rows }
  })
  const inSets = asked.flatMap(({ set, ...rest }, index) => (set ? [{ set, index, ...rest }] : []))
  const numbers: ReadonlyMap<string, number>[] = []

  await waitForAll([
    ...listPlaces(inSets.map(({ set }) => set)).map(async (set) => {
      const group = inSets.filter((other) => isSamePlace(other.set, set))
      // Each of them knows how to count for all.
      const counted = await set.count(group)

      for (const [place, { index }] of group.entries()) numbers[index] = counted[place] as Map<string, number>
    }),
    ...asked.map(async ({ set, relation, field, values }, index) => {
      if (set === undefined)
        numbers[index] = tally(await findBy(page, relation, { field, values }, []), field)
    })
  ])

  return relations.map(([name, { kind }], index) => {
    const { from } = asked[index] as (typeof asked)[number]
    // A caller that is refused counts none.
    const byKey = numbers[index] ?? new Map<string, number>()
    const toNumber = (record: Fields) => lookUp(byKey, record[from]) ?? 0

    return [name, kind === 'count' ? toNumber : (record: Fields) => toNumber(record) > 0]
  })
}

/** The first set of each place. */
function listPlaces(sets: readonly RecordSet[]): readonly RecordSet[] {
  return sets.filter((set, index) => sets.findIndex((other) => isSamePlace(other, set)) === index)
}

function tally(records: readonly Fields[], field: string): ReadonlyMap<string, number> {
  return new Map([...groupBy(records, field)].map(([key, group]) => [key, group.length]))
}

function listValues(records: readonly Fields[], field: string): readonly unknown[] {
  const values = new Map<string, unknown>()

  for (const { [field]: value } of records) {
    if (isRelating(value)) values.set(toKey(value), value)
  }

  return [...values.values()]
}

/** Ids of some databases are instances, whose strings have an order. */
function compareIds(a: unknown, b: unknown): number {
  return isObjectLike(a) || isObjectLike(b) ? compareAny(toKey(a), toKey(b)) : compareAny(a, b)
}
