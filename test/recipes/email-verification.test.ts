import { afterAll, expect, it } from 'vitest'
import { readBlocks, readGuide, readPage, toModule } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'
import { call } from './header-login.ts'
import { readCode, startMailServer } from './mail-server.ts'

const smtp = await startMailServer()
const [recipe] = readBlocks(await readPage('recipes/01-email-verification'), 'js') as [string]
const sessions = await readGuide('sessions')
const { runServer } = shareProcess({
  SECRET: 'a secret for the recipe on passwords',
  SMTP_URL: smtp.url,
  MAIL_FROM: 'notes@example.org'
})
const EMAIL = 'wren@example.org'
const BUDGET = `
app.set('trust proxy', 0)
app.set('authentication', { ...app.get('authentication'), budget: { addressPoints: 8, enforce: true } })`

afterAll(() => smtp.close())

async function start(...blocks: readonly string[]) {
  const program = sessions
    .extend(recipe, ...blocks)
    .replace("{ methods: ['create', 'patch'] }", '{ methods: [] }')
  const { address } = await runServer(toModule(program))
  const post = (path: string, data: object) => call(`${address}/${path}`, { data })

  return {
    post,
    ask: async (email: unknown) => await post('password-links', { email }),
    set: async (code: unknown, password: unknown) => (await post('passwords', { code, password })).status,
    logIn: async (password: string, email = EMAIL) =>
      await post('authentication', { strategy: 'local', email, password, refresh: true }),
    readSessions: async (token: string) =>
      (await call(`${address}/authentication/sessions`, { headers: { Authorization: `Bearer ${token}` } }))
        .status
  }
}

it('a link in a mail sets a password once, and a new password ends all sessions', async () => {
  const { ask, set, post, logIn, readSessions } = await start()
  const first = await ask(' Wren@Example.org')
  const mail = await smtp.read(0)
  const code = readCode(mail)

  expect([first.status, first.body, mail.to]).toEqual([201, { sent: true }, [EMAIL]])
  expect((await logIn('correct horse')).status).toBe(401)
  expect(await set(code, 'short')).toBe(400)
  expect(await set(code, 'x'.repeat(73))).toBe(400)
  expect(await set(`${code.slice(0, -2)}AA`, 'correct horse')).toBe(401)

  // Of two requests at the same time one succeeds.
  const both = await Promise.all([set(code, 'correct horse'), set(code, 'correct horse')])

  expect(both.sort()).toEqual([201, 401])
  expect(await set(code, 'another horse')).toBe(401)
  expect((await smtp.read(1)).message).toContain('Subject: Your password was set')

  const { body } = await logIn('correct horse')

  expect(body.user).toEqual({ email: EMAIL })
  expect(await readSessions(body.accessToken)).toBe(200)

  // A known address gets the same response and the same mail.
  const second = await ask(EMAIL)

  expect([second.status, second.body]).toEqual([first.status, first.body])
  await ask(EMAIL)

  const [one, other] = [readCode(await smtp.read(2)), readCode(await smtp.read(3))] as const

  expect((await smtp.read(3)).message).toContain('Subject: Choose a password')

  // Two codes at the same time: the second one is bound to a password that is no more.
  expect((await Promise.all([one, other].map((code) => set(code, 'battery staple')))).sort()).toEqual([
    201, 401
  ])
  expect(await set(one, 'another staple')).toBe(401)
  expect(await set(other, 'another staple')).toBe(401)
  expect(await readSessions(body.accessToken)).toBe(401)

  const refreshed = await post('authentication', { strategy: 'refresh', refreshToken: body.refreshToken })

  expect([refreshed.status, refreshed.body.data.reason]).toEqual([401, 'password'])
  expect((await logIn('correct horse')).status).toBe(401)
  expect((await logIn('battery staple')).status).toBe(201)
})

it('mails go to one address, a few in an hour, and codes cannot be guessed on and on', async () => {
  const { ask, set } = await start(BUDGET)
  const listReceivers = () => smtp.mails.map(({ to }) => to.join()).filter((to) => to !== EMAIL)

  for (const email of ['a@b.org, c@d.org', 'Ada <a@b.org>', 'a@b.org\r\nBcc: c@d.org', { $ne: null }, '']) {
    expect((await ask(email)).status).toBe(400)
  }
  for (let count = 0; count < 7; count++) expect((await ask('robin@example.org')).status).toBe(201)
  await ask('last@example.org')
  await expect.poll(listReceivers).toContain('last@example.org')
  await expect
    .poll(() => listReceivers().sort())
    .toEqual(['last@example.org', ...Array(5).fill('robin@example.org')])

  const statuses = []

  for (let count = 0; count < 10; count++) statuses.push(await set(`guess ${count}`, 'correct horse'))
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 429, 429])
})
