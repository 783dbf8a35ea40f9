import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Router from '@koa/router'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import {
  authenticate,
  cors,
  errorHandler,
  Koa,
  koa,
  type Middleware,
  rest,
  serveStatic
} from '../../src/koa.ts'
import { configureLogin } from '../support/login.ts'
import { listen, serve } from '../support/server.ts'
import { create, getJson } from './support.ts'

const load = createRequire(import.meta.url)

it('multer: files reach a service through ctx.feathers', async () => {
  const multer = load('@koa/multer')
  const app = create(() => undefined)
  const toFile: Middleware = (context, next) => {
    context.feathers = { ...context.feathers, file: context.file }

    return next()
  }

  app.use(
    'uploads',
    {
      create: async (data: any, { file }: any) => ({ ...data, name: file.originalname, size: file.size })
    },
    { koa: { before: [multer().single('file'), toFile] } }
  )

  const form = new FormData()

  form.set('title', 'A file')
  form.set('file', new Blob(['12345']), 'five.txt')

  const url = `${await serve(app)}/uploads`

  expect(await getJson(url, { method: 'POST', body: form })).toEqual({
    title: 'A file',
    name: 'five.txt',
    size: 5
  })
  form.set('tags[4294967294]', 'x')
  expect(await getJson(url, { method: 'POST', body: form })).toMatchObject({
    code: 400,
    message: 'Invalid request body: expected arrays without gaps'
  })
})

it('router: routes stand beside services, and call them', async () => {
  const app = create((app) => {
    const router = new Router()

    router.get('/count/:kind', async (context) => {
      const found = await app.service('things').find({ query: { kind: context.params.kind } })

      context.body = { count: found.length }
    })
    app.use(router.routes())
    app.use(router.allowedMethods())
  })

  app.use('things', { find: async ({ query }: any) => [query.kind, 2] })

  const url = await serve(app)

  expect(await getJson(`${url}/count/a`)).toEqual({ count: 2 })
  expect(await getJson(`${url}/things?kind=b`)).toEqual(['b', 2])
  expect((await fetch(`${url}/count/a`, { method: 'POST' })).status).toBe(405)
})

it('mount: another Koa application stands under a path', async () => {
  const mount = load('koa-mount')
  const other = new Koa()

  other.use((context) => {
    context.body = { other: context.path }
  })

  const app = create((app) => app.use(mount('/other', other)))

  app.use('things', { find: async () => ['thing'] })

  const url = await serve(app)

  expect(await getJson(`${url}/other/things`)).toEqual({ other: '/things' })
  expect(await getJson(`${url}/things`)).toEqual(['thing'])
})

it('mount: the application stands under a path of another one', async () => {
  const mount = load('koa-mount')
  const app = create(() => undefined)
  const outer = koa(alula())

  app.use('things', { find: async () => 'thing' })
  await app.setup()
  outer.use(mount('/api', app))

  const response = await fetch(`${await serve(outer)}/api/things`)

  expect([response.headers.get('content-type'), await response.json()]).toEqual([
    'application/json; charset=utf-8',
    'thing'
  ])
})

it('mount: services get the same query under a path of a plain Koa application', async () => {
  const mount = load('koa-mount')
  const app = create(() => undefined)
  const outer = new Koa()

  app.use('things', { find: async ({ query }: any) => query })
  await app.setup()
  outer.use(mount('/api', app))

  const url = `${await listen(createServer(outer.callback()))}/api/things`

  expect(await getJson(`${url}?a[$gt]=1&b[]=2`)).toEqual({ a: { $gt: '1' }, b: ['2'] })
  for (const query of ['__proto__[a]=1', 'a=%ff', `a${'[b]'.repeat(17)}=1`])
    expect(await getJson(`${url}?${query}`), query).toMatchObject({ name: 'BadRequest' })
})

it('mount: the hook asks the application inside for a login, the middleware the outer one', async () => {
  const mount = load('koa-mount')
  const app: any = create(() => undefined)
  const outer = koa(alula())

  configureLogin(app)
  app.use('guarded', { find: async () => [] }, { koa: { before: [authenticate('jwt')] } })
  await app.setup()
  outer.use(mount('/api', app))

  await app.service('users').create({ email: 'wren@example.org', password: 'secret' })

  const { accessToken } = await app
    .service('authentication')
    .create({ strategy: 'local', email: 'wren@example.org', password: 'secret' })
  const url = await serve(outer)
  const read = async (path: string) => {
    const response = await fetch(`${url}/api/${path}`, {
      headers: { Authorization: `Bearer ${accessToken}` }
    })

    return [response.status, ((await response.json()) as any).message]
  }

  expect(await read('notes')).toEqual([200, undefined])
  expect(await read('guarded')).toEqual([401, 'Could not find a valid authentication service'])
})

it('static: files are served beside services', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alula-koa-'))

  writeFileSync(join(folder, 'index.html'), '<p>Hello</p>')

  const app = create((app) => app.use(serveStatic(folder)))

  app.use('things', { find: async () => ['thing'] })

  const url = await serve(app)
  const page = await fetch(url)

  expect([page.headers.get('content-type'), await page.text()]).toEqual([
    'text/html; charset=utf-8',
    '<p>Hello</p>'
  ])
  expect(await getJson(`${url}/things`)).toEqual(['thing'])
  expect((await fetch(`${url}/missing.html`)).status).toBe(404)
})

it('cors: pages of other origins are allowed, and errors keep the headers', async () => {
  const app = koa(alula())

  app.use(cors())
  app.use(errorHandler({ logger: false }))
  app.configure(rest())
  app.use('things', { find: async () => [] })

  const url = await serve(app)
  const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'PUT' }

  expect((await fetch(`${url}/things`, { method: 'OPTIONS', headers })).status).toBe(204)
  for (const path of ['/things', '/nowhere']) {
    const response = await fetch(`${url}${path}`, { headers })

    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  }
})
