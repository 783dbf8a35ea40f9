// The calls that relations make: each asks another service for records, as the caller may find them.
import { createContext } from '../core/hooks.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query } from '../core/types.ts'
import {
  type Budget,
  hasSets,
  type RecordSet,
  type RelationCondition,
  type ReturnedSets
} from '../query/related.ts'
import { toRecords } from '../schema/output.ts'
import { makeRecordsPlain } from '../schema/plain-records.ts'
import type { LinkOptions } from '../schema/relation.ts'
import { addInherited, type ServiceSlots, toNestedParams, withoutServiceSlots } from '../utils/call-state.ts'
import { DISPATCH, keepDispatch } from '../utils/dispatch.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { type Fields, spend, spendCharacters } from './budget.ts'

/** A caller that may not use a method of the related service finds nothing. */
const REFUSALS: readonly unknown[] = [401, 403, 404, 405]

/**
 * Finds records of a related service.
 *
 * @param context The context of the call
 * @param path The path of the service
 * @param query What to find
 * @param budget How many records may be loaded
 * @param relation The condition of the query, where no client has written any
 * @returns The records; none where the caller may not find them
 */
export async function findRelated(
  context: HookContext,
  path: string,
  query: Query,
  budget: Budget,
  relation?: RelationCondition
): Promise<readonly Fields[]> {
  const limited = copyWith(query, { $limit: budget.left + 1 })
  const caller = addInherited(toCaller(context.params), { budget })
  const found = await ask(context, path, caller, limited, { relation })
  const records = listRecords(found)

  spend(budget, records)
  spendCharacters(budget, records, [query.$include ?? []].flat())

  if (found) keepShown(found)

  return records
}

/**
 * Finds the records of a service between two others. They do not leave, so it is an internal call.
 *
 * @param context The context of the call
 * @param link The service and its fields
 * @param values The values of its field `from`
 * @param budget How many records may be loaded
 * @param prefetched What was read for this call, if anything
 */
export async function findLinks(
  context: HookContext,
  { path, from, to }: LinkOptions,
  values: readonly unknown[],
  budget: Budget,
  prefetched?: object
): Promise<readonly Fields[]> {
  const query = { [from]: { $in: values }, $select: [from, to], $limit: budget.left + 1 }
  const records = listRecords(
    await ask(context, path, null, query, { relation: { field: from, values, prefetched } })
  )

  spend(budget, records)

  return records
}

/**
 * The records that a caller may find, as a set.
 *
 * @param context The context of the call
 * @param path The path of the service
 * @param query What to find
 * @param caller The params of the caller; `null` for the service between two others, which is called internally
 * @returns `undefined` where the service has none, `null` where the caller may not find any
 */
export async function findSet(
  context: HookContext,
  path: string,
  query: Query = {},
  caller: Params | null = toCaller(context.params)
): Promise<RecordSet | null | undefined> {
  if (!hasSets(context.app.service(path))) return undefined

  const sets: ReturnedSets = new WeakMap()
  const found = await ask(context, path, caller, query, { sets })

  return found ? sets.get(Object(found.result)) : null
}

/**
 * Calls `find` of a service for a relation. Its rule holds, whether or not its `methods` offer `find`. A caller that is refused,
 * or that has neither a rule nor `find`, gets no records.
 *
 * @param caller The params of the caller; `null` for an internal call, which nothing should refuse
 * @returns The context of the call; `undefined` where the caller may not find any
 */
async function ask(
  { app, params }: HookContext,
  path: string,
  caller: Params | null,
  query: Query,
  slots: ServiceSlots
): Promise<HookContext | undefined> {
  const service: any = app.service(path)

  if (caller?.provider && !hasRule(service)) return undefined

  try {
    return await service.find(
      toNestedParams(caller ?? toInternal(params), service, slots, { paginate: false, query }),
      createContext(service, 'find')
    )
  } catch (error) {
    if (caller && REFUSALS.includes((error as { code?: unknown } | null)?.code)) return undefined

    throw error
  }
}

/** Whether something decides which records clients may find: a rule, also where they have no `find`, or `find` as it is. */
function hasRule(service: object): boolean {
  const { access, methods } = getServiceOptions(service)

  return methods.includes('find') || access?.admit?.('find') !== undefined
}

/** The params of a call without what is of that call alone. */
function toCaller(params: Params & { adapter?: unknown; paginate?: unknown }): Params {
  const { query, paginate, adapter, ...caller } = params

  return withoutServiceSlots(caller)
}

/** The params of an internal call in the same transaction. */
function toInternal({ transaction }: Params & { transaction?: unknown }): Params {
  return transaction === undefined ? {} : ({ transaction } as Params)
}

function listRecords(found: HookContext | undefined): readonly Fields[] {
  return found ? makeRecordsPlain(found) : []
}

/** Hooks may have set a dispatch for the list. Each record has to carry its own. */
function keepShown({ dispatch, result }: HookContext): void {
  if (dispatch === undefined) return

  const [records, shown] = [toRecords(result), toRecords(dispatch)]

  if (shown.length !== records.length) return

  for (const [index, record] of records.entries()) {
    if (isPlainObject(record) && !(DISPATCH in record))
      keepDispatch(record, { value: shown[index], configurable: true })
  }
}
