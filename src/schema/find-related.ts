// The calls that relations make: each finds records of another service, as the caller may.
import { createContext } from '../core/hooks.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import type { Found } from '../query/along.ts'
import { type Budget, getSet, hasSets, type RecordSet } from '../query/record-set.ts'
import {
  addInherited,
  getInherited,
  getServiceSlots,
  type ServiceSlots,
  toNestedParams,
  withoutServiceSlots
} from '../utils/call-state.ts'
import { DISPATCH, keepDispatch } from '../utils/dispatch.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { countCharacters } from '../utils/size.ts'
import { toRecords } from './output.ts'
import type { LinkOptions } from './relation.ts'

/** How many records one call may load through relations, and how many may stand in its result. */
export const MAX_LOADED = 10_000

/** How many characters of records one call may load through relations, and how many may stand in its result. */
export const MAX_CHARACTERS = 10_000_000

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The condition that a call for a relation is made with. */
    readonly condition?: Condition | undefined
  }
}

/** Records are found by a field and the values that others have. */
interface Condition {
  readonly field: string
  readonly values: readonly unknown[]
  /** What was read along for it. */
  readonly found?: object | undefined
}

/** A record. */
export type Fields = Record<string, unknown>

/** A caller that may not use a method of the related service finds nothing. */
const REFUSALS: readonly unknown[] = [401, 403, 404, 405]

/** A call leads to more related records than one may. */
export class TooManyRelated extends BadRequest {
  constructor(reason = `its relations lead to more than ${MAX_LOADED} records`) {
    super(`Invalid query: ${reason}`)
  }
}

/** A call leads to larger related records than one may. */
export class TooLargeRelated extends TooManyRelated {
  constructor() {
    super(
      `its relations lead to more than ${MAX_CHARACTERS} characters of records. Ask for a smaller page, or for the related records in pages of their service`
    )
  }
}

/**
 * Finds records of a related service as the caller of a call may: by its rules, and with its output.
 *
 * @param context The context of the call
 * @param path The path of the service
 * @param query What to find
 * @param budget How many records may be loaded
 * @param condition The condition of the query, where no client has written any
 * @returns The records; none where the caller may not find them
 */
export async function findRelated(
  context: HookContext,
  path: string,
  query: Query,
  budget: Budget,
  condition?: Condition
): Promise<readonly Fields[]> {
  const limited = copyWith(query, { $limit: budget.left + 1 })
  const slots = { condition, found: condition?.found }
  const found = await callFind(context, path, limited, slots, budget)
  const records = found ? toRecords(found.result).filter(isPlainObject) : []

  spend(budget, records)
  spendCharacters(budget, records, [query.$include ?? []].flat())

  if (found) keepShown(found, records)

  return records
}

/**
 * The records that the caller of a call may find, as a set; `undefined` where the service has none, and `null` where the
 * caller is refused.
 */
export async function findSet(
  context: HookContext,
  path: string,
  query: Query = {}
): Promise<RecordSet | null | undefined> {
  const service = context.app.service(path)

  if (!hasSets(service)) return undefined

  const found = await callFind(context, path, query, { asSet: true })

  return found ? getSet(found.result) : null
}

/** Finds the records of a service between two others. They do not leave, so it is a call from inside. */
export async function findLinks(
  context: HookContext,
  { path, from, to }: LinkOptions,
  values: readonly unknown[],
  budget: Budget,
  found?: Found
): Promise<readonly Fields[]> {
  const query = { [from]: { $in: values }, $select: [from, to], $limit: budget.left + 1 }
  const links = found?.listLinks?.(values, context.params) ?? toRecords(await callLinks(context, path, query))
  const records = links.filter(isPlainObject)

  spend(budget, records)

  return records
}

/** The same records as a set; `undefined` where the service has none. */
export async function findLinkSet(
  context: HookContext,
  path: string,
  field: string,
  values: readonly unknown[]
): Promise<RecordSet | undefined> {
  const query = { [field]: { $in: values } }

  return getSet(await callLinks(context, path, query, { asSet: true }))
}

async function callLinks(
  { app, params }: HookContext,
  path: string,
  query: Query,
  slots: ServiceSlots = {}
): Promise<unknown> {
  const { transaction } = params as { transaction?: unknown }
  const service: any = app.service(path)
  const given = { ...(transaction !== undefined && { transaction }), paginate: false, query }

  return await service.find(toNestedParams(given, service, slots))
}

async function callFind(
  context: HookContext,
  path: string,
  query: Query,
  slots: ServiceSlots,
  budget?: Budget
): Promise<HookContext | undefined> {
  const caller = toCaller(context.params)
  const service: any = context.app.service(path)

  if (caller.provider && !hasRule(service)) return undefined

  try {
    const params = toNestedParams(caller, service, slots, { paginate: false, query })

    return await service.find(
      budget ? addInherited(params, { budget }) : params,
      createContext(service, 'find')
    )
  } catch (error) {
    if (REFUSALS.includes((error as { code?: unknown } | null)?.code)) return undefined

    throw error
  }
}

/** Whether something decides which records clients may find: a rule, also where they have no `find`, or `find` as it is. */
function hasRule(service: object): boolean {
  const { access, methods } = getServiceOptions(service)

  return methods.includes('find') || access?.admit?.('find') !== undefined
}

/**
 * The field by which a call finds what a relation leads to. No client has written its query, so it is not narrowed by what
 * clients may ask for; only a field that is hidden is not asked for either.
 *
 * @param service The service that is called
 * @param params The params of the call
 * @param hidden The hidden fields of the service
 * @returns `undefined` for other calls
 */
export function getRelationField(
  service: object,
  params: Params,
  hidden: readonly string[]
): string | undefined {
  const { condition } = getServiceSlots(params, service)

  if (!condition || hidden.includes(condition.field)) return undefined

  // Hooks may make other calls with these params.
  return params.query?.[condition.field]?.$in === condition.values ? condition.field : undefined
}

/** The params of a call without what is of that call alone. */
export function toCaller(params: Params & { adapter?: unknown; paginate?: unknown }): Params {
  const { query, paginate, adapter, ...caller } = params

  return withoutServiceSlots(caller)
}

/** Hooks may have set a dispatch for the list. Each record has to carry its own. */
function keepShown({ dispatch, result }: HookContext, records: readonly Fields[]): void {
  if (dispatch === undefined) return

  const shown = toRecords(dispatch)

  if (shown.length !== toRecords(result).length) return

  for (const [index, record] of records.entries()) {
    if (!(DISPATCH in record)) keepDispatch(record, { value: shown[index], configurable: true })
  }
}

/** How many more records the call may load: the calls that it leads to share what it has. */
export function openBudget({ params }: HookContext): Budget {
  return getInherited(params).budget ?? { left: MAX_LOADED, characters: MAX_CHARACTERS }
}

function spend(budget: Budget, records: readonly unknown[]): void {
  budget.left -= records.length

  if (budget.left < 0) throw new TooManyRelated()
}

/** What records include was loaded by calls that have spent it. */
function spendCharacters(budget: Budget, records: readonly Fields[], included: readonly string[]): void {
  const names = new Set(included.map((name) => name.split('.')[0] as string))

  for (const record of records) {
    budget.characters -= countCharacters(record)
    for (const name of names) budget.characters += countCharacters(record[name])
    if (budget.characters < 0) throw new TooLargeRelated()
  }
}
