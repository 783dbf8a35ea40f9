import type { Kysely, Migration } from 'kysely'

/**
 * A migration that creates a table for sessions, of the option `refresh.store` of authentication: one row for each login, with the
 * fields of a session as columns. Times are in milliseconds since 1970.
 *
 * @param name The name of the table
 * @returns A migration for the `Migrator` of Kysely
 * @example
 * const migrations = { '2026-05-01-sessions': createSessionTable() }
 */
export function createSessionTable(name = 'sessions'): Migration {
  async function up(db: Kysely<any>): Promise<void> {
    await db.schema
      .createTable(name)
      .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
      .addColumn('userId', 'varchar(255)', (column) => column.notNull())
      .addColumn('counter', 'bigint', (column) => column.notNull())
      .addColumn('seen', 'bigint', (column) => column.notNull())
      .addColumn('refused', 'bigint', (column) => column.notNull())
      .addColumn('fingerprints', 'text')
      .addColumn('loginAt', 'bigint', (column) => column.notNull())
      .addColumn('refreshedAt', 'bigint', (column) => column.notNull())
      .addColumn('expiresAt', 'bigint', (column) => column.notNull())
      .addColumn('device', 'varchar(255)')
      .addColumn('address', 'varchar(255)')
      .execute()
    await db.schema.createIndex(`${name}_user`).on(name).column('userId').execute()
    // For what deletes those that are over.
    await db.schema.createIndex(`${name}_end`).on(name).column('expiresAt').execute()
  }

  async function down(db: Kysely<any>): Promise<void> {
    await db.schema.dropTable(name).execute()
  }

  return { up, down }
}
