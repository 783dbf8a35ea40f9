import type { Database } from './databases.ts'

/** What application code should use for statements that belong to its transaction. */
export const ADVICE =
  'use the instance that withTransaction(db, async (trx) => …) hands out, or await getTransaction(db)'

/** The same for the hooks of a call with `transaction.start()`. */
export const HOOKS_ADVICE =
  'use await getTransaction(db, context.params), and give params.transaction to calls of services'

/**
 * Warns of a statement that does not belong to the transaction of the function that runs it: once for each database, and
 * in development. Some are meant, such as a line in a log that stays when the transaction is rolled back.
 */
export function warnOutside(database: Database): void {
  if (database.hasWarned || process.env.NODE_ENV === 'production') return

  database.hasWarned = true
  process.emitWarning(
    `A statement inside withTransaction is no part of the transaction, and stays when that is rolled back. If it should be part of it, ${ADVICE}`,
    { code: 'ALULA_OUTSIDE_TRANSACTION' }
  )
}
