import { expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  createStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport,
  type TransportClient
} from '../support/transports.ts'

const CREDENTIALS = { email: 'ann@example.com', password: 'open sesame' }

/** Where it does not matter how a password is hashed. */
const quick = () => ({ local: { hasher: new CountingHasher() } })

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

const post = (client: TransportClient, path: string, body: unknown, headers = {}) =>
  client.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })

const logIn = (client: TransportClient, credentials: object = { strategy: 'local', ...CREDENTIALS }) =>
  client.call('create', 'authentication', { data: credentials })

async function getToken(client: TransportClient): Promise<string> {
  const { accessToken } = await logIn(client)

  return accessToken
}

/** A transport to an application with one user, who has signed up through it. */
async function openWithUser(open: OpenTransport, settings = {}) {
  let app: any
  const client = await open((application) => {
    app = application
    configureLogin(application, { settings })
  })
  const user = await client.call('create', 'users', { data: CREDENTIALS })

  return { app, client, user }
}

/** What the answer to a call is, or else the status of its error. */
const outcome = (
  ...[client, method, path, options]: [TransportClient, ...Parameters<TransportClient['call']>]
) => client.call(method, path, options).catch(({ code }) => code)

const MINE = { of: CREDENTIALS.email }

describeRemoteTransports('authentication', (open) => {
  it('a user signs up without ever seeing the hash of the password', async () => {
    const { app, user } = await openWithUser(open)

    expect(user).toEqual({ id: 0, email: CREDENTIALS.email })
    expect((await app.service('users').get(0)).password).toMatch(/^\$2b\$04\$/)
  })

  it('a login gives a token and the user', async () => {
    const { client, user } = await openWithUser(open)

    expect(await logIn(client)).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      authentication: { strategy: 'local', payload: expect.objectContaining({ sub: '0' }) },
      user
    })
  })

  it('a protected service answers who shows the token', async () => {
    const { client } = await openWithUser(open)
    const headers = bearer(await getToken(client))

    expect(await client.call('find', 'notes', { headers })).toEqual(MINE)
    expect(await client.call('create', 'notes', { data: { text: 'mine' }, headers })).toEqual({
      text: 'mine'
    })
  })

  it('without a token the answer is a 401', async () => {
    const { client } = await openWithUser(open, quick())

    for (const [method, options] of [
      ['find', {}],
      ['create', { data: { text: 'mine' } }]
    ] as const) {
      expect(await client.fail(method, 'notes', options)).toEqual({
        name: 'NotAuthenticated',
        message: 'Not authenticated',
        code: 401,
        className: 'not-authenticated'
      })
    }
  })

  it('a login that fails is a 401, whatever was wrong', async () => {
    const { client } = await openWithUser(open, quick())

    for (const wrong of [{ password: 'wrong' }, { password: '' }, { email: 'nobody@example.com' }]) {
      const data = { strategy: 'local', ...CREDENTIALS, ...wrong }

      expect(await client.fail('create', 'authentication', { data })).toEqual({
        name: 'NotAuthenticated',
        message: 'Invalid login',
        code: 401,
        className: 'not-authenticated'
      })
    }
  })

  it('a token can be shown again for the user that it belongs to', async () => {
    const { client, user } = await openWithUser(open, quick())
    const accessToken = await getToken(client)

    expect(await logIn(client, { strategy: 'jwt', accessToken })).toMatchObject({ accessToken, user })
  })

  it.each([
    ['null', () => null],
    ['the token', (token: string) => token]
  ])('after remove of %s the token is refused everywhere', async (_title, toId) => {
    const { client, user } = await openWithUser(open)
    const token = await getToken(client)
    const other = await getToken(client)
    const logout = { id: toId(token), headers: bearer(token) }

    expect(await client.call('remove', 'authentication', logout)).toMatchObject({ accessToken: token, user })

    for (const [method, path, options] of [
      ['find', 'notes', { headers: bearer(token) }],
      ['remove', 'authentication', logout],
      ['create', 'authentication', { data: { strategy: 'jwt', accessToken: token } }]
    ] as const) {
      expect(await client.fail(method, path, options)).toMatchObject({ name: 'NotAuthenticated', code: 401 })
    }

    // Who logs out here stays logged in elsewhere.
    expect(await client.call('find', 'notes', { headers: bearer(other) })).toEqual(MINE)
  })

  it('nobody is logged out by a token as the id alone, or by that of another login', async () => {
    const { client } = await openWithUser(open, quick())
    const token = await getToken(client)
    const other = await getToken(client)

    for (const headers of [{}, bearer(other), bearer('x')] as Record<string, string>[]) {
      expect(await outcome(client, 'remove', 'authentication', { id: token, headers })).toBe(401)
    }

    for (const accessToken of [token, other]) {
      expect(await client.call('find', 'notes', { headers: bearer(accessToken) })).toEqual(MINE)
    }
  })

  it('changing the password ends all sessions, removing the user too', async () => {
    const { app, client } = await openWithUser(open)
    const old = await getToken(client)
    const find = (token: string) => outcome(client, 'find', 'notes', { headers: bearer(token) })

    await app.service('users').patch(0, { password: 'another one' })
    expect(await find(old)).toBe(401)

    await app.service('users').patch(0, { password: CREDENTIALS.password })

    // The same password again is another hash.
    expect(await find(old)).toBe(401)

    const token = await getToken(client)

    expect(await find(token)).toEqual(MINE)
    await app.service('users').remove(0)
    expect(await find(token)).toBe(401)
  })

  it('another change of the user ends no session', async () => {
    const { app, client } = await openWithUser(open, quick())
    const token = await getToken(client)

    await app.service('users').patch(0, { name: 'Ann' })

    expect(await client.call('find', 'notes', { headers: bearer(token) })).toEqual(MINE)
  })

  it.each(['find', 'get', 'update', 'patch'])(
    'the authentication service does not know %s',
    async (method) => {
      const { client } = await openWithUser(open, quick())
      const options = { ...(method !== 'find' && { id: '0' }), ...(/date|tch/.test(method) && { data: {} }) }

      expect(await outcome(client, method, 'authentication', options)).toBe(405)
    }
  )
})

describeHttpTransports('requests that authenticate', (open) => {
  it('a login is a 201, which no cache keeps', async () => {
    const { client } = await openWithUser(open, quick())
    const response = await post(client, '/authentication', { strategy: 'local', ...CREDENTIALS })
    const { accessToken } = (await response.json()) as any
    const shown = await post(client, '/authentication', { strategy: 'jwt', accessToken })
    const out = await client.request('/authentication', { method: 'DELETE', headers: bearer(accessToken) })

    expect([response.status, shown.status, out.status]).toEqual([201, 201, 200])
    for (const { headers } of [response, shown, out]) expect(headers.get('cache-control')).toBe('no-store')
  })

  it('HEAD of a protected service needs the token too', async () => {
    const { client } = await openWithUser(open, quick())
    const headers = bearer(await getToken(client))

    expect((await client.request('/notes', { method: 'HEAD' })).status).toBe(401)
    expect((await client.request('/notes', { method: 'HEAD', headers })).status).toBe(200)
  })

  it('every 401 says which scheme is expected', async () => {
    const { client } = await openWithUser(open, quick())
    const headers = bearer(await getToken(client))

    expect((await client.request('/authentication', { method: 'DELETE', headers })).status).toBe(200)

    for (const response of [
      await client.request('/notes'),
      await post(client, '/notes', { text: 'mine' }),
      await post(client, '/authentication', { strategy: 'local', ...CREDENTIALS, password: '' }),
      await client.request('/notes', { headers }),
      await client.request('/authentication', { method: 'DELETE', headers })
    ]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(['GET', 'PUT', 'PATCH', 'HEAD'])('the authentication service does not know %s', async (method) => {
    const { client } = await openWithUser(open, quick())
    const response = await client.request('/authentication', {
      method,
      ...(method.startsWith('P') && { headers: { 'Content-Type': 'application/json' }, body: '{}' })
    })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, DELETE')
  })

  it.each([
    'createAccessToken',
    'verifyAccessToken',
    'revokeAccessToken',
    'authenticate',
    'register',
    'parse',
    'getFingerprint',
    'handleConnection',
    'getTokenOptions',
    'setup',
    'find',
    'create',
    'remove',
    'app',
    'constructor',
    '__proto__'
  ])('no header calls %s of the authentication service', async (name) => {
    const { client } = await openWithUser(open, quick())
    const token = await getToken(client)
    const response = await post(
      client,
      '/authentication',
      { strategy: 'local', ...CREDENTIALS, accessToken: token, sub: '0' },
      { ...bearer(token), 'X-Service-Method': name }
    )

    expect(response.status).toBe(405)
    expect(await response.text()).not.toContain('accessToken')
    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(200)
  })
})

const MALFORMED: { [title: string]: string } = {
  'an empty header': '',
  'spaces only': '    ',
  'a scheme only': 'Bearer',
  'a scheme and spaces': 'Bearer      ',
  'a scheme twice': 'Bearer Bearer',
  'another scheme': 'Basic YW5uOm9wZW4gc2VzYW1l',
  'a scheme that is a name of every object': 'constructor x.y.z',
  'many spaces': `Bearer${' '.repeat(7000)}x`,
  'many spaces inside': `Bearer x${' '.repeat(7000)}y`,
  'many tabs': `Bearer${'\t'.repeat(7000)}x`,
  'many schemes': 'Bearer '.repeat(900),
  'a long text': `Bearer ${'a'.repeat(7000)}`,
  'a long token': `Bearer ${'a'.repeat(3000)}.${'b'.repeat(3000)}.${'c'.repeat(1000)}`,
  'many dots': `Bearer ${'.'.repeat(7000)}`,
  'three empty parts': 'Bearer ..',
  'letters beyond ASCII': 'Bearer éÿü.éÿü.éÿü',
  'no-break spaces': 'Bearer\u00a0x.y.z',
  'two values': 'Bearer a.b.c, Bearer d.e.f',
  'a JSON text': 'Bearer {"strategy":"jwt"}',
  'percent-escapes': 'Bearer %00%zz',
  'null as a text': 'null',
  '[object Object]': '[object Object]',
  'parts that are JSON of other kinds': `Bearer ${[null, [], 5]
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
    .join('.')}`
}

describeHttpTransports('a malformed Authorization header', (open) => {
  it.each(Object.entries(MALFORMED))(
    '%s: 401 where a token is needed, and no matter elsewhere',
    async (_title, value) => {
      const client = await open((app) => void configureLogin(app, { settings: quick() }))
      const headers = { Authorization: value }
      const started = performance.now()
      const refused = await client.request('/notes', { headers })

      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
      expect(Object.keys((await refused.json()) as any)).toEqual(
        expect.arrayContaining(['name', 'message', 'code', 'className'])
      )

      expect((await client.request('/authentication', { method: 'DELETE', headers })).status).toBe(401)
      expect(await (await client.request('/things', { headers })).json()).toEqual({ open: true })
      expect((await post(client, '/users', { ...CREDENTIALS }, headers)).status).toBe(201)
      expect(
        (await post(client, '/authentication', { strategy: 'local', ...CREDENTIALS }, headers)).status
      ).toBe(201)
      expect(performance.now() - started).toBeLessThan(5000)
    }
  )
})

// A connection that begins with a token that is not valid does not begin, as in Feathers: it is somebody's, or nobody's.
describeRemoteTransports('a malformed Authorization header', (open) => {
  it.each(Object.entries(MALFORMED))('%s is nobody', async (_title, value) => {
    const client = await open((app) => void configureLogin(app, { settings: quick() }))
    const headers = { Authorization: value }
    const started = performance.now()

    for (const [method, path] of [
      ['find', 'notes'],
      ['remove', 'authentication']
    ] as const) {
      const error = await client.fail(method, path, { headers })

      expect(error).toMatchObject({ name: 'NotAuthenticated', code: 401 })
      expect(Object.keys(error)).toEqual(expect.arrayContaining(['message', 'className']))
    }

    expect(await client.call('find', 'things')).toEqual({ open: true })
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describeRemoteTransports('how credentials are found in a request', (open) => {
  it('the token stands in the header and behind the schemes of the configuration', async () => {
    const { client } = await openWithUser(open, { jwt: { header: 'X-Token', schemes: ['Ticket'] } })
    const token = await getToken(client)

    for (const [headers, answer] of [
      [{ 'X-Token': token }, MINE],
      [{ 'X-Token': `Ticket ${token}` }, MINE],
      [{ 'x-token': `tICKET   ${token} ` }, MINE],
      [{ 'X-Token': `Bearer ${token}` }, 401],
      [bearer(token), 401]
    ] as [Record<string, string>, unknown][]) {
      expect(await outcome(client, 'find', 'notes', { headers })).toEqual(answer)
    }
  })

  it('both schemes of Feathers, in any case, and no scheme at all lead to the token', async () => {
    const { client } = await openWithUser(open)
    const token = await getToken(client)

    for (const value of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `JWT ${token}`,
      `  Bearer   ${token}  `,
      token
    ]) {
      expect(await client.call('find', 'notes', { headers: { Authorization: value } })).toEqual(MINE)
    }
  })

  it('only parse strategies look at a request', async () => {
    const { client } = await openWithUser(open, { ...quick(), parseStrategies: [] })
    const token = await getToken(client)

    expect(await outcome(client, 'find', 'notes', { headers: bearer(token) })).toBe(401)
  })
})

// What a request shows is looked at when a service asks for it. What a connection begins with is a login by the default
// authentication service at once: it needs a strategy that may log in, and is verified before there are params.
describeHttpTransports('the credentials of a request', (open) => {
  it('the first strategy that finds something counts, and only a listed one may look or log in', async () => {
    const apiKey = () =>
      createStrategy(() => ({
        parse: async ({ headers }) =>
          headers['x-api-key'] ? { strategy: 'apiKey', key: headers['x-api-key'] } : null,
        authenticate: async ({ key }) => ({ authentication: { strategy: 'apiKey' }, key })
      }))
    const client = await open((app) => {
      const authentication = configureLogin(app, {
        settings: { ...quick(), authStrategies: ['local', 'jwt'], parseStrategies: ['apiKey', 'jwt'] }
      })

      authentication.register('apiKey', apiKey())
      authentication.register('unlisted', apiKey())
      app.use('either', {
        find: async ({ key, user }: any) => ({ key: key ?? null, email: user?.email ?? null })
      })
      app.service('either').hooks({ before: { all: [authenticate('jwt', 'apiKey')] } })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const headers = { ...bearer(await getToken(client)), 'X-API-Key': 'k' }
    const find = async (path: string, headers: Record<string, string>) => {
      const response = await client.request(path, { headers })

      return { status: response.status, body: (await response.json()) as any }
    }

    expect(await find('/either', headers)).toMatchObject({ body: { key: 'k', email: null } })
    expect(await find('/either', bearer(headers.Authorization.slice(7)))).toMatchObject({
      body: { key: null, email: CREDENTIALS.email }
    })
    // The hook of `notes` lets in `jwt` alone.
    expect((await find('/notes', headers)).status).toBe(401)

    for (const strategy of ['apiKey', 'unlisted']) {
      expect(await outcome(client, 'create', 'authentication', { data: { strategy, key: 'k' } })).toBe(401)
    }
  })

  it('what is found is on the params of every service, unverified', async () => {
    const client = await open((app) => {
      configureLogin(app)
      app.use('mirror', {
        find: async ({ authentication = null, authenticated = null, user = null }: any) => ({
          authentication,
          authenticated,
          user
        })
      })
    })
    const mirror = async (path: string, headers: Record<string, string> = {}) =>
      (await client.request(path, { headers })).json()
    const nobody = { authentication: null, authenticated: null, user: null }

    expect(await mirror('/mirror')).toEqual(nobody)
    expect(await mirror('/mirror', bearer('anything'))).toEqual({
      ...nobody,
      authentication: { strategy: 'jwt', accessToken: 'anything' }
    })
    // Neither a query nor a header becomes a param.
    expect(
      await mirror(
        '/mirror?authenticated=true&user[id]=0&authentication[strategy]=jwt&provider=&authentication[accessToken]=x',
        { authenticated: 'true', user: '0', provider: '' }
      )
    ).toEqual(nobody)
  })

  it('a service of its own settings takes only tokens of its own', async () => {
    const client = await open((app: any) => {
      configureLogin(app)
      app.set('staff', {
        ...app.get('authentication'),
        jwtOptions: { ...app.get('authentication').jwtOptions, audience: 'staff', expiresIn: '1h' }
      })

      const staff = new AuthenticationService(app, 'staff')

      staff.register('jwt', new JWTStrategy())
      staff.register('local', new LocalStrategy())
      app.use('staff/authentication', staff)
      app.use('safes', { find: async () => ({ gold: true }) })
      app
        .service('safes')
        .hooks({ before: { all: [authenticate({ service: 'staff/authentication', strategies: ['jwt'] })] } })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const usual = await getToken(client)
    const { accessToken: staff } = await client.call('create', 'staff/authentication', {
      data: { strategy: 'local', ...CREDENTIALS }
    })
    const status = async (path: string, token: string) =>
      (await client.request(path, { headers: bearer(token) })).status

    expect(await status('/notes', usual)).toBe(200)
    expect(await status('/safes', staff)).toBe(200)
    expect(await status('/safes', usual)).toBe(401)
    expect(await status('/notes', staff)).toBe(401)
  })
})
