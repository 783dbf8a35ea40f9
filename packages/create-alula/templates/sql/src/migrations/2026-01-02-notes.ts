import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notes')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('done', 'boolean', (column) => column.notNull())
    .addColumn('ownerId', 'integer', (column) => column.notNull().references('users.id'))
    .addColumn('createdAt', 'timestamptz', (column) => column.notNull())
    .addColumn('updatedAt', 'timestamptz', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('notes_owner').on('notes').column('ownerId').execute()
}
