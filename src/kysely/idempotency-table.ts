import { type Kysely, type Migration, sql } from 'kysely'
import { findDatabase } from './databases.ts'
import { mysql } from './dialects/mysql.ts'

/**
 * A migration that creates a table for the option `store` of `idempotency`: one row for each key, with the response of its
 * call. Times are in milliseconds since 1970.
 *
 * @param name The name of the table
 * @returns A migration for the `Migrator` of Kysely
 * @example
 * const migrations = { '2026-05-01-idempotency-keys': createIdempotencyTable() }
 */
export function createIdempotencyTable(name = 'idempotencyKeys'): Migration {
  async function up(db: Kysely<any>): Promise<void> {
    // `text` of MySQL ends at 64 KiB.
    const response = findDatabase(db).dialect === mysql ? sql`longtext` : 'text'

    await db.schema
      .createTable(name)
      .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
      .addColumn('hash', 'varchar(64)', (column) => column.notNull())
      .addColumn('token', 'varchar(36)', (column) => column.notNull())
      .addColumn('response', response)
      .addColumn('endsAt', 'bigint', (column) => column.notNull())
      .execute()
    // For what deletes those that are over.
    await db.schema.createIndex(`${name}_end`).on(name).column('endsAt').execute()
  }

  async function down(db: Kysely<any>): Promise<void> {
    await db.schema.dropTable(name).execute()
  }

  return { up, down }
}
