import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeChromium } from './support/chromium.ts'
import { runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'

const EXAMPLE = resolve(import.meta.dirname, '../examples/oauth')

function readReadme(): Promise<string> {
  return readFile(resolve(EXAMPLE, 'README.md'), 'utf8')
}

/** Waits until the page says something. */
async function expectStatus(page: Page, text: string): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor()
}

/** Logs in at the provider, and agrees to what it asks. */
async function logInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describeChromium('the example of OAuth', (open) => {
  it('logs in through a real provider, calls, stays logged in, and logs out', async () => {
    const { url } = await runExample('oauth/app.js')
    const { page, context, errors } = await open(url)

    await expectStatus(page, 'You are not logged in.')
    await page.getByRole('link', { name: 'Log in with' }).click()
    await logInAtProvider(page, 'wren')

    await expectStatus(page, 'Hello wren. Your address is wren@example.org.')
    // Neither in the URL nor one step back.
    expect(page.url()).toBe(`${url}/`)

    const token = await page.evaluate("localStorage.getItem('feathers-jwt')")
    const users = await fetch(`${url}/users/0`, { headers: { Authorization: `Bearer ${token}` } })

    expect(await users.json()).toEqual({ id: 0, demoId: 'wren', email: 'wren@example.org', name: 'wren' })
    expect((await context.cookies(url)).filter(({ name }) => name.startsWith('alula'))).toEqual([])

    await page.reload()
    await expectStatus(page, 'Hello wren.')

    await page.getByRole('button', { name: 'Log out' }).click()
    await expectStatus(page, 'Logged out.')
    expect((await fetch(`${url}/users/0`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(
      401
    )

    await page.reload()
    await expectStatus(page, 'You are not logged in.')
    // The page of the provider wants fonts from elsewhere.
    expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([])
  })

  it('says so when the login was refused at the provider', async () => {
    const { url } = await runExample('oauth/app.js')
    const { page } = await open(url)

    await page.getByRole('link', { name: 'Log in with' }).click()
    await page.getByRole('link', { name: 'Cancel' }).click()

    await expectStatus(page, 'That did not work: Access was denied.')
    expect(page.url()).toBe(`${url}/`)
  })
})

it('the example of OAuth answers as its README says', async () => {
  const { url } = await runExample('oauth/app.js')

  for (const session of readBlocks(await readReadme(), 'console')) {
    await expectSession([session], { 'localhost:3030': new URL(url).host })
  }
})

it('the example of OAuth is changed for GitHub by the lines of its README', async () => {
  const [diff = ''] = readBlocks(await readReadme(), 'diff')
  const sources = await Promise.all(
    ['app.js', 'public/index.html'].map((file) => readFile(resolve(EXAMPLE, file), 'utf8'))
  )
  const removed = diff.split('\n').filter((line) => line.startsWith('-'))

  expect(removed).toHaveLength(3)
  for (const line of removed) expect(sources.join('\n')).toContain(line.slice(1))
})
