import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryRevocationStore } from '../../src/authentication.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { denyAtProvider, logInAtProvider, type UserAgent } from '../support/user-agent.ts'
import { allow, begin, logIn, NOWHERE, type OAuthServer, PAGE, readJson, startOAuth, visit } from './app.ts'
import {
  type Answer,
  DISCOVERY,
  describeOpenid,
  type SeenRequest,
  type StandIn,
  startStandIn
} from './stand-in.ts'

const WREN = { wren: { email: 'wren@example.org', email_verified: true } }

const REFUSED = 'This login was not started in this browser, has been used, or took too long. Start again'

const FAILED = 'OAuth Authentication not successful'

const OAUTH = { redirect: PAGE }

/** As long as the query of a login may be, or nearly so. */
const LONG = `?redirect=/${'x'.repeat(1000)}`

/** An application with a provider `nest`, and one with a page. */
async function start(options: any = {}, names: readonly string[] = ['nest']) {
  const provider = await startOpenidProvider(WREN)
  const providers = Object.fromEntries(names.map((name) => [name, provider.openid]))
  const server = await startOAuth({ providers, ...options })

  allow(provider, server, ...names)

  return { provider, server, agent: server.createAgent() }
}

async function expectRefusal(response: Response, message = REFUSED): Promise<void> {
  const text = await response.text()

  expect(response.status).toBe(401)
  expect(JSON.parse(text)).toEqual({
    name: 'NotAuthenticated',
    message,
    code: 401,
    className: 'not-authenticated'
  })
  expect(response.headers.get('location')).toBeNull()
  expect(text).not.toMatch(/accessToken|at Logins|node_modules/)
}

function expectShown(response: Response, message = REFUSED): void {
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${PAGE}#error=${encodeURIComponent(message)}`)
}

/** The answer of a provider that does not know an application. */
function refuseClient(response: ServerResponse): void {
  response.writeHead(401, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ error: 'invalid_client', error_description: 'Unknown key' }))
}

describe('a login is refused', () => {
  it('when it was denied at the provider', async () => {
    const { server, agent, provider } = await start()
    const { location } = await begin(server, agent, 'nest')

    await expectRefusal(await agent.request(await denyAtProvider(agent, location)), 'Access was denied')
    expect(provider.tokenRequests).toEqual([])
    expect(await server.users.find({ query: {} })).toEqual([])
  })

  it('when it was denied at the provider, and the page hears of it', async () => {
    const { server, agent } = await start({ oauth: OAUTH })
    const { location } = await begin(server, agent, 'nest')

    expectShown(await agent.request(await denyAtProvider(agent, location)), 'Access was denied')
  })

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['a state that begins like it', (url: URL) => change(url, 'state', (state) => `${state.slice(0, -1)}!`)],
    ['more behind the state', (url: URL) => change(url, 'state', (state) => `${state}x`)],
    ['an empty state', (url: URL) => url.searchParams.set('state', '')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    [
      'the state twice',
      (url: URL) => url.searchParams.append('state', url.searchParams.get('state') as string)
    ],
    ['another state besides', (url: URL) => url.searchParams.append('state', 'x')],
    ['a state that is an object', (url: URL) => rename(url, 'state', 'state[a]')],
    ['a state that is a list', (url: URL) => rename(url, 'state', 'state[]')]
  ])('with %s', async (_name, tamper) => {
    const { server, agent, provider } = await start()
    const url = new URL(await visit(server, agent, 'nest', 'wren'))
    const callback = url.href

    tamper(url)

    await expectRefusal(await agent.request(url))
    expect(provider.tokenRequests).toEqual([])
    // What others send does not end it.
    expect((await agent.request(callback)).status).toBe(200)
  })

  it.each([
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['an empty code', (url: URL) => url.searchParams.set('code', '')],
    ['another code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43))],
    ['two codes', (url: URL) => url.searchParams.append('code', 'x')],
    ['a code that is an object', (url: URL) => rename(url, 'code', 'code[a]')],
    ['a code that cannot be a text', (url: URL) => rename(url, 'code', 'code[toString]')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://attacker.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['an error besides the code', (url: URL) => url.searchParams.set('error', 'server_error')],
    ['an ID token besides the code', (url: URL) => url.searchParams.set('id_token', 'x.y.z')],
    ['a response instead', (url: URL) => rename(url, 'code', 'response')]
  ])('with %s, and is over', async (_name, tamper) => {
    const { server, agent } = await start()
    const url = new URL(await visit(server, agent, 'nest', 'wren'))
    const callback = url.href

    tamper(url)

    await expectRefusal(await agent.request(url), FAILED)
    await expectRefusal(await agent.request(callback))
    expect(await server.users.find({ query: {} })).toEqual([])
  })

  it('when the callback is sent again', async () => {
    const { server, agent, provider } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')
    const jar = agent.jar(new URL(server.origin).host)
    const cookies = [...jar]

    expect((await agent.request(callback)).status).toBe(200)
    await expectRefusal(await agent.request(callback))

    // The browser has kept the cookie.
    for (const [name, value] of cookies) jar.set(name, value)

    await expectRefusal(await agent.request(callback))
    expect(provider.tokenRequests).toHaveLength(1)
  })

  it('when the callback was sent to another server that shares the store of revoked tokens', async () => {
    const provider = await startOpenidProvider(WREN)
    const options = {
      providers: { nest: provider.openid },
      settings: { revocation: new MemoryRevocationStore() }
    }
    const [one, other] = [await startOAuth(options), await startOAuth(options)]
    const agent = one.createAgent()

    allow(provider, one, 'nest')

    const callback = new URL(await visit(one, agent, 'nest', 'wren'))
    const cookie = toCookieHeader(agent, one)

    expect((await agent.request(callback)).status).toBe(200)
    await expectRefusal(
      await fetch(`${other.origin}/oauth/nest/callback${callback.search}`, { headers: { cookie } })
    )
    expect(provider.tokenRequests).toHaveLength(1)
  })

  it('when the callback is sent again where tokens are not revoked', async () => {
    const { server, agent } = await start({ settings: { revocation: false } })
    const callback = await visit(server, agent, 'nest', 'wren')
    const cookie = toCookieHeader(agent, server)

    expect((await agent.request(callback)).status).toBe(200)
    await expectRefusal(await fetch(callback, { headers: { cookie } }))
  })

  it('for all but one of ten callbacks at once', async () => {
    const { server, agent, provider } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')
    const cookie = toCookieHeader(agent, server)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => fetch(callback, { headers: { cookie }, redirect: 'manual' }))
    )

    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)])
    expect(provider.tokenRequests).toHaveLength(1)
  })

  it('after ten minutes, whatever the browser keeps', async () => {
    const { server, agent, provider } = await start()

    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())

    const begun = Date.now()
    const late = await visit(server, agent, 'nest', 'wren')
    const intime = await visit(server, agent, 'nest', 'wren')

    vi.setSystemTime(begun + 9 * 60_000)
    // The code of the provider is older than it may be; what is ours is not.
    await expectRefusal(await agent.request(intime), FAILED)
    vi.setSystemTime(begun + 10 * 60_000 + 1000)
    await expectRefusal(await agent.request(late))
    expect(provider.tokenRequests).toHaveLength(1)
  })

  it('with the cookie of one provider at the callback of another', async () => {
    const { server, agent, provider } = await start({}, ['nest', 'tree'])
    const callback = await visit(server, agent, 'nest', 'wren')

    await expectRefusal(await agent.request(callback.replace('/nest/', '/tree/')))
    expect(provider.tokenRequests).toEqual([])
    expect((await agent.request(callback)).status).toBe(200)
  })

  it('in another browser', async () => {
    const { server, agent } = await start()
    const stranger = server.createAgent()
    const callback = await visit(server, agent, 'nest', 'wren')

    await expectRefusal(await stranger.request(callback))
    await begin(server, stranger, 'nest')
    await expectRefusal(await stranger.request(callback))
    expect((await agent.request(callback)).status).toBe(200)
  })

  it('with the cookie of another login under the name of this one', async () => {
    const { server, agent } = await start()
    const victim = server.createAgent()
    const callback = await visit(server, agent, 'nest', 'wren')
    const [name] = [...agent.jar(new URL(server.origin).host).keys()]

    await begin(server, victim, 'nest')

    const [[own, value] = ['', '']] = [...victim.jar(new URL(server.origin).host)]

    expect(own).not.toBe(name)
    victim.jar(new URL(server.origin).host).set(name as string, value)

    await expectRefusal(await victim.request(callback))
  })

  it('with the code of another login of the same browser', async () => {
    const { server, agent } = await start()
    const one = new URL(await visit(server, agent, 'nest', 'wren'))
    const other = new URL(await visit(server, agent, 'nest', 'robin'))

    one.searchParams.set('code', other.searchParams.get('code') as string)

    await expectRefusal(await agent.request(one), FAILED)
    expect(await server.users.find({ query: {} })).toEqual([])
  })

  it('with a code that was used in another browser', async () => {
    const { server, agent } = await start()
    const stranger = server.createAgent()
    const used = new URL(await visit(server, agent, 'nest', 'wren'))

    expect((await agent.request(used)).status).toBe(200)

    const { state } = await begin(server, stranger, 'nest')

    used.searchParams.set('state', state)
    await expectRefusal(await stranger.request(used), FAILED)
  })

  it.each([
    ['is cut', (value: string) => value.slice(0, -10)],
    ['is cut at its beginning', (value: string) => value.slice(10)],
    ['has more behind it', (value: string) => `${value}AAAA`],
    ['is empty', () => ''],
    ['is short', () => 'AAAA'],
    [
      'has another letter',
      (value: string) => `${value.slice(0, 60)}${value[60] === 'A' ? 'B' : 'A'}${value.slice(61)}`
    ],
    ['is JSON', () => encodeURIComponent(JSON.stringify({ provider: 'nest', expiresAt: 1e15, query: {} }))],
    ['is random', (value: string) => 'q'.repeat(value.length)]
  ])('with a cookie that %s', async (_name, tamper) => {
    const { server, agent, provider } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')
    const jar = agent.jar(new URL(server.origin).host)

    for (const [name, value] of jar) jar.set(name, tamper(value))

    await expectRefusal(await agent.request(callback))
    expect(provider.tokenRequests).toEqual([])
  })

  it('with a cookie of a server that has another secret', async () => {
    const provider = await startOpenidProvider(WREN)
    const providers = { nest: provider.openid }
    const server = await startOAuth({ providers })
    const other = await startOAuth({
      providers,
      settings: { secret: 'another secret, as long as the first one' }
    })
    const agent = server.createAgent()

    allow(provider, server, 'nest')
    allow(provider, other, 'nest')

    const callback = new URL(await visit(other, agent, 'nest', 'wren'))

    for (const [name, value] of agent.jar(new URL(other.origin).host)) {
      agent.jar(new URL(server.origin).host).set(name, value)
    }

    await expectRefusal(await agent.request(`${server.origin}/oauth/nest/callback${callback.search}`))
  })

  it('when the secret has changed meanwhile', async () => {
    const { server, agent } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')

    server.app.set('authentication', {
      ...server.app.get('authentication'),
      secret: 'the secret that comes after the first one'
    })

    await expectRefusal(await agent.request(callback))
    expect((await logIn(server, agent, 'nest', 'wren')).status).toBe(200)
  })

  it('not for others that the same browser has begun', async () => {
    const { server, agent } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')

    for (let count = 0; count < 4; count++) await begin(server, agent, 'nest')

    const last = await visit(server, agent, 'nest', 'robin')

    expect((await agent.request(last)).status).toBe(200)
    expect((await agent.request(callback)).status).toBe(200)
  })

  it('when others were started after it whose cookies take the room', async () => {
    const { server, agent } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')

    for (let count = 0; count < 6; count++) await begin(server, agent, 'nest', LONG)

    const last = await visit(server, agent, 'nest', 'wren')

    await expectRefusal(await agent.request(callback))
    expect((await agent.request(last)).status).toBe(200)
  })

  it.each(['image', 'iframe', 'empty', 'script'])(
    'when it is what a page loads as %s, at the beginning and at the end',
    async (destination) => {
      const { server, agent } = await start()
      const headers = { 'Sec-Fetch-Dest': destination }
      const callback = await visit(server, agent, 'nest', 'wren', '', { 'Sec-Fetch-Dest': 'document' })

      for (const url of [`${server.origin}/oauth/nest`, callback]) {
        const response = await agent.request(url, { headers })

        expect(response.status).toBe(401)
        expect(response.headers.get('location')).toBeNull()
      }

      // It was not used up.
      expect((await agent.request(callback)).status).toBeLessThan(400)
    }
  )

  it('when the user is not active', async () => {
    const { server, agent } = await start({ settings: { isActive: ({ isLocked }: any) => !isLocked } })

    await server.users.create({ nestId: 'wren', isLocked: true })

    await expectRefusal(await logIn(server, agent, 'nest', 'wren'), 'Invalid authentication information')
  })

  it('when a hook throws what nobody expects, of which the application hears and the page does not', async () => {
    const { server, agent } = await start({
      oauth: OAUTH,
      configure: (app: any) =>
        app.service('users').hooks({
          before: {
            create: [
              () => {
                throw Object.assign(new Error('The database says: secret table'), {
                  password: 'of the database'
                })
              }
            ]
          }
        })
    })
    const errors: any[] = []

    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    server.app.on('error', (error: Error) => errors.push(error.message))

    expectShown(await logIn(server, agent, 'nest', 'wren'), 'An unexpected error occurred on the server')
    expect(errors).toEqual(['The database says: secret table'])
  })
})

describe('with a page, a refusal is shown there', () => {
  it.each([
    ['a callback without anything', ''],
    ['a callback of nobody', '?code=x&state=y'],
    ['an error of nobody', '?error=<script>alert(1)</script>&error_description=attack'],
    ['a state that is a list', '?code=x&state[]=y&state[]=z'],
    ['a long state', `?code=x&state=${'y'.repeat(5000)}`]
  ])('of %s', async (_name, search) => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: OAUTH })

    expectShown(await server.createAgent().request(`${server.origin}/oauth/nest/callback${search}`))
  })

  it('and never what the provider says', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: OAUTH })
    const agent = server.createAgent()
    const { state } = await begin(server, agent, 'nest')
    const response = await agent.request(
      `${server.origin}/oauth/nest/callback?state=${state}&error=server_error&error_description=of+the+attacker`
    )

    expectShown(response, FAILED)
  })

  it('with a path that was asked for', async () => {
    const { server, agent } = await start({ oauth: OAUTH })
    const url = new URL(await visit(server, agent, 'nest', 'wren', '?redirect=/nests'))

    url.searchParams.set('code', 'x')

    const response = await agent.request(url)

    expect(response.headers.get('location')).toBe(`${PAGE}/nests#error=${encodeURIComponent(FAILED)}`)
  })
})

describe('a cookie header', () => {
  it.each([
    ['nothing', ''],
    ['semicolons', ';;;;'],
    ['an equals sign', '='],
    ['equals signs', '====;===='],
    ['no equals sign', 'alula-oauth.'],
    ['no name', '=value'],
    ['names of objects', '__proto__=1; constructor=2; toString=3'],
    ['names like ours', 'alula-oauth.=; alula-oauth.x=y; alula-oauth..=.'],
    ['many names like ours', Array.from({ length: 100 }, (_, index) => `alula-oauth.${index}=x`).join('; ')],
    ['quotes', 'alula-oauth.x="y; z="'],
    ['escapes', 'alula-oauth.%=%; alula-oauth.%E0%A4=1'],
    ['tabs', 'a\t=\tb;\talula-oauth.\tx=y'],
    ['letters beyond ASCII', 'alula-oauth.\u00e9=\u00ff'],
    ['a long value', `alula-oauth.x=${'y'.repeat(10_000)}`]
  ])('of %s is no obstacle to a login', async (_name, cookie) => {
    const { server, agent } = await start()
    const begun = await server.send(`${server.origin}/oauth/nest`, {
      headers: { cookie },
      redirect: 'manual'
    })
    const refused = await server.send(`${server.origin}/oauth/nest/callback?code=x&state=y`, {
      headers: { cookie }
    })

    expect(begun.status).toBe(303)
    expect(refused.status).toBe(401)

    const { state, location } = await begin(server, agent, 'nest')
    const callback = await logInAtProvider(agent, location, 'wren')
    const own = toCookieHeader(agent, server)
    const response = await server.send(callback, {
      headers: { cookie: cookie === '' ? own : `${cookie.slice(0, 5000)}; ${own}` }
    })

    expect(state).toBeTruthy()
    // A quote that is not closed takes nothing with it.
    expect(response.status).toBe(200)
  })

  it('leaves room for what a browser sends besides, with as many and as long logins as there may be', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: OAUTH })
    const agent = server.createAgent()
    const jar = agent.jar(new URL(server.origin).host)

    for (let count = 0; count < 20; count++) {
      const { response } = await begin(server, agent, 'nest', LONG)

      expect(response.status).toBe(303)
      expect([...jar].join('; ').length).toBeLessThan(5000)
    }

    expect((await agent.request(`${server.origin}/oauth/nest/callback?state=x`)).status).toBe(303)
  })
})

describe('a query', () => {
  it.each([
    ['a path', `?redirect=/${'x'.repeat(5000)}`],
    ['a name', `?${'x'.repeat(5000)}=1`],
    ['a value', `?x=${'x'.repeat(5000)}`],
    ['many values', `?${'x=1&'.repeat(480)}${'yyyyyyyy=1&'.repeat(480)}`]
  ])('that is too long for a cookie is refused: %s', async (_name, search) => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: OAUTH })
    const response = await server.send(`${server.origin}/oauth/nest${search}`, { redirect: 'manual' })

    expect(response.status).toBe(400)
    expect(response.headers.getSetCookie()).toEqual([])
    expect((await readJson(response)).message).not.toMatch(/xx|yy/)
  })

  it.each([
    ['a list', '?feathers_token[]=x'],
    ['an object', '?feathers_token[a]=x'],
    ['nothing', '?feathers_token='],
    ['no token', '?feathers_token=x'],
    ['two tokens', '?feathers_token=x&feathers_token=y'],
    ['a list of an object', '?feathers_token[][toString]=x']
  ])('with %s as feathers_token is refused', async (_name, search) => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: { origins: [PAGE] } })
    const response = await server.send(`${server.origin}/oauth/nest${search}`, {
      headers: { Referer: `${PAGE}/profile` },
      redirect: 'manual'
    })

    expect(response.status).toBe(401)
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('a provider', () => {
  it('that is away is said to be away, at once', async () => {
    const { server, agent, provider } = await start({ oauth: OAUTH })
    const callback = await visit(server, agent, 'nest', 'wren')
    const message = "The OAuth provider 'nest' cannot be reached"

    await provider.stop()

    expectShown(await agent.request(callback), message)
  })

  it('that is away before a login begins is said to be away', async () => {
    const { server, agent, provider } = await start()

    await provider.stop()

    const response = await agent.request(`${server.origin}/oauth/nest`)

    expect(response.status).toBe(503)
    expect(await readJson(response)).toMatchObject({
      name: 'Unavailable',
      message: "The OAuth provider 'nest' cannot be reached"
    })
    expect(response.headers.getSetCookie()).toEqual([])
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

  it('that does not answer, or not to the end, is not waited for', { timeout: 60_000 }, async () => {
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

  it('that does not know the application is said to be configured wrongly, to the application with the reason', async () => {
    const standIn = await startStandIn(({ path }) => (path === '/token' ? refuseClient : undefined))
    const server = await startOAuth({ oauth: { redirect: '/' }, providers: { nest: standIn.plain } })
    const agent = server.createAgent()
    const reported: any[] = []

    server.app.on('error', (error: any) => reported.push(error))

    const { state } = await begin(server, agent, 'nest')
    const end = await agent.request(`${server.origin}/oauth/nest/callback?code=x&state=${state}`)

    expect(end.headers.get('location')).toContain('cannot%20be%20used%20as%20it%20is%20configured')
    expect(reported.map(({ cause }) => cause.message)).toEqual([expect.stringContaining('Unknown key')])
  })

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

/** What a browser has for a server, for requests that it does not make itself. */
function toCookieHeader(agent: UserAgent, { origin }: OAuthServer): string {
  return [...agent.jar(new URL(origin).host)].map((pair) => pair.join('=')).join('; ')
}

function change(url: URL, name: string, change: (value: string) => string): void {
  url.searchParams.set(name, change(url.searchParams.get(name) as string))
}

function rename(url: URL, name: string, other: string): void {
  const value = url.searchParams.get(name) as string

  url.searchParams.delete(name)
  url.searchParams.set(other, value)
}
