import { describe, expect, it } from 'vitest'
import { alula, getServiceOptions } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { nextWarning } from '../support/warnings.ts'

/** A service with custom methods. */
const articles = (): any => ({
  find: async () => [],
  get: async () => ({}),
  feed: async () => ({}),
  favorite: async (_data: unknown, { route }: any) => route
})

const METHODS = ['find', 'get', 'feed', 'favorite']

function register(routes: object, path = 'articles', options: object = {}): any {
  return (alula() as any).use(path, articles(), { methods: METHODS, routes, ...options })
}

describe('a route that is refused', () => {
  it.each([
    [{ 'GET /': 'feed' }, "'GET /' is the route of a standard method"],
    [{ 'POST /': 'feed' }, "'POST /' is the route of a standard method"],
    [{ 'DELETE /': 'feed' }, "'DELETE /' is the route of a standard method"],
    [{ 'GET /:slug': 'feed' }, "'GET /:id' is the route of a standard method"],
    [{ 'PATCH /:id': 'feed' }, "'PATCH /:id' is the route of a standard method"],
    [
      { 'POST /:id/favorite': 'favorite', 'POST /:slug/favorite': 'feed' },
      "the same requests lead to 'POST /:id/favorite'"
    ],
    [{ 'POST /feed': 'favorite' }, "'POST /feed' calls the method 'feed' by its name"],
    [{ 'POST /:id/likes': 'like' }, "'methods' does not list 'like'"],
    [{ 'POST /:id/likes': 'favourite' }, "'methods' does not list 'favourite'. Did you mean 'favorite'?"],
    [{ 'GET /latest': 'find' }, "'find' is a standard method, whose route cannot be changed"],
    [{ 'GET /:a/:a': 'feed' }, "the placeholder ':a' is there twice"],
    ...[
      ...['get /feed', 'HEAD /feed', 'OPTIONS /feed', 'GET feed', 'GET', '/feed', 'GET  /feed', 'GET /feed '],
      ...[
        'GET /a//b',
        'GET /feed/',
        'GET /.',
        'GET /../users',
        'GET /a b',
        'GET /a?b',
        'GET /a#b',
        'GET /%zz'
      ],
      ...['GET /:', 'GET /:1', 'GET /:__id/x', 'GET /:a-b/x', 'GET /é', 'GET /*']
    ].map((name): [object, string] => [
      { [name]: 'feed' },
      'expected GET, POST, PUT, PATCH or DELETE and a path'
    ])
  ])('%o: %s', (routes, reason) => {
    const name = Object.keys(routes).at(-1)

    expect(() => register(routes)).toThrow(`Invalid route '${name}' of service 'articles': ${reason}`)
  })

  it('has a placeholder that the path of the service or routeParams have', () => {
    const routes = { 'GET /:userId/feed': 'feed' }

    expect(() => register(routes, 'users/:userId/articles')).toThrow("placeholder ':userId' is there twice")
    expect(() => register(routes, 'articles', { routeParams: { userId: 1 } })).toThrow('is there twice')
  })

  it('is no object with names of methods', () => {
    for (const routes of [[], new Map([['GET /feed', 'feed']]), 'GET /feed', { 'GET /feed': 1 }, null]) {
      expect(() => register(routes as any)).toThrow(
        "Invalid option 'routes' of service 'articles': expected an object with the name of a method for each route"
      )
    }
    expect(() => register({}, 'articles', { by: 'a.b' })).toThrow(
      "Invalid option 'by' of service 'articles': expected the name of a field"
    )
  })

  it('leads where another service is, whichever comes first', () => {
    const routes = { 'GET /:id/comments': 'feed', 'GET /feed': 'feed' }

    for (const path of ['articles/:articleId/comments', 'articles/feed']) {
      const name = path.endsWith('feed') ? 'GET /feed' : 'GET /:id/comments'
      const app: any = alula().use(path, memory())

      expect(() => app.use('articles', articles(), { methods: METHODS, routes })).toThrow(
        `Invalid route '${name}' of service 'articles': the same requests lead to the service '${path}'`
      )
      expect(app.services.articles).toBeUndefined()
      expect(app.lookup('articles')).toBeNull()
      expect(app.lookup(path.replace(':articleId', '1'))?.service).toBe(app.services[path])

      const other = register(routes)

      expect(() => other.use(path, memory())).toThrow(
        `Invalid path '${path}': the same requests lead to '${name}' of service 'articles'`
      )
      expect(other.lookup(path.replace(':articleId', '1')).service).toBe(other.service('articles'))
    }
  })

  it('leads to an id of another service', () => {
    const app: any = alula().use('articles', memory())
    const root = { methods: METHODS, routes: { 'GET /articles/:id': 'feed' } }

    expect(() => app.use('/', articles(), root)).toThrow("the same requests lead to the service 'articles'")
    expect(() => (alula() as any).use('/', articles(), root).use('articles', memory())).toThrow(
      "Invalid path 'articles': the same requests lead to 'GET /articles/:id' of service '/'"
    )
  })

  it('differs from another one in case alone, where case makes no difference', () => {
    const app: any = alula()

    app.routes.caseSensitive = false

    expect(() =>
      app.use('articles', articles(), {
        methods: METHODS,
        routes: { 'GET /feed': 'feed', 'GET /FEED': 'favorite' }
      })
    ).toThrow("Invalid route 'GET /FEED' of service 'articles': the same requests lead to 'GET /feed'")
    app.use('articles', articles(), {
      methods: METHODS,
      routes: { 'GET /:id/Likes': 'feed', 'POST /:id/likes': 'favorite' }
    })
    expect(app.lookup('articles/1/LIKES').routes.verbs('1/LIKES')).toEqual(['GET', 'POST'])
  })
})

describe('the path of a route', () => {
  const routes = { 'POST /:id/favorite': 'favorite', 'GET /feed/:kind': 'feed', 'GET /feed': 'feed' }

  it('is looked up with what comes after the path of the service', () => {
    const app = register(routes, 'users/:userId/articles')
    const service = app.service('users/:userId/articles')

    expect(app.lookup('users/5/articles/a%20b/favorite')).toMatchObject({
      ...{ service, params: { userId: '5', __rest: 'a%20b/favorite' } }
    })
    expect(app.lookup('users/5/articles/feed')).toMatchObject({ params: { userId: '5', __id: 'feed' } })
    expect(app.lookup('users/5/articles')?.params).toEqual({ userId: '5' })
    expect(app.lookup('users/5/articles/x/likes')).toBeNull()
  })

  it('leaves services with longer paths where they are', () => {
    const app = register(routes)
      .use('articles/:articleId/comments', memory())
      .use('articles/a/favorites', memory())

    expect(app.lookup('articles/5/comments').service).toBe(app.service('articles/:articleId/comments'))
    expect(app.lookup('articles/a/favorites').service).toBe(app.service('articles/a/favorites'))
    expect(app.lookup('articles/a/favorite').service).toBe(app.service('articles'))
  })

  it('is removed with its service', async () => {
    const app = register(routes)

    await app.unuse('articles')

    expect(app.lookup('articles/5/favorite')).toBeNull()
    expect(app.lookup('articles/feed')).toBeNull()
    expect(() => app.use('articles', articles(), { methods: METHODS, routes })).not.toThrow()
  })

  it('comes along with a sub-application', () => {
    const app: any = alula().use('v1', register(routes))

    expect(app.lookup('v1/articles/5/favorite').routes.find('POST', '5/favorite')).toEqual({
      ...{ method: 'favorite', params: { id: '5' } }
    })
  })

  it('stays as it is written in the options of the service', () => {
    expect(getServiceOptions(register(routes).service('articles')).routes).toEqual(routes)
  })
})

it('a route that wins over a value of `by` is warned of once', async () => {
  const warning = nextWarning('ALULA_ROUTE_BEFORE_ID')
  // None of these has a path that a value could have.
  const app = register({ 'POST /feed': 'feed', 'GET /:id/feed': 'feed' }, 'others', { by: 'slug' })
  const options = { methods: METHODS, routes: { 'GET /feed': 'feed' }, by: 'slug' }

  app.use('articles', articles(), options)
  app.use('pages', articles(), options)

  expect((await warning).message).toBe(
    "The route 'GET /feed' of service 'articles' wins over a record whose 'slug' is 'feed': refuse that value where it is written"
  )
})
