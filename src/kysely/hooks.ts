import { describeHook } from '../hooks/traits.ts'
import type { NextFunction } from '../hooks/types.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { setSettings } from './settings.ts'
import { currentCall, type HookCall, Transaction } from './transaction.ts'
import { getOwnTransaction, joinTransaction } from './with-transaction.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The transactions that hooks of the call have begun and ended. */
    readonly transactions?: HookCall
  }
}

/** What the hooks read of the context of a call. */
interface Context {
  readonly path: string
  readonly method: string
  readonly service: { getModel?(params: object): AnyKysely }
  params: { transaction?: Transaction | undefined }
}

/**
 * Hooks that put a call, and those that get its `params.transaction`, into one transaction. They have the names of
 * `@feathersjs/knex`, and belong together: without `rollback` an error leaves the transaction open.
 *
 * @example
 * app.service('orders').hooks({
 *   before: { create: [transaction.start()] },
 *   after: { create: [transaction.end()] },
 *   error: { create: [transaction.rollback()] }
 * })
 */
export const transaction = {
  /** A `before` hook: begins a transaction, or sets a savepoint in that of the params. */
  start: toFactory('start', 'before', async (context) => {
    const call = toCall(context)
    const Model = context.service.getModel?.(context.params)
    // A service without a table sets a savepoint in the transaction of its caller.
    const db = Model ?? context.params.transaction?.trx

    if (!db) return

    const current = await Transaction.begin(db, await joinTransaction(getOwnTransaction(context.params), db))

    call.begun = [...(call.begun ?? []), current]
    context.params = { ...context.params, transaction: current }
    // For the statements that hooks write themselves.
    if (Model) await current.use((own) => setSettings(context.params, Model, own))
  }),

  /** An `after` hook: commits. It belongs last: what fails after it has been stored. */
  end: toFactory('end', 'after', async (context) => {
    const own = findOwn(context)

    if (!own) return

    await own.commit()
    toCall(context).hasCommitted = true
    // Not before: what could not be committed is for `rollback` to take back.
    leave(context)
  }),

  /** An `error` hook: takes everything back. */
  rollback: toFactory('rollback', 'error', async (context) => {
    const { path, method } = context

    // The client gets an error, and other clients no event, for what was stored all the same.
    if (toCall(context).hasCommitted) {
      process.emitWarning(
        `A hook of '${path}' failed after transaction.end() in ${method}: the record is stored, the client gets an error and there is no event. Put transaction.end() last in 'after'`,
        { code: 'ALULA_LATE_ERROR' }
      )
    }

    await findOwn(context)?.rollback()
    leave(context)
  })
}

/** Makes what makes a hook. In another place it would leave a transaction open, and the method would not run. */
function toFactory(
  name: string,
  type: string,
  run: (context: Context) => Promise<void>
): () => (context: any) => Promise<void> {
  return (context?: object) => {
    if (context)
      throw createError(
        'ALULA_NOT_CALLED',
        `transaction.${name} has to be called, as in [transaction.${name}()]`
      )

    const hook = async (context: Context, next?: unknown) => {
      if (next)
        throw createError(
          'ALULA_MISPLACED_HOOK',
          `The hook transaction.${name}() is for '${type}', and no around hook`
        )

      await run(context)
    }

    return describeHook(hook, { around: runAsCall })
  }
}

/** Has statements of all hooks of a call, and of its method, know the transaction that they would wait for. */
async function runAsCall(context: Context, next: NextFunction): Promise<unknown> {
  const call = toCall(context)

  // A hook may run it again.
  call.isOver = false

  try {
    return await currentCall.run(call, next)
  } finally {
    call.isOver = true
    call.outer = findUnfinished(call.outer)
  }
}

/**
 * A call, or the nearest one around it that has a transaction or may still begin one. Others are left out: where each job
 * starts the next one by a timer, the last one would keep all of them in memory.
 */
function findUnfinished(call: HookCall | undefined): HookCall | undefined {
  return call?.isOver && !call.begun?.length ? findUnfinished(call.outer) : call
}

function toCall(context: Context): HookCall {
  const known = getSlots(context).transactions

  if (known) return known

  const outer = findUnfinished(currentCall.getStore())
  const transactions: HookCall = { given: context.params.transaction, outer }

  setSlots(context, { transactions })

  return transactions
}

/** The transaction that this call has begun, and has to end. Before and after it, the params have that of the caller. */
function findOwn(context: Context): Transaction | undefined {
  const { begun, given } = toCall(context)
  const { transaction } = context.params

  if (begun) return begun.at(-1)

  return transaction === given ? undefined : transaction
}

/** Puts the transaction around it, or none, in place of that of a call. */
function leave(context: Context): void {
  const current = findOwn(context)

  if (current) context.params = { ...context.params, transaction: current.parent }

  toCall(context).begun?.pop()
}
