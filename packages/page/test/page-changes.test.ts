import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { Conflict } from '../../../src/errors.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { describeChromium } from '../../../test/support/chromium.ts'
import { defer } from '../../../test/support/deferred.ts'
import { start } from './support/application.ts'

const OPEN = access({ all: anyone })

const HOME = { id: 1, text: 'a', done: false, address: { city: 'Bern', zip: '3000' }, age: 7, count: 5 }

const Home = z.object({
  id: z.int(),
  text: z.string(),
  done: z.boolean().default(false),
  address: z.object({ city: z.string(), zip: z.string() }),
  age: z.int().optional(),
  count: z.number().nullable().optional(),
  day: z.iso.date().optional(),
  kind: z.enum(['x', 'y']).optional(),
  since: z.iso.datetime().optional(),
  tags: z.array(z.string()).optional(),
  place: z.object({ lat: z.number().optional(), lng: z.number().optional() }).optional()
})

const Loose = z.looseObject({ id: z.int(), text: z.string(), madeAt: z.string() })

const startHomes = (record: object) =>
  start((app) => app.use('homes', memory({ store: { 1: record } }), { access: OPEN, schema: schema(Home) }))

async function openRecord(page: Page, path: string): Promise<Locator> {
  const form = page.getByRole('form', { name: `Change 1 of ${path}` })

  await page.getByRole('button', { name: 'Open 1' }).click()
  await form.waitFor()

  return form
}

async function enter(field: Locator, value: string | boolean): Promise<void> {
  if (typeof value === 'boolean') await field.setChecked(value)
  else await field.fill(value)
}

/** Saves, and returns what was sent. */
async function save(form: Locator): Promise<unknown> {
  const isWrite = /^(PATCH|PUT)$/
  const [response] = await Promise.all([
    form.page().waitForResponse((one) => isWrite.test(one.request().method())),
    form.getByRole('button', { name: 'Save' }).click()
  ])

  expect(response.status()).toBe(200)

  return response.request().postDataJSON()
}

describeChromium('changes of a record on the page', (open) => {
  it.each([
    ['a truth value', 'done', true, false],
    ['a text', 'text', 'b', 'a'],
    ['a field of an object', 'address.city', 'Basel', 'Bern']
  ])('send %s that goes back to its first value', async (_, label, other, first) => {
    const { app, url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')

    for (const value of [other, first]) {
      await enter(form.getByLabel(label), value)
      expect(await save(form)).not.toEqual({})
    }
    expect(await app.service('homes').get(1)).toEqual(HOME)

    // Also after the form was left.
    await enter(form.getByLabel(label), other)
    await save(form)
    await page.getByRole('tab', { name: 'create' }).click()
    await page.getByRole('tab', { name: 'edit' }).click()
    await enter(form.getByLabel(label), first)
    await save(form)
    expect(await app.service('homes').get(1)).toEqual(HOME)
  })

  it('send an object once, and keep what was typed during a save', async () => {
    const { url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')
    const { promise: isHeld, resolve: finish } = defer()

    await page.route('**/homes/1', async (route) => {
      if (route.request().postData()?.includes('Basel')) await isHeld
      await route.continue()
    })
    await form.getByLabel('address.city').fill('Basel')

    const saved = save(form)

    await form.getByRole('button', { name: 'Save', disabled: true }).waitFor()
    await form.getByLabel('text').fill('typed meanwhile')
    finish()
    expect(await saved).toEqual({ address: { city: 'Basel', zip: '3000' } })
    expect(await save(form)).toEqual({ text: 'typed meanwhile' })
    await form.getByLabel('done').check()
    expect(await save(form)).toEqual({ done: true })
    await page.unrouteAll()
  })

  it('show what a record is now that is opened again', async () => {
    const { app, url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')

    await app.service('homes').patch(1, { text: 'from elsewhere' })
    await form.getByLabel('done').check()
    await page.getByRole('button', { name: 'Open 1' }).click()
    await expect.poll(() => form.getByLabel('text').inputValue()).toBe('from elsewhere')
    expect(await save(form)).toEqual({ done: true })
  })

  it('keep what was typed where a save was refused and the record is opened again', async () => {
    const { app, url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')
    let isRefused = true

    app.service('homes').hooks({
      before: {
        patch: [
          ({ params }: any) => {
            if (params.provider && isRefused) throw new Conflict('Changed meanwhile')
          }
        ]
      }
    })
    await form.getByLabel('text').fill('typed')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Changed meanwhile').waitFor()
    isRefused = false
    await app.service('homes').patch(1, { age: 8 })
    await page.getByRole('button', { name: 'Open 1' }).click()
    await expect.poll(() => form.getByLabel('age').inputValue()).toBe('8')
    expect(await form.getByLabel('text').inputValue()).toBe('typed')
    expect(await save(form)).toEqual({ text: 'typed' })
  })

  it.each([
    ['nothing', ''],
    ['something else', '{"ok":true}']
  ])('are compared with what was sent where the method returns %s', async (_, body) => {
    const { url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')

    await page.route('**/homes/1', (route) => route.fulfill({ body }))
    for (const text of ['b', 'a']) {
      await form.getByLabel('text').fill(text)
      await Promise.all([
        page.waitForRequest((one) => one.method() === 'PATCH' && one.postDataJSON().text === text),
        form.getByRole('button', { name: 'Save' }).click()
      ])
    }
    expect(await form.getByLabel('address.city').inputValue()).toBe('Bern')
    await page.unrouteAll()
  })

  it('go on where the record has another name, after a change of the field that stands in its path', async () => {
    const { app, url } = await start((app) =>
      app.use('notes', memory({ store: { 1: { id: 1, slug: 'a', text: 'x' } } }), {
        access: OPEN,
        by: 'slug',
        schema: schema(z.object({ id: z.int(), slug: z.string(), text: z.string() }))
      })
    )
    const { page } = await open(`${url}docs`)

    await page.getByRole('button', { name: 'Open a' }).click()

    const former = page.getByRole('form', { name: 'Change a of notes' })
    const form = page.getByRole('form', { name: 'Change b of notes' })

    await former.getByLabel('slug').fill('b')
    expect(await save(former)).toEqual({ slug: 'b' })
    await form.getByLabel('text').fill('y')
    expect(await save(form)).toEqual({ text: 'y' })
    expect(await app.service('notes').get(1)).toEqual({ id: 1, slug: 'b', text: 'y' })
  })

  it('go on where the record was opened under another id than its own', async () => {
    const { app, url } = await start((app) => {
      app.use('notes', memory({ store: { u7: { id: 'u7', text: 'x' } } }), {
        access: OPEN,
        methods: ['get', 'patch'],
        schema: schema(z.object({ id: z.string(), text: z.string() }))
      })
      app
        .service('notes')
        .hooks({ before: { all: (context: any) => void Object.assign(context, { id: 'u7' }) } })
    })
    const { page } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Change me of notes' })

    await page.getByLabel('Open by id').fill('me')
    await page.getByLabel('Open by id').press('Enter')
    for (const text of ['y', 'z']) {
      await form.getByLabel('text').fill(text, { timeout: 5000 })
      expect(await save(form)).toEqual({ text })
    }
    expect(await app.service('notes').get('u7')).toEqual({ id: 'u7', text: 'z' })
  })

  it('by update keep the fields that the schema does not name', async () => {
    const record = { id: 1, text: 'a', madeAt: 'then', extra: { keep: 'me' } }
    const { app, url } = await start((app) =>
      app.use('notes', memory({ store: { 1: record } }), {
        access: OPEN,
        schema: schema(Loose, { server: { madeAt: () => 'then' } }),
        methods: ['find', 'get', 'update']
      })
    )
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'notes')

    expect(await save(form)).toEqual({ text: 'a', extra: { keep: 'me' } })
    await form.getByLabel('text').fill('b')
    await save(form)
    expect(await app.service('notes').get(1)).toEqual({ ...record, text: 'b' })
  })

  it('by update keep a field removed where the method returns nothing', async () => {
    const { app, url } = await start((app) =>
      app.use('homes', memory({ store: { 1: HOME } }), {
        access: OPEN,
        schema: schema(Home),
        methods: ['find', 'get', 'update']
      })
    )
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')

    await page.route('**/homes/1', async (route) => {
      await route.fetch()
      await route.fulfill({ body: '' })
    })
    await form.getByLabel('age').fill('')
    await save(form)
    await form.getByLabel('text').fill('b')
    expect(await save(form)).not.toHaveProperty('age')
    await page.unrouteAll()

    const { age: _, ...others } = HOME

    expect(await app.service('homes').get(1)).toEqual({ ...others, text: 'b' })
  })

  it('by update begin with the record where there is no schema', async () => {
    const record = { id: 1, x: 1, y: { z: [2] } }
    const { app, url } = await start((app) =>
      app.use('things', memory({ store: { 1: record } }), {
        access: OPEN,
        methods: ['find', 'get', 'update']
      })
    )
    const { page } = await open(`${url}docs`)
    const form = await openRecord(page, 'things')

    expect(JSON.parse(await form.getByLabel('data').inputValue())).toEqual(record)
    await save(form)
    expect(await app.service('things').get(1)).toEqual(record)
    await form.getByLabel('data').fill('{"x":3}')
    await save(form)
    await expect.poll(() => form.getByLabel('data').inputValue()).toBe('{\n  "x": 3,\n  "id": 1\n}')
  })

  it.each([
    ['an integer', 'age', '', /cannot remove/],
    ['a date', 'day', '', /cannot remove/],
    ['a date and time', 'since', '', /cannot remove/],
    ['a choice', 'kind', '', /cannot remove/],
    ['a list', 'tags', '', /cannot remove/],
    ['all of an object', 'place.lat', '', /cannot remove/],
    ['a number that is too large', 'count', '1e999', /too large/],
    ['a number in JSON that is too large', 'tags', '[1e999]', /too large/]
  ])('refuse what cannot be sent at its field: %s', async (_, label, value, sentence) => {
    const more = {
      day: '2026-01-15',
      since: '2026-01-15T10:00:00Z',
      kind: 'x',
      tags: ['a'],
      place: { lat: 1 }
    }
    const { url } = await startHomes({ ...HOME, ...more })
    const { page, requested } = await open(`${url}docs`)
    const form = await openRecord(page, 'homes')
    const field = form.getByLabel(label)
    const count = requested.length

    if (label === 'kind') await field.selectOption(value)
    else await field.fill(value)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText(sentence).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(requested.slice(count)).toEqual([])
  })

  it('remove a field by null, and by leaving it out of an update', async () => {
    const { app, url } = await start((app) => {
      const store = () => ({ store: { 1: HOME } })

      app.use('homes', memory(store()), { access: OPEN, schema: schema(Home) })
      app.use('houses', memory(store()), {
        access: OPEN,
        schema: schema(Home),
        methods: ['find', 'get', 'update']
      })
    })
    const { page } = await open(`${url}docs#/homes`)
    const form = await openRecord(page, 'homes')

    await form.getByLabel('count').fill('')
    expect(await save(form)).toEqual({ count: null })

    await page.getByRole('link', { name: 'houses' }).click()
    await page.getByRole('heading', { name: 'houses' }).waitFor()

    const other = await openRecord(page, 'houses')

    await other.getByLabel('age').fill('')
    await save(other)
    expect(await app.service('houses').get(1)).not.toHaveProperty('age')
  })
})

describeChromium('the JSON of a form', (open) => {
  it('is what was written there after the fields were shown, which have it too', async () => {
    const { url } = await startHomes(HOME)
    const { page } = await open(`${url}docs`)
    const form = page.getByRole('form', { name: 'Create in homes' })
    const json = form.getByRole('button', { name: 'JSON' })
    const text = '{"text":"typed","age":3,"more":1}'

    await json.click()
    await form.getByLabel('data').fill(text)
    await json.click()
    expect(await form.getByLabel('text').inputValue()).toBe('typed')
    await json.click()
    expect(await form.getByLabel('data').inputValue()).toBe(text)

    await form.getByLabel('data').fill('{"text":')
    await json.click()
    expect(await form.getByLabel('text').inputValue()).toBe('typed')
    await form.getByLabel('text').fill('another')
    await json.click()
    expect(JSON.parse(await form.getByLabel('data').inputValue())).toMatchObject({ text: 'another', age: 3 })
  })
})

describeChromium('Enter', (open) => {
  it.each([
    ['in a field of one line', { id: z.int(), text: z.string() }, 'text', 'x', 'Enter'],
    ['in a field of several lines', { id: z.int(), text: z.string().max(1000) }, 'text', 'x', 'Enter'],
    ['in JSON', undefined, 'data', '{"text":"x"}', 'Control+Enter']
  ] as const)(
    'that is pressed several times or held creates one record: %s',
    async (_, shape, label, text, keys) => {
      const { promise: isHeld, resolve: finish } = defer()
      const { app, url } = await start((app) => {
        app.use('notes', memory({ startId: 1 }), {
          access: OPEN,
          ...(shape && { schema: schema(z.object(shape)) })
        })
        app.service('notes').hooks({ before: { create: [() => isHeld] } })
      })
      const { page } = await open(`${url}docs`)
      const { keyboard } = page
      const form = page.getByRole('form', { name: 'Create in notes' })
      const field = form.getByLabel(label)

      await field.fill(text)
      for (let count = 0; count < 3; count++) await keyboard.press(keys)
      for (const key of keys.split('+')) await keyboard.down(key)
      finish()
      await page.getByRole('button', { name: 'Open 1' }).waitFor()
      await expect.poll(() => field.inputValue()).toBe('')
      await field.fill(text)
      // One more of a key that is down is a repetition.
      for (let count = 0; count < 3; count++) await keyboard.down('Enter')
      for (const key of keys.split('+')) await keyboard.up(key)
      await form.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'Open 2' }).waitFor()
      await expect.poll(() => field.inputValue()).toBe('')
      expect(await app.service('notes').find()).toHaveLength(2)
    }
  )
})
