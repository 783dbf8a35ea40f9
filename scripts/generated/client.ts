// Compiled against the types that openapi-typescript makes of a document, and run against the application.
import createClient from 'openapi-fetch'
import type { paths } from './types/app'

/** Makes calls, and returns what came back. */
export async function callAll(baseUrl: string): Promise<object> {
  const client = createClient<paths>({ baseUrl })

  await client.POST('/notes', { body: { text: 'Buy milk', rating: 5, kind: 'idea', userId: 1 } })
  await client.POST('/notes', { body: [{ text: 'Call Ada', rating: 2 }] })

  const found = await client.GET('/notes', {
    params: {
      query: {
        rating: { $gt: 4 },
        'kind[$in][]': ['idea'],
        done: false,
        $sort: { text: 1 },
        '$include[]': ['user']
      }
    }
  })
  const one = await client.GET('/notes/{id}', { params: { path: { id: 1 } } })
  const favorite = await client.PUT('/notes/{id}/favorite', { params: { path: { id: '1' } } })
  const archived = await client.POST('/notes/archive', { body: { before: '2026-11-22' } })
  const missing = await client.GET('/notes/{id}', { params: { path: { id: 99 } } })
  const text: string | undefined = found.data?.data[0]?.text
  const user: string | undefined = found.data?.data[0]?.user?.name
  const created: string | undefined = one.data?.createdAt

  return {
    rows: found.data?.data,
    text,
    user,
    created,
    favorite: favorite.response.status,
    count: archived.data?.count,
    error: missing.error?.name
  }
}

/** Never called: none of this compiles. */
export function mistakes(client: ReturnType<typeof createClient<paths>>, found: { data?: Note }): unknown[] {
  return [
    // @ts-expect-error: a number is no text
    client.POST('/notes', { body: { text: 1 } }),
    // @ts-expect-error: hidden
    client.GET('/notes', { params: { query: { secret: 'x' } } }),
    // @ts-expect-error: hidden
    found.data?.secret,
    // @ts-expect-error: a string is no rating
    client.GET('/notes', { params: { query: { rating: { $gt: 'a' } } } }),
    // @ts-expect-error: not for clients
    client.DELETE('/users')
  ]
}

type Note = paths['/notes/{id}']['get']['responses'][200]['content']['application/json']
