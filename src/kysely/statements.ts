// Statements that begin and end transactions, and what tools see of all.
import { sql } from 'kysely'
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

/** Runs a statement, and publishes its text, without values, on the channel `alula:sql` if something watches. */
export function trace<Result>(db: AnyKysely, text: string, run: () => Promise<Result>): Promise<Result> {
  if (!statements.hasSubscribers) return run()

  const { name: database } = findDatabase(db).dialect

  return statements.tracePromise(run, { sql: text, database })
}

/** Begins a transaction. */
export function begin(db: AnyKysely): Promise<AnyTransaction> {
  return trace(db, 'begin', () => db.startTransaction().execute())
}

/** Makes what happened in a transaction last. */
export function commit(transaction: AnyTransaction): Promise<void> {
  return trace(transaction, 'commit', () => transaction.commit().execute())
}

/** A savepoint in a transaction. Savepoints are a stack: what ends one ends those that were set after it. */
export class Savepoint {
  private readonly db: AnyKysely
  private readonly name

  constructor(db: AnyKysely) {
    this.db = db
    this.name = sql.id(`alula_${++findDatabase(db).savepoints}`)
  }

  async set(): Promise<void> {
    await this.run('savepoint')
  }

  async release(): Promise<void> {
    await this.run('release savepoint')
  }

  /** Rolls back to the savepoint, and removes it. On PostgreSQL, a transaction with a failed statement can then continue. */
  async rollBack(): Promise<void> {
    await this.run('rollback to savepoint')
    await this.release()
  }

  private async run(command: string): Promise<void> {
    await trace(this.db, command, () => sql`${sql.raw(command)} ${this.name}`.execute(this.db))
  }
}
