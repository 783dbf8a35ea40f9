import { z } from 'zod'
import { alula } from '../../dist/index.js'
import { kysely } from '../../dist/kysely.js'
import { count, many, one, schema } from '../../dist/schema.js'

export async function openAlula({ db }) {
  const app = alula()
  const User = z.object({ id: z.int(), name: z.string() })
  const Article = z.object({ id: z.int(), title: z.string(), body: z.string(), author_id: z.int() })
  const Link = z.object({ id: z.int(), article_id: z.int(), tag_id: z.int() })
  const use = (path, declared) =>
    app.use(path, kysely({ Model: db, name: `bench_${path}`, paginate: { default: 20 } }), {
      schema: declared
    })

  use('users', schema(User))
  use('tags', schema(User))
  use('article_tags', schema(Link))
  use('comments', schema(z.object({ id: z.int(), article_id: z.int(), text: z.string() })))
  use('favorites', schema(z.object({ id: z.int(), article_id: z.int(), user_id: z.int() })))
  use(
    'articles',
    schema(Article, {
      relations: {
        author: one('users', { from: 'author_id' }),
        tags: many('tags', { through: { path: 'article_tags', from: 'article_id', to: 'tag_id' } }),
        comments: count('comments', { to: 'article_id' }),
        favorites: count('favorites', { to: 'article_id' })
      }
    })
  )
  await app.setup()

  const query = { $sort: { id: 1 }, $include: ['author', 'tags', 'comments', 'favorites'] }

  return () => app.service('articles').find({ query })
}
