// Tabs of a browser, each with a client, and the server that they have in common.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeAll, onTestFinished } from 'vitest'
import { events as serveEvents } from '../../src/events.ts'
import express, { errorHandler, rest as serveRest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import type { OpenPage } from '../support/chromium.ts'
import { configureLogin } from '../support/login.ts'

export const ANN = { strategy: 'local', email: 'ann', password: 'open sesame' }
export const BOB = { strategy: 'local', email: 'bob', password: 'open sesame' }

/** What a page runs: each tab has a client, the texts of what it was sent, and its events. */
const SCRIPT = `
  import { alula, authentication, events, live, rest, sharedEvents } from './src/client.ts'

  // Loses messages while the page is \`deaf\`.
  window.BroadcastChannel = class extends BroadcastChannel {
    set onmessage(listener) {
      super.onmessage = (message) => window.deaf || listener(message)
    }
  }

  const waiting = new Set()
  const client = alula()
  const { storage, locks, tenant, ...options } = Object.fromEntries(new URLSearchParams(location.search))

  if (locks) Object.defineProperty(navigator, 'locks', { value: undefined })
  if (options.timeout) options.timeout = Number(options.timeout)
  client.configure(rest().fetch((url, init) => fetch(url, init), { headers: { 'X-Tenant': tenant } }))
  client.configure(authentication({ storage: window[storage ?? 'localStorage'] }))
  client.configure(sharedEvents(options))
  client.configure(live())

  window.client = client
  window.heard = []
  /** Notes what has happened. */
  window.note = (what) => {
    heard.push(what)
    for (const check of waiting) check()
  }
  /** Resolves to all that has happened, once that is among it. */
  window.until = (what) => new Promise((resolve) => {
    const check = () => {
      if (!heard.includes(what)) return

      waiting.delete(check)
      resolve(heard)
    }

    waiting.add(check)
    check()
  })
  client.on('gap', () => note('gap'))
  client.on('error', (error) => note('error ' + error.code))
  client.on('session:ended', ({ cause }) => note('ended ' + cause))
  client.on('logout', () => note('logout'))
  client.on('events:begin', () => note('begin'))
  /** Begins with the events. */
  window.listen = () => {
    for (const path of ['messages', 'notes']) client.service(path).on('created', ({ text }) => note(text))
  }`

let script = ''

/** Bundles the script of the tabs, before the tests of a file. */
export function bundleTabs(): void {
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: SCRIPT, resolveDir: process.cwd(), loader: 'js' },
      bundle: true,
      format: 'iife',
      write: false
    })

    script = (outputFiles[0] as { text: string }).text
  })
}

interface ServerOptions {
  /** Gives the application logins; `ann` and `bob` with tokens that last for a day, when it is left out. */
  readonly configure?: (app: any) => unknown
  readonly openPage: OpenPage
}

/** A server with `messages` for all, and `notes` for the user whose id is their `userId`. */
export async function startTabs({ openPage, configure = configureLogin }: ServerOptions) {
  const app: any = express(alula())
  const gate = createGate()
  /** The streams that are open. */
  const streams = new Set<any>()

  app.get('/page', (_request: unknown, response: any) =>
    response.type('html').send('<script src="/client.js"></script>')
  )
  app.get('/client.js', (_request: unknown, response: any) => response.type('js').send(script))
  app.use('/events', (_request: unknown, response: any, next: () => void) => gate.pass(response, next))
  app.configure(serveRest()).configure(serveEvents({ retry: 0.01, heartbeat: 0.05 }))
  configure(app)
  app.use('messages', memory({ startId: 1, multi: true }))
  app.use(errorHandler({ logger: false }))
  app.on('connection', (connection: any) => {
    streams.add(connection)
    app.channel('all').join(connection)
    if (connection.user) app.channel(`user/${connection.user.id}`).join(connection)
  })
  app.on('disconnect', (connection: any) => streams.delete(connection))
  app.service('messages').publish(() => app.channel('all'))
  app.service('notes').publish(({ userId }: any) => app.channel(`user/${userId}`))

  let server: Server

  async function listenAt(port: number): Promise<number> {
    server = await app.listen(port, 'localhost')
    if (!server.listening) await once(server, 'listening')

    return (server.address() as { port: number }).port
  }

  async function stop(): Promise<void> {
    server.closeAllConnections()
    await app.teardown()
  }

  const port = await listenAt(0)
  const url = `http://localhost:${port}`

  onTestFinished(async () => {
    gate.open()
    await stop()
  })

  // One that has no client: with it, all others would close.
  const { page } = await openPage(`${url}/client.js`)

  /** Opens a tab of the same browser; it is closed when the test ends. */
  async function openTab(query = ''): Promise<Page> {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(`void window.open('${url}/page?${query}', '_blank', 'noopener')`)
    ])

    onTestFinished(() => tab.close())
    await tab.waitForLoadState()

    return tab
  }

  return {
    app,
    streams,
    gate,
    openTab,
    /** Opens tabs that listen, one after another. */
    async openTabs(count: number, query = ''): Promise<[Page, ...Page[]]> {
      const tabs: Page[] = []

      while (tabs.length < count) {
        const tab = await openTab(query)

        await listen(tab)
        tabs.push(tab)
      }

      return tabs as [Page, ...Page[]]
    },
    say: (...texts: string[]) =>
      texts.reduce<Promise<unknown>>(
        (before, text) => before.then(() => app.service('messages').create({ text })),
        Promise.resolve()
      ),
    /** Stops the server, which loses its log, and starts it again. */
    async restart() {
      await stop()
      await listenAt(port)
    },
    /** Ends all streams, which come back. */
    cut() {
      for (const connection of streams) app.emit('disconnect', connection)
    }
  }
}

/** Lets requests pass, or holds them, or answers them. */
function createGate() {
  let held: (() => void)[] | undefined
  let onArrival = (): void => undefined
  let reply: ((response: any) => void) | undefined

  return {
    /** How many requests came. */
    count: 0,
    pass(response: any, next: () => void) {
      this.count++
      if (reply) reply(response)
      else if (held) {
        held.push(next)
        onArrival()
      } else next()
    },
    /** From now on requests wait. Resolves with the first one. */
    close(): Promise<void> {
      held = []

      return new Promise((resolve) => {
        onArrival = resolve
      })
    },
    open() {
      const waiting = held ?? []

      held = undefined
      reply = undefined
      for (const next of waiting) next()
    },
    /** From now on requests get another response. */
    answer(given: (response: any) => void) {
      reply = given
    }
  }
}

/** Runs something in a tab. */
export function run<Result = any>(tab: Page, code: string): Promise<Result> {
  return tab.evaluate(`(async () => (${code}))()`) as Promise<Result>
}

/** Has a tab begin with its events. Resolves when it has a position. */
export async function listen(tab: Page): Promise<void> {
  await run(tab, 'listen()')
  await until([tab], 'begin')
}

/** What each tab was sent, once a text is among it. */
export async function until(tabs: readonly Page[], what: string): Promise<string[][]> {
  const all = await Promise.all(tabs.map((tab) => run<string[]>(tab, `until(${JSON.stringify(what)})`)))

  return all.map((heard) => heard.filter((one) => one !== 'begin'))
}
