import { expect, it } from 'vitest'
import { access, closed, role, user } from '../../src/access.ts'
import { authenticate } from '../../src/authentication.ts'
import { BadRequest } from '../../src/errors.ts'
import type { Application } from '../../src/index.ts'
import { configureLogin } from '../support/login.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { bearer, CREDENTIALS, getToken, quick } from './support/login.ts'

const ROUTES = { methods: ['favorite'], routes: { 'POST /:slug/favorite': 'favorite' } }
const NAMES_THE_ROUTE =
  "Invalid data: 'slug' of the route 'POST /:slug/favorite' expects a string or a number"

/** A service whose calls without a slug are not valid; `ran` has the calls that reached it. */
function createArticles() {
  const ran: unknown[] = []

  return { ran, favorite: async (data: unknown) => ran.push(data) }
}

describeRemoteTransports('a call without the placeholders of its route', (open) => {
  const openWith = (use: (app: Application, articles: object) => void) => {
    const articles = createArticles()
    const opened = open((app) => {
      configureLogin(app, { settings: quick() })
      use(app, articles)
    })

    return opened.then((client) => ({ client, articles }))
  }

  it('is refused by closed() before what the route expects is said', async () => {
    const { client } = await openWith((app, articles) => {
      app.configure(closed({ open: { users: ['create'] } })).use('articles', articles, ROUTES)
    })

    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({
      code: 403,
      message: "The method 'favorite' of 'articles' is closed"
    })
  })

  it.each([
    ['user', user, 'Not authenticated', 401],
    ['a role', role('admin'), 'Not authenticated', 401],
    ['an async rule', async () => false, 'Not authenticated', 401]
  ])('is refused by the access of %s first', async (_name, rule, message, code) => {
    const { client } = await openWith((app, articles) => {
      app.use('articles', articles as any, { ...ROUTES, access: access({ favorite: rule as any }) })
    })

    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({ code, message })
  })

  it('is refused to a user whose role is missing first', async () => {
    const { client, articles } = await openWith((app, service) => {
      app.use('articles', service as any, { ...ROUTES, access: access({ favorite: role('admin') }) })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const headers = bearer(await getToken(client))

    expect(await client.fail('favorite', 'articles', { data: {}, headers })).toMatchObject({ code: 403 })
    expect(articles.ran).toEqual([])
  })

  it.each([
    ['before', { before: { all: [authenticate('jwt')] } }],
    ['before, of the method', { before: { favorite: [authenticate('jwt')] } }],
    ['around', { around: { all: [authenticate('jwt')] } }]
  ])('is refused by a hook authenticate (%s) first', async (_name, hooks: any) => {
    const { client } = await openWith((app, articles) => {
      app.use('articles', articles, ROUTES)
      app.service('articles').hooks(hooks)
    })

    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({
      code: 401,
      message: 'Not authenticated'
    })
  })

  it('is refused by the guard of the application first', async () => {
    const { client } = await openWith((app, articles) => {
      app.use('articles', articles, ROUTES)
      app.hooks({ before: { favorite: [authenticate('jwt')] } })
    })

    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({ code: 401 })
  })

  it('says what the route expects to callers that may call, and runs no further hook', async () => {
    const steps: string[] = []
    const { client, articles } = await openWith((app, service) => {
      app.use('articles', service as any, { ...ROUTES, access: access({ favorite: user }) })
      app.service('articles').hooks({
        before: { favorite: [authenticate('jwt'), async () => void steps.push('before')] },
        error: {
          favorite: [async ({ error }) => void steps.push(error instanceof BadRequest ? 'error' : '')]
        }
      })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const headers = bearer(await getToken(client))

    expect(await client.fail('favorite', 'articles', { data: {}, headers })).toMatchObject({
      code: 400,
      message: NAMES_THE_ROUTE
    })
    expect(steps).toEqual(['error'])
    expect(articles.ran).toEqual([])
  })

  it('says so at once where nothing guards the method', async () => {
    const { client, articles } = await openWith((app, service) => {
      app.use('articles', service, ROUTES)
    })

    expect(await client.fail('favorite', 'articles', { data: {} })).toMatchObject({
      code: 400,
      message: NAMES_THE_ROUTE
    })
    expect(articles.ran).toEqual([])
  })
})
