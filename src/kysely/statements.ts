// What tools see of statements.
import { openTracing } from '../utils/tracing.ts'
import type { AnyKysely, AnyTransaction } from './any-kysely.ts'
import { findDatabase } from './databases.ts'

/** The message of the channel `alula:sql`; `error` is added when the statement has failed. */
export interface SqlMessage {
  /** The statement with placeholders: the values are not in it. */
  readonly sql: string
  /** The name of the dialect. */
  readonly database: string
  readonly error?: unknown
}

const statements = openTracing<SqlMessage>('alula:sql')

/**
 * Runs a statement, and publishes it on the channel `alula:sql` if something watches.
 *
 * @param db The Kysely instance or the transaction that it runs on
 * @param sql Its text, without values
 * @param run Runs it
 */
export function trace<Result>(db: AnyKysely, sql: string, run: () => Promise<Result>): Promise<Result> {
  if (!statements.hasSubscribers) return run()

  const { name: database } = findDatabase(db).dialect

  return statements.tracePromise(run, { sql, database })
}

/** Begins a transaction. */
export function begin(db: AnyKysely): Promise<AnyTransaction> {
  return trace(db, 'begin', () => db.startTransaction().execute())
}

/** Makes what happened in a transaction last. */
export function commit(transaction: AnyTransaction): Promise<void> {
  return trace(transaction, 'commit', () => transaction.commit().execute())
}
