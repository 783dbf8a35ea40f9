import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { memory } from '../../../src/memory.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

// The browser reports a response with the status 404 as an error.

const OPEN = access({ all: anyone })

const Comment = z.object({ id: z.int(), articleId: z.int(), text: z.string() })

const Profile = z.object({ id: z.int(), name: z.string() })

describeChromium('nested and single records on the page', (open) => {
  it('asks for the parent, and shows and creates its records', async () => {
    const { app, url } = await (SERVERS.Node as Serve)((app) => {
      app.use('articles', memory({ store: { 1: { id: 1, slug: 'intro' } } }), { access: OPEN, by: 'slug' })
      app.use('articles/:slug/comments', memory({ startId: 1 }), {
        access: OPEN,
        parent: { articleId: 'articles' },
        schema: schema(Comment)
      })
      app.configure(openapi())
    })
    const { page, errors } = await open(`${url}docs#/articles/%3Aslug/comments`)
    const place = page.getByRole('form', { name: 'Placeholders of the path' })
    const table = page.getByRole('region', { name: 'Table' })

    await place.getByText('in articles', { exact: true }).waitFor()
    await place.getByLabel('slug').fill('intro')
    await place.getByRole('button', { name: 'Show' }).click()

    const form = page.getByRole('form', { name: 'Create in articles/:slug/comments' })

    await expect.poll(() => form.getByRole('textbox').count()).toBe(1)
    await form.getByLabel('text').fill('A comment')
    await form.getByRole('button', { name: 'Create' }).click()
    await table.getByText('A comment').waitFor()
    expect(await app.service('articles/:slug/comments').find()).toEqual([
      { id: 1, articleId: 1, text: 'A comment' }
    ])

    await place.getByLabel('slug').fill('other')
    await place.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('status').getByText('404').waitFor()
    expect(errors.filter((one) => !one.includes('404'))).toEqual([])
  })

  it('shows the one record of a singleton, which is changed and removed without an id', async () => {
    const { app, url } = await (SERVERS.Node as Serve)((app) => {
      app.use('user', memory({ store: { 7: { id: 7, name: 'Ada' }, 8: { id: 8, name: 'Grace' } } }), {
        access: OPEN,
        schema: schema(Profile),
        singleton: () => 7
      })
      app.configure(openapi())
    })
    const { page, requested, errors } = await open(`${url}docs#/user`)
    const table = page.getByRole('region', { name: 'Table' })
    const call = page.getByRole('region', { name: 'Last call' })

    await table.getByText('Ada').waitFor()
    expect(await page.getByRole('form', { name: 'Open a record' }).count()).toBe(0)
    expect(await table.getByRole('button', { name: 'Sort' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Open 7' }).click()

    const form = page.getByRole('form', { name: 'Change 7 of user' })

    await form.getByLabel('name').fill('Ada L.')
    await form.getByRole('button', { name: 'Save' }).click()
    await table.getByText('Ada L.').waitFor()

    await page.getByRole('tab', { name: 'curl' }).click()
    expect(await call.locator('pre').innerText()).toContain(`curl -g -X PATCH '${url}user'`)
    await page.getByRole('tab', { name: 'alula' }).click()
    expect(await call.locator('pre').innerText()).toContain(
      `client.use('user', connection.service('user'), { methods: ['patch'], singleton: true })`
    )
    expect(await call.locator('pre').innerText()).toContain("client.service('user').patch(null, {")

    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Really remove' }).click()
    await page.getByRole('status').getByText('404').waitFor()
    expect(await app.service('user').find()).toEqual([{ id: 8, name: 'Grace' }])
    expect(requested.filter((one) => /\/user\//.test(one))).toEqual([])
    expect(errors.filter((one) => !one.includes('404'))).toEqual([])
  })

  it('shows a single record as one, also one with a list that is called as those of pages', async () => {
    const { url } = await (SERVERS.Node as Serve)((app) => {
      app.use('chart', memory({ store: { 7: { id: 7, name: 'Sales', data: [{ x: 1 }] } } }), {
        access: OPEN,
        schema: schema(Profile.extend({ data: z.array(z.object({ x: z.int() })) })),
        singleton: () => 7
      })
      app.configure(openapi())
    })
    const { page, errors } = await open(`${url}docs#/chart`)

    await page.getByRole('region', { name: 'Table' }).getByText('Sales').waitFor()
    await page.getByRole('button', { name: 'Open 7' }).waitFor()
    expect(errors).toEqual([])
  })
})
