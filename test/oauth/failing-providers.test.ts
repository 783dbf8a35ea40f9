import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, begin, logIn, readJson, startOAuth, visit } from './app.ts'
import { expectShown, FAILED, OAUTH, start, WREN } from './refusals.ts'
import {
  type Answer,
  DISCOVERY,
  describeOpenid,
  type SeenRequest,
  type StandIn,
  startStandIn
} from './stand-in.ts'

/** What RFC 6749 §5.2 has a provider add. */
const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="x"' }

/** The answer of a provider that does not know an application. */
function refuseClient(response: ServerResponse, headers: object = {}): void {
  response.writeHead(401, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ error: 'invalid_client', error_description: 'Unknown key' }))
}

describe('a provider', () => {
  it('that is away is said to be away, at once', async () => {
    const { server, agent, provider } = await start({ oauth: OAUTH })
    const callback = await visit(server, agent, 'nest', 'wren')
    const message = "The OAuth provider 'nest' cannot be reached"

    await provider.stop()

    expectShown(await agent.request(callback), message)
  })

  it('that is away before a login begins is said to be away, and is reported to the application', async () => {
    const { server, agent, provider } = await start()
    const reported: any[] = []

    server.app.on('error', (error: unknown) => reported.push(error))
    await provider.stop()

    const response = await agent.request(`${server.origin}/oauth/nest`)

    expect(response.status).toBe(503)
    expect(await readJson(response)).toMatchObject({
      name: 'Unavailable',
      message: "The OAuth provider 'nest' cannot be reached"
    })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(reported).toMatchObject([{ code: 503, cause: expect.any(Error) }])
  })

  it('whose error is its own cause fails the login alone', async () => {
    const provider = await startOpenidProvider(WREN)
    let fails = false
    const createSecret = () => {
      if (!fails) return provider.openid.secret

      const error = new Error('No key')

      throw Object.assign(error, { cause: error })
    }
    const server = await startOAuth({
      oauth: OAUTH,
      providers: { nest: { ...provider.openid, createSecret } }
    })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const callback = await visit(server, agent, 'nest', 'wren')

    fails = true
    expectShown(await agent.request(callback), FAILED)
  })

  it('that comes back is asked again', async () => {
    const { server, agent, provider } = await start()
    const port = Number(new URL(provider.issuer).port)

    await provider.stop()
    expect((await agent.request(`${server.origin}/oauth/nest`)).status).toBe(503)

    const again = await startOpenidProvider(WREN, { port })

    allow(again, server, 'nest')

    expect((await logIn(server, agent, 'nest', 'wren')).status).toBe(200)
  })

  it('that does not answer, or not to the end, is not waited for', async () => {
    const hang: Answer = () => undefined
    const stall: Answer = (response) => void response.writeHead(200, JSON_TYPE).write('{')
    const responses = await Promise.all(
      [hang, stall].flatMap((answer) => [
        beginAtStandIn(() => answer),
        logInAtStandIn(({ path }) => (path === '/token' ? answer : undefined)),
        logInAtStandIn(({ path }) => (path === '/token' ? TOKENS : answer))
      ])
    )

    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(503))
  })

  it('whose answer breaks off is said to be away', async () => {
    const breakOff: Answer = (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'Content-Length': '1000' })
      response.write('{', () => void response.destroy())
    }
    const statuses = await Promise.all([
      beginAtStandIn(() => breakOff),
      logInAtStandIn(({ path }) => (path === '/token' ? breakOff : undefined)),
      logInAtStandIn(({ path }) => (path === '/token' ? TOKENS : breakOff))
    ])

    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503])
  })

  it('that ends the connection is said to be away', async () => {
    const end: Answer = (response) => void response.destroy()
    const statuses = await Promise.all([
      beginAtStandIn(() => end),
      logInAtStandIn(({ path }) => (path === '/token' ? end : undefined)),
      logInAtStandIn(({ path }) => (path === '/token' ? TOKENS : end))
    ])

    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503])
  })

  it.each(['http://attacker.example/authorize', 'javascript:alert(1)'])(
    'that sends browsers to %s is not used, and the application hears of it',
    async (authorization_endpoint) => {
      const standIn = await startStandIn(({ path }, { url }) =>
        path === DISCOVERY ? describeOpenid(url, { authorization_endpoint }) : undefined
      )
      const server = await startOAuth({
        providers: { nest: { key: 'alula', secret: 'x', issuer: standIn.url } }
      })
      const response = await server.send(`${server.origin}/oauth/nest`, { redirect: 'manual' })

      expect(response.status).toBe(503)
      expect((await readJson(response)).message).toBe(
        "The OAuth provider 'nest' cannot be used as it is configured"
      )
    }
  )

  it.each<[string, string, Answer]>([
    ['does not know the application', 'Unknown key', (response) => refuseClient(response)],
    ['asks for another secret', 'challenge', (response) => refuseClient(response, CHALLENGE)]
  ])(
    'that %s is said to be configured wrongly, to the application with the reason',
    async (_name, reason, answer) => {
      const standIn = await startStandIn(({ path }) => (path === '/token' ? answer : undefined))
      const server = await startOAuth({ oauth: { redirect: '/' }, providers: { nest: standIn.plain } })
      const agent = server.createAgent()
      const reported: any[] = []

      server.app.on('error', (error: any) => reported.push(error))

      const { state } = await begin(server, agent, 'nest')
      const end = await agent.request(`${server.origin}/oauth/nest/callback?code=x&state=${state}`)

      expect(end.headers.get('location')).toContain('cannot%20be%20used%20as%20it%20is%20configured')
      expect(reported.map(({ cause }) => cause.message)).toEqual([expect.stringContaining(reason)])
    }
  )

  it('is asked once where its endpoints are', async () => {
    const standIn = await startStandIn(({ path }, { url }) =>
      path === DISCOVERY ? describeOpenid(url) : undefined
    )
    const server = await startOAuth({
      providers: { nest: { key: 'alula', secret: 'x', issuer: standIn.url, scope: 'openid' } }
    })

    await Promise.all(Array.from({ length: 10 }, () => begin(server, server.createAgent(), 'nest')))

    expect(standIn.requests.map(({ path }) => path)).toEqual([DISCOVERY])
  })

  it.each<[string, Answer, number]>([
    ['500', 500, 503],
    ['502', 502, 503],
    ['404', 404, 503],
    ['HTML', '<h1>It works</h1>', 503],
    ['an empty object', {}, 503],
    ['too much', 'x'.repeat(2 ** 21), 503],
    ['the name of another issuer', describeOpenid('https://attacker.example'), 503]
  ])('that says %s instead of where its endpoints are is not used', async (_name, answer, status) => {
    const standIn = await startStandIn(() => answer)
    const server = await startOAuth({
      providers: { nest: { key: 'alula', secret: 'x', issuer: standIn.url, scope: 'openid' } }
    })
    const response = await server.send(`${server.origin}/oauth/nest`, { redirect: 'manual' })
    const text = await response.text()

    expect(response.status).toBe(status)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(text).not.toMatch(/It works|attacker|at |127\.0\.0\.1/)
  })

  it.each<[string, Answer, number]>([
    ['500', 500, 503],
    ['503', 503, 503],
    ['400', 400, 401],
    ['401', 401, 401],
    ['HTML', '<h1>It works</h1>', 401],
    ['nothing', '', 401],
    ['an empty object', {}, 401],
    ['a list', [], 401],
    ['an error', { error: 'invalid_grant', error_description: 'It works' }, 401],
    ['a token that is no text', { access_token: 1, token_type: 'bearer' }, 401],
    ['a token of another type', { access_token: 'It works', token_type: 'dance' }, 401]
  ])('that answers a code with %s logs nobody in', async (_name, answer, status) => {
    const response = await logInAtStandIn(({ path }) =>
      path === '/token' ? answer : path === '/user' ? { id: 1 } : undefined
    )

    expect(response.status).toBe(status)
    expect(await response.text()).not.toMatch(/It works|accessToken|127\.0\.0\.1/)
  })

  it.each<[string, Answer, number]>([
    ['500', 500, 503],
    ['404', 404, 401],
    ['401', 401, 401],
    ['HTML', '<h1>It works</h1>', 401],
    ['an empty object', {}, 401],
    ['a list', [], 401],
    ['a list of profiles', [{ id: 1 }], 401],
    ['an id that is an object', { id: { $gt: '' } }, 401],
    ['an id that is a list', { id: [1] }, 401],
    ['an id that is null', { id: null }, 401],
    ['an id that is empty', { id: '' }, 401],
    ['an id that is true', { id: true }, 401],
    ['a sub that is an object besides an id', { sub: { $ne: null }, id: 1 }, 401]
  ])('whose profile is %s logs nobody in', async (_name, answer, status) => {
    const response = await logInAtStandIn(({ path }) =>
      path === '/token' ? TOKENS : path === '/user' ? answer : undefined
    )

    expect(response.status).toBe(status)
    expect(await response.text()).not.toMatch(/It works|accessToken|127\.0\.0\.1/)
  })

  it.each<[string, object]>([
    ['0', { id: 0 }],
    ['a number', { id: 7 }],
    ['a text', { id: 'wren' }],
    ['a sub', { sub: 'wren', id: { $gt: '' } }]
  ])('whose profile has %s as its id is good', async (_name, answer) => {
    const response = await logInAtStandIn(({ path }) =>
      path === '/token' ? TOKENS : path === '/user' ? answer : undefined
    )

    expect(response.status).toBe(200)
  })

  it.each<[string, (standIn: StandIn, nonce: string) => string | undefined]>([
    ['none', () => undefined],
    ['one of another login', (standIn) => standIn.sign({ sub: 'wren', nonce: 'of another' })],
    ['one without a nonce', (standIn) => standIn.sign({ sub: 'wren' })],
    ['one for another client', (standIn, nonce) => standIn.sign({ sub: 'wren', nonce, aud: 'another' })],
    [
      'one of another issuer',
      (standIn, nonce) => standIn.sign({ sub: 'wren', nonce, iss: 'https://attacker.example' })
    ],
    ['one without a subject', (standIn, nonce) => standIn.sign({ nonce })],
    [
      'one that is not signed',
      (standIn, nonce) => standIn.sign({ sub: 'wren', nonce }, { algorithm: 'none', key: '' })
    ],
    [
      'one that is signed with the public key as a secret',
      (standIn, nonce) =>
        standIn.sign(
          { sub: 'wren', nonce },
          { algorithm: 'HS256', key: String(standIn.key.export({ type: 'spki', format: 'pem' })) }
        )
    ],
    [
      'one that is signed with the secret',
      (standIn, nonce) => standIn.sign({ sub: 'wren', nonce }, { algorithm: 'HS256', key: 'x'.repeat(40) })
    ],
    ['one that has expired', (standIn, nonce) => standIn.sign({ sub: 'wren', nonce, iat: 1_000_000_000 })],
    [
      'one with another signature',
      (standIn, nonce) => `${standIn.sign({ sub: 'wren', nonce }).slice(0, -20)}${'A'.repeat(20)}`
    ],
    ['text', () => 'It works']
  ])('whose ID token is %s logs nobody in', async (_name, createToken) => {
    let nonce = ''
    const standIn = await startStandIn(({ path }, self) =>
      path === DISCOVERY
        ? describeOpenid(self.url)
        : path === '/token'
          ? { ...TOKENS, id_token: createToken(self, nonce) }
          : undefined
    )
    const response = await finishAtStandIn(standIn, (asked) => {
      nonce = asked
    })

    expect(response.status).toBe(401)
    expect(await response.text()).not.toMatch(/It works|accessToken|127\.0\.0\.1/)
  })

  it('whose ID token is the one that was asked for is good', async () => {
    let nonce = ''
    const standIn = await startStandIn(({ path }, self) =>
      path === DISCOVERY
        ? describeOpenid(self.url)
        : path === '/token'
          ? { ...TOKENS, id_token: self.sign({ sub: 'wren', nonce }) }
          : undefined
    )
    const response = await finishAtStandIn(standIn, (asked) => {
      nonce = asked
    })

    expect(response.status).toBe(200)
  })

  it('whose other profile is of somebody else logs nobody in', async () => {
    let nonce = ''
    const standIn = await startStandIn(({ path }, self) => {
      if (path === DISCOVERY) return describeOpenid(self.url, { userinfo_endpoint: `${self.url}/user` })
      if (path === '/token') return { ...TOKENS, id_token: self.sign({ sub: 'wren', nonce }) }

      return path === '/user' ? { sub: 'robin' } : undefined
    })
    const response = await finishAtStandIn(standIn, (asked) => {
      nonce = asked
    })

    expect(response.status).toBe(401)
  })
})

const JSON_TYPE = { 'Content-Type': 'application/json' }

const TOKENS = { access_token: 'a token of a stand-in', token_type: 'bearer' }

async function logInAtStandIn(answer: (request: SeenRequest) => Answer): Promise<Response> {
  const standIn = await startStandIn(answer)
  const server = await startOAuth({ providers: { nest: standIn.plain } })
  const agent = server.createAgent()
  const { state } = await begin(server, agent, 'nest')

  return agent.request(`${server.origin}/oauth/nest/callback?code=x&state=${state}`)
}

/** Begins a login at a provider that is found by its issuer. */
async function beginAtStandIn(answer: (request: SeenRequest) => Answer): Promise<Response> {
  const standIn = await startStandIn(answer)
  const server = await startOAuth({
    providers: { nest: { key: 'alula', secret: 'x', issuer: standIn.url, scope: 'openid' } }
  })

  return server.send(`${server.origin}/oauth/nest`, { redirect: 'manual' })
}

async function finishAtStandIn(standIn: StandIn, hear: (nonce: string) => void): Promise<Response> {
  const server = await startOAuth({
    providers: { nest: { key: 'alula', secret: 'x'.repeat(40), issuer: standIn.url, scope: 'openid' } }
  })
  const agent = server.createAgent()
  const { state, location } = await begin(server, agent, 'nest')

  hear(new URL(location).searchParams.get('nonce') as string)

  return agent.request(`${server.origin}/oauth/nest/callback?code=x&state=${state}`)
}
