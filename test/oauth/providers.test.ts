import { generateKeyPairSync } from 'node:crypto'
import type { Server } from 'node:http'
import original from 'express'
import jwt from 'jsonwebtoken'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { getProvider } from '../../src/oauth/options.ts'
import { providers } from '../../src/oauth/providers.ts'
import { type OAuthProfile, OAuthStrategy } from '../../src/oauth.ts'
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
import {
  type Answer,
  DISCOVERY,
  describeOpenid,
  type SeenRequest,
  type StandIn,
  startStandIn
} from './stand-in.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' }
})

const APPLE = { teamId: 'the team', keyId: 'the key', privateKey }

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Keeps the profile that it gets. */
class Listening extends OAuthStrategy {
  profile: OAuthProfile | undefined

  override async getProfile(data: any) {
    this.profile = data.profile

    return data.profile
  }
}

interface Setting {
  readonly settings?: object
  /** What the provider answers besides tokens. */
  readonly answer?: (request: SeenRequest, standIn: StandIn) => Answer
  /** The claims of the ID token. */
  readonly claims?: (nonce: string | null) => object
  readonly options?: OAuthOptions
  readonly users?: readonly object[]
  /** What the callback has besides. */
  readonly search?: string
}

/** Logs in at a stand-in for a known provider. */
async function logInAs(
  name: string,
  { settings = {}, answer = () => undefined, claims, options = {}, users = [], search = '' }: Setting
) {
  let nonce: string | null = null
  const standIn = await startStandIn((request, self) => {
    if (request.path === DISCOVERY && claims) return describeOpenid(self.url)
    if (request.path === '/token') {
      return {
        access_token: 'a token of a stand-in',
        token_type: 'bearer',
        ...(claims && { id_token: self.sign(claims(nonce)) })
      }
    }

    return answer(request, self)
  })
  const strategy = new Listening()
  const { key, secret, authorize_url, access_url, profile_url } = standIn.plain
  const endpoints = claims ? { issuer: standIn.url } : { authorize_url, access_url, profile_url }
  const server = await startOAuth({
    ...options,
    providers: { [name]: { key, secret, ...endpoints, ...settings } },
    strategies: { [name]: strategy }
  })
  const agent = server.createAgent()

  for (const user of users) await server.users.create(user)

  const { location, state } = await begin(server, agent, name)

  nonce = new URL(location).searchParams.get('nonce')

  const response = await agent.request(
    `${server.origin}/oauth/${name}/callback?code=x&state=${encodeURIComponent(state)}${search}`
  )

  return {
    response,
    profile: strategy.profile,
    location: new URL(location),
    token: standIn.requests.find(({ path }) => path === '/token'),
    standIn,
    users: await server.users.find({ query: {} })
  }
}

describe('a known provider', () => {
  it.each([
    ['apple', 'https://appleid.apple.com', APPLE],
    ['gitlab', 'https://gitlab.com', {}],
    ['google', 'https://accounts.google.com', {}],
    ['linkedin', 'https://www.linkedin.com/oauth', {}],
    ['microsoft', 'https://login.microsoftonline.com/common/v2.0', {}]
  ])('%s needs a key and a secret, and is found by its issuer', async (name, issuer, others) => {
    const settings = name === 'apple' ? { key: 'x', ...others } : { key: 'x', secret: 'y' }

    // It throws for settings that are not enough.
    await startOAuth({ providers: { [name]: settings } })

    expect(getProvider(name, { [name]: settings })).toMatchObject({
      issuer,
      scope: ['openid', name === 'apple' ? 'name' : 'profile', 'email']
    })
  })

  it.each([
    ['discord', 'https://discord.com/oauth2/authorize', 'identify email'],
    ['facebook', 'https://www.facebook.com/v23.0/dialog/oauth', 'public_profile,email'],
    ['github', 'https://github.com/login/oauth/authorize', 'read:user user:email'],
    ['x', 'https://x.com/i/oauth2/authorize', 'tweet.read users.read users.email']
  ])('%s needs a key and a secret', async (name, authorizeUrl, scope) => {
    const server = await startOAuth({ providers: { [name]: { key: 'the key', secret: 'y' } } })
    const { location } = await begin(server, server.createAgent(), name)
    const { searchParams, origin, pathname } = new URL(location)

    expect(`${origin}${pathname}`).toBe(authorizeUrl)
    expect(searchParams.get('scope')).toBe(scope)
    expect(searchParams.get('client_id')).toBe('the key')
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
    expect(searchParams.has('nonce')).toBe(false)
    expect(searchParams.get('redirect_uri')).toBe(`${server.origin}/oauth/${name}/callback`)
  })

  it('is one of nine', () => {
    expect([...providers.keys()].sort()).toEqual([
      'apple',
      'discord',
      'facebook',
      'github',
      'gitlab',
      'google',
      'linkedin',
      'microsoft',
      'x'
    ])
  })

  it.each([...providers.keys()])('%s talks to others over HTTPS alone', (name) => {
    const { issuer, authorize_url, access_url, profile_url } = providers.get(name) as any

    for (const url of [issuer, authorize_url, access_url, profile_url].filter(Boolean)) {
      expect(new URL(url).protocol).toBe('https:')
    }
  })

  it('has settings that may be replaced one by one', async () => {
    const server = await startOAuth({
      providers: {
        github: { key: 'x', secret: 'y', scope: 'user:email', custom_params: { prompt: 'select_account' } }
      },
      oauth: {
        defaults: { origin: 'https://api.example.org', custom_params: { allow_signup: 'false', prompt: 'x' } }
      }
    })
    const { location } = await begin(server, server.createAgent(), 'github')

    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      scope: 'user:email',
      allow_signup: 'false',
      prompt: 'select_account',
      redirect_uri: 'https://api.example.org/oauth/github/callback'
    })
  })

  it.each([
    ...['state', 'nonce', 'code_challenge', 'code_challenge_method'],
    ...['redirect_uri', 'client_id', 'response_type', 'scope']
  ])('does not let settings replace what protects a login: %s', async (param) => {
    const providers = { nest: { ...NOWHERE, custom_params: { [param]: 'x' } } }

    await expect(startOAuth({ providers })).rejects.toThrow(
      `Invalid option 'nest.custom_params.${param}' of authentication.oauth: expected nothing, because every login has its own`
    )
  })
})

describe('GitHub', () => {
  const user = { id: 7, login: 'wren', email: 'public@example.org' }

  function answer(emails: Answer) {
    return ({ path, headers }: SeenRequest): Answer => {
      // It refuses requests without this one.
      if (!headers['user-agent']) return 403
      if (headers.authorization !== 'Bearer a token of a stand-in') return 401

      return path === '/user' ? user : path === '/user/emails' ? emails : undefined
    }
  }

  it.each<[string, Answer, object]>([
    [
      'the primary one, which was verified',
      [
        { email: 'old@example.org', verified: true, primary: false },
        { email: 'wren@example.org', verified: true, primary: true }
      ],
      { email: 'wren@example.org', email_verified: true }
    ],
    [
      'the primary one, which was not verified',
      [{ email: 'wren@example.org', verified: false, primary: true }],
      { email: 'wren@example.org', email_verified: false }
    ],
    [
      'the primary one, of which nothing is said',
      [{ email: 'wren@example.org', primary: true }],
      { email: 'wren@example.org', email_verified: false }
    ],
    [
      'the public one when none is primary',
      [{ email: 'wren@example.org', verified: true }],
      { email: 'public@example.org', email_verified: undefined }
    ],
    ['the public one without any', [], { email: 'public@example.org', email_verified: undefined }],
    [
      'the public one without leave to see the others',
      403,
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are not there',
      404,
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are no list',
      { message: 'x' },
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are nothing',
      [null, 1],
      { email: 'public@example.org', email_verified: undefined }
    ]
  ])('has as its address %s', async (_name, emails, expected) => {
    const { response, profile } = await logInAs('github', { answer: answer(emails) })

    expect(response.status).toBe(200)
    expect(profile).toMatchObject({ id: 7, login: 'wren', email: (expected as any).email })
    expect(profile?.email_verified).toBe((expected as any).email_verified)
  })

  it('says nothing of the verification of the public address, whatever it says', async () => {
    const { profile } = await logInAs('github', {
      answer: ({ path }) => (path === '/user' ? { ...user, email_verified: true } : undefined)
    })

    expect(profile).toEqual(user)
  })

  it('asks for JSON, and gives the secret in the body', async () => {
    const { token, standIn } = await logInAs('github', { answer: answer([]) })

    expect(token?.form.get('client_secret')).toBe(standIn.plain.secret)
    expect(token?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
    expect(token?.headers.accept).toContain('application/json')
  })

  it('does not connect an account by the public address', async () => {
    const { response, users } = await logInAs('github', {
      answer: answer([]),
      users: [{ email: 'public@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(response.status).toBe(401)
    expect(users).toEqual([{ id: 0, email: 'public@example.org', isVerified: true }])
  })
})

describe('Discord', () => {
  it.each([
    [true, true],
    [false, false],
    [undefined, false],
    ['true', false]
  ])('that says %s of an address says so of its verification', async (verified, expected) => {
    const { profile } = await logInAs('discord', {
      answer: ({ path }) =>
        path === '/user' ? { id: '80351110224678912', email: 'wren@example.org', verified } : undefined
    })

    expect(profile).toMatchObject({
      id: '80351110224678912',
      email: 'wren@example.org',
      email_verified: expected
    })
  })
})

describe('Facebook', () => {
  it('says nothing of the verification of an address, whatever it says', async () => {
    const { profile } = await logInAs('facebook', {
      answer: ({ path }) =>
        path === '/user' ? { id: '1', email: 'wren@example.org', email_verified: true } : undefined
    })

    expect(profile).toEqual({ id: '1', email: 'wren@example.org' })
  })
})

describe('Microsoft', () => {
  it('says nothing of the verification of an address, whatever it says', async () => {
    const { profile, response, users } = await logInAs('microsoft', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'robin@example.org', email_verified: true }),
      users: [{ email: 'robin@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(profile).toMatchObject({ sub: 'wren', email: 'robin@example.org' })
    expect(profile).not.toHaveProperty('email_verified')
    expect(response.status).toBe(401)
    expect(users).toEqual([{ id: 0, email: 'robin@example.org', isVerified: true }])
  })
})

describe('Google and GitLab', () => {
  it.each(['google', 'gitlab'])('%s says whether an address was verified', async (name) => {
    const { profile, users } = await logInAs(name, {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org', email_verified: true }),
      users: [{ email: 'wren@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(profile).toMatchObject({ sub: 'wren', email_verified: true })
    expect(users).toEqual([{ id: 0, email: 'wren@example.org', isVerified: true, [`${name}Id`]: 'wren' }])
  })
})

describe('LinkedIn', () => {
  it('gets no nonce, because it gives none back', async () => {
    const { location, response, token } = await logInAs('linkedin', { claims: () => ({ sub: 'wren' }) })

    expect(location.searchParams.has('nonce')).toBe(false)
    expect(response.status).toBe(200)
    expect(token?.form.get('client_secret')).toBeTruthy()
    expect(token?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
  })
})

describe('X', () => {
  it('has the profile inside of its answer, with an address that was confirmed', async () => {
    const { profile, token } = await logInAs('x', {
      answer: ({ path }) =>
        path === '/user'
          ? { data: { id: '7', username: 'wren', confirmed_email: 'wren@example.org' } }
          : undefined
    })

    expect(profile).toEqual({ id: '7', username: 'wren', email: 'wren@example.org', email_verified: true })
    expect(token?.headers.authorization).toMatch(/^Basic /)
    expect(token?.form.has('client_secret')).toBe(false)
  })

  it.each<[string, Answer, number]>([
    ['no address', { data: { id: '7' } }, 200],
    ['nothing inside', {}, 401],
    ['errors', { errors: [{ title: 'Forbidden' }] }, 401]
  ])('may answer with %s', async (_name, answer, status) => {
    const { response, profile } = await logInAs('x', {
      answer: ({ path }) => (path === '/user' ? answer : undefined)
    })

    expect(response.status).toBe(status)
    expect(profile).toEqual(status === 200 ? { id: '7' } : undefined)
  })
})

describe('Apple', () => {
  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
    [1, false]
  ])('may say of the verification of an address %j', async (email_verified, expected) => {
    const { profile } = await logInAs('apple', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org', email_verified })
    })

    expect(profile).toMatchObject({ sub: 'wren', email_verified: expected })
  })

  it.each([
    [
      'both names',
      '{"name":{"firstName":"Jenny","lastName":"Wren"},"email":"x@attacker.example"}',
      'Jenny Wren'
    ],
    ['one name', '{"name":{"firstName":"Jenny"}}', 'Jenny'],
    ['no names', '{"name":{}}', undefined],
    ['names that are no texts', '{"name":{"firstName":{"$gt":""},"lastName":1}}', undefined],
    ['nothing', '{}', undefined],
    ['null', 'null', undefined],
    ['no JSON', '<script>', undefined]
  ])('tells at the first login %s', async (_name, user, expected) => {
    const { profile } = await logInAs('apple', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org' }),
      search: `&user=${encodeURIComponent(user)}`
    })

    expect(profile?.name).toBe(expected)
    expect(profile?.email).toBe('wren@example.org')
  })

  it('gets as its secret a token that is signed with the key of the team', async () => {
    const { token, response } = await logInAs('apple', {
      settings: { ...APPLE, key: 'alula', secret: undefined },
      claims: (nonce) => ({ sub: 'wren', nonce })
    })
    const secret = token?.form.get('client_secret') as string
    const { header, payload } = jwt.verify(secret, publicKey, {
      algorithms: ['ES256'],
      audience: 'https://appleid.apple.com',
      issuer: 'the team',
      subject: 'alula',
      complete: true
    }) as any

    expect(header).toMatchObject({ alg: 'ES256', kid: 'the key' })
    expect(payload.exp - payload.iat).toBe(300)
    expect(response.status).toBe(200)
  })

  it.each([
    ['teamId', { ...APPLE, teamId: undefined }],
    ['keyId', { ...APPLE, keyId: undefined }],
    ['privateKey', { ...APPLE, privateKey: undefined }],
    ['teamId', {}]
  ])('is refused without %s', async (option, settings) => {
    await expect(
      startOAuth({ providers: { apple: { key: 'x', ...settings } } }).then(() => 'started')
    ).rejects.toThrow(
      new RegExp(
        `Invalid option '${option}' of authentication.oauth.apple: expected .* unless there is a 'secret'`
      )
    )
  })

  it('is refused with a key that is none', async () => {
    await expect(
      startOAuth({ providers: { apple: { key: 'x', ...APPLE, privateKey: 'not a key' } } }).then(
        () => 'started'
      )
    ).rejects.toThrow(/authentication\.oauth\.apple/)
  })
})

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
