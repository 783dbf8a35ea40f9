import { getIdField } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { toKey } from '../query/record-set.ts'
import { isPlainObject } from '../utils/object.ts'
import { getFound, getPlainSet } from './along.ts'
import {
  type Budget,
  type Fields,
  findLinks,
  findRelated,
  findSet,
  hasBudget,
  MAX_LOADED,
  openBudget,
  TooManyRelated
} from './find-related.ts'
import { type Includes, type Relations, toTree } from './include.ts'
import { toRecords } from './output.ts'
import { type CountRelation, isCountRelation, type ManyRelation, type OneRelation } from './relation.ts'

/**
 * Puts what a call includes into the records of its result: one `find` of the related service for all of them, with the
 * params of the caller.
 *
 * @param context The context after the call
 * @param includes What is included
 * @param relations The relations of the service
 * @param id The name of its id field
 * @throws BadRequest when more records than allowed would be loaded
 */
export async function addRelated(
  context: HookContext,
  includes: Includes,
  relations: Relations,
  id: string
): Promise<void> {
  const records = toRecords(context.result).filter(isPlainObject)

  if (records.length === 0) return

  try {
    await load(context, records, includes, relations, id, openBudget(context))
    if (!hasBudget(context)) assertSize(records, includes)
  } catch (error) {
    // What is written is written.
    if (!(error instanceof TooManyRelated) || !isWriting(context)) throw error

    for (const record of records) for (const name of includes.keys()) delete record[name]
  }
}

async function load(
  context: HookContext,
  records: readonly Fields[],
  includes: Includes,
  relations: Relations,
  id: string,
  budget: Budget
): Promise<void> {
  const counts: [string, CountRelation][] = []
  const loading: Promise<void>[] = []

  // In the order in which they were asked for, whichever is there first.
  for (const record of records) for (const name of includes.keys()) record[name] = undefined

  for (const [name, within] of includes) {
    const relation = relations[name] as Relations[string]

    if (isCountRelation(relation)) counts.push([name, relation])
    else if (relation.kind === 'one') loading.push(addOne(context, records, name, relation, within, budget))
    else loading.push(addMany(context, records, name, relation, within, budget, id))
  }

  await Promise.all([...loading, addCounts(context, records, counts, budget, id)])
}

/** A record that many others hold is loaded once, and stands in each of them. */
function assertSize(records: readonly Fields[], includes: Includes): void {
  if (countHeld(records, includes) > MAX_LOADED) throw new TooManyRelated()
}

/** Counts the records that others hold, each as often as it is held. */
function countHeld(records: readonly Fields[], includes: Includes): number {
  let size = 0

  for (const [name, names] of includes) {
    const within = toTree(names)
    const known = new Map<Fields, number>()

    for (const { [name]: held } of records) {
      const list = Array.isArray(held) ? held : isPlainObject(held) ? [held] : []

      size += list.length
      // What is in a record is counted once, however many hold it.
      if (within.size > 0) for (const one of list) size += known.get(one) ?? note(one)
    }

    function note(record: Fields): number {
      const count = countHeld([record], within)

      known.set(record, count)

      return count
    }
  }

  return size
}

function isWriting({ method }: HookContext): boolean {
  return method !== 'find' && method !== 'get'
}

async function addOne(
  context: HookContext,
  records: readonly Fields[],
  name: string,
  { path, from, to = getIdField(context.app.service(path)) }: OneRelation,
  within: readonly string[],
  budget: Budget
): Promise<void> {
  const values = listValues(records, from)
  const related = await findBy(context, path, to, values, within, budget, getFound(context, name)?.records)
  const byKey = new Map(related.map((record) => [toKey(record[to]), record]))

  for (const record of records) record[name] = lookUp(byKey, record[from]) ?? null
}

async function addMany(
  context: HookContext,
  records: readonly Fields[],
  name: string,
  { path, from, to, through }: ManyRelation,
  within: readonly string[],
  budget: Budget,
  id: string
): Promise<void> {
  const relatedId = getIdField(context.app.service(path))
  const own = from ?? id
  const values = listValues(records, own)
  const found = getFound(context, name)
  const links = through && values.length > 0 ? await findLinks(context, through, values, budget, found) : []
  const target = to ?? relatedId
  const wanted = through ? listValues(links, through.to) : values
  const related = await findBy(context, path, target, wanted, within, budget, found?.records)
  const sorted = related.toSorted((a, b) => compareIds(a[relatedId], b[relatedId]))
  const groups = through
    ? groupByLinks(sorted, target, links, through.from, through.to)
    : groupBy(sorted, ({ [target]: value }) => [toKey(value)])

  for (const record of records) record[name] = lookUp(groups, record[own]) ?? []
}

function groupByLinks(
  related: readonly Fields[],
  target: string,
  links: readonly Fields[],
  from: string,
  to: string
): ReadonlyMap<string, Fields[]> {
  const owners = groupBy(links, ({ [to]: value }) => [toKey(value)])

  return groupBy(related, ({ [target]: value }) => [
    ...new Set(owners.get(toKey(value))?.map(({ [from]: owner }) => toKey(owner)))
  ])
}

function groupBy(
  records: readonly Fields[],
  toKeys: (record: Fields) => readonly string[]
): ReadonlyMap<string, Fields[]> {
  const groups = new Map<string, Fields[]>()

  for (const record of records) {
    for (const key of toKeys(record)) {
      const group = groups.get(key)

      if (group) group.push(record)
      else groups.set(key, [record])
    }
  }

  return groups
}

async function findBy(
  context: HookContext,
  path: string,
  field: string,
  values: readonly unknown[],
  within: readonly string[],
  budget: Budget,
  found?: object
): Promise<readonly Fields[]> {
  if (values.length === 0) return []

  const query = { [field]: { $in: values }, ...(within.length > 0 && { $include: within }) }

  return await findRelated(context, path, query, budget, { field, values, found })
}

/** All numbers of related records: those in one place at once. */
async function addCounts(
  context: HookContext,
  records: readonly Fields[],
  relations: readonly (readonly [string, CountRelation])[],
  budget: Budget,
  id: string
): Promise<void> {
  const asked = await Promise.all(
    relations.map(async ([name, { kind, path, from = id, to }]) => {
      const values = listValues(records, from)
      const set = getPlainSet(context, name) ?? (await findSet(context, path))
      const put = (numbers: ReadonlyMap<string, number>) => {
        for (const record of records) {
          const number = lookUp(numbers, record[from]) ?? 0

          record[name] = kind === 'count' ? number : number > 0
        }
      }

      return { path, to, values, set, put, found: getFound(context, name)?.records }
    })
  )
  const inSets = asked.flatMap(({ set, to, ...rest }) => (set ? [{ set, field: to, ...rest }] : []))
  const sources = new Set(inSets.map(({ set }) => set.source))

  for (const { set, put } of asked) if (set === null) put(new Map())

  await Promise.all([
    ...[...sources].map(async (source) => {
      const group = inSets.filter(({ set }) => set.source === source)
      // Each of them knows how to count for all.
      const [{ set }] = group as [(typeof group)[number]]
      const numbers = await set.count(group)

      for (const [index, { put }] of group.entries()) put(numbers[index] as ReadonlyMap<string, number>)
    }),
    ...asked
      .filter(({ set }) => set === undefined)
      .map(async ({ path, to, values, put }) => {
        put(tally(await findBy(context, path, to, values, [], budget), to))
      })
  ])
}

/** A record without a value is related to none, not even to one whose value is the string `null`. */
function lookUp<T>(byKey: ReadonlyMap<string, T>, value: unknown): T | undefined {
  return value === null || value === undefined ? undefined : byKey.get(toKey(value))
}

function tally(records: readonly Fields[], field: string): ReadonlyMap<string, number> {
  const groups = groupBy(records, ({ [field]: value }) => [toKey(value)])

  return new Map([...groups].map(([key, group]) => [key, group.length]))
}

function listValues(records: readonly Fields[], field: string): readonly unknown[] {
  const values = new Map<string, unknown>()

  for (const { [field]: value } of records) {
    if (value !== undefined && value !== null) values.set(toKey(value), value)
  }

  return [...values.values()]
}

function compareIds(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b

  const [first, second] = [toKey(a), toKey(b)]

  return first < second ? -1 : Number(first > second)
}
