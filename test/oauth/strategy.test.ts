import { describe, expect, it } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { type OAuthParams, type OAuthProfile, OAuthStrategy, oauth } from '../../src/oauth.ts'
import { socketio } from '../../src/socketio.ts'
import { SECRET } from '../support/login.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import {
  allow,
  createToken,
  logIn,
  NOWHERE,
  type OAuthOptions,
  PAGE,
  readJson,
  startOAuth,
  visit
} from './app.ts'

const WREN = { wren: { email: 'wren@example.org', email_verified: true, name: 'Wren' } }

/** An application that is not reached from outside, with a strategy for `nest`. */
async function create({
  strategy = new OAuthStrategy(),
  settings = {},
  oauth: options = {},
  origins
}: {
  strategy?: OAuthStrategy
  settings?: object
  oauth?: object
  origins?: unknown
} = {}) {
  const app: any = alula()

  if (origins) app.set('origins', origins)
  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt', 'nest'],
    ...settings,
    oauth: { defaults: { origin: 'https://api.example.org' }, nest: NOWHERE, ...options }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  auth.register('nest', strategy)
  app.use('authentication', auth)
  app.use('users', memory())
  app.configure(oauth())
  await app.setup()

  return { app, strategy, auth: app.service('authentication'), users: app.service('users') }
}

/** Logs in at a provider with a strategy; returns the answer and the users. */
async function logInWith(strategy: OAuthStrategy, options: OAuthOptions = {}, users: object[] = []) {
  const provider = await startOpenidProvider(WREN)
  const server = await startOAuth({
    ...options,
    providers: { nest: { ...provider.openid, scope: 'openid email profile' } },
    strategies: { nest: strategy }
  })

  allow(provider, server, 'nest')
  for (const user of users) await server.users.create(user)

  const response = await logIn(server, server.createAgent(), 'nest', 'wren')

  return {
    response,
    server,
    text: await response.clone().text(),
    users: await server.users.find({ query: {} })
  }
}

function notePatch(_entity: any, profile: OAuthProfile): object {
  return { name: profile.name }
}

describe('a strategy of one’s own decides', () => {
  it('what the profile is', async () => {
    class Strategy extends OAuthStrategy {
      override async getProfile(data: any, _params: OAuthParams) {
        expect(data).toMatchObject({
          strategy: 'nest',
          access_token: expect.any(String),
          id_token: expect.any(String)
        })
        expect(data.raw).toMatchObject({ token_type: 'bearer' })

        return { sub: `of ${data.profile.sub}`, name: data.profile.name }
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([{ id: 0, nestId: 'of wren' }])
  })

  it('by which query an entity is found', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityQuery(profile: OAuthProfile, params: OAuthParams) {
        expect(params.oauth).toMatchObject({ provider: 'nest' })

        return { ...(await super.getEntityQuery(profile, params)), isGone: { $ne: true } }
      }
    }

    const { users } = await logInWith(new Strategy(), {}, [{ nestId: 'wren', isGone: true }])

    expect(users).toEqual([
      { id: 0, nestId: 'wren', isGone: true },
      { id: 1, nestId: 'wren' }
    ])
  })

  it('what is stored of a new entity, and of one that there is', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityData(profile: OAuthProfile, existing: any, params: OAuthParams) {
        return {
          ...(await super.getEntityData(profile, existing, params)),
          name: profile.name,
          ...(existing ? { seen: (existing.seen ?? 0) + 1 } : { isNew: true })
        }
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren', isNew: true }
    ])
    expect((await logInWith(new Strategy(), {}, [{ nestId: 'wren', seen: 2 }])).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren', seen: 3 }
    ])
  })

  it('which entity it is', async () => {
    class Strategy extends OAuthStrategy {
      override async findEntity() {
        return this.entityService.get(1)
      }

      override async isLinked() {
        return true
      }
    }

    const { text, users } = await logInWith(new Strategy(), {}, [{ name: 'robin' }, { name: 'wren' }])

    expect(JSON.parse(text).user).toEqual({ id: 1, name: 'wren', nestId: 'wren' })
    expect(users[0]).toEqual({ id: 0, name: 'robin' })
  })

  it('whether an entity that was found belongs to the profile', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityQuery(profile: OAuthProfile) {
        return { account: `nest ${profile.sub}` }
      }

      override async getEntityData(profile: OAuthProfile) {
        return { account: `nest ${profile.sub}` }
      }

      override async isLinked(entity: any, profile: OAuthProfile) {
        return entity.account === `nest ${profile.sub}`
      }
    }

    const { users, response } = await logInWith(new Strategy(), {}, [{ account: 'nest wren' }])

    expect(response.status).toBe(200)
    expect(users).toHaveLength(1)
  })

  it('how an entity is created', async () => {
    class Strategy extends OAuthStrategy {
      override async createEntity(profile: OAuthProfile, params: OAuthParams) {
        expect(params.provider).toBeUndefined()

        return this.entityService.create({ nestId: profile.sub, invitedBy: 'robin' })
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([{ id: 0, nestId: 'wren', invitedBy: 'robin' }])
  })

  it('that nobody is created', async () => {
    class Strategy extends OAuthStrategy {
      override async createEntity(): Promise<never> {
        const { NotAuthenticated } = await import('../../src/errors.ts')

        throw new NotAuthenticated('Ask for an invitation')
      }
    }

    const { response, text, users } = await logInWith(new Strategy())

    expect(response.status).toBe(401)
    expect(JSON.parse(text).message).toBe('Ask for an invitation')
    expect(users).toEqual([])
  })

  it('how an entity is updated', async () => {
    class Strategy extends OAuthStrategy {
      override async updateEntity(entity: any, profile: OAuthProfile, params: OAuthParams) {
        expect(params.provider).toBeUndefined()

        return this.entityService.patch(entity.id, notePatch(entity, profile))
      }
    }

    expect((await logInWith(new Strategy(), {}, [{ nestId: 'wren' }])).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren' }
    ])
  })

  it('who is logged in', async () => {
    class Strategy extends OAuthStrategy {
      override async getCurrentEntity() {
        return this.entityService.get(0)
      }
    }

    expect((await logInWith(new Strategy(), {}, [{ name: 'robin' }])).users).toEqual([
      { id: 0, name: 'robin', nestId: 'wren' }
    ])
  })

  it('what of an entity the caller sees', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntity(result: any, params: OAuthParams) {
        expect(params.provider).toBe('rest')

        return { id: result.id, of: 'wren' }
      }
    }

    expect(JSON.parse((await logInWith(new Strategy())).text).user).toEqual({ id: 0, of: 'wren' })
  })

  it('where the browser goes', async () => {
    class Strategy extends OAuthStrategy {
      override async getRedirect(data: any, params: OAuthParams) {
        return data.accessToken ? `${PAGE}/in?id=${data.user.id}&for=${params.query?.for}` : `${PAGE}/out`
      }
    }

    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      strategies: { nest: new Strategy() }
    })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await logIn(server, agent, 'nest', 'wren', '?for=tea')
    const refused = await agent.request(`${server.origin}/oauth/nest/callback`)

    expect(response.headers.get('location')).toBe(`${PAGE}/in?id=0&for=tea`)
    expect(refused.headers.get('location')).toBe(`${PAGE}/out`)
  })

  it('which page is allowed', async () => {
    class Strategy extends OAuthStrategy {
      override async getAllowedOrigin(params: OAuthParams = {}) {
        return params.query?.mobile ? 'https://m.example.org' : PAGE
      }
    }

    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      strategies: { nest: new Strategy() }
    })

    allow(provider, server, 'nest')

    const usual = await logIn(server, server.createAgent(), 'nest', 'wren', '?redirect=/x')
    const mobile = await logIn(server, server.createAgent(), 'nest', 'wren', '?mobile=1&redirect=/x')

    expect(usual.headers.get('location')).toContain(`${PAGE}/x#access_token=`)
    expect(mobile.headers.get('location')).toContain('https://m.example.org/x#access_token=')
  })

  it('what a login results in', async () => {
    class Strategy extends OAuthStrategy {
      override async authenticate(data: any, params: OAuthParams) {
        const result = await super.authenticate(data, params)

        return { ...result, authentication: { ...result.authentication, scope: data.raw.scope } }
      }
    }

    expect(JSON.parse((await logInWith(new Strategy())).text).authentication).toMatchObject({
      strategy: 'nest',
      scope: 'openid email profile'
    })
  })
})

describe('getRedirect', () => {
  it.each([
    ['/home', undefined, '/home#access_token=testing'],
    ['/home', '/hi-there', '/home/hi-there#access_token=testing'],
    ['/home/', '/hi-there', '/home/hi-there#access_token=testing'],
    ['/home?', undefined, '/home?access_token=testing'],
    ['/#dashboard', undefined, '/#dashboard?access_token=testing'],
    ['/?a=1', undefined, '/?a=1#access_token=testing'],
    ['/', '/home', '/home#access_token=testing'],
    [PAGE, undefined, `${PAGE}#access_token=testing`],
    [PAGE, '/home', `${PAGE}/home#access_token=testing`],
    [`${PAGE}/a`, '/b/', `${PAGE}/a/b/#access_token=testing`],
    [`${PAGE}/?`, '/home', `${PAGE}/home?access_token=testing`],
    [PAGE, '#dashboard', `${PAGE}/#dashboard?access_token=testing`],
    [PAGE, '?tab=2', `${PAGE}/?tab=2#access_token=testing`]
  ])('of the page %s with %s is %s', async (page, redirect, expected) => {
    const { strategy } = await create({ oauth: { redirect: page } })

    expect(
      await strategy.getRedirect({ accessToken: 'testing' }, redirect === undefined ? {} : { redirect })
    ).toBe(expected)
  })

  it('says what went wrong', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getRedirect(new Error('something went wrong'), { redirect: '/hi-there' })).toBe(
      '/home/hi-there#error=something%20went%20wrong'
    )
    expect(await strategy.getRedirect(new Error())).toBe(
      '/home#error=OAuth%20Authentication%20not%20successful'
    )
    expect(await strategy.getRedirect(new Error('a&access_token=b#c'))).toBe(
      '/home#error=a%26access_token%3Db%23c'
    )
  })

  it('says what went wrong, also where that is no text of Unicode', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getRedirect(new Error('no \ud800'))).toBe('/home#error=no%20%EF%BF%BD')
  })

  it('is null without a page', async () => {
    const { strategy } = await create()

    expect(await strategy.getRedirect({ accessToken: 'testing' })).toBeNull()
    expect(await strategy.getRedirect(new Error(), { redirect: '/home' })).toBeNull()
  })

  it('escapes what stands in a token', async () => {
    const { strategy } = await create({ oauth: { redirect: PAGE } })

    expect(await strategy.getRedirect({ accessToken: 'a&b=c#d e' })).toBe(
      `${PAGE}#access_token=a%26b%3Dc%23d%20e`
    )
  })

  it.each([
    '@attacker.example',
    '.attacker.example',
    '//attacker.example',
    'https://attacker.example',
    ':80'
  ])('refuses %s', async (redirect) => {
    const { strategy } = await create({ oauth: { redirect: PAGE } })

    await expect(strategy.getRedirect({ accessToken: 'testing' }, { redirect })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Invalid redirect path.'
    })
  })
})

describe('getAllowedOrigin', () => {
  const origins = ['https://feathersjs.com', 'https://feathers.cloud']

  it.each([
    [undefined, 'https://feathersjs.com'],
    ['https://feathersjs.com/somewhere', 'https://feathersjs.com'],
    ['HTTPS://feathers.CLOUD/x?y#z', 'https://feathers.cloud']
  ])('of the referer %s is %s', async (referer, expected) => {
    const { strategy } = await create({ oauth: { origins } })

    expect(await strategy.getAllowedOrigin({ headers: { referer } } as any)).toBe(expected)
  })

  it.each([
    'https://example.com',
    'https://feathersjs.com.attacker.example',
    'http://feathersjs.com',
    'x',
    '*'
  ])('refuses the referer %s', async (referer) => {
    const { strategy } = await create({ oauth: { origins } })

    await expect(strategy.getAllowedOrigin({ headers: { referer } })).rejects.toMatchObject({ code: 401 })
  })

  it('goes by the setting of the application too', async () => {
    const { strategy } = await create({ origins })

    expect(await strategy.getAllowedOrigin({})).toBe('https://feathersjs.com')
    expect(await strategy.getAllowedOrigin({ headers: { referer: 'https://feathers.cloud/' } })).toBe(
      'https://feathers.cloud'
    )
  })

  it('goes by those of the configuration first', async () => {
    const { strategy } = await create({ origins, oauth: { origins: [PAGE] } })

    expect(await strategy.getAllowedOrigin({})).toBe(PAGE)
    await expect(
      strategy.getAllowedOrigin({ headers: { referer: 'https://feathers.cloud/' } })
    ).rejects.toMatchObject({ code: 401 })
  })

  it('is the page when there are no origins, wherever a login was started', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getAllowedOrigin({})).toBe('/home')
    expect(await strategy.getAllowedOrigin({ headers: { referer: 'https://attacker.example' } })).toBe(
      '/home'
    )
    expect(await (await create()).strategy.getAllowedOrigin({})).toBeNull()
  })

  it('of an empty list is the page, at the beginning and at the end of a login', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      oauth: { origins: [], redirect: PAGE }
    })

    allow(provider, server, 'nest')

    const response = await logIn(server, server.createAgent(), 'nest', 'wren')

    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toContain(`${PAGE}#access_token=`)
  })
})

describe('what a request says of itself', () => {
  const FORGED = { strategy: 'nest', profile: { sub: 'wren', id: 'wren' }, access_token: 'x' }

  it.each([
    ['the profile', FORGED],
    [
      'what a callback sets',
      { ...FORGED, oauth: { provider: 'nest' }, params: { oauth: { provider: 'nest' } } }
    ],
    ['an authenticated profile', { ...FORGED, authenticated: true, provider: undefined }],
    ['nothing', { strategy: 'nest' }]
  ])('logs nobody in, whatever the allowed strategies: %s', async (_name, data) => {
    const server = await startOAuth({
      providers: { nest: NOWHERE },
      settings: { authStrategies: ['jwt', 'nest'] }
    })

    await server.users.create({ nestId: 'wren' })

    for (const search of ['', '?oauth[provider]=nest', '?provider=nest']) {
      const response = await server.send(`${server.origin}/authentication${search}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(data)
      })

      expect(response.status).toBe(401)
      expect((await readJson(response)).message).toBe("Login with 'nest' begins at /oauth/nest")
    }
  })

  it('logs nobody in over a socket', async () => {
    const { app, users } = await startOAuth({
      providers: { nest: NOWHERE },
      settings: { authStrategies: ['jwt', 'nest'] },
      configure: (app) => app.configure(socketio({ logger: false }))
    })
    const url = await serve(app)
    const socket = await connectSocket(url)

    await users.create({ nestId: 'wren' })

    const [error, result] = await ask(socket, 'create', 'authentication', FORGED, {
      oauth: { provider: 'nest' }
    })

    expect(error).toMatchObject({ code: 401 })
    expect(result).toBeUndefined()

    const greeted = await connectSocket(url, { auth: FORGED })

    expect((await ask(greeted, 'find', 'notes', {}))[0]).toMatchObject({ code: 401 })
  })

  it('is refused without a word of it where the strategy is not allowed', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE } })
    const response = await server.send(`${server.origin}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(FORGED)
    })

    expect(await readJson(response)).toMatchObject({
      code: 401,
      message: 'Invalid authentication information (strategy not allowed in authStrategies)'
    })
  })

  it('is believed when it is the server that says it', async () => {
    const { auth, users } = await create()
    const first = await auth.create(FORGED)
    const second = await auth.create(FORGED, {})

    expect(first).toMatchObject({
      accessToken: expect.any(String),
      authentication: { strategy: 'nest' },
      user: { id: 0, nestId: 'wren' }
    })
    expect(second.user).toEqual(first.user)
    expect(await users.find()).toHaveLength(1)
  })

  it('connects the account of who is logged in when the server says so', async () => {
    const { auth, users } = await create()
    const robin = await users.create({ name: 'robin' })
    const accessToken = await auth.createAccessToken({}, { subject: String(robin.id) })

    await auth.create(FORGED, { authentication: { strategy: 'jwt', accessToken } })

    expect(await users.find()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('is refused when it is for a provider other than the one that was asked', async () => {
    const { auth } = await create()

    await expect(
      auth.create(FORGED, { provider: 'rest', oauth: { provider: 'tree' } } as any)
    ).rejects.toMatchObject({ code: 401 })
  })
})

describe('the answer to a login', () => {
  it('has nothing of what is protected', async () => {
    const { text } = await logInWith(new OAuthStrategy(), {}, [{ nestId: 'wren', password: 'of the wren' }])

    expect(JSON.parse(text).user).toEqual({ id: 0, nestId: 'wren' })
    expect(text).not.toContain('of the wren')
  })

  it('has no entity where there is none', async () => {
    const { text, users, response } = await logInWith(new OAuthStrategy(), { settings: { entity: null } })

    expect(response.status).toBe(200)
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(['accessToken', 'authentication'])
    expect(users).toEqual([])
  })

  it('has nothing of what the provider has given', async () => {
    const { text } = await logInWith(new OAuthStrategy())

    expect(Object.keys(JSON.parse(text)).sort()).toEqual(['accessToken', 'authentication', 'user'])
    expect(text).not.toMatch(/access_token|id_token|refresh_token|raw|profile/)
  })

  it('is seen by the hooks of the authentication service, and by those of the users', async () => {
    const seen: any[] = []
    const { server } = await logInWith(new OAuthStrategy(), {
      configure: (app) => {
        app.service('authentication').hooks({
          before: { create: [({ params }: any) => void seen.push(['login', params.provider, params.query])] }
        })
        app.service('users').hooks({
          before: {
            find: [({ params }: any) => void seen.push(['find', params.provider])],
            create: [({ params }: any) => void seen.push(['create', params.provider, params.oauth.provider])],
            get: [({ params }: any) => void seen.push(['get', params.provider])]
          }
        })
      }
    })

    expect(server).toBeDefined()
    expect(seen.slice(0, 4)).toEqual([
      ['login', 'rest', {}],
      ['find', undefined],
      ['create', undefined, 'nest'],
      ['get', 'rest']
    ])
  })

  it('is for the one who has logged in at the provider, whoever sends the callback', async () => {
    const provider = await startOpenidProvider(WREN)
    const seen: unknown[] = []
    const server = await startOAuth({
      providers: { nest: provider.openid },
      configure: (app) => {
        for (const path of ['authentication', 'users']) {
          app.service(path).hooks({
            before: { create: [({ params }: any) => void seen.push(params.authentication)] }
          })
        }
      }
    })
    const robin = await server.users.create({ name: 'robin' })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await agent.request(await visit(server, agent, 'nest', 'wren'), {
      headers: { Authorization: `Bearer ${await createToken(server, robin.id)}` }
    })

    expect((await readJson(response)).user).toEqual({ id: 1, nestId: 'wren' })
    expect(seen).toEqual([undefined, undefined, undefined])
  })

  it('works with pages of results, and with an id of another name', async () => {
    const { users, response } = await logInWith(
      new OAuthStrategy(),
      { users: { id: 'key', paginate: { default: 1, max: 1 } } as any },
      [{ nestId: 'robin' }, { nestId: 'wren' }]
    )

    expect(response.status).toBe(200)
    expect((await readJson(response)).user).toEqual({ key: 1, nestId: 'wren' })
    expect(users.total).toBe(2)
  })
})
