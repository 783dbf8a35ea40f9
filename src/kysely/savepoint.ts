import { type Kysely, sql } from 'kysely'

let count = 0

/** A savepoint in a transaction. Savepoints are a stack: what ends one ends those that were set after it. */
export class Savepoint {
  private readonly name = sql.id(`alula_${++count}`)

  async set(db: Kysely<any>): Promise<void> {
    await sql`savepoint ${this.name}`.execute(db)
  }

  async release(db: Kysely<any>): Promise<void> {
    await sql`release savepoint ${this.name}`.execute(db)
  }

  /** Takes back what happened since it was set. On PostgreSQL that mends a transaction in which a statement has failed. */
  async rollBack(db: Kysely<any>): Promise<void> {
    await sql`rollback to savepoint ${this.name}`.execute(db)
  }
}
