import { cacheStatements } from 'alula/kysely'
import {
  type CreateTableBuilder,
  Kysely,
  type KyselyConfig,
  Migrator,
  PostgresDialect,
  SqliteDialect
} from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'

/** The tables that statements name; the services know the others. */
export interface Tables {
  article_tags: { id: number; articleId: number; tag: string }
}

export type Db = Kysely<Tables>

/** Opens the database of a URL, or of the path of a file, and brings its tables up to date. Statements go to `log`. */
export async function openDatabase(url: string, log: KyselyConfig['log'] = []): Promise<Db> {
  const isPostgres = /^postgres(?:ql)?:/.test(url)
  const db = new Kysely<Tables>({ dialect: isPostgres ? connect(url) : openFile(url), log })
  const migrations = toMigrations(isPostgres)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()

  if (error) {
    await db.destroy()
    throw error
  }

  return db
}

/** A server that cannot be reached is an error within seconds, not a call that hangs. */
function connect(connectionString: string): PostgresDialect {
  const limits = { connectionTimeoutMillis: 3000, statement_timeout: 3000, query_timeout: 4000 }
  const pool = new Pool({ connectionString, ...limits })
  const report = (error: Error) => console.error(`A connection broke: ${error.message}`)

  // The pool makes another one. Without listeners, for those in use too, the process would end.
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))

  return new PostgresDialect({ pool })
}

function openFile(path: string): SqliteDialect {
  const database = new Database(path)

  // Others may read while one writes, and a second process waits for its turn.
  database.pragma('journal_mode = wal')
  database.pragma('busy_timeout = 5000')
  // SQLite checks references only then.
  database.pragma('foreign_keys = on')

  return new SqliteDialect({ database: cacheStatements(database) })
}

function toMigrations(isPostgres: boolean) {
  return {
    '2026-11-26-conduit': {
      async up(db: Kysely<unknown>) {
        const create = (name: string) =>
          db.schema.createTable(name).addColumn('id', 'integer', (column) => {
            // Each database has its own words for an id that is counted.
            return (isPostgres ? column.generatedByDefaultAsIdentity() : column.autoIncrement()).primaryKey()
          })
        const times = <Name extends string>(table: CreateTableBuilder<Name>) =>
          table
            .addColumn('createdAt', 'timestamptz', (column) => column.notNull())
            .addColumn('updatedAt', 'timestamptz', (column) => column.notNull())

        await create('users')
          .addColumn('username', 'text', (column) => column.notNull().unique())
          .addColumn('email', 'text', (column) => column.notNull().unique())
          .addColumn('password', 'text', (column) => column.notNull())
          .addColumn('bio', 'text')
          .addColumn('image', 'text')
          .execute()
        await create('follows')
          .addColumn('followerId', 'integer', (column) => column.notNull().references('users.id'))
          .addColumn('followedId', 'integer', (column) => column.notNull().references('users.id'))
          .addUniqueConstraint('follows_once', ['followedId', 'followerId'])
          .execute()
        await times(create('articles'))
          .addColumn('slug', 'text', (column) => column.notNull().unique())
          .addColumn('title', 'text', (column) => column.notNull())
          .addColumn('description', 'text', (column) => column.notNull())
          .addColumn('body', 'text', (column) => column.notNull())
          .addColumn('authorId', 'integer', (column) => column.notNull().references('users.id'))
          .execute()
        await create('article_tags')
          .addColumn('articleId', 'integer', (column) =>
            column.notNull().references('articles.id').onDelete('cascade')
          )
          .addColumn('tag', 'text', (column) => column.notNull())
          .addUniqueConstraint('article_tags_once', ['articleId', 'tag'])
          .execute()
        await create('favorites')
          .addColumn('articleId', 'integer', (column) =>
            column.notNull().references('articles.id').onDelete('cascade')
          )
          .addColumn('userId', 'integer', (column) => column.notNull().references('users.id'))
          .addUniqueConstraint('favorites_once', ['articleId', 'userId'])
          .execute()
        await times(create('comments'))
          .addColumn('body', 'text', (column) => column.notNull())
          .addColumn('articleId', 'integer', (column) =>
            column.notNull().references('articles.id').onDelete('cascade')
          )
          .addColumn('authorId', 'integer', (column) => column.notNull().references('users.id'))
          .execute()

        await db.schema.createIndex('articles_author').on('articles').column('authorId').execute()
        await db.schema.createIndex('article_tags_tag').on('article_tags').column('tag').execute()
        await db.schema.createIndex('favorites_user').on('favorites').column('userId').execute()
        await db.schema.createIndex('comments_article').on('comments').column('articleId').execute()
      }
    }
  }
}
