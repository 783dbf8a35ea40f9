import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { toListener } from '../../../src/node.ts'
import { openapi } from '../../../src/openapi.ts'
import { schema } from '../../../src/schema.ts'
import { socketio } from '../../../src/socketio.ts'
import { describeChromium } from '../../../test/support/chromium.ts'
import { toPort, toUrl } from '../../../test/support/server.ts'
import { start } from './support/application.ts'

const OPEN = access({ all: anyone })

/** Its conversion to a string throws. */
const HOSTILE = { toString: 1, valueOf: 1 }

/** Serves an application with one note on a port. Returns its URL, and a function that stops it. */
async function serveNotes(port: number) {
  const app = alula<any>().configure(socketio({ logger: false }))

  app.use('notes', memory({ store: { 1: { id: 1 } } }), { access: OPEN })
  app.configure(openapi())

  const server = createServer(toListener(app, { logger: false }))
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await app.teardown()
  }

  await app.setup(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return { url: `${toUrl(server)}/`, stop }
}

describeChromium('what the page shows', (open) => {
  it('changes while events do not end', async () => {
    const { app, url } = await start((app) => {
      app.use('jobs', memory({ store: { 1: { id: 1, step: 0 } } }), { access: OPEN })
      app.service('jobs').publish(() => app.channel('all'))
      app.on('connection', (connection: any) => app.channel('all').join(connection))
    })
    const { page } = await open(`${url}docs#/jobs`)

    await page.getByRole('button', { name: 'Open 1' }).waitFor()

    const patch = async (step: number) => void (await app.service('jobs').patch(1, { step }))
    let step = 0
    const timer = setInterval(() => patch(++step), 50)

    onTestFinished(() => clearInterval(timer))
    // The id, the step, the actions.
    await page
      .locator('tbody td')
      .nth(1)
      .filter({ hasText: /^[1-9]/ })
      .waitFor()
  })

  it('is whole, whatever a record has for an id, and a fault for a sentence', async () => {
    const { url } = await start((app) => {
      app.use(
        'notes',
        {
          find: async () => [{ id: HOSTILE, text: 'kept' }, { id: [HOSTILE] }, { id: 2 }],
          patch: async () => null
        },
        { access: OPEN, methods: ['find', 'patch'] }
      )
      app.use('others', memory(), { access: OPEN })
    })
    const { page, errors } = await open(`${url}docs#/notes`)

    await page.getByRole('button', { name: `Open ${JSON.stringify(HOSTILE)}` }).click()
    await page.getByRole('form', { name: 'Change {' }).waitFor()
    await page.route('**/notes/*', (route) =>
      route.fulfill({ status: 400, json: { message: 'No', errors: { text: HOSTILE } } })
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText(JSON.stringify(HOSTILE)).waitFor()
    await page.unrouteAll()
    expect(await page.getByRole('row').count()).toBe(4)
    await page.getByRole('link', { name: 'others' }).click()
    await page.getByRole('heading', { name: 'others' }).waitFor()
    expect(errors.filter((one) => !one.includes('400'))).toEqual([])
  })

  it.each([
    ['takes no $limit', z.object({ q: z.string().optional() }), '/notes'],
    ['takes it', z.object({ q: z.string().optional(), $limit: z.coerce.number() }), '/notes?$limit=10'],
    ['takes what it does not name', z.looseObject({}), '/notes?$limit=10']
  ])('are the records of a service whose schema for queries %s', async (_, query, path) => {
    const { url } = await start((app) => {
      app.use('notes', memory({ store: { 1: { id: 1 } } }), {
        access: OPEN,
        schema: schema(z.object({ id: z.int() }), { query })
      })
    })
    const { page, requested, errors } = await open(`${url}docs`)

    await page.getByRole('button', { name: 'Open 1' }).waitFor()
    expect(requested).toContain(`${url.replace(/\/$/, '')}${path}`)
    expect(errors).toEqual([])
  })

  it('is each page of a service whose pages are smaller than was chosen, also on the way back', async () => {
    const { app, url } = await start((app) => {
      app.use('notes', memory({ multi: true, paginate: { default: 5, max: 5 } }), { access: OPEN })
    })

    await app.service('notes').create(Array.from({ length: 12 }, () => ({})))

    const { page } = await open(`${url}docs#/notes`)
    const goTo = async (name: string, range: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByText(`${range} of 12`, { exact: true }).waitFor()
    }

    await page.getByText('1–5 of 12').waitFor()
    await goTo('Next', '6–10')
    await goTo('Next', '11–12')
    await goTo('Previous', '6–10')
    await goTo('Previous', '1–5')
  })

  it('is the next page after two fast clicks, whose second one would have the cursor of the page before', async () => {
    const { app, url } = await start((app) => {
      app.use('notes', memory({ startId: 1, multi: true, paginate: { default: 5, max: 5, cursor: true } }), {
        access: OPEN
      })
    })

    await app.service('notes').create(Array.from({ length: 12 }, () => ({})))

    const { page } = await open(`${url}docs#/notes`)
    const next = page.getByRole('button', { name: 'Next', exact: true })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })

    await page.getByText('1–5', { exact: true }).waitFor()
    await page.route(/after/, async (route) => {
      await released
      await route.continue()
    })
    await next.click()
    await next.click()
    release()
    await page.getByRole('button', { name: 'Open 6', exact: true }).waitFor()
    await page.getByText('6–10', { exact: true }).waitFor()
    await next.click()
    await page.getByText('11–12', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
  })

  it('is the record that was chosen last, also where the response for an earlier one is slower', async () => {
    const { app, url } = await start((app) => {
      app.use('notes', memory({ startId: 1, multi: true }), { access: OPEN })
    })

    await app.service('notes').create([{ text: 'a' }, { text: 'b' }])

    const { page } = await open(`${url}docs#/notes`)
    const call = page.getByRole('region', { name: 'Last call' })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })

    await page.route('**/notes/1', async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Open 1' }).click()
    await page.getByRole('button', { name: 'Open 2' }).click()
    await page.getByRole('form', { name: 'Change 2 of notes' }).waitFor()
    release()
    await call.getByText('/notes/1').first().waitFor()
    // After the next frame it would be there.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
    expect(await page.getByRole('form', { name: /^Change/ }).getAttribute('aria-label')).toBe(
      'Change 2 of notes'
    )
  })

  it('has a service with half of a surrogate pair in its path', async () => {
    const { url } = await start((app) => {
      app.use('a\ud800', memory(), { access: OPEN })
      app.use('notes', memory(), { access: OPEN })
    })
    const { page, errors } = await open(`${url}docs#/notes`)

    await page.getByRole('heading', { name: 'notes' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Services' }).getByRole('link').count()).toBe(2)
    expect(errors).toEqual([])
  })

  it.each([
    ['tags[]=a&tags[]=b&x=1', { tags: ['a', 'b'], x: '1' }],
    ['tags=a&tags=b', { tags: ['a', 'b'] }],
    ['tags[]=a', { tags: ['a'] }],
    ['a[b][]=1&a[b][]=2&a[c]=3', { a: { b: ['1', '2'], c: '3' } }]
  ])('is a call with all of the query %s', async (search, query) => {
    const { url } = await start((app) => {
      app.use(
        'notes',
        { search: async (_: unknown, params: any) => ({ found: JSON.stringify(params.query) }) },
        { access: OPEN, methods: ['search'], routes: { 'GET /search': 'search' } }
      )
    })
    const { page } = await open(`${url}docs#/notes`)

    await page.getByLabel('query', { exact: true }).fill(search)
    await page.getByRole('button', { name: 'Call search' }).click()

    const body = await page.getByRole('region', { name: 'Response' }).innerText()

    expect(JSON.parse(JSON.parse(body).found)).toEqual(query)
  })

  it('is the events of services, and no other message of the socket', async () => {
    const { app, url } = await start((app) => {
      app.use('notes', memory({ startId: 1 }), { access: OPEN })
      app.on('connection', (connection: any) => app.channel('all').join(connection))
      app.publish(() => app.channel('all'))
    })
    const { page } = await open(`${url}docs#/notes`)

    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    app.io.emit('$position', 'x-1.1')
    app.io.emit('gap', { services: ['notes'], position: 'x-1.1' })
    await app.service('notes').create({ text: 'a note' })
    await page.getByRole('log').getByText('a note').waitFor()
    await page.getByRole('button', { name: 'Clear 1' }).waitFor()
  })

  it('is read again when the server is back', async () => {
    const { url, stop } = await serveNotes(0)
    const { page } = await open(`${url}docs#/notes`)

    await page.getByRole('button', { name: 'Open 1' }).waitFor()
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    await stop()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('status').getByText('no response').waitFor()

    const next = await serveNotes(toPort(url))

    onTestFinished(next.stop)
    await page.getByRole('button', { name: 'Open 1' }).waitFor()
  })
})
