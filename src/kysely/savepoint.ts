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

  /** Takes back what happened since it was set. On PostgreSQL that mends a transaction in which a statement has failed. */
  async rollBack(): Promise<void> {
    await sql`rollback to savepoint ${this.name}`.execute(this.db)
  }
}
