import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, role } from '../../../src/access.ts'
import { authenticate, hashPassword, protect } from '../../../src/authentication.ts'
import { BadRequest, Forbidden } from '../../../src/errors.ts'
import { events } from '../../../src/events.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { toListener } from '../../../src/node.ts'
import { openapi } from '../../../src/openapi.ts'
import { SERVERS, type Serve } from '../../../test/openapi/support/servers.ts'
import { describeChromium } from '../../../test/support/chromium.ts'
import { defer } from '../../../test/support/deferred.ts'
import { addAuthentication } from '../../../test/support/login.ts'
import { listen } from '../../../test/support/server.ts'

const PASSWORD = 'correct horse'

const OPEN = access({ all: anyone })

/** Both have the same name, which the page also shows without a login. */
const USERS = [
  { email: 'ada', name: 'Anonymous', role: 'admin' },
  { email: 'eve', name: 'Anonymous', role: 'user' }
]

/** Notes for each frame after a logout whether it has the table of access. */
const LOOK_AT_FRAMES = `
  var frames = []

  function look() {
    if (!document.body.innerText.includes('Log out')) {
      frames.push(document.querySelector('table.exposure') !== null)
    }
    requestAnimationFrame(look)
  }

  look()
`

/** Fills an application with users, and notes that say who reads them. */
function configureNotes(app: any, settings = {}): void {
  const read = (params: any) => ({ id: 1, text: `For ${params.user?.email ?? 'visitors'}` })
  const identify = async (context: any) => {
    if (context.params.headers?.authorization) await authenticate('jwt')(context)
  }

  addAuthentication(app, settings)
  app.use('users', memory({ startId: 1 }), { methods: ['create'], access: OPEN })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
  app.use(
    'notes',
    {
      find: async (params: any) => [read(params)],
      get: async (_id: unknown, params: any) => read(params),
      create: async (_data: unknown, params: any) => read(params),
      patch: async (_id: unknown, _data: unknown, params: any) => read(params)
    },
    { access: OPEN, methods: ['find', 'get', 'create', 'patch'] }
  )
  app.service('notes').hooks({ before: { all: [identify] } })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.on('login', (_: unknown, { connection }: any) => connection && app.channel('users').join(connection))
  app.service('notes').publish(() => app.channel('users'))
}

async function createUsers(app: any): Promise<void> {
  for (const user of USERS) await app.service('users').create({ ...user, password: PASSWORD })
}

async function startNotes(options = {}, settings = {}) {
  const served = await (SERVERS.Node as Serve)((app) => {
    configureNotes(app, settings)
    app.configure(openapi(options))
  })

  await createUsers(served.app)

  return served
}

/** The same, with events over HTTP. */
async function startStream(settings: object) {
  const app = alula<any>()

  configureNotes(app, settings)
  app.configure(events()).configure(openapi())
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const url = `${await listen(createServer(toListener(app, { logger: false })))}/`

  await createUsers(app)

  return { app, url }
}

async function fillLogin(page: Page, email: string): Promise<void> {
  await page.getByLabel('email').fill(email)
  await page.getByLabel('password').fill(PASSWORD)
  await page.getByLabel('password').press('Enter')
}

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).first().click()
  await fillLogin(page, email)
  await page.getByRole('button', { name: 'Log out' }).waitFor()
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('button', { name: 'Log in' }).first().waitFor()
}

describeChromium('logins on the page', (open) => {
  it.each([
    ['get', /\/notes\/1$/, (page: Page) => page.getByRole('button', { name: 'Open 1' }).click()],
    ['create', /\/notes$/, (page: Page) => page.getByRole('button', { name: 'Create' }).click()]
  ] as const)('a response to %s for a user who has logged out is not shown', async (method, path, act) => {
    const { url } = await startNotes()
    const { page } = await open(`${url}docs#/notes`)
    const main = page.locator('main')
    const { promise: isHeld, resolve: finish } = defer()

    await logIn(page, 'ada')
    await main.getByText('For ada').first().waitFor()

    const isCall = (verb: string, url: string) =>
      (verb === 'POST') === (method === 'create') && path.test(url)
    const asked = page.waitForRequest((one) => isCall(one.method(), one.url()))

    await page.route(path, async (route) => {
      const isHers = isCall(route.request().method(), route.request().url())
      const response = await route.fetch()

      if (isHers) await isHeld
      await route.fulfill({ response })
    })
    await act(page)

    const isDone = (await asked).response().then(() => undefined)

    await logOut(page)
    await logIn(page, 'eve')
    await main.getByText('For eve').first().waitFor()
    finish()
    await isDone
    await page.unrouteAll({ behavior: 'wait' })

    // What is shown in its place, or else a call of the next user, which comes after it.
    if (method === 'create') await page.getByText('The login has changed meanwhile').waitFor()
    else await page.getByRole('button', { name: 'Refresh' }).click()
    await main.getByRole('region', { name: 'Last call' }).getByText('For eve').waitFor()
    expect(await main.innerText()).not.toContain('For ada')
    expect(await page.getByRole('form', { name: 'Change 1 of notes' }).count()).toBe(0)
  })

  it('nothing of a user stays for another with the same name, nor after a logout', async () => {
    const { url } = await startNotes()
    const { page } = await open(`${url}docs#/notes`)
    const main = page.locator('main')

    for (const email of ['ada', 'eve']) {
      await logIn(page, email)
      await main.getByText(`For ${email}`).first().waitFor()
      await page.getByRole('button', { name: 'Open 1' }).click()
      await page.getByRole('form', { name: 'Change 1 of notes' }).waitFor()
      await logOut(page)
      await main.getByText('For visitors').first().waitFor()
      expect(await main.innerText()).not.toContain(`For ${email}`)
      expect(await page.getByRole('form', { name: 'Change 1 of notes' }).count()).toBe(0)
    }
  })

  it('what the server said to a user in a form is gone with the login, and what was typed stays', async () => {
    const { app, url } = await startNotes()
    const { page } = await open(`${url}docs#/notes`)
    const form = page.getByRole('form', { name: 'Create in notes' })

    app.service('notes').hooks({
      before: {
        create: [
          ({ params }: any) => {
            throw new BadRequest('Invalid', { errors: { text: `Refused to ${params.user.email}` } })
          }
        ]
      }
    })
    await logIn(page, 'ada')
    await form.getByLabel('data').fill('{"text":"typed"}')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('Refused to ada').waitFor()
    await logOut(page)
    expect(await form.getByRole('alert').count()).toBe(0)
    expect(await form.getByLabel('data').getAttribute('aria-invalid')).toBe(null)
    expect(await form.getByLabel('data').inputValue()).toBe('{"text":"typed"}')
  })

  it('the table of access of a user is not shown for a frame after the logout', async () => {
    const { url } = await startNotes()
    const { page } = await open(`${url}docs#access`)

    await logIn(page, 'ada')
    await page.getByRole('region', { name: 'Exposure' }).waitFor()
    await page.evaluate(LOOK_AT_FRAMES)
    // Otherwise the table of the next user would be in later frames.
    await page.route('**/exposure.json', (route) => route.abort())
    await logOut(page)
    await page.getByText('The server was not reached').waitFor()
    await page.waitForFunction('frames.length > 0')
    expect(await page.evaluate('frames.includes(true)')).toBe(false)
    await page.unrouteAll()
  })

  it('what the rule of the page allows to one user is gone with the login', async () => {
    const { url } = await startNotes({ access: role('admin') })
    const { page } = await open(`${url}docs#/notes`)
    const isClosed = page.getByText('This page is not for everyone')

    await isClosed.waitFor()
    expect(await page.getByText('Loading').count()).toBe(0)
    await fillLogin(page, 'ada')
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('region', { name: 'Exposure' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await isClosed.waitFor()
    expect(await page.getByText('notes').count()).toBe(0)

    await fillLogin(page, 'eve')
    await isClosed.waitFor({ state: 'detached' })
    await page.getByLabel('email').waitFor()
    expect(await page.getByText('notes').count()).toBe(0)

    await fillLogin(page, 'ada')
    await page.getByRole('region', { name: 'Exposure' }).waitFor()
    expect(await page.getByText('Loading').count()).toBe(0)
  })

  it('says why there is no page, and nothing beside it', async () => {
    const { url } = await startNotes()
    const { page } = await open(`${url}docs`)

    await page.route('**/docs/login.json', (route) => route.abort())
    await page.reload()
    await page.getByText('The server was not reached').waitFor()
    expect(await page.getByText('Loading').count()).toBe(0)
    await page.unrouteAll()
  })

  it('events over a socket end with the login, and begin again without it', async () => {
    const { app, url } = await startNotes({}, { jwtOptions: { expiresIn: '3s' } })
    const { page } = await open(`${url}docs#/notes`)

    app.service('notes').publish(() => app.channel('all'))
    await logIn(page, 'ada')
    await page.getByRole('heading', { name: 'The login has ended' }).waitFor()
    await logOut(page)
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    await app.service('notes').create({})
    await page.getByRole('log').getByText('For visitors').waitFor()
  })

  it('events over HTTP end with the login: it is tried once more, and no more', async () => {
    const { url } = await startStream({ jwtOptions: { expiresIn: '3s' } })
    const { page } = await open(`${url}docs#/notes`)
    const first = page.getByRole('region', { name: 'Live events of the first identity' })
    const second = page.getByRole('region', { name: 'Live events of the second identity' })
    const statuses: number[] = []

    page.on('response', (response) => {
      if (response.url().endsWith('/events')) statuses.push(response.status())
    })
    await logIn(page, 'ada')
    await first.getByRole('heading', { name: 'The login has ended' }).waitFor()
    expect(statuses.filter((status) => status === 401)).toHaveLength(1)

    // Another login ends three seconds later, when the first would have been tried again several times.
    await page.getByRole('button', { name: 'Add identity' }).click()
    await fillLogin(page, 'eve')
    await second.getByRole('heading', { name: 'The login has ended' }).waitFor()
    expect(statuses.filter((status) => status === 401)).toHaveLength(2)

    await page
      .getByRole('region', { name: 'First identity', exact: true })
      .getByRole('button', { name: 'Log out' })
      .click()
    await first.getByRole('heading', { name: 'Live events' }).waitFor()
  })

  it('a socket whose login is refused with 403 is not opened again', async () => {
    const { app, url } = await startNotes()
    const { page } = await open(`${url}docs#/notes`)

    app.service('authentication').hooks({
      before: {
        create: [
          ({ params }: any) => {
            if (params.provider === 'socketio') throw new Forbidden('Not over sockets')
          }
        ]
      }
    })
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    await logIn(page, 'ada')
    await page.getByRole('heading', { name: 'The login has ended' }).waitFor()
  })

  it('a socket whose login fails because of the server is logged in again', async () => {
    const { app, url } = await startNotes()
    const { page } = await open(`${url}docs#/notes`)
    let failures = 1

    app.service('authentication').hooks({
      before: {
        create: [
          ({ params }: any) => {
            if (params.provider === 'socketio' && failures-- > 0) throw new Error('Not now')
          }
        ]
      }
    })
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    await logIn(page, 'ada')
    await expect.poll(() => failures).toBe(-1)
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
    await app.service('notes').create({})
    await page.getByRole('log').getByText('For visitors').waitFor()
  })
})
