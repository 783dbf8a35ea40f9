import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import type { Page, WebSocket } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { JWTStrategy } from '../../../src/authentication.ts'
import { events } from '../../../src/events.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { toListener } from '../../../src/node.ts'
import { openapi } from '../../../src/openapi.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { ADA, configureShop, createUsers, PASSWORD } from '../../../test/openapi/support/shop.ts'
import { describeChromium } from '../../../test/support/chromium.ts'
import { listen } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'

/** Starts a proxy that leads a prefix to a server, which does not get to know it. Returns the URL of the prefix. */
async function startStrippingProxy(target: string, prefix: string): Promise<string> {
  const { hostname, port } = new URL(target)
  const isBelow = (url = '') => url.startsWith(`${prefix}/`)
  const strip = (url = '') => url.slice(prefix.length)

  const server = createServer((incoming, response) => {
    if (!isBelow(incoming.url)) return response.writeHead(404).end()

    const { method, headers, url } = incoming
    const outgoing = request({ hostname, port, path: strip(url), method, headers }, (result) => {
      response.writeHead(result.statusCode as number, result.headers)
      result.pipe(response)
    })

    return incoming.pipe(outgoing)
  })

  server.on('upgrade', ({ method, url, rawHeaders }, socket) => {
    if (!isBelow(url)) return socket.destroy()

    const lines = rawHeaders.map((part, index) => part + (index % 2 === 0 ? ': ' : '\r\n')).join('')
    const upstream = connect(Number(port), hostname, () => {
      upstream.write(`${method} ${strip(url)} HTTP/1.1\r\n${lines}\r\n`)
      socket.pipe(upstream).pipe(socket)
    })

    for (const one of [socket, upstream]) one.on('error', () => undefined)

    return socket
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  return `${await listen(server)}${prefix}/`
}

async function logIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).first().click()

  const form = page.getByRole('form', { name: 'Log in the first identity' })

  await form.getByLabel('email').fill(ADA)
  await form.getByLabel('password').fill(PASSWORD)
  await form.getByLabel('password').press('Enter')
  // From here on, live events are those of the user.
  await page.getByRole('button', { name: 'Log out' }).waitFor()
}

describeChromium('the page', (open) => {
  it('works behind a proxy that strips a prefix, its sockets too', async () => {
    const { app, url } = await (SERVERS.Node as Serve)((app) => {
      configureShop(app)
      app.configure(openapi())
    })

    await createUsers(app)

    const { page, requested } = await open(`${await startStrippingProxy(url, '/shop/api')}docs#/notes`)

    await logIn(page)
    await page
      .getByRole('region', { name: 'Live events of the first identity' })
      .getByText('Live events')
      .waitFor()
    await app.service('notes').create({ text: 'From elsewhere', ownerId: 1, createdAt: new Date() })
    await page.getByRole('log').getByText('From elsewhere').waitFor()
    await page.getByRole('button', { name: 'Open 1' }).waitFor()
    expect(requested.filter((one) => !new URL(one).pathname.match(/^\/(shop\/api|socket\.io)\//))).toEqual([])
  })

  it('gets events over HTTP where there is no Socket.IO', async () => {
    const app = alula<any>()

    configureShop(app)
    app.configure(events()).configure(openapi())
    app.service('notes').publish(() => app.channel('users'))
    await app.setup()
    onTestFinished(async () => void (await app.teardown()))

    const target = `${await listen(createServer(toListener(app, { logger: false })))}/`

    await createUsers(app)

    const { page, requested } = await open(`${await startStrippingProxy(target, '/shop/api')}docs#/notes`)
    const log = page.getByRole('log')
    const create = (text: string) => app.service('notes').create({ text, ownerId: 1, createdAt: new Date() })

    await page.getByText('Live events').waitFor()
    await create('For those who are logged in')

    const isOpen = page.waitForResponse((response) => response.url().endsWith('/events'))

    await logIn(page)
    await isOpen
    await page.getByText('Live events').waitFor()
    await create('From elsewhere')
    await log.getByText('From elsewhere').waitFor()
    expect(await log.getByText('For those who').count()).toBe(0)

    await page.getByRole('button', { name: 'Log out' }).click()
    await log.getByText('None yet.').waitFor()
    await until(() =>
      expect(requested.filter((one) => new URL(one).pathname === '/shop/api/events')).toHaveLength(3)
    )
  })

  it('keeps one connection when a login comes before the end of a logout', async () => {
    const { app, url } = await (SERVERS.Node as Serve)((app) => {
      configureShop(app)
      app.configure(openapi())
    })

    await createUsers(app)

    const { page } = await open(`${url}docs#/notes`)
    const connections = new Set<WebSocket>()
    let finish = () => {}
    const isHeld = new Promise<void>((resolve) => {
      finish = resolve
    })

    page.on('websocket', (connection) => {
      connections.add(connection)
      connection.on('close', () => connections.delete(connection))
    })
    await logIn(page)
    await page.getByText('Live events').waitFor()
    await page.route('**/authentication', async (route) => {
      if (route.request().method() === 'DELETE') await isHeld
      await route.continue()
    })
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn(page)
    await page.getByText('Live events').waitFor()

    const isDone = page.waitForResponse((response) => response.request().method() === 'DELETE')

    finish()
    await isDone
    await page.getByText('Live events').waitFor()
    await until(() => expect(connections.size).toBe(1))
    await app.service('notes').create({ text: 'Once', ownerId: 1, createdAt: new Date() })
    await page.getByRole('log').getByText('Once').first().waitFor()
    expect(connections.size).toBe(1)
    expect(await page.getByRole('log').getByText('Once').count()).toBe(1)
  })

  it('has a tab of its own for a custom method with the name of a tab', async () => {
    const { url } = await (SERVERS.Node as Serve)((app) => {
      app.use('texts', Object.assign(memory(), { edit: async () => ({ done: true }) }), {
        methods: ['find', 'patch', 'edit']
      })
      app.configure(openapi())
    })
    const { page } = await open(`${url}docs#/texts`)
    const tabs = page.getByRole('tablist', { name: 'Methods' }).getByRole('tab', { name: 'edit' })

    await expect.poll(() => tabs.count()).toBe(2)
    await tabs.first().click()
    await page.getByText('Choose a record in the table').waitFor()
    await tabs.last().click()
    await page.getByRole('button', { name: 'Call edit' }).waitFor()
    expect(await page.getByText('Choose a record in the table').count()).toBe(0)
  })

  it.each([
    ['another scheme', { header: 'Authorization', schemes: ['Token'] }, 'Authorization: Token $TOKEN'],
    ['another header', { header: 'X-Token', schemes: ['Bearer', 'JWT'] }, 'X-Token: Bearer $TOKEN'],
    ['no scheme', { header: 'X-Token', schemes: [] }, 'X-Token: $TOKEN']
  ])('sends tokens as the application takes them: %s', async (_name, jwt, shown) => {
    const { app, url } = await (SERVERS.Express as Serve)((app) => {
      configureShop(app)
      app.set('authentication', { ...app.get('authentication'), jwt })
      app.configure(openapi())
    })

    expect(app.service('authentication').getStrategies('jwt')[0]).toBeInstanceOf(JWTStrategy)
    await createUsers(app)

    const { page } = await open(`${url}docs#/users`)

    await logIn(page)
    // Only those who are logged in see users.
    await page.getByRole('button', { name: 'Open 2' }).click()
    await page.getByRole('tab', { name: 'curl' }).click()
    await page.getByText(shown).waitFor()
  })
})
