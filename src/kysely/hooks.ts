import type { Kysely } from 'kysely'
import { Transaction } from './transaction.ts'
import { findTransaction } from './with-transaction.ts'

/** The transactions that calls have begun and not ended, by their contexts; the innermost is the last. */
const begun = new WeakMap<object, Transaction[]>()

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
    const Model: Kysely<any> | undefined = context.service.getModel?.(context.params)
    const parent = context.params.transaction ?? (Model && (await findTransaction(undefined, Model)))

    if (!Model && !parent) return

    const current = await Transaction.begin(Model as Kysely<any>, parent)

    begun.set(context, [...(begun.get(context) ?? []), current])
    context.params = { ...context.params, transaction: current }
  }),

  /** An `after` hook: commits. */
  end: toFactory('end', 'after', async (context) => {
    await findOwn(context)?.commit()
    // Not before: what could not be committed is for `rollback` to take back.
    leave(context)
  }),

  /** An `error` hook: takes everything back. */
  rollback: toFactory('rollback', 'error', async (context) => {
    await findOwn(context)?.rollback()
    leave(context)
  })
}

/** Makes what makes a hook. In another place it would leave a transaction open, and the method would not run. */
function toFactory(
  name: string,
  type: string,
  run: (context: any) => Promise<void>
): () => (context: any) => Promise<void> {
  return (context?: object) => {
    if (context) throw new Error(`transaction.${name} has to be called, as in [transaction.${name}()]`)

    return async (context: any, next?: unknown) => {
      if (next) throw new Error(`The hook transaction.${name}() is for '${type}', and no around hook`)

      await run(context)
    }
  }
}

/** The transaction that a call has to end: not the one around it, which it has in its params when its own is over. */
function findOwn(context: any): Transaction | undefined {
  const own = begun.get(context)

  return own ? own.at(-1) : context.params.transaction
}

/** Puts the transaction around it, or none, in place of that of a call. */
function leave(context: any): void {
  const current = findOwn(context)

  if (current) context.params = { ...context.params, transaction: current.parent }

  begun.get(context)?.pop()
}
