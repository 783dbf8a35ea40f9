/** What application code should use for statements that belong to its transaction. */
export const ADVICE =
  'use the instance that withTransaction(db, async (trx) => …) hands out, or await getTransaction(db)'

/** The databases, by the adapters of their Kysely instances, about which a warning was given. */
const warned = new WeakSet<object>()

/**
 * Warns of a statement that does not belong to the transaction of the function that runs it: once for each database, and
 * in development. Some are meant, such as a line in a log that stays when the transaction is rolled back.
 *
 * @param adapter The adapter of a Kysely instance for the database
 */
export function warnOutside(adapter: object): void {
  if (warned.has(adapter) || process.env.NODE_ENV === 'production') return

  warned.add(adapter)
  process.emitWarning(
    `A statement inside withTransaction is no part of the transaction, and stays when that is rolled back. If it should be part of it, ${ADVICE}`,
    { code: 'ALULA_OUTSIDE_TRANSACTION' }
  )
}
