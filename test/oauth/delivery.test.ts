import { describe, expect, it, vi } from 'vitest'
import { seal } from '../../src/authentication/seal.ts'
import { sealCode } from '../../src/oauth/code.ts'
import { socketio } from '../../src/socketio.ts'
import { SECRET } from '../support/login.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import {
  allow,
  HTTPS_ORIGIN,
  logIn,
  NOWHERE,
  type OAuthOptions,
  type OAuthServer,
  PAGE,
  readHash,
  readJson,
  startOAuth,
  transports
} from './app.ts'

const INVALID = 'Invalid code: it is not one of ours, has been used, or is too old'

async function start(options: OAuthOptions, transport?: string) {
  const provider = await startOpenidProvider({ wren: {} })
  const server = await startOAuth({ ...options, providers: { nest: provider.openid } }, transport)

  allow(provider, server, 'nest')

  return { server, agent: server.createAgent() }
}

function exchange({ send, origin }: OAuthServer, body: unknown): Promise<Response> {
  return send(`${origin}/oauth/code`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body)
  })
}

describe.each(Object.keys(transports))('a code, through %s', (transport) => {
  const oauth = { redirect: `${PAGE}/home`, delivery: 'code' }

  it('is exchanged for the token, once', async () => {
    const { server, agent } = await start({ oauth }, transport)
    const response = await logIn(server, agent, 'nest', 'wren')
    const code = readHash(response).get('oauth_code')
    const first = await exchange(server, { code })
    const { accessToken, ...others } = await readJson(first)
    const second = await exchange(server, { code })

    expect(response.headers.get('location')).toBe(`${PAGE}/home#oauth_code=${code}`)
    expect(code).toMatch(/^[\w-]{100,}$/)
    expect(first.status).toBe(201)
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(others).toEqual({})
    expect(await server.auth.verifyAccessToken(accessToken)).toMatchObject({ sub: '0' })
    expect(second.status).toBe(401)
    expect(await second.json()).toMatchObject({ name: 'NotAuthenticated', message: INVALID })
  })
})

describe('a code', () => {
  const options: OAuthOptions = { oauth: { redirect: PAGE, delivery: 'code' } }

  async function getCode(more: OAuthOptions = {}) {
    const { server, agent } = await start({ ...options, ...more })
    const code = readHash(await logIn(server, agent, 'nest', 'wren')).get('oauth_code') as string

    return { server, code }
  }

  it('has nothing of the token that could be read', async () => {
    const { server, code } = await getCode()
    const { accessToken } = await readJson(await exchange(server, { code }))

    for (const part of accessToken.split('.')) {
      expect(code).not.toContain(part)
      expect(Buffer.from(code, 'base64url').toString('latin1')).not.toContain(part)
    }
  })

  it('is exchanged over Socket.IO, once', async () => {
    const { server, code } = await getCode({ configure: (app) => app.configure(socketio({ logger: false })) })
    const socket = await connectSocket(await serve(server.app))
    const [, result] = await ask(socket, 'create', 'oauth/code', { code }, {})
    const [error] = await ask(socket, 'create', 'oauth/code', { code }, {})

    expect(await server.auth.verifyAccessToken(result.accessToken)).toMatchObject({ sub: '0' })
    expect(error).toMatchObject({ code: 401, message: INVALID })
    expect((await exchange(server, { code })).status).toBe(401)
  })

  it('begins a session with the claims of the login for a client that asks for one, and not for others', async () => {
    const settings = { refresh: {} }
    const addClaim = ({ params }: any) => void Object.assign(params, { payload: { tenant: 'blue' } })
    const configure = (app: any) => app.service('authentication').hooks({ before: { create: [addClaim] } })
    const lasting = await getCode({ settings, configure })
    const tokens = await readJson(await exchange(lasting.server, { code: lasting.code, refresh: true }))
    const refreshed = await lasting.server.auth.create({
      strategy: 'refresh',
      refreshToken: tokens.refreshToken
    })

    expect(await lasting.server.auth.verifyAccessToken(tokens.accessToken)).toMatchObject({ tenant: 'blue' })
    expect(refreshed).toMatchObject({ user: { id: 0 } })

    const other = await getCode({ settings })
    const { accessToken, refreshToken } = await readJson(await exchange(other.server, { code: other.code }))
    const { iat, exp } = await other.server.auth.verifyAccessToken(accessToken)

    expect(refreshToken).toBeUndefined()
    expect(exp - iat).toBe(86_400)
  })

  it('is exchanged by one of twenty at once', async () => {
    const { server, code } = await getCode()
    const responses = await Promise.all(Array.from({ length: 20 }, () => exchange(server, { code })))

    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(401)])
  })

  it('is good for a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })

    const server = await startOAuth({ providers: { nest: NOWHERE }, ...options })
    const [early, late] = [sealCode('a token', SECRET), sealCode('a token', SECRET)]
    const begun = Date.now()

    vi.setSystemTime(begun + 59_000)
    expect((await exchange(server, { code: early })).status).toBe(201)
    vi.setSystemTime(begun + 60_000)
    expect((await exchange(server, { code: late })).status).toBe(401)
  })

  it.each([
    ['is cut', (code: string) => code.slice(0, -4)],
    [
      'has another letter',
      (code: string) => `${code.slice(0, 30)}${code[30] === 'A' ? 'B' : 'A'}${code.slice(31)}`
    ],
    ['has more behind it', (code: string) => `${code}AAAA`],
    ['is empty', () => ''],
    ['is a token', () => 'a.b.c'],
    ['is of another secret', () => sealCode('a token', 'another secret, as long as the first one')],
    [
      'is a login that has begun',
      () => seal({ id: 'x', accessToken: 'a token', expiresAt: Date.now() + 60_000 }, SECRET, 'login')
    ],
    ['is JSON', () => JSON.stringify({ id: 'x', accessToken: 'a token', expiresAt: 1e15 })]
  ])('that %s is refused', async (_name, tamper) => {
    const { server, code } = await getCode()
    const response = await exchange(server, { code: tamper(code) })

    expect(response.status).toBe(401)
    expect(await readJson(response)).toMatchObject({ message: INVALID })
    expect((await exchange(server, { code })).status).toBe(201)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['true', true],
    ['a list', ['x']],
    ['an object', { $ne: '' }]
  ])('that is %s is refused', async (_name, code) => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, ...options })
    const response = await exchange(server, { code })

    expect(response.status).toBe(400)
    expect(await readJson(response)).toMatchObject({
      name: 'BadRequest',
      message: "Invalid 'code': expected a string"
    })
  })

  it('is no list of codes', async () => {
    const { server, code } = await getCode()
    const response = await exchange(server, [{ code }, { code }])

    expect(response.status).toBe(400)
    expect((await exchange(server, { code })).status).toBe(201)
  })

  it('is worth nothing when the token was revoked meanwhile', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, ...options })
    const accessToken = await server.auth.createAccessToken({}, { subject: '0' })

    await server.auth.revokeAccessToken(accessToken)

    const { accessToken: got } = await readJson(
      await exchange(server, { code: sealCode(accessToken, SECRET) })
    )

    await expect(server.auth.verifyAccessToken(got)).rejects.toMatchObject({ message: 'jwt revoked' })
  })

  it('is not made of an error', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, ...options })
    const response = await server.createAgent().request(`${server.origin}/oauth/nest/callback`)

    expect([...readHash(response).keys()]).toEqual(['error'])
  })
})

describe.each(Object.keys(transports))('a cookie, through %s', (transport) => {
  const options: OAuthOptions = {
    oauth: { redirect: `${PAGE}/home`, delivery: 'cookie' },
    settings: { jwt: { cookie: 'session' } }
  }

  it('carries the token, and nothing else does', async () => {
    const { server, agent } = await start(options, transport)
    const response = await logIn(server, agent, 'nest', 'wren')
    const text = await response.text()
    const cookies = response.headers.getSetCookie()
    const session = cookies.find((cookie) => cookie.startsWith('session=')) as string
    const token = session.slice('session='.length, session.indexOf(';'))
    const { host } = new URL(server.origin)

    expect(response.headers.get('location')).toBe(`${PAGE}/home`)
    expect(text).toBe(JSON.stringify({ location: `${PAGE}/home` }))
    expect(cookies).toHaveLength(2)
    expect(session.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      // A second may begin while the token is made.
      expect.stringMatching(/^Max-Age=(86400|86399)$/),
      'Path=/',
      'SameSite=Lax',
      ...(server.origin === HTTPS_ORIGIN ? ['Secure'] : [])
    ])
    expect(await server.auth.verifyAccessToken(token)).toMatchObject({ sub: '0' })
    expect([...agent.jar(host)]).toEqual([['session', token]])
    expect(await (await agent.request(`${server.origin}/notes`)).json()).toEqual({ of: 0 })
    expect((await server.send(`${server.origin}/notes`)).status).toBe(401)

    const logout = await agent.request(`${server.origin}/authentication`, { method: 'DELETE' })

    expect(logout.status).toBe(200)
    expect(logout.headers.getSetCookie()).toHaveLength(1)
    expect(logout.headers.getSetCookie()[0]).toMatch(/^session=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0/)
    expect([...agent.jar(host)]).toEqual([])
    expect(
      (await server.send(`${server.origin}/notes`, { headers: { cookie: `session=${token}` } })).status
    ).toBe(401)
  })
})

describe('a cookie', () => {
  const settings = { jwt: { cookie: 'session' } }

  it('is all that a program without a page gets of the token', async () => {
    const { server, agent } = await start({ oauth: { delivery: 'cookie' }, settings })
    const response = await logIn(server, agent, 'nest', 'wren')
    const text = await response.text()

    expect(JSON.parse(text)).toEqual({ user: { id: 0, nestId: 'wren' } })
    expect(agent.jar(new URL(server.origin).host).get('session')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it('lives as long as the token', async () => {
    const { server, agent } = await start({
      oauth: { delivery: 'cookie' },
      settings: {
        ...settings,
        jwtOptions: { expiresIn: '10m', audience: 'a', issuer: 'b', algorithm: 'HS256' }
      }
    })
    const response = await logIn(server, agent, 'nest', 'wren')

    expect(response.headers.getSetCookie().join()).toContain('Max-Age=600')
  })

  it('is not written by a login that fails', async () => {
    const server = await startOAuth({
      providers: { nest: NOWHERE },
      oauth: { redirect: PAGE, delivery: 'cookie' },
      settings
    })
    const response = await server.createAgent().request(`${server.origin}/oauth/nest/callback`)

    expect(response.headers.get('location')).toMatch(/#error=/)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('opens a socket too, until the logout', async () => {
    const { server, agent } = await start({
      oauth: { delivery: 'cookie' },
      settings,
      configure: (app) => app.configure(socketio({ logger: false }))
    })

    await logIn(server, agent, 'nest', 'wren')

    const url = await serve(server.app)
    const extraHeaders = { cookie: `session=${agent.jar(new URL(server.origin).host).get('session')}` }
    const socket = await connectSocket(url, { extraHeaders })

    expect((await ask(socket, 'find', 'notes', {}))[1]).toEqual({ of: 0 })

    const gone = next(socket, 'disconnect')

    await agent.request(`${server.origin}/authentication`, { method: 'DELETE' })
    expect(await gone).toBe('io server disconnect')
    await expect(connectSocket(url, { extraHeaders })).rejects.toMatchObject({ data: { code: 401 } })
  })

  it('counts less than a header', async () => {
    const { server, agent } = await start({ oauth: { delivery: 'cookie' }, settings })

    await logIn(server, agent, 'nest', 'wren')

    const other = await server.users.create({ name: 'robin' })
    const token = await server.auth.createAccessToken({}, { subject: String(other.id) })
    const notes = `${server.origin}/notes`
    const own = await agent.request(notes, { headers: { Authorization: `Bearer ${token}` } })
    const forged = await agent.request(notes, { headers: { Authorization: 'Bearer x.y.z' } })

    expect(await own.json()).toEqual({ of: other.id })
    expect(forged.status).toBe(401)
  })

  it.each([
    ['empty', 'session='],
    ['forged', 'session=a.b.c'],
    ['of another name', 'Session=TOKEN'],
    ['of another name that begins like it', 'session2=TOKEN'],
    ['without a name', 'TOKEN']
  ])('that is %s opens nothing', async (_name, cookie) => {
    const server = await startOAuth({ providers: { nest: NOWHERE }, oauth: { delivery: 'cookie' }, settings })
    const { id } = await server.users.create({})
    const token = await server.auth.createAccessToken({}, { subject: String(id) })
    const headers = { cookie: cookie.replace('TOKEN', token) }

    expect((await server.send(`${server.origin}/notes`, { headers })).status).toBe(401)
    expect(
      (await server.send(`${server.origin}/notes`, { headers: { cookie: `session=${token}` } })).status
    ).toBe(200)
  })

  it('of a token that is good no more is gone after a logout', async () => {
    const { server, agent } = await start({ oauth: { redirect: PAGE, delivery: 'cookie' }, settings })

    await logIn(server, agent, 'nest', 'wren')

    const jar = agent.jar(new URL(server.origin).host)

    await server.auth.revokeAccessToken(jar.get('session'))
    await agent.request(`${server.origin}/authentication`, { method: 'DELETE' })

    expect([...jar]).toEqual([])
  })

  it.each([
    ['another token in the path', '/another-token', {}],
    ['a forged header', '', { Authorization: 'Bearer x.y.z' }]
  ])('that is good stays when a logout is refused for %s', async (_name, path, headers) => {
    const { server, agent } = await start({ oauth: { redirect: PAGE, delivery: 'cookie' }, settings })

    await logIn(server, agent, 'nest', 'wren')

    const response = await agent.request(`${server.origin}/authentication${path}`, {
      method: 'DELETE',
      headers: headers as Record<string, string>
    })

    expect(response.status).toBe(401)
    expect((await agent.request(`${server.origin}/notes`)).status).toBe(200)
  })

  it('is not needed where tokens are delivered in another way', async () => {
    const { server, agent } = await start({ oauth: { redirect: PAGE }, settings })
    const response = await logIn(server, agent, 'nest', 'wren')
    const token = readHash(response).get('access_token')
    const logout = await server.send(`${server.origin}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` }
    })

    expect(response.headers.getSetCookie().join()).not.toContain('session=')
    expect(logout.headers.getSetCookie()).toEqual([])
  })

  it('without a name is an error at the start', async () => {
    await expect(startOAuth({ providers: { nest: NOWHERE }, oauth: { delivery: 'cookie' } })).rejects.toThrow(
      "The access token is delivered in a cookie: set its name as 'authentication.jwt.cookie'"
    )
  })

  it.each([[''], ['a b'], ['a;b'], ['a=b'], ['a\nb'], [{}], [1], [true]])(
    'with the name %j is an error at the start',
    async (cookie) => {
      await expect(
        startOAuth({ providers: { nest: NOWHERE }, settings: { jwt: { cookie } } }).then(() => 'started')
      ).rejects.toThrow("The 'cookie' option for the jwt strategy must be the name of a cookie")
    }
  )
})
