import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import type { Note } from './notes.js'
import type { Tag } from './tags.js'
import type { User } from './users.js'

export interface Tables {
  users: User
  notes: Note
  tags: Tag
}

/** Opens the database in a file, and makes the tables that are missing. */
export async function openDatabase(path: string): Promise<Kysely<Tables>> {
  const database = new Database(path)

  // Others may read while one writes, and a second process waits for its turn.
  database.pragma('journal_mode = wal')
  database.pragma('busy_timeout = 5000')

  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: database as never }) })

  await db.schema
    .createTable('users')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('password', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('notes')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('done', 'boolean', (column) => column.notNull())
    .addColumn('ownerId', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'datetime', (column) => column.notNull())
    .addColumn('updatedAt', 'datetime', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('tags')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('noteId', 'integer', (column) => column.notNull())
    .addColumn('ownerId', 'integer', (column) => column.notNull())
    .execute()

  return db
}
