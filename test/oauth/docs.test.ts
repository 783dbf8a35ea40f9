import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { readGuide } from '../support/page.ts'
import type { ServerAddress } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'
import { logInAtProvider, UserAgent } from '../support/user-agent.ts'

const guide = await readGuide('oauth')
const API = 'https://api.example.org'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { runProgram, runServer } = shareProcess({
  SECRET: 'a secret for the page on logins through providers',
  GITHUB_KEY: 'my-key',
  GITHUB_SECRET: 'x',
  APPLE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  ...Object.fromEntries(
    ['GOOGLE', 'DISCORD', 'MICROSOFT', 'GITLAB', 'AUTH0', 'KEYCLOAK'].flatMap((name) =>
      ['KEY', 'SECRET'].map((part) => [`${name}_${part}`, 'x'])
    )
  )
})

/** The settings of GitHub in the program of the page. */
const GITHUB = /github: \{ key: .* \}/g

/** A browser for which the server is where the page says. */
function createAgent({ address }: ServerAddress): UserAgent {
  return new UserAgent((url, init) => fetch(String(url).replace(API, `http://${address}`), init))
}

/** Runs a program with a provider in place of GitHub. */
async function startAt(program: string, origin = API) {
  const provider = await startOpenidProvider({ wren: { name: 'Wren' } })
  const server = await runServer(program.replace(GITHUB, () => `github: ${JSON.stringify(provider.plain)}`))
  const agent = createAgent(server)

  provider.allow(`${origin}/oauth/github/callback`)

  return {
    server,
    agent,
    async logIn(search = '') {
      const { headers } = await agent.request(`${API}/oauth/github${search}`)
      const callback = await logInAtProvider(agent, headers.get('location') as string, 'wren')
      const response = await agent.request(callback.replace(origin, API))

      return { response, page: response.headers.get('location') as string }
    }
  }
}

async function getUser({ address }: ServerAddress, page: string): Promise<unknown> {
  const token = new URLSearchParams(new URL(page).hash.slice(1)).get('access_token')
  const response = await fetch(`http://${address}/users/0`, { headers: { Authorization: `Bearer ${token}` } })

  return response.json()
}

it('a login begins at GitHub', async () => {
  const { address } = await runServer(guide.program)

  await expectSession(guide.read('Log in with GitHub').sessions, { 'localhost:3030': address })
})

it('a login leads back to the page, with a token', async () => {
  const { server, logIn } = await startAt(guide.program)
  const { page } = await logIn()

  expect(page).toMatch(/^https:\/\/app\.example\.org\/?#access_token=/)
  expect(await getUser(server, page)).toEqual({ githubId: 'wren', id: 0 })
  expect((await logIn('?redirect=/welcome')).page).toMatch(
    /^https:\/\/app\.example\.org\/welcome#access_token=/
  )
})

it('the client says that there is no login', async () => {
  const { address } = await runServer(guide.program)
  const [, client] = guide.read('Log in with GitHub').blocks as [string, string]

  expect(await runProgram(client.replace(API, `http://${address}`)).waitFor('NotAuthenticated')).toContain(
    'No accessToken'
  )
})

it('all providers are accepted', async () => {
  const { blocks } = guide.read('Google, Microsoft, Apple and others')
  const { address } = await runServer(guide.extend(...blocks))
  const response = await fetch(`http://${address}/oauth/discord`, { redirect: 'manual' })

  expect(response.headers.get('location')).toMatch(/^https:\/\/discord\.com\//)
})

it('a login on this machine leads to its page', async () => {
  const origin = 'http://localhost:3030'
  const { blocks } = guide.read('Develop on localhost')
  const { logIn } = await startAt(guide.extend(...blocks), origin)

  expect((await logIn()).page).toMatch(/^\/#access_token=/)
})

it('the profile is stored', async () => {
  const { blocks } = guide.read('Store the profile')
  const program = guide.extend(...blocks).replace(/^authentication\.register\('github', new OAuth.*\n/m, '')
  const { server, logIn } = await startAt(program)

  expect(await getUser(server, (await logIn()).page)).toEqual({ githubId: 'wren', name: 'Wren', id: 0 })
})

it('a page that is logged in connects an account', async () => {
  const { server, logIn } = await startAt(guide.program)
  const token = new URL((await logIn()).page).hash.slice('#access_token='.length)
  const [connect] = guide.read('Connect an account').blocks as [string]
  const program = runProgram(`import { alula, authentication, rest } from 'alula/client'
const app = alula().configure(rest('http://${server.address}').fetch(fetch)).configure(authentication())
const window = { location: { assign: (location) => console.log('location', location) } }
await app.authentication.setAccessToken('${token}')
await app.authenticate()
${connect}`)

  expect(await program.waitFor('location')).toMatch(/^location http:\/\/127\.0\.0\.1:\d+\/auth\?/)
})

it('fields for an address are accepted', async () => {
  const byAddress = guide.read('Connect an account').blocks[2] as string
  const { server, logIn } = await startAt(guide.extend(byAddress))

  expect(byAddress).toContain('emailVerified')
  expect(await getUser(server, (await logIn()).page)).toEqual({ githubId: 'wren', id: 0 })
})

it('a token is delivered as the page says', async () => {
  const { blocks, sessions } = guide.read('Delivering the token')
  const [code, cookie] = blocks as [string, string]
  const first = await startAt(guide.extend(code))

  expect((await first.logIn()).page).toMatch(/#oauth_code=/)
  await expectSession(sessions, { 'localhost:3030': first.server.address })

  const second = await startAt(guide.extend(cookie))
  const { response, page } = await second.logIn()

  const me = await second.agent.request(`${API}/me`)

  expect(page).toMatch(/^https:\/\/app\.example\.org\/?$/)
  expect(await me.json()).toEqual({ id: 0, githubId: 'wren' })
  expect(response.headers.getSetCookie().join()).toMatch(/__Host-token=[^,]*HttpOnly/)
})

it('calls from inside log in with a profile', async () => {
  const { blocks } = guide.read('Test')
  const { waitFor } = await runServer(`${guide.program}${blocks.join('')}`)

  expect(await waitFor('githubId')).toBe('{ githubId: 7, id: 0 }')
})
