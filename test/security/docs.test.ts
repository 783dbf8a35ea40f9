import { expect, it } from 'vitest'
import { readGuide } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { expectSession } from '../support/session.ts'

const guide = await readGuide('security')
const env = { SECRET: 'a secret for the page on security' }

/** What the page on authentication shows in full. */
const LOGINS = `
import { AuthenticationService, JWTStrategy } from 'alula/authentication'

app.set('authentication', { secret: process.env.SECRET, service: 'users', entity: 'user', authStrategies: ['jwt'] })

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
app.use('users', memory(), { methods: [] }).use('authentication', authentication, { methods: ['create'] })
`

async function expectSessions(program: string, sessions: readonly string[]): Promise<string> {
  const { address } = await runServer(program, env)

  await expectSession(sessions, { 'localhost:3030': address })

  return `http://${address}`
}

it('what is not opened is closed, and the boundary holds', async () => {
  const headings = ['The boundary', 'Authorization', 'Calls for many records']
  const blocks = headings.flatMap((heading) => guide.read(heading).blocks)
  const url = await expectSessions(guide.extend(LOGINS, ...blocks), guide.read('Closed').sessions)

  expect((await fetch(`${url}/notes`)).status).toBe(200)
  expect((await fetch(`${url}/tasks`)).status).toBe(401)

  const send = async (count: number) =>
    (
      await fetch(`${url}/imports`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(Array.from({ length: count }, () => ({})))
      })
    ).status

  expect(await send(100)).toBe(201)
  expect(await send(101)).toBe(400)
})

it('failed logins are limited and reported', async () => {
  const authentication = await readGuide('authentication')
  const { blocks } = guide.read('Failed logins')
  const { address, waitFor } = await runServer(authentication.extend(...blocks), {
    ...env,
    NODE_ENV: 'production'
  })
  const logIn = async () =>
    (
      await fetch(`http://${address}/authentication`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ strategy: 'local', email: 'wren@example.org', password: 'wrong' })
      })
    ).status

  for (let i = 0; i < 5; i++) expect(await logIn()).toBe(401)
  expect(await logIn()).toBe(429)
  await waitFor("cause: 'limited'")
})

it('data is checked, and what clients see', async () => {
  const { blocks, sessions } = guide.read('Validation')

  await expectSessions(guide.extend(...blocks, ...guide.read('Data that leaves the server').blocks), sessions)
})

it('a cookie is not accepted from another origin', async () => {
  const authentication = await readGuide('authentication')
  const login = authentication.read('Log in')
  const { blocks, sessions } = guide.read('Cookies and CSRF')
  const me = authentication.read('Express routes')
  const program = authentication.extend(...blocks, ...me.blocks)
  const foreign = `$ curl localhost:3030/me -H "Cookie: token=$TOKEN" -H 'Origin: https://evil.example'
{"name":"NotAuthenticated","message":"Not authenticated","code":401,"className":"not-authenticated"}
$ curl localhost:3030/me -H "Cookie: token=$TOKEN" -H 'Origin: https://app.example.org'
{"email":"wren@example.org"}
`

  await expectSessions(program, [...login.sessions, ...sessions, foreign])
})
