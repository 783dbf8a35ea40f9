import { type Kysely, type Migration, sql } from 'kysely'
import { findDatabase } from './databases.ts'

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
  return toMigration(name, async (db) => {
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
  })
}

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
  return toMigration(name, async (db) => {
    // `text` of MySQL ends at 64 KiB.
    const { longText = sql`text` } = findDatabase(db).dialect

    await db.schema
      .createTable(name)
      .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
      .addColumn('hash', 'varchar(64)', (column) => column.notNull())
      .addColumn('token', 'varchar(36)', (column) => column.notNull())
      .addColumn('response', longText)
      .addColumn('endsAt', 'bigint', (column) => column.notNull())
      .execute()
    // For what deletes those that are over.
    await db.schema.createIndex(`${name}_end`).on(name).column('endsAt').execute()
  })
}

function toMigration(name: string, up: (db: Kysely<any>) => Promise<void>): Migration {
  return { up, down: (db) => db.schema.dropTable(name).execute() }
}
