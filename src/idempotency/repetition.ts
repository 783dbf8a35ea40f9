import { assertRecord, toNotFound } from '../access/restriction.ts'
import { goesToClient } from '../core/client-call.ts'
import type { EmitterLike } from '../core/emitter.ts'
import { reportError } from '../core/events.ts'
import { getIdField } from '../core/service.ts'
import type { HookContext, Id, Query } from '../core/types.ts'
import { Conflict, type FeathersError, Unprocessable } from '../errors.ts'
import { getTraits } from '../hooks/traits.ts'
import type { AroundHook, Hook, Layer } from '../hooks/types.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { hasCode, isFunction } from '../utils/check.ts'
import { runOrDefer } from '../utils/deferral.ts'
import { copyPlain, copyWith } from '../utils/object.ts'
import { withoutLookupField } from '../utils/own-adapter.ts'
import { hashRequest, toClaim } from './claim.ts'
import { toKept, toNaming } from './kept-query.ts'
import { takeKey } from './key.ts'
import { NOT_KEPT, readResponse, restoreResponse, toStoredError, toStoredResponse } from './response.ts'
import type { Claim, IdempotencyStore, StoredCall, Unite } from './types.ts'

/** A call with a key. */
interface KeyedCall {
  readonly key: string
  /** The hash of what was sent. */
  readonly hash: string
  /** The credentials that came with it, before a hook has verified them. */
  readonly credentials: unknown
  /** The query that was sent: a copy, because hooks may add to the query in place. */
  readonly query: Query
  /** Once this call has begun, where no other has. */
  claim?: Claim
  /** The response of an earlier call. */
  repeated?: string
  /** The error of an earlier call, where that is its response. */
  failure?: FeathersError
  /** The id of the record, where the call has named it by another field: the call may have changed that. */
  recordId?: Id | undefined
  /** Whether the method has run, and nothing takes that back. */
  hasRun: boolean
}

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** Of a call with an idempotency key. */
    readonly keyed?: KeyedCall
  }
}

/** What calls with a key go by. */
export interface IdempotencySettings {
  readonly store: IdempotencyStore
  /** How many bytes a response may have that is kept. */
  readonly maxSize: number
}

/** Gives calls of a service with a key the response of the first one. */
export class Repetition {
  private readonly path: string
  private readonly getSettings: () => IdempotencySettings

  /**
   * @param path The path of the service in the application that has the keys: contexts have that in its own application, which
   * services of two sub-applications may share
   * @param getSettings Returns the settings; their store may open with the setup of the application
   */
  constructor(path: string, getSettings: () => IdempotencySettings) {
    this.path = path
    this.getSettings = getSettings
  }

  /**
   * One hook around all others sees the request and the response; one inside of all, after access, decides whether the
   * method runs. After hooks do not run for a response that leaves again, unless they belong to a before hook.
   */
  wrap(layers: readonly Layer<HookContext>[]): readonly Layer<HookContext>[] {
    return [
      { around: [this.outermost], phases: [] },
      ...layers.map(({ around, phases }) => ({
        around,
        phases: phases.map((phase) => ({ ...phase, after: phase.after?.map(skipForRepetition) }))
      })),
      { around: [this.innermostOfAll], phases: [] }
    ] as readonly Layer<HookContext>[]
  }

  private readonly outermost: AroundHook<HookContext> = async (context, next) => {
    const key = goesToClient(context) ? takeKey(context) : undefined

    if (key === undefined) return void (await next())

    const { authentication: credentials, query = {} } = context.params
    const hash = hashRequest(context, key)
    const call: KeyedCall = { key, hash, credentials, query: copyPlain(query), hasRun: false }

    setSlots(context, { keyed: call })

    try {
      await next()
      if (call.failure) throw call.failure
    } catch (error) {
      await this.settle(context, call, (maxSize) => toStoredError(error, context.app, call.recordId, maxSize))
      // What hooks make of an error, they have made of the stored one already.
      throw call.failure ?? error
    }

    if (call.repeated !== undefined) restoreResponse(context, call.repeated)
    else await this.settle(context, call, (maxSize) => toStoredResponse(context, call.recordId, maxSize))
  }

  private readonly innermostOfAll: AroundHook<HookContext> = async (context, next) => {
    const { keyed: call, unmet } = getSlots(context)

    // Where a hook has set the result, the method does not run.
    if (!call || Object.hasOwn(context, 'result')) {
      if (unmet) throw unmet

      return void (await next())
    }

    const { store } = this.getSettings()
    const claim = toClaim(context, this.path, call)
    const unite = store.unite?.(context.service, context.params)
    const found = await store.begin(claim, toStoreParams(context, unite))

    if (found) return await repeat(context, call, found)

    call.claim = claim
    if (unmet) throw unmet
    await runMethod(context, store, claim, unite, next)
    call.recordId = getRecordId(context)
    // A transaction that is rolled back takes it back.
    runOrDefer(() => {
      call.hasRun = true
    }, context)
  }

  /** Stores what a call has come to, or forgets a call whose method has not run. */
  private async settle(
    context: HookContext,
    { claim, hasRun }: KeyedCall,
    toResponse: (maxSize: number) => string
  ): Promise<void> {
    if (!claim) return

    const { store, maxSize } = this.getSettings()

    try {
      await (hasRun ? store.finish(claim, toResponse(maxSize)) : store.release(claim))
    } catch (error) {
      // The call has done what it was to do, and the client gets its response.
      reportError(context.app as EmitterLike, error, context)
    }
  }
}

/** Of an adapter, where a call names its record by another field than the id. */
interface AdapterParams {
  readonly adapter?: { readonly id?: string; readonly by?: object }
}

/** Whether a call gets the response of an earlier one with the same key: its method does not run. For hooks around it. */
export function isRepetition(context: HookContext): boolean {
  return getSlots(context).keyed?.repeated !== undefined
}

/** Runs the method. In a database that has the key too, both are written in one transaction. */
async function runMethod(
  context: HookContext,
  store: IdempotencyStore,
  claim: Claim,
  unite: Unite | undefined,
  next: () => Promise<unknown>
): Promise<void> {
  if (!unite) return void (await next())

  const run = async () => {
    await next()
    // What leaves is not known before all hooks are through.
    const isOwn = await store.mark?.(claim, toStoreParams(context, unite))

    // The transaction takes back what this run has written.
    if (!isOwn) throw toRunning()
  }

  await (hasTransaction(context) ? run() : unite(run))
}

async function repeat(context: HookContext, call: KeyedCall, { hash, response }: StoredCall): Promise<void> {
  if (hash !== call.hash) {
    throw new Unprocessable(
      'This idempotency key was used with another request: use a new key for each request'
    )
  }
  if (response === undefined) {
    throw toRunning()
  }

  const stored = response === NOT_KEPT ? undefined : readResponse(response)

  if (!stored || !(await assertAllowed(context, stored.id, call))) {
    throw new Conflict(
      'The request with this idempotency key has succeeded, and its response was not kept: read what it has changed',
      { reason: 'not-kept' }
    )
  }

  call.repeated = response
  context.event = null

  if (stored.error) {
    call.failure = stored.error
    // As in the first call: around hooks that read the result do not find one.
    throw stored.error
  }

  context.result = stored.body
}

/** The id of the record that a call has written, where the call has named it by another field. */
function getRecordId({ params, service, result }: HookContext): Id | undefined {
  const { adapter } = params as AdapterParams
  const id = adapter?.by && (result as { readonly [name: string]: unknown } | null)?.[getIdField(service)]

  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** A context whose record is named by its id, where that is stored. */
function toNamedById(context: HookContext, id: Id | undefined): HookContext {
  if (id === undefined) return context

  const { params } = context
  const { adapter = {} } = params as AdapterParams
  const named = copyWith(params, { adapter: withoutLookupField(adapter) })

  // Assigned values would become those of the context itself.
  return Object.create(context, { id: { value: id }, params: { value: named } })
}

/** For a request while another one with the same key runs. */
function toRunning(): Conflict {
  return new Conflict('A request with this idempotency key is running: try again', { reason: 'running' })
}

/**
 * A caller who may not change the record any more gets no response about it. A rule for `create` has read the data already.
 * `recordId` is the id of the record, where the call names it by another field. Returns whether the caller may get the
 * response; `false` for one about several records, which are not looked up. Throws NotFound for a record that is gone, or that
 * neither the hooks nor the database let the caller find.
 */
async function assertAllowed(
  context: HookContext,
  recordId: Id | undefined,
  { query: sent }: KeyedCall
): Promise<boolean> {
  const { restriction } = getSlots(context)
  const { id, data, method, service } = context

  if (method !== 'patch') return true
  if (id === null || id === undefined) return !restriction

  const named = toNamedById(context, recordId)
  const { provider, authentication, query = {}, ...internal } = named.params

  try {
    if (restriction) await assertRecord(named, restriction, true, toNaming(query, sent, data))
    if (isFunction(service.get)) {
      await service.get(named.id, copyWith(internal, { query: toKept(query, sent, data) }))
    }
  } catch (error) {
    // The caller may not know the id.
    throw named !== context && hasCode(error, 404) ? toNotFound(context) : error
  }

  return true
}

function skipForRepetition(hook: Hook<HookContext>): Hook<HookContext> {
  // It ends what a before hook has begun, such as a transaction.
  if (getTraits(hook).around) return hook

  return function (this: unknown, context) {
    return isRepetition(context) ? undefined : hook.call(this, context)
  }
}

function hasTransaction({ params }: HookContext): boolean {
  return (params as { transaction?: unknown }).transaction !== undefined
}

/** A transaction of another database is none of the store. */
function toStoreParams({ params }: HookContext, unite: Unite | undefined): object {
  const { transaction } = params as { transaction?: unknown }

  return unite && transaction ? { transaction } : {}
}
