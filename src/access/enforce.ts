import { getIdField, getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query } from '../core/types.ts'
import { Forbidden, GeneralError, NotFound } from '../errors.ts'
import type { AroundHook } from '../hooks/types.ts'
import { parseQuery } from '../query/parse.ts'
import { toPredicate } from '../query/predicate.ts'
import { toRecords } from '../schema/output.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { hasCode, isFunction, isObject } from '../utils/check.ts'
import { copyWith } from '../utils/object.ts'
import { isRestricted, restrict } from './restrict.ts'
import { type Settled, settle } from './settle.ts'

/** What is demanded of a call. */
export interface Demand {
  /** What every record has to match that the call returns or writes, after the write too. */
  readonly query: Query
  /** The id and the params as the client sent them. */
  readonly id: HookContext['id']
  readonly params: Params
}

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What is demanded of the call, where its rule has returned a query. */
    readonly demand?: Demand
  }
}

/** Demands that a call keeps to a query. */
export function setDemand(context: HookContext, query: Query): void {
  const { id, params } = context

  setSlots(context, { demand: { query, id, params } })
}

/** Adds what is demanded of a call to its query, where it is not there yet. */
export function addDemand(context: HookContext): void {
  const { demand } = getSlots(context)

  if (demand && !isRestricted(context.params.query, demand.query)) addCondition(context, demand.query)
}

/**
 * Makes the step around a standard method that holds a call to what is demanded of it, whatever hooks have done to its
 * params. An adapter changes and removes what matches the query, in one statement. What another service returns is
 * checked, and what it is to change is looked up first.
 *
 * @param method The name of the method
 */
export function createEnforcer(method: string): AroundHook<HookContext> {
  const enforce = method === 'create' ? create : ['find', 'get'].includes(method) ? readRecords : write

  return async (context, next) => {
    const { demand } = getSlots(context)

    await (demand ? enforce(context, demand, next) : next())
  }
}

type Enforce = (context: HookContext, demand: Demand, next: () => Promise<unknown>) => Promise<void>

const create: Enforce = async (context, { query }, next) => {
  const id = getIdField(context.service)

  for (const data of [context.data].flat()) {
    assertSettled(
      settleData(context, query, data, {
        sets: () => true,
        makes: (name) => name === id && isMissing(data[id])
      }),
      context
    )
  }

  await next()
}

const readRecords: Enforce = async (context, { query }, next) => {
  const isGiven = Object.hasOwn(context, 'result')

  addDemand(context)
  await next()

  // A hook that has set the result, such as a cache, may not have read the query.
  if (isAdapter(context) && !isGiven) return

  const matches = toTest(query)

  if (toRecords(context.result).every(matches)) return
  if (context.method === 'get') throw toNotFound(context)

  throw new GeneralError(
    `'find' of '${context.path}' returned records that its access does not allow: it has to apply params.query`
  )
}

const write: Enforce = async (context, demand, next) => {
  // A hook that writes in place of the method is responsible for it.
  if (Object.hasOwn(context, 'result')) return void (await next())

  addDemand(context)

  const settled = settleWrite(context, demand.query)

  // Its data may have fields of the record, which the schema keeps.
  if (context.method === 'update' && isRefused(settled) && !(await isVisible(context, demand))) {
    throw toNotFound(context)
  }

  assertSettled(settled, context)
  if (isObject(settled)) addCondition(context, settled)
  if (!isAdapter(context)) await assertRecord(context, demand, settled)

  try {
    await next()
  } catch (error) {
    if (isMissing(context.id) || !hasCode(error, 404) || !(await isVisible(context, demand))) throw error

    throw toForbidden(context)
  }
}

/** Whether the records that a call writes still match: those that do not are not for the caller to make. */
function settleWrite(context: HookContext, query: Query): Settled {
  const { data, method } = context
  const id = getIdField(context.service)

  if (method === 'remove') return true

  return settleData(context, query, data, {
    // No adapter changes an id.
    sets: (name) => name !== id && (method === 'update' || Object.hasOwn(data, name)),
    makes: () => false
  })
}

/** Adapters refuse what is no record. */
function settleData(
  context: HookContext,
  query: Query,
  data: unknown,
  { sets, makes }: { sets: (name: string) => boolean; makes: (name: string) => boolean }
): Settled {
  if (isObject(data) && !Array.isArray(data)) return settle(query, { data, sets, makes })

  return isAdapter(context) ? true : undefined
}

function assertSettled(settled: Settled, context: HookContext): void {
  if (isRefused(settled)) throw toForbidden(context)
}

function isRefused(settled: Settled): boolean {
  return settled === false || settled === undefined
}

/** Looks a record up for a service that may not read the query. Between this and the write another call may change it. */
async function assertRecord(context: HookContext, demand: Demand, settled: Settled): Promise<void> {
  const { service, id, params } = context
  const { provider, authentication, ...internal } = params

  if (isMissing(id) || !isFunction(service.get)) throw toForbidden(context)

  const record: unknown = await service.get(id, copyWith(internal, { query: {} }))
  const isAllowed = toTest(demand.query)(record) && (!isObject(settled) || toTest(settled)(record))

  if (isAllowed) return

  throw (await isVisible(context, demand)) ? toForbidden(context) : toNotFound(context)
}

/** Whether the caller could get the record: only then may it be said that it is there. */
async function isVisible(
  { service, params }: HookContext,
  { id, params: { query } }: Demand
): Promise<boolean> {
  if (!getServiceOptions(service).methods.includes('get')) return false

  // With the params of the moment, which may hold a transaction.
  return await service.get(id, copyWith(params, { query })).then(
    () => true,
    () => false
  )
}

function addCondition(context: HookContext, condition: Query): void {
  context.params = copyWith(context.params, { query: restrict(context.params.query, condition) })
}

/** Whether a method reads its query: those of adapters do. */
function isAdapter({ service, method }: HookContext): boolean {
  const members = service as { readonly [name: string]: unknown }

  return isFunction(members.allowsMulti) && isFunction(members[`_${method}`])
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === null || id === ''
}

function toTest(query: Query): (record: unknown) => boolean {
  const matches = toPredicate(parseQuery(query, { trusted: true }).where)

  return (record) => isObject(record) && matches(record)
}

function toForbidden({ method, path }: HookContext): Forbidden {
  return new Forbidden(`You may not ${method} this record of '${path}'`)
}

function toNotFound({ id }: HookContext): NotFound {
  return new NotFound(`No record found for id '${id}'`)
}
