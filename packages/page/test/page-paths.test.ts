import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

const OPEN = access({ all: anyone })

describeChromium('the paths of calls on the page', (open) => {
  it('are of one record: an id that no path can hold removes no other', async () => {
    const { app, url } = await (SERVERS.Express as Serve)((app) => {
      app.use('slugs', memory({ id: 'slug', multi: true }), { access: OPEN })
      app.configure(openapi())
    })

    for (const slug of ['.', '..', 'kept']) await app.service('slugs').create({ slug })

    const { page, errors } = await open(`${url}docs#/slugs`)

    for (const slug of ['.', '..']) {
      await page.getByRole('button', { name: `Open ${slug}`, exact: true }).click()
      await page.getByRole('form', { name: `Change ${slug} of slugs` }).waitFor()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByRole('button', { name: 'Really remove' }).click()
      await page.getByRole('alert').getByText(`No path of a URL can hold the value '${slug}'`).waitFor()
    }

    await page.getByRole('button', { name: 'Open kept' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    expect(await app.service('slugs').find()).toHaveLength(3)
    expect(errors).toEqual([])
  })

  it.each(['Express', 'Node under a prefix'])(
    'are those of the API for a service at the root, on %s',
    async (name) => {
      const { app, url } = await (SERVERS[name] as Serve)((app) => {
        app.use('/', Object.assign(memory({ id: 'slug' }), { mark: async () => ({ isMarked: true }) }), {
          access: OPEN,
          methods: ['find', 'get', 'patch', 'remove', 'mark'],
          routes: { 'POST /:slug/mark': 'mark' }
        })
        app.configure(openapi())
      })

      await app.service('/').create({ slug: 'elsewhere.example' })

      const { page, requested, errors } = await open(`${url}docs#//`)
      const call = page.getByRole('region', { name: 'Last call' })

      await page.getByRole('button', { name: 'Open elsewhere.example' }).click()
      await page.getByRole('form', { name: 'Change elsewhere.example of /' }).waitFor()
      await page.getByRole('tab', { name: 'curl' }).click()
      expect(await call.locator('pre').innerText()).toBe(`curl -g '${url}elsewhere.example'`)

      await page.getByRole('tab', { name: 'mark' }).click()
      await page.getByRole('button', { name: 'Call mark' }).click()
      await page.getByRole('form').getByText("No path of a URL can hold the value ''").waitFor()
      await page.getByLabel('slug', { exact: true }).fill('elsewhere.example')
      await page.getByRole('button', { name: 'Call mark' }).click()
      await page.getByRole('tab', { name: 'Response' }).click()
      await call.getByText('isMarked').waitFor()

      expect(requested.filter((one) => new URL(one).host !== new URL(url).host)).toEqual([])
      expect(errors).toEqual([])
    }
  )

  it('have the values of placeholders in the path of the service', async () => {
    class Teams {
      async find({ route }: any) {
        return [{ id: 1, name: `A team of ${route.orgId} in ${route.country}` }]
      }
    }

    const { url } = await (SERVERS['Node under a prefix'] as Serve)((app) => {
      app.use(':country/orgs/:orgId/teams', new Teams(), { access: OPEN })
      app.configure(openapi())
    })
    const { page, requested, errors } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Placeholders of the path' })
    const show = form.getByRole('button', { name: 'Show' })
    const call = page.getByRole('region', { name: 'Last call' })

    await form.getByLabel('country').fill('ch')
    expect(await show.isDisabled()).toBe(true)
    await form.getByLabel('orgId').fill('a/b c')
    expect(requested.filter((one) => one.includes('teams'))).toEqual([])
    await show.click()
    await page.getByRole('region', { name: 'Table' }).getByText('A team of a/b c in ch').waitFor()

    await page.getByRole('tab', { name: 'curl' }).click()
    expect(await call.locator('pre').innerText()).toBe(`curl -g '${url}ch/orgs/a%2Fb%20c/teams?$limit=10'`)
    await page.getByRole('tab', { name: 'alula' }).click()
    expect(await call.locator('pre').innerText()).toContain(
      `client.service(':country/orgs/:orgId/teams').find({ route: {\n  country: "ch",\n  orgId: "a/b c"\n}, query: {\n  "$limit": 10\n} })`
    )

    await form.getByLabel('orgId').fill('..')
    await show.click()
    await page.getByRole('alert').getByText("No path of a URL can hold the value '..'").waitFor()
    await form.getByLabel('orgId').fill('acme')
    await form.getByLabel('orgId').press('Enter')
    await page.getByRole('region', { name: 'Table' }).getByText('A team of acme in ch').waitFor()
    expect(errors).toEqual([])
  })

  it('are not escaped where paths may hold what they have', async () => {
    const { app, url } = await (SERVERS['Node under a prefix'] as Serve)((app) => {
      app.use('v1:notes/@all', memory({ startId: 1 }), { access: OPEN })
      app.configure(openapi())
    })

    await app.service('v1:notes/@all').create({ text: 'A note' })

    const { page, errors } = await open(`${url}docs`)

    await page.getByRole('button', { name: 'Open 1' }).click()
    await page.getByRole('form', { name: 'Change 1 of v1:notes/@all' }).waitFor()
    expect(errors).toEqual([])
  })

  it('are escaped once where the path of a route is', async () => {
    const { url } = await (SERVERS.Node as Serve)((app) => {
      app.use('100%', Object.assign(memory(), { list: async () => ({ isListed: true }) }), {
        access: OPEN,
        methods: ['find', 'list'],
        routes: { 'GET /caf%C3%A9': 'list' }
      })
      app.configure(openapi())
    })
    const { page, requested, errors } = await open(`${url}docs`)

    await page.getByRole('tab', { name: 'list' }).click()
    await page.getByRole('button', { name: 'Call list' }).click()
    await page.getByRole('region', { name: 'Last call' }).getByText('isListed').waitFor()
    expect(requested.at(-1)).toBe(`${url}100%/caf%C3%A9`)
    expect(errors).toEqual([])
  })

  it('have the query of a custom method that takes data too', async () => {
    class Notes extends MemoryService {
      async archive({ why }: any, { query }: any) {
        return { done: `${why}, ${query.days}` }
      }
    }
    const { url } = await (SERVERS.Node as Serve)((app) => {
      app.use('notes', new Notes(), {
        access: OPEN,
        methods: ['archive'],
        schema: schema(z.object({ id: z.int() }), {
          methods: {
            archive: {
              data: z.object({ why: z.string() }),
              query: z.object({ days: z.coerce.number() }),
              result: z.object({ done: z.string() })
            }
          }
        })
      })
      app.configure(openapi())
    })
    const { page, errors } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Call archive' })

    await form.getByLabel('why').fill('old')
    await form.getByLabel('query').fill('days=3')
    await form.getByRole('button', { name: 'Call archive' }).click()
    await page.getByRole('region', { name: 'Last call' }).getByText('old, 3').waitFor()
    expect(errors).toEqual([])
  })
})
