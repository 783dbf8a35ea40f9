import { expect, it } from 'vitest'
import { z } from 'zod'
import { memory } from '../../../src/memory.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

const Note = z.object({ id: z.int(), title: z.string().nullable(), tags: z.array(z.string()) })

describeChromium('the filters of the page', (open) => {
  it('ask for null, and for elements of lists', async () => {
    const { app, url } = await (SERVERS.Express as Serve)((app) => {
      app.use('notes', memory({ operators: ['$contains', '$overlaps'], multi: true }), {
        schema: schema(Note)
      })
      app.configure(openapi({ info: { title: 'Notes', version: '1' } }))
    })

    await app.service('notes').create([
      { title: null, tags: ['red', 'blue'] },
      { title: 'Second', tags: ['blue'] },
      { title: 'Third', tags: [] }
    ])

    const { page, errors } = await open(`${url}docs`)
    const operator = page.getByLabel('Operator')
    const list = () => operator.locator('option').allInnerTexts()
    const rows = page.getByRole('region', { name: 'Records' }).getByRole('row')

    /** Filters, and waits for as many records; their titles. */
    async function filter(field: string, name: string, value: string, count: number): Promise<void> {
      const input = page.getByLabel('Value')

      await page.getByLabel('Field').selectOption(field)
      await operator.selectOption(name)
      if (name === 'is null') await input.selectOption(value)
      else await input.fill(value)
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await expect.poll(() => rows.count()).toBe(count + 1)
      await page.getByRole('button', { name: /^Remove the filter/ }).click()
      await expect.poll(() => rows.count()).toBe(4)
    }

    await filter('title', 'is null', 'true', 1)
    await filter('title', 'is null', 'false', 2)
    await filter('tags', 'has', 'blue', 2)
    await filter('tags', 'has one of', 'red, green', 1)
    await page.getByLabel('Field').selectOption('tags')
    expect(await list()).toEqual(['has', 'has one of'])
    await page.getByLabel('Field').selectOption('id')
    expect(await list()).not.toContain('is null')
    expect(errors).toEqual([])
  })
})
