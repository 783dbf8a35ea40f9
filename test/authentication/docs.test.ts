import { expect, it } from 'vitest'
import { readGuide } from '../support/page.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const guide = await readGuide('authentication')
const login = guide.read('Log in')
const { runProgram, runServer } = shareProcess({
  SECRET: 'a secret for the page on authentication',
  DEPLOY_KEY: 'a key'
})
const WREN = { strategy: 'local', email: 'wren@example.org', password: 'correct horse' }
const ADA = { email: 'ada@example.org', password: 'battery staple' }

/** Where hooks, services or strategies of the first program are replaced. */
const REPLACED = {
  hooks: /^app\.service\('users'\)\.hooks\([\s\S]*?^\}\)\n/m,
  service: /^const authentication = .*\n/m,
  strategy: /^authentication\.register\('local'.*\n/m
}

async function expectSessions(program: string, sessions: readonly string[] = []): Promise<string> {
  const { address } = await runServer(program)

  await expectSession([...login.sessions, ...sessions], { 'localhost:3030': address })

  return `http://${address}`
}

async function post(url: string, data: object, headers = {}): Promise<any> {
  const body = JSON.stringify(data)
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers }
  })

  return response.json()
}

it('a user signs up, logs in, and calls a service', async () => {
  const url = await expectSessions(guide.program)

  expect(await post(`${url}/users`, WREN)).toMatchObject({ code: 409 })
  expect(await post(`${url}/users`, { ...WREN, email: 'Wren@example.org' })).not.toHaveProperty('password')
})

it.each(['Replace the secret', 'Tokens from other issuers'])('%s: logins go on', async (heading) => {
  await expectSessions(guide.extend(...guide.read(heading).blocks))
})

it.each([
  'Records of each user',
  'Require a login',
  'Log out everywhere',
  'Sign up and log in at once',
  'Hide fields',
  'Express routes'
])('%s: the section adds to the application', async (heading) => {
  const { blocks, sessions } = guide.read(heading)

  expect(sessions).not.toEqual([])
  await expectSessions(guide.extend(...blocks), sessions)
})

it('data of a sign-up is checked', async () => {
  const { blocks, sessions } = guide.read('Validate sign-ups')
  const url = await expectSessions(guide.extend(...blocks).replace(REPLACED.hooks, ''), sessions)

  expect(
    await post(`${url}/authentication`, { ...ADA, strategy: 'local', email: ' ADA@example.org' })
  ).toMatchObject({
    user: { email: 'ada@example.org' }
  })
})

it('tasks of others are not found', async () => {
  const url = await expectSessions(guide.extend(...guide.read('Records of each user').blocks))
  const [wren, ada] = await Promise.all([
    post(`${url}/authentication`, WREN),
    post(`${url}/users`, ADA).then(() => post(`${url}/authentication`, { ...ADA, strategy: 'local' }))
  ])
  const own = { Authorization: `Bearer ${wren.accessToken}` }
  const others = { Authorization: `Bearer ${ada.accessToken}` }

  expect(await post(`${url}/tasks`, { text: 'Read', owner: ADA.email }, own)).toEqual({
    text: 'Read',
    owner: WREN.email,
    id: 1
  })
  expect((await fetch(`${url}/tasks/1`, { headers: own })).status).toBe(200)
  expect((await fetch(`${url}/tasks/1`, { headers: others })).status).toBe(404)
})

it('a logout revokes the token, in Redis too', async () => {
  const { blocks, sessions } = guide.read('Log out')
  const redis = process.env.REDIS_URL ?? 'redis://localhost:6379'

  await expectSessions(guide.program, sessions)
  await expectSessions(guide.extend(...blocks).replace('redis://localhost:6379', redis), sessions)
})

it('a blocked user is refused', async () => {
  const { blocks, sessions } = guide.read('Block users')
  const [setting, change] = blocks as [string, string]
  const block = `app.use('block', { async create() { ${change}; return {} } })\n`
  const { address } = await runServer(guide.extend(setting, block))
  const here = { 'localhost:3030': address }
  const blocking = `$ curl localhost:3030/block -H "$JSON" -d '{}'\n{}\n`

  await expectSession([...login.sessions, blocking, ...sessions], here)
})

it('tokens have the issuer, the lifetime and the claims that are set', async () => {
  const { blocks } = guide.read('Token lifetime and issuer')
  const [service] = guide.read('Claims in the token').blocks as [string]
  const { address } = await runServer(guide.extend(...blocks).replace(REPLACED.service, () => service))

  await post(`http://${address}/users`, WREN)

  const { authentication } = await post(`http://${address}/authentication`, WREN)
  const { iat, exp, iss, role } = authentication.payload

  expect({ lifetime: exp - iat, iss, role }).toEqual({
    lifetime: 3600,
    iss: 'https://example.org',
    role: 'member'
  })
})

it('a code of an email logs in once, and so does one that is typed', async () => {
  const { blocks } = guide.read('Codes that work once')
  // Responses do not wait for it, or their time would tell which addresses have an account.
  const mail = 'const sendMail = (email, url) => new Promise(() => console.log(email, url))\n'
  const { address, waitFor } = await runServer(guide.extend(mail, ...blocks))
  const url = `http://${address}`

  await post(`${url}/users`, ADA)
  expect(await post(`${url}/login-emails`, { email: 'nobody@example.org' })).toEqual({ sent: true })
  expect(await post(`${url}/login-emails`, ADA)).toEqual({ sent: true })

  const code = (await waitFor(ADA.email)).split('#')[1]
  const logins = await Promise.all([1, 2].map(() => post(`${url}/email-login`, { code })))

  expect(logins.map(({ user, code }) => user ?? code)).toEqual(
    expect.arrayContaining([{ email: ADA.email }, 401])
  )

  for (const email of ['nobody@example.org', ADA.email])
    expect(await post(`${url}/typed-login`, { email })).toEqual({ sent: true })

  const typed = (await waitFor(ADA.email)).split(' ')[1]

  expect(await post(`${url}/typed-login`, { email: ADA.email, code: 'x' })).toMatchObject({ code: 401 })
  expect(await post(`${url}/typed-login`, { email: ADA.email, code: typed })).toMatchObject({
    user: { email: ADA.email }
  })
})

it('a second factor is asked for', async () => {
  const { blocks } = guide.read('Two-factor login')
  const surroundings = `import { NotAuthenticated } from 'alula/errors'
const isRightCode = (totp, code) => totp === code
app.service('users').hooks({ after: { all: [protect('totp')] } })\n`
  const { address } = await runServer(guide.extend(surroundings, ...blocks).replace(REPLACED.strategy, ''))
  const url = `http://${address}`

  await post(`${url}/users`, { ...WREN, totp: '123456' })

  expect(await post(`${url}/authentication`, WREN)).toMatchObject({ code: 401, message: 'Invalid login' })
  expect(await post(`${url}/authentication`, { ...WREN, code: '123456' })).toHaveProperty('accessToken')
})

it('keys are accepted where they are allowed', async () => {
  const { blocks, sessions } = guide.read('API keys')
  const [strategy, use, deploy] = blocks as [string, string, string]
  const url = await expectSessions(guide.extend(strategy, use), sessions)

  expect(await post(`${url}/authentication`, { strategy: 'apiKey', key: 'key-of-blue' })).toMatchObject({
    code: 401
  })

  const { address } = await runServer(guide.extend(deploy))
  const create = (key: string) => post(`http://${address}/deployments`, {}, { 'X-Deploy-Key': key })

  expect(await create('a key')).toEqual({ id: 1 })
  expect(await create('another')).toMatchObject({ code: 401, message: 'Invalid deploy key' })
})

it('the cost of a hash is set, and so is a private key', async () => {
  const [cost] = guide.read('Password hashes').blocks as [string]
  const keys = guide.read('jwtOptions').blocks.find((block) => block.includes('private.pem')) as string
  const shown =
    "app.on('login', async ({ user }) => console.log((await app.service('users').get(user.email)).password))\n"
  const key = `import { generateKeyPairSync } from 'node:crypto'
const generated = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })\n`
  const privateKey = keys
    .replace("readFileSync('private.pem', 'utf8')", 'generated')
    .replace(/^import .*\n/, '')
  const { address, waitFor } = await runServer(guide.extend(key, cost, privateKey, shown))

  await post(`http://${address}/users`, WREN)

  const { accessToken } = await post(`http://${address}/authentication`, WREN)

  expect(JSON.parse(atob(accessToken.split('.')[0]))).toMatchObject({ alg: 'ES256' })
  expect(await waitFor('$2b$')).toMatch(/^\$2b\$12\$/)
})

it('a client over a socket logs in and gets events', async () => {
  const [server, client] = guide.read('Browsers and sockets').blocks as [string, string]
  const { address, waitFor } = await runServer(guide.extend(server))

  await post(`http://${address}/users`, WREN)

  const program = runProgram(client.replace('localhost:3030', address))

  expect(await program.waitFor('created')).toBe('created Hello')
  expect(await waitFor('logged out')).toBe('logged out wren@example.org')
})
