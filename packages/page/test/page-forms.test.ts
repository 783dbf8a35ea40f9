import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { memory } from '../../../src/memory.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

const Home = z.object({
  id: z.int(),
  isOpen: z.boolean().default(true),
  'first name': z.string().min(3).optional(),
  address: z
    .object({
      city: z.string(),
      zip: z.string().min(4).optional(),
      remark: z.string().nullable(),
      isShared: z.boolean().optional(),
      since: z.iso.datetime()
    })
    .optional()
})

const ADDRESS = { city: 'Bern', remark: '', since: '2026-01-15T10:00:00.123Z' }

async function startHomes(methods: readonly string[]) {
  const served = await (SERVERS.Express as Serve)((app) => {
    app.use('homes', memory({ startId: 1 }), {
      schema: schema(Home),
      access: access({ all: anyone }),
      methods: [...methods]
    })
    app.configure(openapi())
  })

  await served.app.service('homes').create({ 'first name': 'Adele', address: ADDRESS })

  return served
}

describeChromium('the forms of the page', (open) => {
  it.each([
    ['patch', ['find', 'patch']],
    ['update', ['find', 'update']]
  ])('change what was changed, and nothing beside it, by %s', async (_, methods) => {
    const { app, url } = await startHomes(methods)
    const { page } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Change 1 of homes' })

    await page.getByRole('button', { name: 'Open 1' }).click()
    expect(await form.getByLabel('first name').inputValue()).toBe('Adele')
    await form.getByLabel('address.city').fill('Basel')
    await form.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('region', { name: 'Last call' })
      .getByText(/^(PATCH|PUT)$/)
      .waitFor()
    expect(await app.service('homes').get(1)).toEqual({
      id: 1,
      isOpen: true,
      'first name': 'Adele',
      address: { ...ADDRESS, city: 'Basel' }
    })
  })

  it('keep the lines of a text, whatever its schema says of its length', async () => {
    const { app, url } = await startHomes(['find', 'patch'])
    const { page } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Change 1 of homes' })

    await app.service('homes').patch(1, { 'first name': 'Adele\nGrace' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('cell', { name: /Grace/ }).waitFor()
    await page.getByRole('button', { name: 'Open 1' }).click()
    await form.getByLabel('first name').pressSequentially('A')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Last call' }).getByText('PATCH').waitFor()
    expect((await app.service('homes').get(1))['first name'].split('\n')).toHaveLength(2)
  })

  it('leave the cells of an opened record under their headers', async () => {
    const { url } = await startHomes(['find', 'patch'])
    const { page } = await open(`${url}docs`)
    const listEdges = (cells: Locator) =>
      cells.evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().left))

    await page.getByRole('button', { name: 'Open 1' }).click()
    await page.getByRole('form', { name: 'Change 1 of homes' }).waitFor()

    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Open 1' }) })
    const edges = await listEdges(row.getByRole('cell'))

    expect(edges.length).toBeGreaterThan(2)
    expect(edges).toEqual(await listEdges(page.getByRole('columnheader')))
  })

  it('show the default of a truth value, which can be changed', async () => {
    const { app, url } = await startHomes(['find', 'create'])
    const { page } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Create in homes' })

    for (const isOpen of [true, false]) {
      expect(await form.getByLabel('isOpen').isChecked()).toBe(true)
      await form.getByLabel('isOpen').setChecked(isOpen)
      await form.getByRole('button', { name: 'Create' }).click()
      await page
        .getByText(isOpen ? '1–2 of 2' : '1–3 of 3')
        .or(page.getByText(isOpen ? /^1–2$/ : /^1–3$/))
        .waitFor()
    }

    expect(await app.service('homes').find()).toMatchObject([{}, { isOpen: true }, { isOpen: false }])
  })

  it('describe each field, also one with a space in its name', async () => {
    const { url } = await startHomes(['find', 'create'])
    const { page } = await open(`${url}docs`)
    const field = page.getByRole('form', { name: 'Create in homes' }).getByLabel('first name')

    await field.fill('A')
    await field.press('Enter')
    await page.locator('[aria-invalid=true]').waitFor()

    const ids = ((await field.getAttribute('aria-describedby')) as string).split(' ')
    const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))

    expect(texts).toEqual(['string, at least 3 characters', expect.stringMatching(/^Too small/)])
  })
})
