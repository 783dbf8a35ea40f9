// As its documentation shows relational queries, with counts as extras.
import { relations, sql } from 'drizzle-orm'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'

export async function openDrizzle({ client, isSqlite, onStatement }) {
  const table = isSqlite ? sqlite.sqliteTable : pg.pgTable
  const { integer, text } = isSqlite ? sqlite : pg
  const id = () => integer('id').primaryKey()
  const users = table('bench_users', { id: id(), name: text('name').notNull() })
  const articles = table('bench_articles', {
    ...{ id: id(), title: text('title').notNull(), body: text('body').notNull() },
    author_id: integer('author_id').notNull()
  })
  const tags = table('bench_tags', { id: id(), name: text('name').notNull() })
  const links = table('bench_article_tags', {
    ...{ id: id(), article_id: integer('article_id').notNull(), tag_id: integer('tag_id').notNull() }
  })
  const schema = {
    ...{ users, articles, tags, links },
    articleRelations: relations(articles, ({ one, many }) => ({
      author: one(users, { fields: [articles.author_id], references: [users.id] }),
      links: many(links)
    })),
    linkRelations: relations(links, ({ one }) => ({
      article: one(articles, { fields: [links.article_id], references: [articles.id] }),
      tag: one(tags, { fields: [links.tag_id], references: [tags.id] })
    }))
  }
  const open = isSqlite ? drizzleSqlite : drizzlePostgres
  const db = open(isSqlite ? toDriver(client) : client, { schema, logger: { logQuery: onStatement } })
  const countOf = (name) =>
    sql`(select count(*) from ${sql.identifier(name)} as "o" where "o"."article_id" = "articles"."id")`

  return async () => {
    const [total, rows] = await Promise.all([
      db.$count(articles),
      db.query.articles.findMany({
        with: { author: true, links: { columns: {}, with: { tag: true } } },
        extras: {
          comments: countOf('bench_comments').as('comments'),
          favorites: countOf('bench_favorites').as('favorites')
        },
        orderBy: articles.id,
        limit: 20
      })
    ])

    return {
      total: Number(total),
      data: rows.map(({ links: own, ...row }) => ({
        ...row,
        tags: own.map(({ tag }) => tag),
        comments: Number(row.comments),
        favorites: Number(row.favorites)
      }))
    }
  }
}

/** Its own driver is for another package. */
function toDriver(client) {
  const prepared = new Map()

  return async (text, values, method) => {
    const statement = prepared.get(text) ?? client.prepare(text).raw()

    prepared.set(text, statement)

    return { rows: method === 'get' ? statement.get(...values) : statement.all(...values) }
  }
}
