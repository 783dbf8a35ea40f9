import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openapi } from '../../../src/openapi.ts'
import { findViolations } from '../../../test/openapi/support/axe.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { configureShop, createUsers } from '../../../test/openapi/support/shop.ts'
import { describeChromium } from '../../../test/support/chromium.ts'

const WIDTHS = [1280, 390]

/** How large a target has to be (WCAG 2.2, 2.5.8), in pixels of CSS. */
const MIN_TARGET = 24

async function startShop() {
  const served = await (SERVERS.Express as Serve)((app) => {
    configureShop(app)
    app.configure(openapi({ info: { title: 'Shop', version: '1.2.3' } }))
  })

  await createUsers(served.app)
  for (const text of ['Buy milk', 'Call Bob']) {
    await served.app
      .service('notes')
      .create({ text, ownerId: 1, createdAt: new Date('2026-01-15T10:00:00Z'), due: new Date() })
  }

  return served
}

/** Shows the views of the page one after the other. */
const VIEWS: readonly (readonly [name: string, show: (page: Page) => Promise<unknown>])[] = [
  ['records', (page) => page.getByRole('button', { name: 'Open 2' }).waitFor()],
  [
    'an opened record, and its response',
    async (page) => {
      await page.getByRole('button', { name: 'Open 2' }).click()
      await page.getByRole('form', { name: 'Change 2 of notes' }).waitFor()
      await page.getByRole('region', { name: 'Last call' }).waitFor()
    }
  ],
  [
    'a login, and two identities',
    async (page) => {
      await page.getByRole('button', { name: 'Add identity' }).click()
      await page.getByLabel('password').waitFor()
    }
  ],
  [
    'who may call what',
    async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Access' }).click()
      await page.getByRole('region', { name: 'Exposure' }).waitFor()
    }
  ]
]

/** The targets that are too small, as they are now. That of a box to check is its label too. */
function listSmallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter((element) => element.checkVisibility())
    .flatMap((element) => {
      const boxes = [element, ...(['checkbox', 'radio'].includes(element.type) ? element.labels : [])]
        .map((one) => one.getBoundingClientRect())
      const isLarge = boxes.some(({ width, height }) => Math.min(width, height) >= ${MIN_TARGET} - 0.1)
      const [{ width, height }] = boxes

      return isLarge ? [] : [element.outerHTML.slice(0, 120) + ' ' + width + ' × ' + height]
    })`)
}

describeChromium('the page', (open) => {
  it.each(WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const)))(
    'of %i pixels is accessible, in %s colours, and wide enough for what it holds',
    async (width, colorScheme) => {
      const { url } = await startShop()
      const { page } = await open(`${url}docs#/notes`)
      const found: Record<string, unknown> = {}

      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })

      for (const [name, show] of VIEWS) {
        await show(page)
        found[name] = {
          violations: await findViolations(page),
          overflow: await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          // Fingers need them, and a mouse does not.
          small: width === 390 ? await listSmallTargets(page) : []
        }
      }

      const right = { violations: [], overflow: 0, small: [] }

      expect(found).toEqual(Object.fromEntries(VIEWS.map(([name]) => [name, right])))
    }
  )
})
