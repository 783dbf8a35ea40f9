import { createTestClient } from 'alula-testing'
import { expect, it } from 'vitest'
import { role } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { openapi } from '../../src/openapi.ts'
import { configureUsers } from '../access/support/application.ts'

const POLICY =
  "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"

/** What an application responds with below `/docs/`. */
async function open(options: object = {}): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const app = alula()

  configureUsers(app)
  app.configure(openapi(options))
  await app.setup()

  const { fetch } = createTestClient(app)

  return (path, init) => fetch(path, init)
}

it.each(['', 'login.json', 'data.json', 'exposure.json'])(
  'the page and its data, docs/%s, run nothing from elsewhere and are kept by no cache for long',
  async (file) => {
    const { status, headers } = await (await open())(`/docs/${file}`)

    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toBe(POLICY)
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-cache')
  }
)

it('files of the page have their types, with the headers of the page', async () => {
  const fetch = await open()
  const html = await (await fetch('/docs/')).text()
  const names = listFiles(html)
  const files = await Promise.all(names.map(async (name) => (await fetch(`/docs/${name}`)).headers))

  expect(files.map((headers) => headers.get('content-type')).toSorted()).toEqual([
    'image/svg+xml',
    'text/css; charset=utf-8',
    'text/javascript; charset=utf-8'
  ])
  for (const headers of files) expect(headers.get('content-security-policy')).toBe(POLICY)
})

it('who may not read gets the page to log in with, and no data', async () => {
  const fetch = await open({ access: role('admin') })
  const html = await (await fetch('/docs/')).text()
  const names = listFiles(html)
  const toStatus = async (file: string) => (await fetch(`/docs/${file}`)).status

  expect(await Promise.all(['', 'login.json', ...names].map(toStatus))).toEqual([200, 200, 200, 200, 200])
  expect(await Promise.all(['data.json', 'exposure.json', 'other.js'].map(toStatus))).toEqual([401, 401, 401])
  expect((await fetch('/docs/', {})).headers.get('cache-control')).toBe('private, no-cache')
})

it('the files of Swagger UI have their types, and all of them wait for who may read', async () => {
  const fetch = await open({ page: 'swagger-ui' })
  const toType = async (file: string) => (await fetch(`/docs/${file}`)).headers.get('content-type')

  expect(await toType('')).toBe('text/html; charset=utf-8')
  expect(await toType('swagger-ui.css')).toBe('text/css; charset=utf-8')
  expect(await toType('swagger-ui-bundle.js')).toBe('text/javascript; charset=utf-8')
  expect(await toType('favicon-32x32.png')).toBe('image/png')
  expect(await toType('start.js')).toBe('text/javascript; charset=utf-8')
  // A validator would be on another site.
  expect(await (await fetch('/docs/start.js')).text()).toBe(
    "SwaggerUIBundle({ url: '../openapi.json', dom_id: '#page', validatorUrl: null })\n"
  )

  const closed = await open({ page: 'swagger-ui', access: role('admin') })

  expect((await closed('/docs/')).status).toBe(401)
})

it('the page is read by GET and HEAD alone', async () => {
  const fetch = await open()
  const refused = await fetch('/docs/', { method: 'POST' })

  expect((await fetch('/docs/', { method: 'HEAD' })).status).toBe(200)
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect(await (await fetch('/docs/other.js')).json()).toMatchObject({ code: 404, message: 'Not Found' })
  expect(() => openapi({ access: 'admin' as never })).toThrow("expected a rule such as user or role('admin')")
})

it('the document is made again when a service has gone or another one has its place', async () => {
  const app = alula()

  app.use('first', { find: async () => [] })
  app.use('second', { find: async () => [] })
  app.configure(openapi())
  await app.setup()

  const { fetch } = createTestClient(app)
  const read = async () => {
    const response = await fetch('/openapi.json')

    return [Object.keys(((await response.json()) as any).paths), response.headers.get('etag')]
  }
  const [before, tag] = await read()

  expect(before).toEqual(['/first', '/second'])
  expect(await read()).toEqual([before, tag])
  await app.unuse('second')
  expect((await read())[0]).toEqual(['/first'])
  await app.unuse('first')
  app.use('third', { find: async () => [] })
  expect((await read())[0]).toEqual(['/third'])
})

/** The names of the files that a page loads. */
function listFiles(html: string): readonly string[] {
  return [...new Set([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name as string))]
}
