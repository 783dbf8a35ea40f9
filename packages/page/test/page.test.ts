import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openapi } from '../../../src/openapi.ts'
import { findViolations } from '../../../test/openapi/support/axe.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { ADA, configureShop, createUsers, GRACE, PASSWORD } from '../../../test/openapi/support/shop.ts'
import { choose } from '../../../test/support/choose.ts'
import { describeChromium, type OpenedPage } from '../../../test/support/chromium.ts'

const SECRET_TEXT = 'never to be seen'

async function startShop(serve: Serve, options = {}) {
  const served = await serve((app) => {
    configureShop(app)
    app.configure(openapi({ info: { title: 'Shop', version: '1.2.3' }, ...options }))
  })

  await createUsers(served.app)

  return served
}

async function logIn(page: Page, region: string, email: string): Promise<void> {
  const person = page.getByRole('region', { name: region, exact: true })

  if (region.startsWith('Second')) await page.getByRole('button', { name: 'Add identity' }).click()
  else await person.getByRole('button', { name: 'Log in' }).click()
  await person.getByLabel('email').fill(email)
  await person.getByLabel('password').fill(PASSWORD)
  await person.getByLabel('password').press('Enter')
  await person.getByRole('button', { name: 'Log out' }).waitFor()
  await page
    .getByRole('region', { name: `Live events of the ${region.toLowerCase()}` })
    .getByText('Live events')
    .waitFor()
}

/** What went wrong on a page, less responses that refuse something, which browsers report too. */
function withoutRefusals({ errors }: OpenedPage): readonly string[] {
  return errors.filter((error) => !/status of (400|401|403|404)/.test(error))
}

const { Express, ...others } = SERVERS

/** Express, and one of the others. */
const SERVED = [['Express', Express as Serve] as const, ...choose(Object.entries(others), 1)]

describeChromium('the page', (open) => {
  describe.each(SERVED)('on %s', (name, serve) => {
    /** The page is the same on all servers. */
    async function assertAccessible(page: Page): Promise<void> {
      if (name === 'Express') expect(await findViolations(page)).toEqual([])
    }

    it('shows a service, live events, filters and faults, and asks nobody but its own server', async () => {
      const { app, url } = await startShop(serve)

      await app.service('notes').create({
        text: 'An old note',
        ownerId: 1,
        createdAt: new Date('2026-01-15T10:00:00Z'),
        secret: SECRET_TEXT
      })

      const opened = await open(`${url}docs`)
      const { page, requested, received } = opened
      const table = page.getByRole('region', { name: 'Table' })
      const form = page.getByRole('form', { name: 'Create in notes' })
      const second = page.getByRole('region', { name: 'Live events of the second identity' })

      await page.getByRole('link', { name: /^notes/ }).click()
      await table.getByText('An old note').waitFor()
      await assertAccessible(page)

      await logIn(page, 'Second identity', GRACE)
      await logIn(page, 'First identity', ADA)
      await form.getByRole('textbox', { name: 'text' }).fill('A new note')
      await form.getByLabel('secret').fill(SECRET_TEXT)
      await form.getByLabel('priority').fill('3')
      await form.getByLabel('address.city').fill('Bern')
      await form.getByRole('textbox', { name: 'text' }).press('Enter')
      await second.getByText('A new note').waitFor()
      await table.getByText('A new note').waitFor()
      await page.getByRole('tab', { name: 'curl' }).click()
      await page.getByText('Authorization: Bearer $TOKEN').waitFor()

      // What came by then over sockets and HTTP has not the hidden field. What was typed and sent has.
      expect(received.join()).toContain('A new note')
      expect(received.join()).not.toContain(SECRET_TEXT)
      expect(await page.locator('main').getByRole('region', { name: 'Records' }).innerText()).not.toContain(
        SECRET_TEXT
      )
      await assertAccessible(page)

      await form.getByLabel('priority').fill('12')
      await form.getByRole('button', { name: 'Create' }).click()
      await form.locator('[aria-invalid=true]').first().waitFor()

      for (const name of ['text', 'priority']) {
        const field = form.getByLabel(name)
        const ids = (await field.getAttribute('aria-describedby')) as string

        expect(await field.getAttribute('aria-invalid')).toBe('true')
        expect(await page.locator(`[id="${ids.split(' ').at(-1)}"]`).innerText()).toMatch(/^Too (small|big)/)
      }
      expect(await form.locator('textarea:focus').getAttribute('id')).toBe(
        await form.getByRole('textbox', { name: 'text' }).getAttribute('id')
      )
      await assertAccessible(page)

      await page.getByLabel('Field').selectOption('createdAt')
      await page.getByLabel('Operator').selectOption('<')
      await page.getByLabel('Value').fill('2026-02-01')
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await table.getByText('A new note').waitFor({ state: 'detached' })
      expect(await table.getByRole('row').count()).toBe(2)
      await page.getByText('1–1 of 1').waitFor()

      await page.getByRole('link', { name: 'Access' }).click()
      await page.getByRole('region', { name: 'Exposure' }).getByText("role('admin')").first().waitFor()
      await assertAccessible(page)

      const { host } = new URL(url)

      expect(requested.filter((one) => new URL(one).host !== host)).toEqual([])
      expect(withoutRefusals(opened)).toEqual([])
    })
  })

  it('has all of a service: it changes and removes records, calls custom methods, sorts, and goes on to the next page', async () => {
    const { app, url } = await startShop(SERVERS.Express as Serve)

    for (let number = 1; number <= 12; number++) {
      await app.service('notes').create({ text: `Note ${number}`, ownerId: 1, createdAt: new Date() })
    }

    const opened = await open(`${url}docs#/notes`)
    const { page } = opened
    const table = page.getByRole('region', { name: 'Table' })
    const call = page.getByRole('region', { name: 'Last call' })

    await logIn(page, 'First identity', ADA)
    await table.getByText('Note 12').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await table.getByText('Note 2', { exact: true }).waitFor()
    await table.getByRole('columnheader', { name: 'text' }).getByRole('button', { name: 'Sort' }).click()
    await call.getByText('$sort[text]=1').waitFor()

    await page.getByRole('button', { name: 'Open 10' }).click()

    const form = page.getByRole('form', { name: 'Change 10 of notes' })

    await form.getByRole('textbox', { name: 'text' }).fill('Another text')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'fetch' }).click()
    await call.getByText("method: 'PATCH'").waitFor()
    // Only what has changed.
    await page.getByRole('tab', { name: 'alula' }).click()
    expect(await call.getByRole('region').innerText()).toMatch(/patch\('10', {\s+text: "Another text"\s+}\)/)

    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Really remove' }).click()
    await page.getByText('of 11').waitFor()

    await page.getByRole('tab', { name: 'favorite' }).click()
    await page.getByRole('form', { name: 'Call favorite' }).getByLabel('id').fill('7')
    await page.getByRole('button', { name: 'Call favorite' }).click()
    await page.getByRole('tab', { name: 'Response' }).click()
    await call.getByText('/notes/7/favorite').waitFor()
    await call.getByText('"favorited"').waitFor()

    await page.getByRole('tab', { name: 'archive' }).click()
    await page.getByRole('form', { name: 'Call archive' }).getByLabel('before').fill('2026-01-01')
    await page.getByRole('button', { name: 'Call archive' }).click()
    await call.getByText('403').first().waitFor()

    await page.getByLabel('owner').check()
    await table.getByText(ADA).first().waitFor()

    await page.getByRole('link', { name: /^files/ }).click()
    await page
      .getByRole('form', { name: 'Create in files' })
      .getByLabel('data')
      .fill('{"name":"a.txt","size":3}')
    await page.getByRole('button', { name: 'Create' }).click()
    await table.getByText('a.txt').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(withoutRefusals(opened)).toEqual([])
  })

  it.each([
    ['dark', 1440],
    ['light', 1024],
    ['dark', 390]
  ] as const)(
    'has no violations in %s colours at %i pixels, and nothing stands out to the side',
    async (colorScheme, width) => {
      const { app, url } = await startShop(SERVERS.Node as Serve)

      await app.service('notes').create({ text: 'Read me', ownerId: 1, createdAt: new Date(), tags: ['a'] })

      const { page } = await open(`${url}docs#/notes`)

      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await logIn(page, 'First identity', ADA)
      await page.getByRole('form', { name: 'Create in notes' }).getByLabel('priority').fill('12')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText(/^Too big/).waitFor()
      await page.getByRole('tab', { name: 'alula' }).click()
      expect(await findViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)

      await page.getByRole('link', { name: 'Access' }).click()
      await page.getByRole('region', { name: 'Exposure' }).waitFor()
      expect(await findViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
  )

  it('keeps tokens in memory, and shows none', async () => {
    const { url } = await startShop(SERVERS.Node as Serve)
    const { page, context } = await open(`${url}docs#/notes`)

    await logIn(page, 'First identity', ADA)
    await page.getByRole('tab', { name: 'curl' }).click()

    const state = await context.storageState({ indexedDB: true })

    expect(state).toEqual({ cookies: [], origins: [] })
    expect(await page.content()).not.toContain('eyJ')

    await page.reload()
    await page.getByRole('button', { name: 'Log in' }).first().waitFor()
    expect(await page.getByText(ADA).count()).toBe(0)
  })

  it('keeps a login after a reload where that is asked for, until it ends', async () => {
    const { url } = await startShop(SERVERS.Node as Serve)
    const { page } = await open(`${url}docs#/notes`)

    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByLabel('email').fill(ADA)
    await page.getByLabel('password').fill(PASSWORD)
    await page.getByLabel('Keep after a reload').check()
    await page.getByLabel('password').press('Enter')
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  it('ends a login at the server too', async () => {
    const { url } = await startShop(SERVERS.Node as Serve)
    const { page, requested } = await open(`${url}docs#/users`)

    await logIn(page, 'First identity', ADA)
    await page.getByRole('region', { name: 'Table' }).getByText(GRACE).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('These records are not for everyone').waitFor()
    await expect.poll(() => requested.at(-2) + (requested.at(-1) ?? '')).toContain('authentication')
  })

  it('keeps nothing of what somebody saw who has logged out, or whom another one follows', async () => {
    const { app, url } = await startShop(SERVERS.Node as Serve)

    app.service('users').publish(() => app.channel('users'))

    const { page } = await open(`${url}docs#/users`)
    const main = page.locator('main')
    const first = page.getByRole('region', { name: 'Live events of the first identity' })
    const second = page.getByLabel('Second identity:')

    await page.getByRole('button', { name: 'Add identity' }).click()
    await page.keyboard.press('Escape')
    await logIn(page, 'First identity', ADA)
    await app.service('users').create({ email: 'alan@example.com', password: PASSWORD })
    await first.getByRole('log').getByText('alan@example.com').waitFor()

    await page.getByRole('button', { name: 'Open 2' }).click()
    await main.getByRole('region', { name: 'Last call' }).getByText(GRACE).waitFor()
    await second.check()
    await page.getByText('These records are not for everyone').waitFor()
    expect(await main.innerText()).not.toContain(GRACE)
    expect(await main.getByRole('region', { name: 'Last call' }).count()).toBe(0)

    await page.getByLabel('First identity:').check()
    await page.getByRole('button', { name: 'Open 2' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('These records are not for everyone').waitFor()
    expect(await page.locator('#page').innerText()).not.toMatch(/alan@|grace@/)
  })

  it('is used by the keyboard alone', async () => {
    const { app, url } = await startShop(SERVERS.Node as Serve)

    await app.service('notes').create({ text: 'Read me', ownerId: 1, createdAt: new Date() })

    const { page } = await open(`${url}docs`)
    const { keyboard } = page
    const focused = () =>
      page.evaluate<string>(`(() => {
        const { tagName, ariaLabel, labels, textContent } = document.activeElement

        return tagName + ' ' + (ariaLabel ?? labels?.[0]?.textContent ?? textContent)
      })()`)
    const goTo = async (wanted: RegExp, key = 'Tab') => {
      const seen: string[] = []

      for (let step = 0; step < 120; step++) {
        await keyboard.press(key)

        const found = await focused()

        if (wanted.test(found)) return
        seen.push(found)
      }

      throw new Error(`The keyboard does not reach ${wanted}: ${seen.join(' | ')}`)
    }

    await page.getByRole('link', { name: /^notes/ }).waitFor()
    await goTo(/^A notes/)
    await keyboard.press('Enter')
    await page.getByText('Read me', { exact: true }).waitFor()
    await goTo(/^BUTTON Log in/, 'Shift+Tab')
    await keyboard.press('Enter')
    await expect.poll(focused).toBe('INPUT email')
    await keyboard.type(ADA)
    await goTo(/^INPUT password/)
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    // Where the login was opened.
    expect(await focused()).toMatch(/^INPUT First identity/)
    await goTo(/^TEXTAREA text/)
    await keyboard.type('Written by keyboard')
    await keyboard.press('Enter')
    await page.getByRole('region', { name: 'Table' }).getByText('Written by keyboard').waitFor()
    await goTo(/^BUTTON Open 2/)
    await keyboard.press('Enter')
    await page.getByRole('form', { name: 'Change 2 of notes' }).waitFor()
    await expect.poll(focused).toMatch(/^TEXTAREA text/)
    await goTo(/^BUTTON edit/, 'Shift+Tab')
    await keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Call archive' }).waitFor()
    await goTo(/^BUTTON Response/)
    await keyboard.press('End')
    await page.getByText('alula/client').waitFor()
  })

  it('offers a login to those whom the rule of the document refuses', async () => {
    const { user } = await import('../../../src/access.ts')
    const { url } = await startShop(SERVERS.Express as Serve, { access: user })
    const opened = await open(`${url}docs/`)
    const { page } = opened

    expect((await fetch(`${url}docs/data.json`)).status).toBe(401)
    await page.getByText('This page is not for everyone').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByLabel('email').fill(ADA)
    await page.getByLabel('password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: /^notes/ }).waitFor()
    await page.getByText(ADA).first().waitFor()
    expect(withoutRefusals(opened)).toEqual([])
  })
})
