import { createServer, type Server } from 'node:http'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { describeChromium } from '../support/chromium.ts'
import { findPort } from '../support/redis.ts'
import { configureSessions, createShared, DAY, LOGIN, MINUTE, type Shared, stopClock, WREN } from './app.ts'

const { refresh: _, ...CREDENTIALS } = LOGIN

let script = ''

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { io } from 'socket.io-client'
        import { alula, authentication, rest, socketio } from './src/client.ts'
        Object.assign(window, { io, alula, authentication, rest, socketio })`,
      resolveDir: process.cwd(),
      loader: 'ts'
    },
    bundle: true,
    format: 'iife',
    write: false
  })

  script = (outputFiles[0] as { text: string }).text
})

/** Serves a page with a client, and what it calls. */
async function serve(shared: Shared, refresh: object = {}, port?: number) {
  const app: any = express(alula())
  const calls: string[] = []
  /** How many refreshes ran when each one began. */
  const refreshing: number[] = []
  let running = 0

  app.get('/page', (_request: unknown, response: any) =>
    response.type('html').send('<script src="/client.js"></script>')
  )
  app.get('/client.js', (_request: unknown, response: any) => response.type('js').send(script))
  app.configure(rest()).configure(socketio({ pingTimeout: 10 * DAY }))
  configureSessions(app, { shared, refresh })
  app.use(errorHandler({ logger: false }))
  app.service('authentication').hooks({
    before: { create: [({ data }: any) => void calls.push(data.strategy)] },
    around: {
      create: [
        async ({ data }: any, next: () => Promise<void>) => {
          if (data.strategy !== 'refresh') return next()

          refreshing.push(running++)
          // As long as another tab needs to send one, too.
          await new Promise((resolve) => void setTimeout(resolve, 100))

          try {
            await next()
          } finally {
            running--
          }
        }
      ]
    }
  })

  const server: Server = await app.listen(port ?? 0, 'localhost')

  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))

  const url = `http://localhost:${(server.address() as { port: number }).port}`
  const close = async () => {
    server.closeAllConnections()
    await app.teardown()
  }

  onTestFinished(close)

  return { app, url, calls, refreshing, close }
}

interface Start {
  readonly refresh?: object
  readonly port?: number
}

async function start({ refresh = {}, port }: Start = {}) {
  const clock = stopClock()
  const shared = createShared()
  const served = await serve(shared, refresh, port)

  await served.app.service('users').create(WREN)

  return { ...served, clock, shared, rows: () => shared.sessions._find({ query: {}, paginate: false }) }
}

/** Creates the client of a page. */
async function createClient(
  page: Page,
  kind: 'rest' | 'socketio' | 'over both' = 'rest',
  storage = 'localStorage',
  api = ''
) {
  await page.evaluate(
    ([kind, storage, api]) => {
      const here = globalThis as any
      const load = (url: string, options: object) =>
        fetch(url, api ? { ...options, credentials: 'include' } : options)

      here.ended = []
      here.client = here.alula()
      here.client.configure(
        kind === 'rest' ? here.rest(api || here.location.origin).fetch(load) : here.socketio(here.io())
      )
      here.client.configure(
        here.authentication({
          storage: here[storage as string],
          ...(kind === 'over both' && { service: here.rest().fetch(load).service('authentication') })
        })
      )
      here.client.on('session:ended', (event: unknown) => here.ended.push(event))
      here.client.on('error', () => undefined)
    },
    [kind, storage, api] as const
  )
}

/** Runs something in a page, with its client. */
function run<Result>(page: Page, code: string): Promise<Result> {
  return page.evaluate(`(async (client) => (${code}))(window.client)`) as Promise<Result>
}

const logIn = (page: Page) => run<any>(page, `client.authenticate(${JSON.stringify(CREDENTIALS)})`)
const find = (page: Page) => run(page, "client.service('notes').find()")

/** Opens another tab, or a copy of one as browsers duplicate it: with a copy of its `sessionStorage`. */
async function openTab(page: Page, kind: 'new' | 'copy', storage = 'localStorage'): Promise<Page> {
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate(`void window.open(location.href, '_blank', '${kind === 'new' ? 'noopener' : ''}')`)
  ])

  onTestFinished(() => tab.close())
  await tab.waitForLoadState()
  await createClient(tab, 'rest', storage)

  return tab
}

describeChromium('a page with a session', (open) => {
  it.each(['in the body', 'in a cookie'])(
    'is renewed once for two tabs, when its token has expired: %s',
    async (where) => {
      const { url, calls, clock, refreshing, rows } = await start({
        refresh: { cookie: where === 'in a cookie' }
      })
      const { page } = await open(`${url}/page`)

      await createClient(page)
      await logIn(page)

      const tab = await openTab(page, 'new')

      await run(tab, 'client.reAuthenticate()')
      clock.advance(20 * MINUTE)
      expect(await Promise.all([page, tab, page, tab].map(find))).toEqual(Array(4).fill(['a note']))
      // A tab in another process may not see yet what the first one has stored. It may have the next cookie already.
      expect(calls.filter((strategy) => strategy === 'refresh').length).toBeLessThanOrEqual(2)
      // A lock of the browser lets one tab renew at a time.
      expect(Math.max(...refreshing)).toBe(0)

      const [{ counter, ...row }, ...others] = await rows()

      expect([counter <= 3, row.refused, others]).toEqual([true, 0, []])

      clock.advance(DAY)
      await tab.reload()
      await createClient(tab)
      expect(await run(tab, 'client.reAuthenticate()')).toMatchObject({ user: { email: WREN.email } })
      clock.advance(DAY)
      expect(await Promise.all([find(page), find(tab)])).toEqual([['a note'], ['a note']])
      expect((await rows())[0].counter).toBeLessThanOrEqual(counter + 3)
    }
  )

  it('keeps the refresh token from scripts in a cookie, also for an API on another origin', async () => {
    const port = await findPort()
    const origin = `http://localhost:${port}`
    const { app, clock, rows } = await start({ refresh: { cookie: true } })
    const api = createServer(
      toListener(app, { logger: false, cors: { origin: [origin], credentials: true } })
    ).listen(0, 'localhost')
    const pages = await serve(createShared(), {}, port)

    onTestFinished(() => void api.close())
    if (!api.listening) await new Promise((resolve) => api.once('listening', resolve))

    const { page, context } = await open(`${pages.url}/page`)

    await createClient(
      page,
      'rest',
      'localStorage',
      `http://localhost:${(api.address() as { port: number }).port}`
    )
    expect(await logIn(page)).not.toHaveProperty('refreshToken')
    expect(await run(page, 'document.cookie + JSON.stringify(localStorage)')).not.toContain('efresh')
    expect(await context.cookies()).toMatchObject([
      { name: '__Host-authentication-refresh', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' }
    ])
    clock.advance(DAY)
    expect(await find(page)).toEqual(['a note'])
    expect(await rows()).toMatchObject([{ counter: 2 }])
    clock.advance(DAY)
    expect(await run(page, 'client.logout()')).toMatchObject({ user: { id: 1 } })
    expect(await context.cookies()).toEqual([])
    expect(await rows()).toEqual([])
  })

  it('with calls over a socket logs in, renews and logs out over HTTP, for the cookie', async () => {
    const { app, url, calls, clock, rows } = await start({ refresh: { cookie: true } })
    const { page, context } = await open(`${url}/page`)

    await createClient(page, 'over both')
    expect(await logIn(page)).toMatchObject({ user: { email: WREN.email } })
    expect(await find(page)).toEqual(['a note'])
    clock.advance(DAY)
    expect(await find(page)).toEqual(['a note'])
    // Its access token has expired when it connects again.
    app.io.disconnectSockets(true)
    await run(page, "new Promise((done) => client.io.once('connect', done))")
    expect(await find(page)).toEqual(['a note'])
    expect(calls.filter((strategy) => strategy !== 'jwt')).toEqual(['local', 'refresh'])
    await run(page, 'client.logout()')
    expect([await rows(), await context.cookies()]).toEqual([[], []])
    await expect(find(page)).rejects.toThrow('Not authenticated')
  })

  it.each(['rest', 'socketio'] as const)('logs out when its access token has expired: %s', async (kind) => {
    const { url, clock, rows } = await start()
    const { page } = await open(`${url}/page`)

    await createClient(page, kind)
    await logIn(page)
    clock.advance(DAY)
    expect(await run(page, 'client.logout()')).toMatchObject({ user: { id: 1 } })
    expect(await rows()).toEqual([])
    expect(await run(page, 'Object.keys(localStorage)')).toEqual([])
  })

  it('that was duplicated shares a session in localStorage', async () => {
    const { url, clock, rows } = await start()
    const { page } = await open(`${url}/page`)

    await createClient(page)
    await logIn(page)

    const copy = await openTab(page, 'copy')

    await run(copy, 'client.reAuthenticate()')

    for (let count = 0; count < 3; count++) {
      clock.advance(20 * MINUTE)
      await find(page)
      clock.advance(20 * MINUTE)
      await find(copy)
    }

    expect(await rows()).toMatchObject([{ counter: 7 }])
  })

  it('that was duplicated with a storage of its own logs in again, which ends the session of the other', async () => {
    const { url, clock, rows } = await start()
    const { page } = await open(`${url}/page`)

    await createClient(page, 'rest', 'sessionStorage')
    await logIn(page)

    const copy = await openTab(page, 'copy', 'sessionStorage')

    clock.advance(20 * MINUTE)
    await find(page)
    clock.advance(MINUTE)
    await expect(run(copy, 'client.reAuthenticate()')).rejects.toThrow('The refresh token was replaced')
    expect(await run(copy, 'ended')).toEqual([{ cause: 'behind' }])
    expect(await find(page)).toEqual(['a note'])
    await logIn(copy)
    await expect(find(page)).rejects.toThrow()
    expect(await run(page, 'ended')).toEqual([{ cause: 'ended' }])
    expect(await rows()).toHaveLength(1)
  })

  it('on a laptop that slept is renewed before its next call', async () => {
    const { url, calls, clock } = await start()
    const { page } = await open('about:blank')
    const statuses: number[] = []

    page.on('response', (response) => {
      if (response.url().endsWith('/notes')) statuses.push(response.status())
    })
    await page.clock.install({ time: clock.now() })
    await page.goto(`${url}/page`)
    await createClient(page)
    await logIn(page)
    expect(await find(page)).toEqual(['a note'])
    clock.advance(10 * 60 * MINUTE)
    await page.clock.fastForward(10 * 60 * MINUTE)
    expect(await Promise.all([find(page), find(page)])).toEqual([['a note'], ['a note']])
    expect(calls).toEqual(['local', 'refresh'])
    expect(statuses).toEqual([200, 200, 200])
  })

  it.each(['rest', 'socketio'] as const)('goes on when the server has restarted: %s', async (kind) => {
    const port = await findPort()
    const { url, clock, shared, close } = await start({ port })
    const { page } = await open(`${url}/page`)

    await createClient(page, kind)
    await logIn(page)
    await find(page)
    clock.advance(DAY)
    await close()
    await serve(shared, {}, port)
    if (kind === 'socketio')
      await run(page, "new Promise((done) => client.io.connected ? done() : client.io.once('connect', done))")
    expect(await find(page)).toEqual(['a note'])
    expect(await run(page, 'ended')).toEqual([])
  })
})
