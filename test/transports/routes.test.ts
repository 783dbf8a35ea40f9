import { expect, it } from 'vitest'
import { z } from 'zod'
import { BadRequest } from '../../src/errors.ts'
import type { Application } from '../../src/index.ts'
import { schema } from '../../src/schema.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport
} from '../support/transports.ts'
import { show } from './support/routes.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** Articles that show what each method got. */
class Articles {
  async find() {
    return { method: 'find' }
  }
  async get(id: unknown) {
    return { method: 'get', id }
  }
  async create(data: unknown) {
    return { method: 'create', data }
  }
  async patch(id: unknown) {
    return { method: 'patch', id }
  }
  async remove(id: unknown) {
    return { method: 'remove', id }
  }
  async feed(data: unknown, params: any) {
    return show('feed', data, params)
  }
  async favorite(data: unknown, params: any) {
    return show('favorite', data, params)
  }
  async unfavorite(data: unknown, params: any) {
    return show('unfavorite', data, params)
  }
  async release(data: unknown, params: any) {
    return show('release', data, params)
  }
}

const OPTIONS: any = {
  methods: ['find', 'get', 'create', 'remove', 'feed', 'favorite', 'unfavorite', 'release'],
  routes: {
    'GET /feed': 'feed',
    'POST /:slug/favorite': 'favorite',
    'DELETE /:slug/favorite': 'unfavorite',
    'PUT /:slug/versions/:version': 'release',
    'POST /:slug': 'release'
  }
}

function configure(app: Application): void {
  app.use('articles', new Articles() as any, OPTIONS)
  app.use('users/:userId/articles', new Articles() as any, OPTIONS)
}

/** Sends a request; what the response says as far as it matters here. */
async function openArticles(open: OpenTransport, fill: (app: Application) => void = configure) {
  const client = await open(fill)

  return async (line: string, body?: unknown, headers: { [name: string]: string } = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const response = await client.request(path, {
      method,
      headers: { ...(body !== undefined && JSON_HEADERS), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()

    return {
      status: response.status,
      allow: response.headers.get('allow'),
      etag: response.headers.get('etag'),
      text,
      result: text === '' ? undefined : JSON.parse(text)
    }
  }
}

describeHttpTransports('routes of methods', (open) => {
  it('reach their methods, with what stands for placeholders', async () => {
    const send = await openArticles(open)

    expect((await send('GET /articles/feed?limit=3')).result).toEqual({
      ...{ method: 'feed', data: 'none', route: {}, query: { limit: '3' } }
    })
    expect((await send('POST /articles/a%2Fb%20%25/favorite', { note: 1 })).result).toEqual({
      ...{ method: 'favorite', data: { note: 1 }, route: { slug: 'a/b %' }, query: {} }
    })
    expect((await send('POST /articles/x/favorite')).result).toMatchObject({ data: {}, route: { slug: 'x' } })
    expect((await send('DELETE /articles/x/favorite')).result).toMatchObject({
      ...{ method: 'unfavorite', data: 'none', route: { slug: 'x' } }
    })
    expect((await send('DELETE /articles/x/favorite/', { why: 1 })).result).toMatchObject({
      data: { why: 1 }
    })
    expect((await send('PUT /users/5/articles/x/versions/2', { a: 1 })).result).toMatchObject({
      ...{ method: 'release', data: { a: 1 }, route: { userId: '5', slug: 'x', version: '2' } }
    })
    expect((await send('POST /articles/x', {})).result).toMatchObject({
      ...{ method: 'release', route: { slug: 'x' } }
    })
  })

  it('leave the other paths to the standard methods', async () => {
    const send = await openArticles(open)

    expect((await send('GET /articles')).result).toEqual({ method: 'find' })
    expect((await send('GET /articles/fee')).result).toEqual({ method: 'get', id: 'fee' })
    expect((await send('GET /articles/x')).result).toEqual({ method: 'get', id: 'x' })
    // Static segments are compared as they are sent, as those of the path of a service.
    expect((await send('GET /articles/%66eed')).result).toEqual({ method: 'get', id: 'feed' })
    expect((await send('DELETE /articles/feed')).result).toEqual({ method: 'remove', id: 'feed' })
    expect((await send('POST /articles', {})).status).toBe(201)
  })

  it('respond to HEAD as to GET, with an ETag', async () => {
    const send = await openArticles(open)
    const got = await send('GET /articles/feed')
    const head = await send('HEAD /articles/feed')

    expect(got.etag).toMatch(/^W?\/?"/)
    expect(head).toMatchObject({ status: 200, etag: got.etag, text: '' })
  })

  it('are those of a service at the root too', async () => {
    const send = await openArticles(open, (app: any) => app.use('/', new Articles(), OPTIONS))

    expect((await send('GET /')).result).toEqual({ method: 'find' })
    expect((await send('GET /5')).result).toEqual({ method: 'get', id: '5' })
    expect((await send('GET /feed')).result).toMatchObject({ method: 'feed' })
    expect((await send('POST /x/favorite', {})).result).toMatchObject({
      method: 'favorite',
      route: { slug: 'x' }
    })
    expect((await send('GET /x/other')).status).toBe(404)
  })

  it('405 lists the verbs of the path', async () => {
    const send = await openArticles(open)

    for (const [line, allow] of [
      ['GET /articles/x/favorite', 'POST, DELETE'],
      ['HEAD /articles/x/favorite', 'POST, DELETE'],
      ['OPTIONS /articles/x/favorite', 'POST, DELETE'],
      ['POST /articles/x/versions/1', 'PUT'],
      ['PATCH /articles/feed', 'GET, HEAD, DELETE, POST'],
      ['OPTIONS /articles/x', 'GET, HEAD, DELETE, POST'],
      ['PUT /articles', 'GET, HEAD, QUERY, POST, DELETE']
    ] as const) {
      const { status, allow: sent } = await send(line)

      expect([line, status, sent]).toEqual([line, 405, allow])
    }
  })

  it('404 is for paths that no route has', async () => {
    const send = await openArticles(open)

    for (const path of [
      '/articles/x/likes',
      '/articles/x/favorite/y',
      '/articles//favorite',
      '/articles/x/'
    ]) {
      const { status } = await send(`POST ${path}`)

      expect([path, status]).toEqual([path, path === '/articles/x/' ? 200 : 404])
    }
    expect((await send('POST /articles/%/favorite')).status).toBe(400)
    expect((await send('POST /articles/%E0%A4%A/favorite')).status).toBe(400)
  })

  it('stand beside calls by name, which fill placeholders from the data', async () => {
    const send = await openArticles(open)

    for (const [path, headers] of [
      ['/articles/favorite', {}],
      ['/articles', { 'X-Service-Method': 'favorite' }]
    ] as const) {
      expect((await send(`POST ${path}`, { slug: 'x', note: 1 }, headers)).result).toEqual({
        ...{ method: 'favorite', data: { note: 1 }, route: { slug: 'x' }, query: {} }
      })
      expect(await send(`POST ${path}`, { slug: { $gt: '' } }, headers)).toMatchObject({
        status: 400,
        result: {
          message: "Invalid data: 'slug' of the route 'POST /:slug/favorite' expects a string or a number"
        }
      })
      expect((await send(`POST ${path}`, {}, headers)).result.message).toBe(
        "Invalid data: 'slug' of the route 'POST /:slug/favorite' expects a string or a number"
      )
    }

    expect((await send('POST /articles/feed', {})).result).toMatchObject({ method: 'feed', data: 'none' })
  })

  it('are filled by name where a plugin looks services up in a way of its own', async () => {
    const send = await openArticles(open, (app) => {
      const lookup = app.lookup.bind(app)

      configure(app)
      app.lookup = (path: string) => {
        const { service, params } = lookup(path) ?? {}

        return service && params ? { service, params } : null
      }
    })
    const headers = { 'X-Service-Method': 'favorite' }

    expect((await send('POST /articles', { slug: 'x', note: 1 }, headers)).result).toMatchObject({
      ...{ data: { note: 1 }, route: { slug: 'x' } }
    })
    expect((await send('POST /articles', {}, headers)).status).toBe(400)
  })

  it('refuse bodies as every method does', async () => {
    const send = await openArticles(open)

    expect((await send('POST /articles/x/favorite', 'text')).status).toBe(400)
    expect((await send('DELETE /articles/x/favorite', 7)).status).toBe(400)
    expect((await send('DELETE /articles/x/favorite', {}, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await send('PUT /articles/x/versions/1', {}, { 'If-Match': '"a"' })).status).toBe(400)
  })
})

describeRemoteTransports('a method with a route', (open) => {
  it('gets the same call over sockets as over HTTP', async () => {
    const client = await open(configure)

    expect(await client.call('favorite', 'articles', { data: { slug: 'x', note: 1 } })).toEqual({
      ...{ method: 'favorite', data: { note: 1 }, route: { slug: 'x' }, query: {} }
    })
    expect(await client.call('unfavorite', 'articles', { data: { slug: 7 } })).toEqual({
      ...{ method: 'unfavorite', data: 'none', route: { slug: '7' }, query: {} }
    })
    expect(await client.call('feed', 'users/5/articles', { data: {}, query: { limit: '3' } })).toEqual({
      ...{ method: 'feed', data: 'none', route: { userId: '5' }, query: { limit: '3' } }
    })
    expect(await client.fail('favorite', 'articles', { data: { slug: ['x'] } })).toMatchObject({ code: 400 })
    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({ code: 400 })
    // The path of a message is that of a service.
    expect(await client.fail('favorite', 'articles/x/favorite', { data: {} })).toMatchObject({
      code: client.provider === 'rest' ? 400 : 404
    })
  })
})

describeHttpTransports('hooks, events and schemas', (open) => {
  it('are those of the method', async () => {
    const events: unknown[] = []
    const Article = z.object({ id: z.int(), slug: z.string() })
    const send = await openArticles(open, (app: any) => {
      app.use('articles', new Articles(), {
        ...OPTIONS,
        serviceEvents: ['favorited'],
        schema: schema(Article, {
          extra: 'keep',
          methods: {
            feed: { query: z.object({ limit: z.int().max(9) }) },
            favorite: { data: z.object({ stars: z.int() }), result: z.object({ method: z.string() }) }
          }
        })
      })
      app.service('articles').hooks({
        before: {
          favorite: [
            ({ params, data }: any) => {
              if (params.route.slug === 'closed') throw new BadRequest(`closed ${data.stars}`)
            }
          ]
        },
        after: {
          favorite: [
            (context: any) => {
              context.event = 'favorited'
            }
          ]
        }
      })
      app.service('articles').on('favorited', (data: any) => events.push(data.route))
    })

    expect((await send('POST /articles/x/favorite', { stars: 2 })).result).toEqual({ method: 'favorite' })
    expect(events).toEqual([{ slug: 'x' }])
    expect((await send('POST /articles/x/favorite', { stars: 'many' })).result).toMatchObject({
      ...{ code: 400, errors: { stars: expect.any(String) } }
    })
    expect((await send('POST /articles/closed/favorite', { stars: 2 })).result.message).toBe('closed 2')
    expect((await send('GET /articles/feed?limit=7')).result.query).toEqual({ limit: 7 })
    expect((await send('GET /articles/feed?limit=x')).result).toMatchObject({
      ...{ code: 400, errors: { limit: expect.any(String) } }
    })
    expect((await send('GET /articles/feed?offset=1')).status).toBe(400)
  })
})
