// What pages with cursors say about types of declared services.
import { z } from 'zod'
import type { ClientServices } from '../../src/client.ts'
import { alula, type CursorPage } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { one, type PagedByCursor, type RecordTypes, type ServiceOf, schema, typed } from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

interface Author {
  id: number
  name: string
}

export const posts = schema(z.object({ id: z.int(), authorId: z.int(), at: z.date() }), {
  relations: { author: one(typed<Author>('authors'), { from: 'authorId' }) }
})

interface Services {
  posts: ServiceOf<typeof posts>
  feed: ServiceOf<PagedByCursor<typeof posts>>
}

interface Post {
  id: number
  authorId: number
  at: Date
}

const app = alula<Services>()

app.use('feed', memory<Post>({ paginate: { default: 10, cursor: true } }), { schema: posts })

export async function read(client: ClientServices<Services>): Promise<void> {
  const page = await app.service('feed').find({ query: { $after: 'a', $total: true, $include: 'author' } })

  expectType<string | null>().of(page.endCursor)
  expectType<number | undefined>().of(page.total)
  expectType<string | undefined>().of(page.data[0]?.author?.name)
  // @ts-expect-error -- pages with cursors have no $skip
  page.skip
  expectType<Post[]>().of(await app.service('feed').find({ paginate: false }))

  const sent = await client.feed.find({ query: { $after: page.endCursor ?? '' } })

  expectType<CursorPage<{ id: number; authorId: number; at: string }>>().of(sent)
  expectType<number>().of((await client.posts.find()).skip)

  app.service('feed').on('created', (post) => expectType<Date>().of(post.at))
}

/** What a related record is known by. */
export const related: RecordTypes<Author>['record'] = { id: 1, name: 'Ada' }

const Record = z.object({ id: z.int(), text: z.string() })

// @ts-expect-error -- the long form is one object, with its settings in it
schema({ record: Record }, { hidden: ['text'] })
