// A database of the blog: 10 users, 200 articles with tags, who likes them and who follows whom. All servers have a copy of
// the same file, and open it alike.
import bcrypt from 'bcryptjs'
import { Kysely, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { openDatabase } from '../../examples/realworld/dist/src/database.js'

const USERS = 10
const ARTICLES = 200

/** The one who asks. Others read what this user writes, and this user follows some of them. */
export const READER = { email: 'user-0@example.com', password: 'correct horse' }

/** The slug of an article. */
export const SLUG = 'title-100'

/** Creates the file at a path. */
export async function createFile(path) {
  const db = await openDatabase(path)
  const password = bcrypt.hashSync(READER.password, 10)
  const insert = (table, rows) => db.insertInto(table).values(rows).execute()
  const each = (count, toRow) => Array.from({ length: count }, (_, index) => toRow(index))
  const links = (count, toRows) => Array.from({ length: count }, (_, index) => toRows(index)).flat()
  const createdAt = '2026-11-26T12:00:00.000Z'
  const written = { createdAt, updatedAt: createdAt }

  await insert(
    'users',
    each(USERS, (user) => ({ username: `user-${user}`, email: `user-${user}@example.com`, password }))
  )
  await insert(
    'articles',
    each(ARTICLES, (article) => ({
      slug: `title-${article}`,
      title: `Title ${article}`,
      description: `About ${article}`,
      body: 'They turn. '.repeat(20),
      authorId: (article % USERS) + 1,
      ...written
    }))
  )
  await insert(
    'article_tags',
    links(ARTICLES, (article) =>
      [`a-${article % 7}`, `b-${article % 5}`, `c-${article % 3}`].map((tag) => ({
        articleId: article + 1,
        tag
      }))
    )
  )
  await insert(
    'favorites',
    links(ARTICLES, (article) =>
      [1, 4, 7].map((step) => ({ articleId: article + 1, userId: ((article + step) % USERS) + 1 }))
    )
  )
  await insert(
    'follows',
    links(USERS, (user) =>
      [1, 2, 3].map((step) => ({ followerId: user + 1, followedId: ((user + step) % USERS) + 1 }))
    )
  )
  // What is copied is the file alone.
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  await db.destroy()
}

/** Opens the file of this process as an application does that has nothing of alula for it. */
export function openFile() {
  const database = new Database(process.env.DATABASE_URL)

  database.pragma('journal_mode = wal')
  database.pragma('busy_timeout = 5000')
  database.pragma('foreign_keys = on')

  return new Kysely({ dialect: new SqliteDialect({ database }) })
}
