import { type FeathersError, isFeathersError } from '../errors.ts'
import type { AnyKysely, AnyTransaction } from './any-kysely.ts'
import { findDatabase } from './databases.ts'
import { isDeadlock, isDisconnection, transactionLost } from './errors.ts'

/** The connection that a transaction and those inside it share. Statements take turns on it. */
export class SharedConnection {
  readonly db: AnyTransaction
  /** Why the transaction has ended. */
  loss: FeathersError | undefined
  /** Whether application code has run statements of its own on it. */
  hasOwnStatements = false
  private last: Promise<unknown> = Promise.resolve()

  constructor(db: AnyTransaction) {
    this.db = db
  }

  /** Runs something when all that came before it is through. */
  async take<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.last.then(run)

    this.last = turn.catch(() => undefined)

    return await turn
  }

  /**
   * Runs statements. When they fail, finds out whether the transaction is still there. Throws Unavailable when it has ended.
   */
  async attempt<T>(run: (db: AnyKysely) => Promise<T>): Promise<T> {
    if (this.loss) throw this.loss

    try {
      return await run(this.db)
    } catch (error) {
      if (!isFeathersError(error) && (await this.isLostBy(error))) this.loss = transactionLost(error)
      throw error
    }
  }

  /** Makes sure that a commit without an error is one: application code may have ended the transaction. */
  async assertAlive(): Promise<void> {
    const { dialect } = findDatabase(this.db)

    if (!this.hasOwnStatements || dialect.failsEmptyCommit) return
    if (!(await dialect.isAlive(this.db))) throw transactionLost(undefined)
  }

  /** Whether a rollback to a savepoint cannot help. */
  get isGone(): boolean {
    return isDisconnection(this.loss?.cause) || isDeadlock(this.loss?.cause, this.db)
  }

  /**
   * Asks the database. Not after a lost connection, which does not reply, and not after a deadlock, which ends the
   * transaction in some databases only.
   */
  private async isLostBy(error: unknown): Promise<boolean> {
    if (isDisconnection(error) || isDeadlock(error, this.db)) return true

    return !(await findDatabase(this.db).dialect.isAlive(this.db))
  }
}
