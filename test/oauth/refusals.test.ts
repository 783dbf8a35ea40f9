import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryRevocationStore } from '../../src/authentication.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { denyAtProvider } from '../support/user-agent.ts'
import { allow, begin, logIn, NOWHERE, PAGE, startOAuth, visit } from './app.ts'
import { expectRefusal, expectShown, FAILED, OAUTH, start, toCookieHeader, WREN } from './refusals.ts'

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

  it('with a code that was used in another browser', async () => {
    const { server, agent } = await start()
    const stranger = server.createAgent()
    const used = new URL(await visit(server, agent, 'nest', 'wren'))

    expect((await agent.request(used)).status).toBe(200)

    const { state } = await begin(server, stranger, 'nest')

    used.searchParams.set('state', state)
    await expectRefusal(await stranger.request(used), FAILED)
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

function change(url: URL, name: string, change: (value: string) => string): void {
  url.searchParams.set(name, change(url.searchParams.get(name) as string))
}

function rename(url: URL, name: string, other: string): void {
  const value = url.searchParams.get(name) as string

  url.searchParams.delete(name)
  url.searchParams.set(other, value)
}
