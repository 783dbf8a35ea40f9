import { expect, it } from 'vitest'
import { alula, rest, socketio } from '../../src/client.ts'
import { createSocket, failure, libraries, restServers, socketServers } from './servers.ts'

const METHODS = ['feed', 'favorite', 'unfavorite', 'release']

const OPTIONS: any = {
  methods: METHODS,
  routes: {
    'GET /feed': 'feed',
    'POST /:slug/favorite': 'favorite',
    'DELETE /:slug/favorite': 'unfavorite',
    'PUT /versions/:version': 'release',
    'PATCH /:slug/versions/:version': 'release'
  }
}

/** Articles that show what each method got, and how it was reached. */
function configureServer(seen: unknown[]) {
  return (app: any) => {
    const show = (method: string) => async (data: any, params: any) => ({
      ...{ method, data: data === undefined ? 'none' : data, route: params.route, query: params.query }
    })

    app.use(
      'users/:userId/articles',
      Object.fromEntries(['find', ...METHODS].map((method) => [method, show(method)])),
      OPTIONS
    )
    app.service('users/:userId/articles').hooks({
      before: { all: [({ params }: any) => void seen.push(params.headers?.['x-service-method'])] }
    })
  }
}

const params = (query = {}) => ({ route: { userId: 5 }, query })

/** What every connection does to the same calls. */
async function callAll(articles: any) {
  return [
    await articles.feed(undefined, params({ limit: 3 })),
    await articles.feed({}, params()),
    await articles.favorite({ slug: 'a/b é', note: 1 }, params({ q: '1' })),
    await articles.favorite({ slug: 7 }, params()),
    await articles.unfavorite({ slug: 'x' }, params()),
    await articles.unfavorite({ slug: 'x', why: 'y' }, params()),
    await articles.release({ version: 2, note: 'n' }, params()),
    await articles.release({ slug: 'x', note: 'n' }, params()).catch(({ message }: Error) => message)
  ]
}

const EXPECTED = (limit: unknown) => [
  { method: 'feed', data: 'none', route: { userId: '5' }, query: { limit } },
  { method: 'feed', data: 'none', route: { userId: '5' }, query: {} },
  { method: 'favorite', data: { note: 1 }, route: { userId: '5', slug: 'a/b é' }, query: { q: '1' } },
  { method: 'favorite', data: {}, route: { userId: '5', slug: '7' }, query: {} },
  { method: 'unfavorite', data: 'none', route: { userId: '5', slug: 'x' }, query: {} },
  { method: 'unfavorite', data: { why: 'y' }, route: { userId: '5', slug: 'x' }, query: {} },
  { method: 'release', data: { note: 'n' }, route: { userId: '5', version: '2' }, query: {} },
  "Invalid data: 'version' of the route 'PUT /versions/:version' expects a string or a number"
]

it.each(Object.entries(libraries))('routes of methods are sent with %s', async (_name, connect) => {
  const seen: unknown[] = []
  const { url } = await (restServers['our server'] as any)(configureServer(seen))
  const connection = connect(url)
  const app: any = alula().configure(connection)

  app.use('users/:userId/articles', connection.service('users/:userId/articles'), OPTIONS)

  expect(await callAll(app.service('users/:userId/articles'))).toEqual(EXPECTED('3'))
  expect(seen).toEqual(Array(7).fill(undefined))
})

it('without routes the client sends the header, and the server fills the placeholders', async () => {
  const seen: unknown[] = []
  const { url } = await (restServers['our server'] as any)(configureServer(seen))
  const app: any = alula().configure(rest(url).fetch(fetch as any))

  app.use(
    'users/:userId/articles',
    rest(url)
      .fetch(fetch as any)
      .service('users/:userId/articles'),
    {
      methods: METHODS
    }
  )

  expect(await callAll(app.service('users/:userId/articles'))).toEqual(EXPECTED('3'))
  expect(new Set(seen)).toEqual(new Set(METHODS))
})

it('over a socket it is the same call', async () => {
  const { url } = await (socketServers['our server'] as any)(configureServer([]))
  const connection = socketio(createSocket(url))

  for (const options of [OPTIONS, { methods: METHODS }]) {
    const app: any = alula().configure(connection)

    app.use('users/:userId/articles', connection.service('users/:userId/articles'), options)

    expect(await callAll(app.service('users/:userId/articles'))).toEqual(EXPECTED(3))
  }
})

it('what a request cannot carry is refused before it is sent', async () => {
  const connection = rest('http://localhost:1').fetch(fetch as any)
  const app: any = alula().configure(connection)

  app.use('articles', connection.service('articles'), OPTIONS)

  const articles = app.service('articles')

  expect(await failure(articles.feed({ limit: 3 }))).toMatchObject({
    ...{ code: 400, message: "'GET /feed' takes no data but placeholders: use params.query" }
  })
  expect(await failure(articles.favorite({ slug: '..' }))).toMatchObject({
    ...{ code: 400, message: "Invalid value '..': no path of a URL can hold it" }
  })
  for (const slug of [undefined, null, '']) {
    expect(await failure(articles.favorite({ slug }))).toMatchObject({
      message: "Invalid data: 'slug' of the route 'POST /:slug/favorite' expects a string or a number"
    })
  }
  expect(await failure(articles.favorite({ slug: [1] }))).toMatchObject({
    message: "Invalid data: 'slug' of the route 'POST /:slug/favorite' expects a string or a number"
  })
  expect(() =>
    app.use('users', connection.service('users'), { methods: ['a'], routes: { 'get /a': 'a' } })
  ).toThrow("Invalid route 'get /a' of service 'users': expected GET, POST, PUT, PATCH or DELETE and a path")
})
