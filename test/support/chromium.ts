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

/** What pages begin with. */
const VIEWPORT = { width: 1280, height: 720 }

/** A page of a person of its own: nobody else has its storage, and nobody before had it. */
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
  /** Those of tests that have ended, for the next ones: to open a page takes longer than most tests. */
  const idle: Page[] = []

  function defineWithBrowser(): void {
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS })
    })
    afterAll(() => browser?.close())

    define(async (url) => {
      const page = idle.pop() ?? (await (browser as Browser).newPage({ viewport: VIEWPORT }))

      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail') return page.context().close()

        await forget(page)
        idle.push(page)
      })

      return await openPage(page, url)
    })
  }

  describeUnless(existsSync(EXECUTABLE) ? undefined : reason, name, defineWithBrowser)
}

async function openPage(page: Page, url: string): Promise<OpenedPage> {
  const context = page.context()
  const errors: string[] = []
  const received: string[] = []
  const requested: string[] = []

  // Less than a test has, so that it says what it has waited for.
  context.setDefaultTimeout(60_000)

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

/** Leaves a page as if nobody had ever been there. */
async function forget(page: Page): Promise<void> {
  const context = page.context()
  const { origin } = new URL(page.url())
  const session = await context.newCDPSession(page)

  page.removeAllListeners()
  await page.goto('about:blank')
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.send('Network.clearBrowserCache')
  await session.detach()
  await context.clearCookies()
  await page.setViewportSize(VIEWPORT)
  await page.emulateMedia({ colorScheme: null })
}
