import { sql } from 'kysely'
import type { AnyKysely } from './any-kysely.ts'
import { findDatabase } from './databases.ts'

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
    await sql`savepoint ${this.name}`.execute(this.db)
  }

  async release(): Promise<void> {
    await sql`release savepoint ${this.name}`.execute(this.db)
  }

  /** Rolls back to the savepoint. On PostgreSQL, a transaction with a failed statement can then continue. */
  async rollBack(): Promise<void> {
    await sql`rollback to savepoint ${this.name}`.execute(this.db)
  }
}
