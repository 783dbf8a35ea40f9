import { sql } from 'kysely'
import type { AnyKysely } from './any-kysely.ts'
import { findDatabase } from './databases.ts'
import { trace } from './statements.ts'

/** A savepoint in a transaction. Savepoints are a stack: what ends one ends those that were set after it. */
export class Savepoint {
  private readonly db: AnyKysely
  private readonly name

  /** @param db The transaction */
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

  /** Rolls back to the savepoint. On PostgreSQL, a transaction with a failed statement can then continue. */
  async rollBack(): Promise<void> {
    await this.run('rollback to savepoint')
  }

  private async run(command: string): Promise<void> {
    await trace(this.db, command, () => sql`${sql.raw(command)} ${this.name}`.execute(this.db))
  }
}
