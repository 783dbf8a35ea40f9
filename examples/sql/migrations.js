/**
 * What has been done to the database, in the order of the names. One that has run anywhere is never changed: a
 * further change is a further migration.
 */
export function toMigrations(isPostgres) {
  // Each database has its own words for an id that is counted.
  const counted = (column) =>
    (isPostgres ? column.generatedByDefaultAsIdentity() : column.autoIncrement()).primaryKey()

  return {
    '2026-01-01-messages': {
      async up(db) {
        await db.schema
          .createTable('messages')
          .addColumn('id', 'integer', counted)
          .addColumn('author', 'text', (column) => column.notNull())
          .addColumn('text', 'text', (column) => column.notNull())
          .addColumn('createdAt', 'timestamptz', (column) => column.notNull())
          .execute()
      },
      async down(db) {
        await db.schema.dropTable('messages').execute()
      }
    },

    '2026-01-02-users': {
      async up(db) {
        await db.schema
          .createTable('users')
          .addColumn('id', 'integer', counted)
          .addColumn('email', 'text', (column) => column.notNull().unique())
          .addColumn('name', 'text')
          .execute()
      },
      async down(db) {
        await db.schema.dropTable('users').execute()
      }
    }
  }
}
