// The calls that relations make: each asks another service for records, as the caller may find them.
import { isAdapterMethod, isPlainMethod } from '../core/adapter-method.ts'
import { getProvider } from '../core/client-call.ts'
import { createContext } from '../core/hooks.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query } from '../core/types.ts'
import {
  type Budget,
  hasLinks,
  hasSets,
  type LinkSource,
  type RecordSet,
  type RelationCondition,
  type ReturnedSets
} from '../query/related.ts'
import { toBadRequest } from '../schema/faults.ts'
import { isPage, toRecords } from '../schema/page.ts'
import { makeRecordsOwn, makeRecordsPlain } from '../schema/plain-records.ts'
import type { LinkOptions, Relation } from '../schema/relation.ts'
import {
  addInherited,
  type InheritedSlots,
  type ServiceSlots,
  setInherited,
  toNestedParams
} from '../utils/call-state.ts'
import { hasCode } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { getMark, keepDispatch } from '../utils/dispatch.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { type Fields, spend, spendCharacters } from './budget.ts'
import { findTelling } from './hidden.ts'

declare module '../utils/call-state.ts' {
  interface InheritedSlots {
    /** Whether a relation of another service, or a nested one, has made the call, or one that it leads to. */
    readonly isForRelation?: boolean
  }
}

/** A caller that may not use a method of the related service finds nothing. */
const REFUSALS: readonly number[] = [401, 403, 404, 405]

/**
 * Finds records of a related service; none where the caller may not find them. `condition` is that of the query, where no
 * client has written any.
 */
export async function findRelated(
  context: HookContext,
  relation: Relation,
  query: Query,
  budget: Budget,
  condition?: RelationCondition
): Promise<readonly Fields[]> {
  const limited = copyWith(query, { $limit: budget.left + 1 })
  const addedByRelation = condition ? undefined : pickSettings(limited)
  const slots = { relation: condition, addedByRelation }
  const found = await askRelated(context, relation, limited, slots, { budget })
  // What a hook shows is kept with the records.
  const isShown = found?.dispatch !== undefined
  const records = found ? (isShown ? makeRecordsOwn(found) : makeRecordsPlain(found)) : []

  spend(budget, records)
  spendCharacters(budget, records, [query.$include ?? []].flat())

  if (found) keepShown(found)

  return records
}

/**
 * Finds what links the records of two services, by values of its field `from`. It does not leave, so it is an internal call.
 */
export async function findLinks(
  context: HookContext,
  link: LinkOptions,
  values: readonly unknown[],
  budget: Budget,
  prefetched?: object
): Promise<readonly Fields[]> {
  const { app } = context
  const { path, from, to } = link
  // A hook or a class may decide by any field.
  const isWhole = path !== undefined && !isPlainMethod(app.service(path), 'find')
  const $select = isWhole ? {} : { $select: [from, to] }
  const query = { [from]: { $in: values }, ...$select, $limit: budget.left + 1 }
  const found = await askLinks(context, link, query, { relation: { field: from, values, prefetched } })
  const records = makeRecordsPlain(found)

  spend(budget, records)

  return records
}

/**
 * The related records that a caller may find, as a set; `undefined` where the service has none, `null` where the caller may not
 * find any.
 */
export async function findSet(
  context: HookContext,
  relation: Relation,
  query: Query = {}
): Promise<RecordSet | null | undefined> {
  if (!returnsSets(context.app.service(relation.path))) return undefined

  const sets: ReturnedSets = new WeakMap()
  const found = await askRelated(context, relation, query, { sets, addedByRelation: {} })

  return found ? sets.get(Object(found.result)) : null
}

/** The same for what links the records of two services; `undefined` where there is none. */
export async function findLinkSet(
  context: HookContext,
  link: LinkOptions,
  query: Query
): Promise<RecordSet | undefined> {
  const source = getLinkSource(context, link)

  if (link.path === undefined ? !hasSets(source) : !returnsSets(source)) return undefined

  const sets: ReturnedSets = new WeakMap()

  return sets.get(Object((await askLinks(context, link, query, { sets })).result))
}

/**
 * What has the records that link: a registered service, or the rows of a table that has none. Throws an Error where the service
 * of the record cannot read a table.
 */
export function getLinkSource(
  { app, service, params }: Pick<HookContext, 'app' | 'service' | 'params'>,
  { path, table, from }: LinkOptions
): object {
  if (path !== undefined) return app.service(path)
  if (hasLinks(service)) return service.asLinks(table, from, params)

  throw createError(
    'ALULA_INVALID_RELATION',
    `This service cannot read the table '${table}': only one of alula/kysely can`
  )
}

/**
 * Calls `find` of a related service, and returns the context of the call; `undefined` where the caller may not find any. Its
 * rule holds, whether or not its `methods` offer `find`. A caller that is refused, or that has neither a rule nor `find`, gets
 * no records. `inherited` are the slots for the call, and for all calls that are made with its params. Throws BadRequest for a
 * relation that would tell clients of hidden fields.
 */
async function askRelated(
  context: HookContext,
  relation: Relation,
  query: Query,
  slots: ServiceSlots,
  inherited: InheritedSlots = {}
): Promise<HookContext | undefined> {
  const service = context.app.service(relation.path)
  const caller = toCaller(context)

  setInherited(caller, copyWith(inherited, { isForRelation: true as const }))

  if (caller.provider) {
    if (!hasRule(service)) return undefined

    // `setup` refuses such a relation too, but an application may serve calls before it is set up.
    const telling = findTelling(context, relation)

    if (telling) {
      throw toBadRequest('query', [{ path: telling.field, message: 'is not a field that can be queried' }])
    }
  }

  try {
    return await callFind(service, caller, query, slots)
  } catch (error) {
    if (REFUSALS.some((code) => hasCode(error, code))) return undefined

    throw error
  }
}

/** The part of a query that chooses no records. */
function pickSettings({ $limit, $select }: Query): Query {
  return { $limit, ...($select !== undefined && { $select }) }
}

/** Finds what links, by an internal call: nothing should refuse it. */
async function askLinks(
  context: HookContext,
  link: LinkOptions,
  query: Query,
  slots: ServiceSlots
): Promise<Pick<HookContext, 'result' | 'method'>> {
  const source = getLinkSource(context, link)
  // It is internal, and the database decides by the same user which rows it reads.
  const caller = addInherited(toInternal(context.params), { reader: context.params })

  if (link.path !== undefined) return await callFind(source, caller, query, slots)

  const params = toNestedParams(caller, source, slots, { paginate: false, query })

  return { method: 'find', result: await (source as LinkSource)._find(params) }
}

async function callFind(
  service: any,
  caller: Params,
  query: Query,
  { sets, relation, addedByRelation }: ServiceSlots
): Promise<HookContext> {
  const context = createContext(service, 'find')
  // Literals: copies of the slots would each have a hidden class of their own.
  const own = sets
    ? { relation, addedByRelation, setRequest: { sets, context } }
    : { relation, addedByRelation }

  return await service.find(toNestedParams(caller, service, own, { paginate: false, query }), context)
}

/** Whether `find` of a service returns sets. One of a class may find more than once, and needs the records of each. */
function returnsSets(service: object): boolean {
  return hasSets(service) && isAdapterMethod(service, 'find')
}

/** Whether something decides which records clients may find: a rule, also where they have no `find`, or `find` as it is. */
function hasRule(service: object): boolean {
  const { access, methods } = getServiceOptions(service)

  return methods.includes('find') || access?.admit?.('find') !== undefined
}

/** New params of a call without what is of that call alone. What is shown to a client is what that client may see. */
function toCaller(context: HookContext): Params {
  const { query, paginate, adapter, ...caller } = context.params as Params & {
    adapter?: unknown
    paginate?: unknown
  }
  const provider = getProvider(context)

  if (provider !== undefined) caller.provider = provider

  return caller
}

/** The params of an internal call in the same transaction. */
export function toInternal({ transaction }: Params & { transaction?: unknown }): Params {
  return transaction === undefined ? {} : ({ transaction } as Params)
}

/** Hooks may have set a dispatch for the list. Each record has to carry its own. */
function keepShown({ dispatch, result }: HookContext): void {
  if (dispatch === undefined) return

  const [records, shown] = [toRecords(result, isPage), toRecords(dispatch, isPage)]

  if (shown.length !== records.length) return

  for (const [index, record] of records.entries()) {
    if (isPlainObject(record) && !getMark(record)) keepDispatch(record, shown[index])
  }
}
