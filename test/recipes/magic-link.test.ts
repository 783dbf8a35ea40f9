import { afterAll, expect, it } from 'vitest'
import { readBlocks, readGuide, readPage, toModule } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'
import { call } from './header-login.ts'
import { readCode, startMailServer } from './mail-server.ts'

const smtp = await startMailServer()
const [recipe] = readBlocks(await readPage('recipes/02-magic-link'), 'js') as [string]
const sessions = await readGuide('sessions')
const { runServer } = shareProcess({
  SECRET: 'a secret for the recipe on links',
  SMTP_URL: smtp.url,
  MAIL_FROM: 'notes@example.org'
})
const EMAIL = 'wren@example.org'

/** Lets a test pass time. */
const CLOCK = `
const { now } = Date
let minutes = 0

Date.now = () => now() + minutes * 60_000
app.use('clock', { create: async (data) => ({ minutes: (minutes += data.minutes) }) }, { methods: ['create'] })`

/** As in several processes: each has read the user before one of them writes, and none knows which codes the others used. */
const FORGETFUL = `
let count = 0
let release
const released = new Promise((resolve) => { release = resolve })

async function revoke() {
  count++
  if (count === 3) release()
  await released

  return true
}

app.set('authentication', { ...app.get('authentication'), revocation: { revoke, isRevoked: () => false } })`

const BUDGET = `
app.set('trust proxy', 0)
app.set('authentication', { ...app.get('authentication'), budget: { addressPoints: 4, enforce: true } })`

afterAll(() => smtp.close())

async function start(...blocks: readonly string[]) {
  const program = sessions
    .extend(recipe, ...blocks)
    .replace("{ methods: ['create', 'patch'] }", '{ methods: [] }')
  const { address } = await runServer(toModule(program))
  const post = (path: string, data: object) => call(`${address}/${path}`, { data })

  return {
    post,
    ask: (email: unknown) => post('login-links', { email }),
    async readNew(email = EMAIL) {
      const index = smtp.mails.length

      expect((await post('login-links', { email })).body).toEqual({ sent: true })

      const mail = await smtp.read(index)

      expect(mail.to).toEqual([email.toLowerCase()])

      return readCode(mail)
    },
    logIn: (code: unknown) => post('authentication', { strategy: 'link', code, refresh: true }),
    readSessions: (token: string) =>
      call(`${address}/authentication/sessions`, { headers: { Authorization: `Bearer ${token}` } })
  }
}

it('a link logs in once, a new user and a known one, with a session', async () => {
  const { post, readNew, logIn, readSessions } = await start()
  const code = await readNew('Wren@example.org')
  const both = await Promise.all([logIn(code), logIn(code)])

  expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
  expect((await logIn(code)).status).toBe(401)

  const { body } = both.find(({ status }) => status === 201) as (typeof both)[0]

  expect(body.user).toEqual({ email: EMAIL, logins: 1 })

  // A login ends the other codes of the user, and no session.
  const [one, other] = [await readNew(), await readNew()] as const

  expect((await logIn(one)).body.user.logins).toBe(2)
  expect((await logIn(other)).status).toBe(401)
  expect((await readSessions(body.accessToken)).body).toHaveLength(2)
  expect(
    (await post('authentication', { strategy: 'refresh', refreshToken: body.refreshToken })).status
  ).toBe(201)
})

it('a code works once where no other process remembers it', async () => {
  const { readNew, logIn } = await start(FORGETFUL)
  const code = await readNew()
  const all = await Promise.all([logIn(code), logIn(code), logIn(code)])

  expect(all.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  expect((await logIn(code)).status).toBe(401)
})

it('a code lasts for 15 minutes, for one purpose and one address', async () => {
  const { post, ask, readNew, logIn } = await start(
    CLOCK,
    `app.use('other', { create: async () => ({ code: await authentication.issueCode({ purpose: 'other', subject: '${EMAIL}' }) }) })`
  )
  const first = await readNew()

  await post('clock', { minutes: 14 })
  expect((await logIn(first)).status).toBe(201)

  const second = await readNew()

  await post('clock', { minutes: 16 })
  expect((await logIn(second)).status).toBe(401)
  expect((await logIn((await post('other', {})).body.code)).status).toBe(401)
  expect((await ask('a@b.org, c@d.org')).status).toBe(400)
  expect((await ask({ $ne: null })).status).toBe(400)
  expect((await post('authentication', { strategy: 'local', email: EMAIL, password: 'x' })).status).toBe(401)
})

it('codes cannot be guessed on and on, and mails are few', async () => {
  const { ask, logIn } = await start(BUDGET)
  const statuses = []

  for (const code of ['a', 'b', {}, null, 'e', 'f']) statuses.push((await logIn(code)).status)
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429])

  for (let count = 0; count < 7; count++) expect((await ask('robin@example.org')).status).toBe(201)
  await ask('last@example.org')

  const listReceivers = () => smtp.mails.map(({ to }) => to.join()).filter((to) => to !== EMAIL)

  await expect.poll(listReceivers).toContain('last@example.org')
  await expect
    .poll(() => listReceivers().sort())
    .toEqual(['last@example.org', ...Array(5).fill('robin@example.org')])
})
