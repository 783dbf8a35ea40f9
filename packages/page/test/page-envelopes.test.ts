import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { MemoryService } from '../../../src/memory.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

const Article = z.object({ id: z.int(), title: z.string().min(3), body: z.string().optional() })

class Articles extends MemoryService<any> {
  async rename({ title }: { title: string }, { route }: any) {
    return await this._patch(route.id, { title })
  }

  async finish(_data: unknown, { route }: any) {
    return await this._patch(route.id, { body: 'published' })
  }
}

const ENVELOPE = { one: 'article', many: 'articles', total: 'articlesCount', request: true }

async function startArticles(envelope = ENVELOPE, paginate: object = { default: 10, max: 50 }) {
  const served = await (SERVERS.Node as Serve)((app) => {
    app.use('articles', new Articles({ startId: 1, multi: true, paginate }), {
      methods: ['find', 'get', 'create', 'patch', 'remove', 'rename', 'finish'],
      routes: { 'PUT /:id/title': 'rename', 'POST /:id/finish': 'finish' },
      schema: schema(Article, {
        envelope,
        methods: { rename: { data: z.object({ title: z.string().min(3) }), result: Article } }
      }),
      access: access({ all: anyone })
    })
    app.publish(() => app.channel('everyone'))
    app.on('connection', (connection: object) => app.channel('everyone').join(connection))
    app.configure(openapi())
  })

  await served.app
    .service('articles')
    .create(Array.from({ length: 12 }, (_, index) => ({ title: `Title ${index + 1}` })))

  return served
}

describeChromium('the page of a service with an envelope', (open) => {
  it('shows its records, and all that there are', async () => {
    const { url } = await startArticles()
    const { page } = await open(`${url}docs`)

    await page.getByText('1–10 of 12').waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['id', 'title', 'body', 'Actions'])
    expect(await page.getByRole('row').count()).toBe(11)
    await page.getByRole('cell', { name: 'Title 12' }).waitFor()
  })

  it('goes from page to page by cursors, also where pages are small', async () => {
    const { url } = await startArticles({ one: 'article', many: 'articles' } as never, {
      default: 5,
      max: 5,
      cursor: true
    })
    const { page } = await open(`${url}docs`)
    const next = page.getByRole('button', { name: 'Next', exact: true })

    await page.getByText('1–5').waitFor()
    await next.click()
    await page.getByText('6–10').waitFor()
    await next.click()
    await page.getByText('11–12').waitFor()
    expect(await next.isDisabled()).toBe(true)
  })

  it('creates, changes and removes a record, whose form has no envelope', async () => {
    const { app, url } = await startArticles()
    const { page } = await open(`${url}docs`)
    const create = page.getByRole('form', { name: 'Create in articles' })
    const change = page.getByRole('form', { name: 'Change 13 of articles' })

    await create.getByLabel('title').fill('A')
    await create.getByRole('button', { name: 'Create' }).click()
    // The fault is at its field, and not under a name of the envelope.
    await create.locator('[aria-invalid=true]').waitFor()
    expect(await create.locator('[aria-invalid=true]').inputValue()).toBe('A')
    await create.getByLabel('title').fill('New')
    await create.getByRole('button', { name: 'Create' }).click()
    await page.getByText('1–10 of 13').waitFor()

    await page.getByRole('button', { name: 'Open 13' }).click()
    expect(await change.getByLabel('title').inputValue()).toBe('New')
    await change.getByLabel('title').fill('Newer')
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Newer' }).waitFor()
    expect(await app.service('articles').get(13)).toEqual({ id: 13, title: 'Newer' })

    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Really remove' }).click()
    await page.getByText('1–10 of 12').waitFor()
  })

  it('shows faults whose response has a field with the name of the envelope', async () => {
    const { url } = await startArticles({ ...ENVELOPE, one: 'data' })
    const { page } = await open(`${url}docs`)
    const create = page.getByRole('form', { name: 'Create in articles' })

    await create.getByLabel('title').fill('A')
    await create.getByRole('button', { name: 'Create' }).click()
    await create.locator('[aria-invalid=true]').waitFor()
  })

  it('shows the response and the code of a call as they are sent', async () => {
    const { url } = await startArticles()
    const { page } = await open(`${url}docs`)
    const create = page.getByRole('form', { name: 'Create in articles' })
    const last = page.getByRole('region', { name: 'Last call' })

    await create.getByLabel('title').fill('New')
    await create.getByRole('button', { name: 'Create' }).click()
    await last.getByText('POST').waitFor()
    expect(JSON.parse(await last.locator('pre').innerText())).toEqual({ article: { title: 'New', id: 13 } })
    await last.getByRole('tab', { name: 'alula' }).click()
    expect(await last.locator('pre').innerText()).toMatch(
      /client\.service\('articles'\)\.create\(\{\s+article: \{\s+title: "New"/
    )
    await last.getByRole('tab', { name: 'curl' }).click()
    expect(await last.locator('pre').innerText()).toContain(`-d '{"article":{"title":"New"}}'`)
  })

  it('calls custom methods, whose placeholders are not in it', async () => {
    const { app, url } = await startArticles()
    const { page } = await open(`${url}docs`)
    const rename = page.getByRole('form', { name: 'Call rename of articles' })
    const finish = page.getByRole('form', { name: 'Call finish of articles' })

    await page.getByRole('tab', { name: 'rename' }).click()
    await rename.getByLabel('id').fill('3')
    await rename.getByLabel('title').fill('Renamed')
    await rename.getByRole('button', { name: 'Call rename' }).click()
    await page.getByRole('cell', { name: 'Renamed' }).waitFor()
    expect(await app.service('articles').get(3)).toEqual({ id: 3, title: 'Renamed' })

    await page.getByRole('tab', { name: 'finish' }).click()
    await finish.getByLabel('id').fill('4')
    await finish.getByRole('button', { name: 'Call finish' }).click()
    await page.getByRole('cell', { name: 'published' }).waitFor()
  })

  it('shows live events, which have no envelope', async () => {
    const { app, url } = await startArticles()
    const { page } = await open(`${url}docs`)

    await page.getByText('1–10 of 12').waitFor()
    await page.getByText('live').first().waitFor()
    await app.service('articles').create({ title: 'From elsewhere' })
    await page.getByRole('cell', { name: 'From elsewhere' }).waitFor()
    expect(await page.locator('tr.fresh').count()).toBe(1)
  })
})
