import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { authenticate, errorHandler, koa, parseAuthentication, rest } from '../../src/koa.ts'
import { configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

async function open(
  configure: (app: any) => void = () => undefined
): Promise<{ url: string; token: string }> {
  const app: any = koa(alula())

  app.use(errorHandler({ logger: false }))
  app.use(parseAuthentication())
  app.configure(rest())
  configureLogin(app)
  configure(app)

  const url = await serve(app)

  await app.service('users').create({ email: 'wren@example.org', password: 'secret' })

  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ strategy: 'local', email: 'wren@example.org', password: 'secret' })
  })
  const { accessToken, user }: any = await response.json()

  expect(response.status).toBe(201)
  expect(user).toMatchObject({ email: 'wren@example.org' })

  return { url, token: accessToken }
}

it('a login gets a token, which opens protected services', async () => {
  const { url, token } = await open()
  const refused = await fetch(`${url}/notes`)
  const accepted = await fetch(`${url}/notes`, { headers: { Authorization: `Bearer ${token}` } })

  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  expect(accepted.status).toBe(200)
})

it('a wrong password is refused', async () => {
  const { url } = await open()
  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ strategy: 'local', email: 'wren@example.org', password: 'wrong' })
  })

  expect([response.status, ((await response.json()) as any).message]).toEqual([401, 'Invalid login'])
})

it('credentials are parsed for middleware, which authenticate() lets through with the user', async () => {
  const { url, token } = await open((app) => {
    app.use(async (context: any, next: any) => {
      if (context.path !== '/me') return next()

      context.set('X-Found', String(context.feathers.authentication?.strategy))
      await authenticate('jwt')(context, async () => {
        context.body = { email: context.feathers.user.email }
      })
    })
  })
  const refused = await fetch(`${url}/me`)
  const accepted = await fetch(`${url}/me`, { headers: { Authorization: `Bearer ${token}` } })

  expect([refused.status, refused.headers.get('x-found')]).toEqual([401, 'undefined'])
  expect([accepted.headers.get('x-found'), await accepted.json()]).toEqual([
    'jwt',
    { email: 'wren@example.org' }
  ])
})

it('authenticate() guards a service as its middleware', async () => {
  const { url, token } = await open((app) =>
    app.use(
      'guarded',
      { find: async ({ user }: any) => ({ email: user.email }) },
      { koa: { before: [authenticate({ strategies: ['jwt'] })] } }
    )
  )
  const headers = { Authorization: `Bearer ${token}` }

  expect((await fetch(`${url}/guarded`)).status).toBe(401)
  expect(await (await fetch(`${url}/guarded`, { headers })).json()).toEqual({ email: 'wren@example.org' })
})

it('authenticate() lets nothing through where no credentials were looked for', async () => {
  const app: any = koa(alula())

  app.use(errorHandler({ logger: false }))
  configureLogin(app)
  app.use(authenticate('jwt'))
  app.use((context: any) => {
    context.body = 'inside'
  })

  expect((await fetch(await serve(app))).status).toBe(401)
})

it('parseAuthentication() is no middleware itself', () => {
  expect(() => (parseAuthentication as any)({ req: {} })).toThrow(
    'parseAuthentication makes middleware and is none'
  )
})
