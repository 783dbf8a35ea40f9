import { describe, expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { logInAtProvider } from '../support/user-agent.ts'
import { allow, begin, logIn, NOWHERE, PAGE, readJson, startOAuth, visit } from './app.ts'
import { expectRefusal, FAILED, OAUTH, start, toCookieHeader, WREN } from './refusals.ts'

/** As long as the query of a login may be, or nearly so. */
const LONG = `?redirect=/${'x'.repeat(1000)}`

it('a login that has begun ends after its secret was replaced, as long as that is listed', async () => {
  const { server, agent } = await start()
  const settings = server.app.get('authentication')
  const rotate = (secret: unknown) => server.app.set('authentication', { ...settings, secret })
  const callback = await visit(server, agent, 'nest', 'wren')

  rotate('another secret, which is as long as it has to be')
  await expectRefusal(await agent.request(callback))
  rotate(['another secret, which is as long as it has to be', settings.secret])
  expect((await agent.request(await visit(server, agent, 'nest', 'wren'))).status).toBe(200)

  const begun = await visit(server, agent, 'nest', 'wren')

  rotate([
    'a third secret, which is as long as it has to be too',
    'another secret, which is as long as it has to be'
  ])
  expect((await agent.request(begun)).status).toBe(200)
})

describe('a login is refused', () => {
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
