import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { socketio } from '../../src/socketio.ts'
import { CLIENT, PUBLIC_CLIENT, startOpenidProvider } from '../support/oidc.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { logInAtProvider } from '../support/user-agent.ts'
import {
  allow,
  begin,
  logIn,
  NOWHERE,
  PAGE,
  readHash,
  readJson,
  startOAuth,
  transports,
  visit
} from './app.ts'
import { startStandIn } from './stand-in.ts'

const WREN = { wren: { email: 'wren@example.org', email_verified: true, name: 'Wren' } }

const JSON_BODY = { 'Content-Type': 'application/json' }

/** What a verifier is known by before it is shown (RFC 7636 §4.2). */
function toChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function getCookie(response: Response): string {
  return response.headers.getSetCookie().join('\n')
}

describe.each(Object.keys(transports))('a login, through %s', (transport) => {
  it('leads from the provider to a token that opens what is protected, until the logout', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.openid } }, transport)
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await logIn(server, agent, 'nest', 'wren')
    const { accessToken, user, authentication } = await readJson(response)
    const headers = { Authorization: `Bearer ${accessToken}` }
    const protectedCall = () => server.send(`${server.origin}/notes`, { headers })

    expect(response.status).toBe(200)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(authentication).toMatchObject({ strategy: 'nest', payload: { sub: String(user.id) } })
    expect(user).toEqual({ id: user.id, nestId: 'wren' })
    expect(await (await protectedCall()).json()).toEqual({ of: user.id })

    const logout = await server.send(`${server.origin}/authentication`, { method: 'DELETE', headers })

    expect(logout.status).toBe(200)
    expect((await protectedCall()).status).toBe(401)
  })

  it('begins with a redirect to the provider, and a cookie that scripts and other sites do not get', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.openid } }, transport)
    const { response, location, state } = await begin(server, server.createAgent(), 'nest')
    const { searchParams, origin } = new URL(location)
    const [cookie, ...others] = response.headers.getSetCookie()
    const isSecure = server.origin.startsWith('https:')

    expect(response.status).toBe(303)
    expect(await readJson(response)).toEqual({ location })
    expect(origin).toBe(provider.issuer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.key,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${server.origin}/oauth/nest/callback`
    })
    expect(others).toEqual([])
    expect(cookie?.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
      ...(isSecure ? ['Secure'] : [])
    ])
    expect(cookie?.startsWith('__Host-')).toBe(isSecure)
    expect(cookie).not.toContain(state)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('leads back to the page with the token in its hash', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth(
      {
        providers: { nest: provider.openid },
        oauth: { redirect: `${PAGE}/welcome` }
      },
      transport
    )
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await logIn(server, agent, 'nest', 'wren', '?redirect=/nests')
    const location = response.headers.get('location') as string
    const accessToken = readHash(response).get('access_token') as string

    expect(response.status).toBe(303)
    expect(location).toBe(`${PAGE}/welcome/nests#access_token=${accessToken}`)
    expect(await server.auth.verifyAccessToken(accessToken)).toMatchObject({ sub: '0' })
    expect(getCookie(response)).toMatch(/^(__Host-)?alula-oauth\.[\w-]+=; .*Max-Age=0/)
    expect(getCookie(response)).not.toContain(accessToken)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect([...agent.jar(new URL(server.origin).host).keys()]).toEqual([])
  })

  it('never takes the address of the server from a request', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE } }, transport)
    const { location } = await begin(server, server.createAgent(), 'nest', '', {
      'X-Forwarded-Host': 'attacker.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=attacker.example',
      'X-Original-Host': 'attacker.example'
    })

    expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${server.origin}/oauth/nest/callback`)
  })

  it('is told to a program that posts', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE } }, transport)
    const response = await server.createAgent().request(`${server.origin}/oauth/nest`, {
      method: 'POST',
      headers: JSON_BODY,
      body: '{}'
    })
    const { location, ...others } = await readJson(response)

    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBeNull()
    expect(location).toMatch(/^https:\/\/provider\.example\.org\/authorize\?/)
    expect(others).toEqual({})
    expect(getCookie(response)).toContain('alula-oauth.')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('has no nonce at a provider without OpenID Connect', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.plain } }, transport)
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const { location } = await begin(server, agent, 'nest')
    const response = await agent.request(await logInAtProvider(agent, location, 'wren'))

    expect(new URL(location).searchParams.has('nonce')).toBe(false)
    expect(new URL(location).searchParams.get('scope')).toBe('profile')
    expect(await readJson(response)).toMatchObject({ user: { nestId: 'wren' } })
  })

  it('is not touched by HEAD requests of others', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.openid } }, transport)
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const start = await server.send(`${server.origin}/oauth/nest`, { method: 'HEAD', redirect: 'manual' })
    const callback = await visit(server, agent, 'nest', 'wren')
    const seen = await server.send(callback, { method: 'HEAD', redirect: 'manual' })

    expect(start.status).toBe(303)
    expect(await start.text()).toBe('')
    expect(seen.status).toBe(401)
    expect(provider.tokenRequests).toEqual([])
    expect((await agent.request(callback)).status).toBe(200)
  })

  it.each([
    ['an unknown name', 'owl', 404],
    ['the callback of an unknown name', 'owl/callback', 404],
    ['__proto__', '__proto__', 404],
    ['the callback of __proto__', '__proto__/callback', 404],
    ['constructor', 'constructor', 404],
    ['toString', 'toString', 404],
    ['hasOwnProperty', 'hasOwnProperty', 404],
    ['a strategy that is not of OAuth', 'jwt', 404],
    ['the name of an option', 'defaults', 404],
    ['another name of an option', 'redirect', 404],
    ['the path for codes', 'code', 405],
    ['callback', 'callback', 404],
    ['NUL', '%00', 404],
    ['the name and NUL', 'nest%00', 404],
    ['an encoded slash', 'nest%2Fcallback', 404],
    ['the name in capitals', 'NEST', 404],
    ['spaces', '%20nest', 404],
    ['half an escape', '%E0%A4', 400],
    ['a percent sign', '%', 400],
    ['an id', 'nest/1', 405]
  ])('does not begin with %s', async (_name, path, status) => {
    const server = await startOAuth({ providers: { nest: NOWHERE } }, transport)
    const response = await server.send(`${server.origin}/oauth/${path}`, { redirect: 'manual' })

    expect(response.status).toBe(status)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('a login', () => {
  it.each(['a server of Node', 'Express', 'a server that exists already'])(
    'leads back to the server and not to the host that a request names, through %s',
    async (transport) => {
      const { origin } = await startOAuth({ providers: { nest: NOWHERE } }, transport)
      const outgoing = request(`${origin}/oauth/nest`, {
        headers: { Host: 'attacker.example' },
        agent: false
      })

      outgoing.end()

      const [{ headers }] = await once(outgoing, 'response')

      expect(new URL(headers.location).searchParams.get('redirect_uri')).toBe(`${origin}/oauth/nest/callback`)
    }
  )

  it('leads back to the server and not to the host that a request names, through Fetch', async () => {
    const { app, origin } = await startOAuth({ providers: { nest: NOWHERE } }, 'Fetch')
    const response = await createHandler(app)(new Request('http://attacker.example/oauth/nest'))
    const { searchParams } = new URL(response.headers.get('location') as string)

    expect(searchParams.get('redirect_uri')).toBe(`${origin}/oauth/nest/callback`)
  })

  it('does not mind what a provider without OpenID Connect calls itself', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.plain } })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const callback = new URL(await visit(server, agent, 'nest', 'wren'))

    callback.searchParams.set('iss', 'https://provider.example.org/of/its/own')

    expect((await agent.request(callback)).status).toBe(200)
  })

  it('is an event of the application', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.openid } })
    const events: any[] = []

    server.app.on('login', (result: any, params: any) => events.push([result.user.nestId, params.provider]))
    allow(provider, server, 'nest')
    await logIn(server, server.createAgent(), 'nest', 'wren')

    expect(events).toEqual([['wren', 'rest']])
  })

  it('asks for an ID token where no scope is set', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: { ...CLIENT, issuer: provider.issuer } } })

    allow(provider, server, 'nest')

    expect((await logIn(server, server.createAgent(), 'nest', 'wren')).status).toBe(200)
  })

  it('works for a client without a secret', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: { ...PUBLIC_CLIENT, issuer: provider.issuer, scope: 'openid' } }
    })

    allow(provider, server, 'nest')

    expect((await logIn(server, server.createAgent(), 'nest', 'wren')).status).toBe(200)
  })

  it.each(['client_secret_basic', 'client_secret_post'])('authenticates the client by %s', async (method) => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: { ...provider.openid, token_endpoint_auth_method: method } }
    })

    allow(provider, server, 'nest')

    expect((await logIn(server, server.createAgent(), 'nest', 'wren')).status).toBe(200)
  })

  it('goes by the prefix, and by the callback that is registered', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      oauth: { prefix: '/login/with' }
    })
    const agent = server.createAgent()

    provider.allow(`${server.origin}/login/with/nest/callback`)

    const start = await agent.request(`${server.origin}/login/with/nest`)
    const callback = await logInAtProvider(agent, start.headers.get('location') as string, 'wren')

    expect(callback).toContain(`${server.origin}/login/with/nest/callback?`)
    expect((await agent.request(callback)).status).toBe(200)
    expect((await agent.request(`${server.origin}/oauth/nest`)).status).toBe(404)
  })

  it('proves with the code verifier that it is the one that has begun', async () => {
    const standIn = await startStandIn(() => undefined)
    const server = await startOAuth({ providers: { nest: standIn.plain } })
    const agent = server.createAgent()
    const challenges: (string | null)[] = []

    for (let count = 0; count < 2; count++) {
      const { location, state } = await begin(server, agent, 'nest')

      challenges.push(new URL(location).searchParams.get('code_challenge'))
      expect(challenges.at(-1)).not.toBe(toChallenge(state))
      await agent.request(`${server.origin}/oauth/nest/callback?code=x&state=${state}`)
    }

    const verifiers = standIn.requests.map(({ form }) => form.get('code_verifier') as string)

    expect(verifiers.map(toChallenge)).toEqual(challenges)
    expect(new Set(verifiers).size).toBe(2)
  })

  it('is refused to sockets, which have no cookies to write', async () => {
    const { app } = await startOAuth({
      providers: { nest: NOWHERE },
      configure: (app) => app.configure(socketio({ logger: false }))
    })
    const socket = await connectSocket(await serve(app))

    for (const [method, path, ...args] of [
      ['find', 'oauth/nest', {}],
      ['create', 'oauth/nest', {}, {}],
      ['find', 'oauth/nest/callback', { code: 'x', state: 'y' }],
      ['create', 'oauth/nest/callback', { code: 'x' }, {}]
    ] as [string, string, ...unknown[]][]) {
      const [error, result] = await ask(socket, method, path, ...args)

      expect(error, `${method} ${path}`).toMatchObject({ code: 405 })
      expect(result).toBeUndefined()
    }
  })
})
