import { expect, it } from 'vitest'
import type { ResponseParams } from '../../src/client/service.ts'
import { alula, rest } from '../../src/client.ts'
import { Conflict } from '../../src/errors.ts'
import { failure, fetchOnce, libraries, restServers } from './servers.ts'

// A find with a long query: by QUERY where a response has said that the server takes it.

const SHORT = { name: 'Ada' }
const LONG = { id: { $in: Array.from({ length: 300 }, (_, index) => index) }, name: 'é' }

const verbs: string[] = []

/** Only a request with a body has a content type. */
const note = ({ headers }: any) => void verbs.push(headers['content-type'] ? 'QUERY' : 'GET')

const configure = (app: any) => {
  app.use('things', {
    find: async (params: any) => {
      note(params)

      return { query: params.query }
    }
  })
  app.use('things/:thing/parts', {
    find: async ({ query, route, headers }: any) => ({ query, route, custom: headers['x-custom'] })
  })
  app.use('refusing', {
    find: async (params: any) => {
      note(params)
      if (params.query.id) throw new Conflict('No')

      return []
    }
  })
}

const connect = async (library: string, server: string) => {
  verbs.length = 0

  const { url } = await (restServers[server] as (typeof restServers)[string])(configure)

  return alula().configure((libraries[library] as any)(url))
}

it.each(Object.keys(libraries))('a client with %s asks with QUERY once it knows', async (library) => {
  const app = await connect(library, 'our server')
  const things = app.service('things')
  const asText = JSON.parse(
    JSON.stringify(LONG, (_name, value) => (typeof value === 'number' ? `${value}` : value))
  )
  const responses: unknown[] = []
  const onResponse = (response: unknown) => void responses.push(response)

  expect(await things.find({ query: LONG, onResponse } as ResponseParams)).toEqual({ query: asText })
  expect(await things.find({ query: LONG, onResponse } as ResponseParams)).toEqual({ query: LONG })
  expect(await things.find({ query: SHORT })).toEqual({ query: SHORT })
  expect([verbs, responses.length]).toEqual([['GET', 'QUERY', 'GET'], 2])
})

it.each(Object.keys(libraries))(
  'a client with %s and a server of Feathers v5 goes on with GET',
  async (library) => {
    const things = (await connect(library, 'a server of Feathers v5')).service('things')

    await things.find({ query: SHORT })
    await things.find({ query: LONG })
    expect(verbs).toEqual(['GET', 'GET'])
  }
)

it('a QUERY has the route and the headers of the call, and the errors of the server', async () => {
  const app = await connect('fetch', 'our server')
  const parts = app.service('things/:thing/parts')
  const params = { query: LONG, route: { thing: 'a b' }, headers: { 'X-Custom': 'x' } }
  const refusing = app.service('refusing')

  await parts.find(params)
  expect(await parts.find(params)).toEqual({ query: LONG, route: { thing: 'a b' }, custom: 'x' })
  await refusing.find()
  expect((await failure(refusing.find({ query: LONG }))).name).toBe('Conflict')
  expect(verbs).toEqual(['GET', 'QUERY'])
})

it('a long URL without a query is asked for with GET', async () => {
  const parts = (await connect('fetch', 'our server')).service('things/:thing/parts')
  const route = { thing: 'a'.repeat(3000) }

  await parts.find({ route: { thing: 'a' } })
  expect(await parts.find({ route })).toEqual({ query: {}, route })
})

it('a client goes back to GET where a server no longer takes QUERY, and to QUERY with the next one that does', async () => {
  verbs.length = 0

  const served = await Promise.all(
    ['our server', 'a server of Feathers v5'].map((name) =>
      (restServers[name] as (typeof restServers)[string])(configure)
    )
  )
  const [ours, theirs] = served.map(({ url }) => url) as [string, string]
  const refused: unknown[] = []
  let current = ours
  const reach = async (url: string, init: RequestInit) => {
    const response = await fetchOnce(url.replace(ours, current), init)

    if (!response.ok) refused.push(init.method)

    return response
  }
  const things = alula().configure(rest(ours).fetch(reach)).service('things')

  await things.find({ query: SHORT })
  await things.find({ query: LONG })
  await things.find({ query: LONG })
  current = theirs
  await things.find({ query: LONG })
  await things.find({ query: LONG })
  current = ours
  await things.find({ query: SHORT })
  await things.find({ query: LONG })
  current = theirs
  // A short one notices it too.
  await things.find({ query: SHORT })
  await things.find({ query: LONG })
  expect(verbs).toEqual(['GET', 'QUERY', 'QUERY', 'GET', 'GET', 'GET', 'QUERY', 'GET', 'GET'])
  expect(refused).toEqual(['QUERY'])
})

it.each(Object.keys(libraries))(
  'a client with %s sends a bigint in a long query as in a short one',
  async (library) => {
    const things = (await connect(library, 'our server')).service('things')
    const $in = Array.from({ length: 300 }, (_, index) => BigInt(index))

    expect(await things.find({ query: { id: { $in: [1n] } } })).toEqual({ query: { id: { $in: ['1'] } } })
    expect(await things.find({ query: { id: { $in }, at: new Date(0) } })).toEqual({
      query: { id: { $in: $in.map(String) }, at: '1970-01-01T00:00:00.000Z' }
    })
    expect(verbs).toEqual(['GET', 'QUERY'])
  }
)
