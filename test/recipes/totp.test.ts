import { URI } from 'otpauth'
import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'

const blocks = readBlocks(await readPage('recipes/03-totp'), 'js')

const APP = `
import { alula } from 'alula'
import { AuthenticationService, hashPassword, JWTStrategy, protect } from 'alula/authentication'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'

const app = express(alula())

app.configure(rest())
app.set('authentication', {
  secret: process.env.SECRET,
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password', hashSize: 4 }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
app.use('users', memory({ startId: 1 }), { methods: ['create'] })
app.service('users').hooks({ before: { create: [hashPassword('password')] }, after: { all: [protect('password')] } })`

const START = `
app.use('stored', { find: () => app.service('recovery-codes').find() }, { methods: ['find'] })
app.use(errorHandler({ logger: false }))
await app.listen(3030)`

const SECRET = 'a secret of more than thirty-two bytes'
const ada = { email: 'ada@example.org', password: 'correct horse' }

async function start() {
  const { address } = await runServer(toModule(APP, ...blocks, START), { SECRET })

  async function call(path: string, data?: object, token?: string) {
    const response = await fetch(`http://${address}/${path}`, {
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(data && { method: 'POST', body: JSON.stringify(data) })
    })

    return { status: response.status, body: (await response.json()) as any }
  }

  const logIn = (code?: unknown) => call('authentication', { strategy: 'local', ...ada, code })

  await call('users', ada)

  return { call, logIn, token: (await logIn()).body.accessToken as string }
}

it('a login needs a code, which works once, or a recovery code, which does too', async () => {
  const { call, logIn, token } = await start()

  expect((await call('second-factor/enable', {})).status).toBe(401)

  const { uri } = (await call('second-factor/enable', {}, token)).body
  const totp = URI.parse(uri) as any
  // The next three steps: the codes of two of them are accepted by now.
  const [first, second, later] = [0, 1, 3].map((step) =>
    totp.generate({ timestamp: Date.now() + step * 30_000 })
  )

  expect(uri).toContain('Example:ada%40example.org')
  // Not confirmed: the password is enough.
  expect((await logIn()).status).toBe(201)
  expect((await call('second-factor/confirm', { code: later }, token)).status).toBe(400)
  expect((await call('second-factor/confirm', { code: { $gt: '' } }, token)).status).toBe(400)

  const { recoveryCodes } = (await call('second-factor/confirm', { code: first }, token)).body

  expect(recoveryCodes).toHaveLength(10)
  expect(recoveryCodes[0]).toMatch(/^([A-Z2-7]{6}-){3}[A-Z2-7]{6}$/)
  expect(JSON.stringify((await call('stored')).body)).not.toContain(recoveryCodes[0])
  expect((await call('second-factor/enable', {}, token)).status).toBe(409)

  // The password alone, a used code, one that is too far away, and what is no code, all look alike.
  const refused = await Promise.all([logIn(), logIn(first), logIn(later), logIn({ $gt: '' }), logIn('')])

  for (const { status, body } of refused) {
    expect(status).toBe(401)
    expect(body.message).toBe('Invalid login')
  }

  // Of two at the same time one is a login.
  const both = await Promise.all([logIn(second), logIn(second)])
  const recovered = await Promise.all([logIn(recoveryCodes[0]), logIn(recoveryCodes[0])])

  expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
  expect(recovered.map(({ status }) => status).sort()).toEqual([201, 401])
  expect((await logIn(recoveryCodes[1].toLowerCase().replaceAll('-', ' '))).status).toBe(201)

  expect((await call('second-factor/disable', {}, token)).body).toEqual({ isOn: false })
  expect((await logIn()).status).toBe(201)
  expect((await call('stored')).body).toEqual([])
})

it('a recovery code of another user is none', async () => {
  const { call, logIn, token } = await start()
  const grace = { email: 'grace@example.org', password: 'battery staple' }

  await call('users', grace)

  const login = await call('authentication', { strategy: 'local', ...grace })
  const codes: string[] = []

  for (const each of [token, login.body.accessToken]) {
    const { uri } = (await call('second-factor/enable', {}, each)).body
    const { body } = await call('second-factor/confirm', { code: (URI.parse(uri) as any).generate() }, each)

    codes.push(body.recoveryCodes[0])
  }

  expect((await logIn(codes[1])).status).toBe(401)
  expect((await logIn(codes[0])).status).toBe(201)
})
