import { createTestClient } from 'alula-testing'
import { expect, it } from 'vitest'
import { access, anyone } from '../../src/access.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { openapi, type ServeOptions } from '../../src/openapi.ts'
import { describeHttpTransports } from '../support/transports.ts'

function createInner(options?: ServeOptions): Application {
  const inner = alula()

  inner.use('notes', memory(), { access: access({ all: anyone }) })
  inner.configure(openapi(options))

  return inner
}

describeHttpTransports('openapi() of a sub-application', (open) => {
  it('has its page under the path of the sub-application, with all files that the page names', async () => {
    const client = await open((app) => app.use('/api', createInner()))
    const moved = await client.request('/api/docs', { redirect: 'manual' })
    const page = await client.request('/api/docs/')
    const html = await page.text()
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)

    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'docs/'])
    expect(page.status).toBe(200)
    expect(files.length).toBeGreaterThan(0)
    for (const file of [...files, 'login.json', 'data.json', 'exposure.json', '../openapi.json']) {
      expect([file, (await client.request(`/api/docs/${file}`)).status]).toEqual([file, 200])
    }
    for (const path of ['/docs/', '/openapi.json', '/api/docs/docs/', '/api/openapi.json/openapi.json']) {
      expect([path, (await client.request(path)).status]).toEqual([path, 404])
    }
  })

  it('has paths that begin with the path of the sub-application', async () => {
    const client = await open((app) => app.use('/api', createInner()))
    const { servers, paths } = (await (await client.request('/api/openapi.json')).json()) as any

    expect(servers).toEqual([{ url: '.' }])

    const { pathname: base } = new URL(servers[0].url, 'http://localhost/api/openapi.json')

    for (const path of Object.keys(paths).filter((one) => !one.includes('{'))) {
      expect((await client.request(`${base.slice(0, -1)}${path}`)).status).toBe(200)
    }
  })
})

it('has an address that is right at each path, where an application is mounted at several', async () => {
  const inner = createInner()
  const middle = alula().use('v1', inner)
  const outer = alula().use('docs', middle).use('other', inner)

  await Promise.all([inner.setup(), outer.setup()])

  const readServers = async (app: Application, path: string) =>
    ((await (await createTestClient(app).fetch(path)).json()) as any).servers

  expect(await readServers(outer, '/docs/v1/openapi.json')).toEqual([{ url: '.' }])
  expect(await readServers(outer, '/other/openapi.json')).toEqual([{ url: '.' }])
  expect(await readServers(inner, '/openapi.json')).toEqual([{ url: '.' }])
  expect((await createTestClient(outer).fetch('/docs/v1/docs/')).status).toBe(200)
})

it('has the addresses that its options name', async () => {
  const servers = [{ url: 'https://example.com/v2' }]
  const outer = alula().use('api', createInner({ servers }))

  await outer.setup()

  const { fetch } = createTestClient(outer)

  expect(await (await fetch('/api/openapi.json')).json()).toMatchObject({ servers })
})
