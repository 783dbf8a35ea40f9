import type { Server } from 'node:http'
import original from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { CLIENT, startOpenidProvider } from '../support/oidc.ts'
import { logInAtFormProvider } from '../support/user-agent.ts'
import {
  begin,
  configureOAuth,
  listen,
  NOWHERE,
  type OAuthOptions,
  PAGE,
  startOAuth,
  transports
} from './app.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe.each(Object.keys(transports))('a provider that answers with a form, through %s', (transport) => {
  async function start() {
    const provider = await startOpenidProvider({ wren: { email: 'wren@example.org' } })
    const server = await startOAuth(
      {
        providers: { apple: { ...CLIENT, issuer: provider.issuer, scope: 'openid email' }, nest: NOWHERE },
        oauth: { redirect: PAGE }
      },
      transport
    )

    provider.allow(`${server.origin}/oauth/apple/callback`)

    return { provider, server, agent: server.createAgent() }
  }

  it('has the browser ask again, with its cookie', async () => {
    const { server, agent, provider } = await start()
    const { location } = await begin(server, agent, 'apple')
    const { action, fields } = await logInAtFormProvider(agent, location, 'wren')
    const user = '{"name":{"firstName":"Jenny & Co","lastName":"W+r=en"}}'

    // Without a cookie: it comes from another site.
    const posted = await server.send(action, {
      method: 'POST',
      headers: FORM,
      body: new URLSearchParams({ ...fields, user }).toString(),
      redirect: 'manual'
    })
    const next = new URL(posted.headers.get('location') as string)

    expect(action).toBe(`${server.origin}/oauth/apple/callback`)
    expect(posted.status).toBe(303)
    expect(await posted.text()).toBe('{}')
    expect(posted.headers.getSetCookie()).toEqual([])
    expect(posted.headers.get('cache-control')).toBe('no-store')
    expect(posted.headers.get('referrer-policy')).toBe('no-referrer')
    expect(`${next.origin}${next.pathname}`).toBe(action)
    expect(Object.fromEntries(next.searchParams)).toEqual({ ...fields, user })
    expect(provider.tokenRequests).toEqual([])

    const response = await agent.request(next)

    expect(response.headers.get('location')).toContain(`${PAGE}#access_token=`)
    expect(provider.tokenRequests).toHaveLength(1)
  })

  it.each([
    ['nothing', ''],
    ['what looks like another place', 'redirect=https://attacker.example&Location=//attacker.example'],
    ['line breaks', 'state=a%0d%0aLocation:%20https://attacker.example'],
    ['letters of all kinds', 'state=%C3%A9%F0%9F%90%A6%00'],
    ['many fields', Array.from({ length: 500 }, (_, index) => `f${index}=x`).join('&')]
  ])('sends it nowhere else for %s', async (_name, body) => {
    const { server } = await start()
    const response = await server.send(`${server.origin}/oauth/apple/callback`, {
      method: 'POST',
      headers: FORM,
      body,
      redirect: 'manual'
    })
    const { origin, pathname } = new URL(response.headers.get('location') as string)

    expect(response.status).toBe(303)
    expect(`${origin}${pathname}`).toBe(`${server.origin}/oauth/apple/callback`)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it.each([
    ['half an escape', 'state=%E0%A4', 400],
    ['__proto__', '__proto__=x', 400],
    ['constructor', 'a[constructor]=x', 400],
    ['too many fields', 'a=1&'.repeat(1001), 400],
    ['too deep a name', `a${'[b]'.repeat(40)}=1`, 400],
    ['a field twice', 'state=a&state=b', 400],
    ['a list', 'state[]=c', 400],
    ['an object', 'state[a][b]=c', 400],
    ['a field that cannot be a text', 'state[toString]=x&state[valueOf]=y', 400],
    ['too long a form', `a=${'x'.repeat(110_000)}`, 413]
  ])('refuses a form with %s', async (_name, body, status) => {
    const { server } = await start()
    const response = await server.send(`${server.origin}/oauth/apple/callback`, {
      method: 'POST',
      headers: FORM,
      body,
      redirect: 'manual'
    })

    expect(response.status).toBe(status)
  })

  it('is one that was asked to: others are refused', async () => {
    const { server } = await start()

    for (const name of ['nest', 'owl', '__proto__']) {
      const response = await server.send(`${server.origin}/oauth/${name}/callback`, {
        method: 'POST',
        headers: FORM,
        body: 'code=x&state=y',
        redirect: 'manual'
      })

      expect(response.status, name).toBe(405)
      expect(response.headers.get('location')).toBeNull()
    }
  })

  it('does not open other services to forms', async () => {
    const { server } = await start()

    for (const path of ['users', 'authentication', 'notes', 'oauth/apple', 'oauth/code']) {
      const response = await server.send(`${server.origin}/${path}`, {
        method: 'POST',
        headers: FORM,
        body: 'strategy=jwt&code=x'
      })

      expect(response.status, path).toBe(415)
    }

    expect(await server.users.find({ query: {} })).toEqual([])
  })

  it.each([
    ['text', 'text/plain'],
    ['parts', 'multipart/form-data; boundary=x'],
    ['nothing that is declared', 'application/octet-stream'],
    ['a type that begins like that of forms', 'application/x-www-form-urlencodedx']
  ])('does not take %s for a form', async (_name, type) => {
    const { server } = await start()
    const response = await server.send(`${server.origin}/oauth/apple/callback`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: 'code=x&state=y',
      redirect: 'manual'
    })

    expect(response.status).toBe(415)
  })
})

describe('a provider that answers with a form', () => {
  it.each<[string, (app: any) => void]>([
    ['no parser', () => undefined],
    ['a parser of JSON', (app) => app.use(original.json())],
    ['a parser of forms', (app) => app.use(original.urlencoded({ extended: true }))],
    ['a simple parser of forms', (app) => app.use(original.urlencoded({ extended: false }))],
    ['both', (app) => app.use(original.json(), original.urlencoded({ extended: true }))]
  ])('is understood behind %s of Express', async (_name, configure) => {
    const { server, origin } = await listen()
    const app: any = express(alula())

    configure(app)
    app.configure(rest())
    configureOAuth(app, origin, APPLE_ALONE)
    app.use(errorHandler({ logger: false }))
    server.on('request', app)
    await setUp(app, server)
    await expectForm(origin)
  })

  it.each<[string, object]>([
    ['as usual', {}],
    ['with a formatter', { formatter: (_request: any, response: any) => void response.json(response.data) }]
  ])('is understood by a server that exists already, %s', async (_name, options) => {
    const { server, origin } = await listen()
    const app: any = alula()

    configureOAuth(app, origin, APPLE_ALONE)
    server.on('request', original().use(toMiddleware(app, { logger: false, ...options })))
    await setUp(app, server)
    await expectForm(origin)
  })
})

const APPLE_ALONE: OAuthOptions = {
  providers: { apple: { ...NOWHERE, custom_params: { response_mode: 'form_post' } } }
}

async function setUp(app: any, server: Server): Promise<void> {
  onTestFinished(() => app.teardown())
  await app.setup(server)
}

async function expectForm(origin: string): Promise<void> {
  const response = await fetch(`${origin}/oauth/apple/callback`, {
    method: 'POST',
    headers: FORM,
    body: 'code=x%20y&state=z',
    redirect: 'manual'
  })

  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${origin}/oauth/apple/callback?code=x+y&state=z`)
}
