import { getIdField, getServiceOptions } from '../core/service.ts'
import type { HookContext, Params, Query } from '../core/types.ts'
import { Forbidden, GeneralError, NotFound } from '../errors.ts'
import type { AroundHook } from '../hooks/types.ts'
import { listAsked } from '../query/asked.ts'
import { addConditions } from '../query/conditions.ts'
import { PATTERN_PREDICATES } from '../query/like.ts'
import { LIST_PREDICATES } from '../query/lists.ts'
import { parseQuery } from '../query/parse.ts'
import { type CustomPredicates, toPredicate } from '../query/predicate.ts'
import type { StoredChecker } from '../query/stored-check.ts'
import { copyQuery } from '../query/validated.ts'
import { listRecords } from '../schema/page.ts'
import { makeRecordsOwn } from '../schema/plain-records.ts'
import { dropSources } from '../schema/selection.ts'
import { addServiceSlots, getSlots, setSlots } from '../utils/call-state.ts'
import { hasCode, isFunction, isGiven, isObject, isString } from '../utils/check.ts'
import { copyWith, getFirstName, isSamePlain } from '../utils/object.ts'
import { evaluateForWrite, type Write, type WriteDecision } from './write-decision.ts'

/** What a rule, or the scope of a service, restricts a call to. */
export interface Restriction {
  /** What every record has to match that the call returns or writes, after the write too. */
  readonly query: Query
  /** The id and the params as the client sent them. */
  readonly id: HookContext['id']
  readonly params: Params
}

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What the call is restricted to, where its rule has returned a query or its service has a scope. */
    readonly restriction?: Restriction
  }
}

/** Restricts a call to a query, beside what it is restricted to already. */
export function setRestriction(context: HookContext, query: Query): void {
  const { restriction } = getSlots(context)
  const { id, params } = restriction ?? context

  setSlots(context, {
    restriction: { query: restriction ? { $and: [restriction.query, query] } : query, id, params }
  })
}

/** Adds the restriction of a call to its query, where it is not there yet. */
export function addRestriction(context: HookContext): void {
  const { restriction } = getSlots(context)

  if (restriction && !isRestricted(context.params.query, restriction.query))
    addCondition(context, restriction.query)
}

/**
 * Makes the step around a standard method that holds a call to its restriction, whatever hooks have done to its
 * params. An adapter changes and removes what matches the query, in one statement. What another service returns is
 * checked, and what it is to change is looked up first.
 */
export function createEnforcer(method: string): AroundHook<HookContext> {
  const enforce =
    method === 'create' ? enforceCreate : ['find', 'get'].includes(method) ? enforceRead : enforceWrite

  return async (context, next) => {
    const { restriction } = getSlots(context)

    await (restriction ? enforce(context, restriction, next) : next())
  }
}

type Enforce = (context: HookContext, restriction: Restriction, next: () => Promise<unknown>) => Promise<void>

const enforceCreate: Enforce = async (context, { query }, next) => {
  const id = getIdField(context.service)

  for (const data of [context.data].flat()) {
    assertAllowed(
      decideData(context, query, data, {
        sets: () => true,
        makes: (name) => name === id && !isGiven(data[id])
      }),
      context
    )
  }

  await runChecked(context, query, next)
}

const enforceRead: Enforce = async (context, { query }, next) => {
  const hasResult = Object.hasOwn(context, 'result')

  addRestriction(context)

  const dropAdded = isAdapter(context) || hasResult ? undefined : selectFields(context, query)

  await next()

  // A hook that has set the result, such as a cache, may not have read the query.
  if (isAdapter(context) && !hasResult) return

  const matches = toTest(query, context)

  if (listRecords(context).every(matches)) return dropAdded?.()
  if (context.method === 'get') throw toNotFound(context)

  throw new GeneralError(
    `'find' of '${context.path}' returned records that its access, parent or singleton does not allow: it has to apply params.query`
  )
}

/**
 * Has the fields read that a restriction is about, where a client selects others. Returns what takes them out of the result
 * again; `undefined` where none was added.
 */
function selectFields(context: HookContext, restriction: Query): (() => void) | undefined {
  const { params } = context
  const { $select } = params.query ?? {}
  const selected: readonly unknown[] = [$select].flat()

  // Another shape of it is for the service.
  if (!selected.every(isString)) return undefined

  const asked = new Set(listAsked(restriction).map(getFirstName))
  const added = [...asked].filter((name) => !selected.includes(name))

  if (added.length === 0) return undefined

  context.params = copyWith(params, {
    query: copyQuery(params.query, { $select: [...selected, ...added] })
  })

  return () => {
    // What JSON makes of an instance may have any of them.
    makeRecordsOwn(context)
    dropSources(context, added, new Set(selected))
  }
}

const enforceWrite: Enforce = async (context, restriction, next) => {
  // A hook that writes in place of the method is responsible for it.
  if (Object.hasOwn(context, 'result')) return void (await next())

  addRestriction(context)

  const decision = decideWrite(context, restriction.query)

  // Its data may have fields of the record, which the schema keeps.
  if (context.method === 'update' && isRefused(decision) && !(await isVisible(context, restriction))) {
    throw toNotFound(context)
  }

  assertAllowed(decision, context)
  // What the data leaves open as a whole is in the query already.
  if (isObject(decision) && !isSamePlain(decision, restriction.query)) addCondition(context, decision)
  if (!isAdapter(context)) await assertRecord(context, restriction, decision)

  try {
    await runChecked(context, restriction.query, next)
  } catch (error) {
    if (!isGiven(context.id) || !hasCode(error, 404) || !(await isVisible(context, restriction))) throw error

    throw toForbidden(context)
  }
}

/** Runs a method. An adapter whose store may keep other values than the data has checks what it has stored. */
async function runChecked(context: HookContext, query: Query, next: () => Promise<unknown>): Promise<void> {
  const { method, params, service } = context

  // A remove has no data of the caller: what a method of a class writes instead, such as a date, is for the class to decide.
  if (method === 'remove' || !(service as StoredChecker)._checksStored) return void (await next())

  context.params = addServiceSlots(params, service, {
    storedCheck: { query, toError: () => toForbidden(context) }
  })

  try {
    await next()
  } finally {
    // Calls that hooks make with the params are not checked. The method may have set some.
    context.params = addServiceSlots(context.params, service, { storedCheck: undefined })
  }
}

/** Whether the records that a call writes still match: those that do not are not for the caller to make. */
function decideWrite(context: HookContext, query: Query): WriteDecision {
  const { data, method } = context
  const id = getIdField(context.service)

  if (method === 'remove') return true

  return decideData(context, query, data, {
    // No adapter changes an id.
    sets: (name) => name !== id && (method === 'update' || Object.hasOwn(data, name)),
    makes: () => false
  })
}

/** Adapters refuse what is no record. */
function decideData(
  context: HookContext,
  query: Query,
  data: unknown,
  effects: Omit<Write, 'data'>
): WriteDecision {
  if (isObject(data)) return evaluateForWrite(query, { data, ...effects })

  return isAdapter(context) ? true : undefined
}

function assertAllowed(decision: WriteDecision, context: HookContext): void {
  if (isRefused(decision)) throw toForbidden(context)
}

function isRefused(decision: WriteDecision): boolean {
  return decision === false || decision === undefined
}

/**
 * Looks a record up for a service that may not read the query. The record has to match `decision` besides; `query` names it
 * besides its id. Between this and the write another call may change it. Throws Forbidden for a record that the caller may only
 * see, NotFound for one that the caller may not see.
 */
export async function assertRecord(
  context: HookContext,
  restriction: Restriction,
  decision: WriteDecision = true,
  query: Query = {}
): Promise<void> {
  const { service, id, params } = context
  const { provider, authentication, ...internal } = params

  if (!isGiven(id) || !isFunction(service.get)) throw toForbidden(context)

  const record: unknown = await service.get(id, copyWith(internal, { query }))
  const queries = isObject(decision) ? [restriction.query, decision] : [restriction.query]

  if (queries.every((one) => toTest(one, context)(record))) return

  throw (await isVisible(context, restriction)) ? toForbidden(context) : toNotFound(context)
}

/** Whether the caller could get the record: only then may it be said that it is there. */
async function isVisible(
  { service, params }: HookContext,
  { id, params: { query } }: Restriction
): Promise<boolean> {
  if (!getServiceOptions(service).methods.includes('get')) return false

  // With the params of the moment, which may hold a transaction.
  return await service.get(id, copyWith(params, { query })).then(
    () => true,
    () => false
  )
}

/** Adds a condition that holds whatever else the query of a client says, which is not changed. */
function addCondition(context: HookContext, condition: Query): void {
  const { query = {} } = context.params

  context.params = copyWith(context.params, { query: addConditions(query, [condition]) })
}

/** Whether a method reads its query: those of adapters do. */
function isAdapter({ service, method }: HookContext): boolean {
  const members = service as { readonly [name: string]: unknown }

  return isFunction(members.allowsMulti) && isFunction(members[`_${method}`])
}

/** Operators mean what they mean to the adapter; those of SQL have no predicates. */
function toTest(query: Query, { service }: HookContext): (record: unknown) => boolean {
  const { predicates, matcher } = (service as { options?: MatchOptions }).options ?? {}
  const custom = { ...PATTERN_PREDICATES, ...LIST_PREDICATES, ...predicates }
  const matches = matcher?.(query) ?? toPredicate(parseQuery(query, { trusted: true }).where, custom)

  return (record) => isObject(record) && matches(record)
}

/** How an adapter compares records with a query. */
interface MatchOptions {
  readonly predicates?: CustomPredicates
  readonly matcher?: (query: Query) => (record: any) => boolean
}

function toForbidden({ method, path }: HookContext): Forbidden {
  return new Forbidden(`You may not ${method} this record of '${path}'`)
}

/** The error of a call whose caller may not know that there is a record. */
export function toNotFound({ id }: HookContext): NotFound {
  return new NotFound(`No record found for id '${id}'`)
}

/** Whether a query has a condition that was added to it. */
function isRestricted({ $and }: Query = {}, condition: Query): boolean {
  return Array.isArray($and) && $and.includes(condition)
}
