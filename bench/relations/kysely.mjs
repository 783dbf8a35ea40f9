// As its documentation shows relations: one statement, with JSON made by the database.
import { jsonArrayFrom as toArrayPostgres, jsonObjectFrom as toObjectPostgres } from 'kysely/helpers/postgres'
import { jsonArrayFrom as toArraySqlite, jsonObjectFrom as toObjectSqlite } from 'kysely/helpers/sqlite'

export async function openKysely({ db, isSqlite }) {
  const [toArray, toObject] = isSqlite ? [toArraySqlite, toObjectSqlite] : [toArrayPostgres, toObjectPostgres]
  const parse = isSqlite ? JSON.parse : (value) => value

  return async () => {
    const [{ total }, rows] = await Promise.all([
      db
        .selectFrom('bench_articles')
        .select(({ fn }) => fn.countAll().as('total'))
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('bench_articles as a')
        .selectAll('a')
        .select((eb) => [
          toObject(
            eb.selectFrom('bench_users as u').select(['u.id', 'u.name']).whereRef('u.id', '=', 'a.author_id')
          ).as('author'),
          toArray(
            eb
              .selectFrom('bench_tags as t')
              .innerJoin('bench_article_tags as l', 'l.tag_id', 't.id')
              .select(['t.id', 't.name'])
              .whereRef('l.article_id', '=', 'a.id')
              .orderBy('t.id')
          ).as('tags'),
          eb
            .selectFrom('bench_comments as c')
            .select(({ fn }) => fn.countAll().as('n'))
            .whereRef('c.article_id', '=', 'a.id')
            .as('comments'),
          eb
            .selectFrom('bench_favorites as f')
            .select(({ fn }) => fn.countAll().as('n'))
            .whereRef('f.article_id', '=', 'a.id')
            .as('favorites')
        ])
        .orderBy('a.id')
        .limit(20)
        .execute()
    ])

    return {
      total: Number(total),
      data: rows.map((row) => ({
        ...row,
        author: parse(row.author),
        tags: parse(row.tags),
        comments: Number(row.comments),
        favorites: Number(row.favorites)
      }))
    }
  }
}
