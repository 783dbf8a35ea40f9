import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { describeUnless } from './describe-unless.ts'

const EXECUTABLE = '/usr/bin/chromium'

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

/** A page of a person of its own: nobody else has its storage. */
export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What went wrong on the page so far: errors of scripts, of the console, and of the content security policy. */
  readonly errors: readonly string[]
  /** What has come in over WebSockets so far, message by message. */
  readonly received: readonly string[]
  /** The URLs that the page has asked for so far. */
  readonly requested: readonly string[]
}

/** Opens a URL as a person who was never there; it is closed when the test ends. */
export type OpenPage = (url: string) => Promise<OpenedPage>

/**
 * Describes what a page does in Chromium. Without one the tests are skipped, or fail where all has to be there.
 *
 * @param name What is described
 * @param define Registers the tests; gets a function that opens pages
 */
export function describeChromium(name: string, define: (open: OpenPage) => void): void {
  const reason = `there is no ${EXECUTABLE}: install it, on Debian with 'apt-get install chromium'`
  let browser: Browser | undefined

  function defineWithBrowser(): void {
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS })
    })
    afterAll(() => browser?.close())

    define((url) => openPage(browser as Browser, url))
  }

  describeUnless(existsSync(EXECUTABLE) ? undefined : reason, name, defineWithBrowser)
}

async function openPage(browser: Browser, url: string): Promise<OpenedPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const errors: string[] = []
  const received: string[] = []
  const requested: string[] = []

  // Less than a test has, so that it says what it has waited for.
  context.setDefaultTimeout(60_000)
  onTestFinished(() => context.close())

  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('request', (request) => requested.push(request.url()))
  page.on('websocket', (socket) => {
    requested.push(socket.url())
    socket.on('framereceived', ({ payload }) => received.push(String(payload)))
  })

  await page.goto(url)

  return { page, context, errors, received, requested }
}
