import type { Kysely } from 'kysely'
import { findTransaction, implementDeferral } from './scope.ts'
import { Transaction } from './transaction.ts'

/** Hooks that put a call, and those that get its `params.transaction`, into one transaction. */
export const transaction = {
  /** A `before` hook: begins a transaction, or sets a savepoint in that of the params. */
  start: () =>
    async function startTransaction(context: any): Promise<void> {
      const Model: Kysely<any> | undefined = context.service.getModel?.(context.params)
      const parent = context.params.transaction ?? (Model && (await findTransaction(undefined, Model)))

      if (!Model && !parent) return

      implementDeferral(context.app)
      context.params = {
        ...context.params,
        transaction: await Transaction.begin(Model as Kysely<any>, parent)
      }
    },

  /** An `after` hook: commits. */
  end: () =>
    async function endTransaction(context: any): Promise<void> {
      await leave(context)?.commit()
    },

  /** An `error` hook: takes everything back. */
  rollback: () =>
    async function rollbackTransaction(context: any): Promise<void> {
      await leave(context)?.rollback()
    }
}

/** Puts the transaction around it, or none, in place of that of a call. */
function leave(context: any): Transaction | undefined {
  const { transaction: current } = context.params

  if (current) context.params = { ...context.params, transaction: current.parent }

  return current
}
