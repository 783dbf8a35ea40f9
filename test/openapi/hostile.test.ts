import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { BadRequest } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { openapi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'
import { describeChromium } from '../support/chromium.ts'
import { SERVERS, type Serve } from './support/servers.ts'
import { configureShop, createUsers, PASSWORD } from './support/shop.ts'

const CALL = 'window.wasExecuted=true'

const BASES = [
  `<script>${CALL}</script>`,
  `<img src=x onerror="${CALL}">`,
  `<svg onload="${CALL}">`,
  `<svg><script>${CALL}</script></svg>`,
  `<iframe srcdoc="<script>parent.${CALL}</script>"></iframe>`,
  `<iframe src="javascript:parent.${CALL}"></iframe>`,
  `javascript:${CALL}`,
  `data:text/html,<script>${CALL}</script>`,
  `<a href="javascript:${CALL}">open</a>`,
  `<details open ontoggle="${CALL}">`,
  `<input autofocus onfocus="${CALL}">`,
  `<style>@import 'http://elsewhere.example/x.css'</style>`,
  `<link rel=stylesheet href=http://elsewhere.example/x.css>`,
  `<meta http-equiv=refresh content="0;url=http://elsewhere.example/">`,
  `<base href=http://elsewhere.example/>`,
  `<form action=http://elsewhere.example/><button>go</button></form>`,
  `<object data="data:text/html,x"></object>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${CALL}>`,
  '__proto__',
  'constructor',
  'toString',
  '\u202ecod.exe\u202c',
  `';${CALL};'`,
  '{{constructor.constructor("window.wasExecuted=true")()}}',
  `\${${CALL}}`
]

/** A hundred of them: alone, in an attribute that they may leave, in a comment, and after a string. */
const STRINGS = BASES.flatMap((base) => [
  base,
  `"><${base.slice(1)}`,
  `--><!-- ${base}`,
  `'${base}\u0000\u2028`
])

/** What counts on the page, in its own words. */
const COUNTS = `({
  wasExecuted: window.wasExecuted,
  scripts: document.querySelectorAll('script').length,
  others: document.querySelectorAll('iframe, object, embed, base, svg, math, style').length,
  images: document.querySelectorAll('img').length,
  handlers: [...document.querySelectorAll('*')].filter((one) =>
    one.getAttributeNames().some((name) => name.startsWith('on'))
  ).length,
  links: [...document.querySelectorAll('a')].filter((one) => !/^https?:/.test(one.href)).length,
  polluted: Object.keys(Object.prototype).length
})`

/** Nothing was executed, and there is no element that the page did not make itself. */
async function expectHarmless(page: Page, requested: readonly string[], host: string): Promise<void> {
  const found = await page.evaluate(COUNTS)

  expect(found).toEqual({
    wasExecuted: undefined,
    scripts: 1,
    others: 0,
    images: 1,
    handlers: 0,
    links: 0,
    polluted: 0
  })
  expect(requested.filter((url) => new URL(url).host !== host)).toEqual([])
}

describeChromium('hostile strings on the page', (open) => {
  it('are shown, and are nothing else, wherever data is shown', async () => {
    expect(STRINGS).toHaveLength(100)

    const record = Object.fromEntries(STRINGS.map((text) => [text, text]))
    const shape = Object.fromEntries(
      STRINGS.filter(
        (text) => !['__proto__', 'constructor', 'toString'].includes(text) && !/[.$]/.test(text)
      ).map((text) => [text, z.string().describe(text).optional()])
    )
    const { app, url } = await (SERVERS.Express as Serve)((app) => {
      configureShop(app)
      app.use('values', memory({ startId: 1, paginate: { default: 10, max: 200 } }), {
        access: access({ all: anyone }),
        methods: ['find', 'get', 'create', 'patch']
      })
      app.use('names', memory({ startId: 1 }), { access: access({ all: anyone }), methods: ['find', 'get'] })
      app.use('described', memory({ startId: 1 }), {
        access: access({ all: anyone }),
        schema: schema(z.object({ id: z.int(), choice: z.enum(STRINGS as [string]), ...shape })),
        methods: ['find', 'create']
      })
      app.use(
        'failing',
        {
          create: async () => {
            throw new BadRequest(STRINGS.join(' '), { errors: record })
          },
          find: async () => {
            throw new BadRequest(STRINGS.join(' '))
          }
        },
        { access: access({ all: anyone }), methods: ['find', 'create'] }
      )
      app.service('values').publish(() => app.channel('everybody'))
      app.configure(openapi({ info: { title: STRINGS.join(' '), version: STRINGS[1] as string } }))
    })

    await createUsers(app)
    await app
      .service('users')
      .create({ email: `"${CALL}<b>"@example.com`, password: PASSWORD })
      .catch(() => undefined)
    await app.service('names').create(record)

    const { page, requested, errors } = await open(`${url}docs#/values`)
    const { host } = new URL(url)
    const events = page.getByRole('log').first()

    page.on('dialog', (dialog) => void dialog.dismiss())
    await page.getByText('Live events').first().waitFor()
    for (const text of STRINGS) await app.service('values').create({ text, [text]: 1, nested: { text } })
    await expect.poll(() => events.getByRole('group').count()).toBe(100)
    await events.locator('summary').first().click()
    await page.getByLabel('Rows').selectOption('100')
    await page.getByText('1–100 of 100').waitFor()
    await expectHarmless(page, requested, host)

    // As a record, in a form, in the code of a call, as a filter. The server refuses the name of the prototype.
    await page
      .getByRole('form', { name: 'Create in values' })
      .getByLabel('data')
      .fill(JSON.stringify({ ...record, ['__proto__']: undefined }))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('1–100 of 101').waitFor()
    for (const language of ['curl', 'fetch', 'alula']) {
      await page.getByRole('tab', { name: language }).click()
      await expectHarmless(page, requested, host)
    }
    await page.getByLabel('Field').fill('text')
    await page.getByLabel('Value', { exact: true }).fill(STRINGS[1] as string)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('button', { name: /^Open \d/ }).click()
    await page.getByRole('form', { name: /^Change/ }).waitFor()
    await expectHarmless(page, requested, host)

    await page.getByRole('link', { name: /^names/ }).click()
    await page.getByRole('region', { name: 'Table' }).waitFor()
    await expectHarmless(page, requested, host)

    await page.getByRole('link', { name: /^described/ }).click()
    await page.getByRole('form', { name: 'Create in described' }).getByLabel('choice').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('form .fault').first().waitFor()
    await expectHarmless(page, requested, host)

    await page.getByRole('link', { name: /^failing/ }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    await expectHarmless(page, requested, host)

    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('region', { name: 'Exposure' }).waitFor()
    await expectHarmless(page, requested, host)
    expect(errors.filter((error) => !/status of 400/.test(error))).toEqual([])
    // A hundred strings in all places take long on a busy machine.
  }, 120_000)
})
