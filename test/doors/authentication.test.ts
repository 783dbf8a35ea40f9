import { expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  createStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { type DoorClient, describeHttpDoors, type OpenDoor } from '../support/doors.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'

const CREDENTIALS = { email: 'ann@example.com', password: 'open sesame' }

/** Where it does not matter how a password is hashed. */
const quick = () => ({ local: { hasher: new CountingHasher() } })

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

const post = (client: DoorClient, path: string, body: unknown, headers = {}) =>
  client.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })

const logIn = (client: DoorClient) => post(client, '/authentication', { strategy: 'local', ...CREDENTIALS })

async function getToken(client: DoorClient): Promise<string> {
  const response = await logIn(client)
  const { accessToken } = (await response.json()) as any

  return accessToken
}

/** A door to an application with one user, who has signed up through it. */
async function openWithUser(open: OpenDoor, settings = {}) {
  let app: any
  const client = await open((application) => {
    app = application
    configureLogin(application, { settings })
  })
  const signedUp = await post(client, '/users', CREDENTIALS)

  expect(signedUp.status).toBe(201)

  return { app, client, user: (await signedUp.json()) as any }
}

describeHttpDoors('authentication', (open) => {
  it('a user signs up without ever seeing the hash of the password', async () => {
    const { app, user } = await openWithUser(open)

    expect(user).toEqual({ id: 0, email: CREDENTIALS.email })
    expect((await app.service('users').get(0)).password).toMatch(/^\$2b\$04\$/)
  })

  it('a login is a 201 with a token and the user, which no cache keeps', async () => {
    const { client, user } = await openWithUser(open)
    const response = await logIn(client)
    const body = (await response.json()) as any

    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      authentication: { strategy: 'local', payload: expect.objectContaining({ sub: '0' }) },
      user
    })
  })

  it('a protected service answers a request with the token', async () => {
    const { client } = await openWithUser(open)
    const headers = bearer(await getToken(client))
    const found = await client.request('/notes', { headers })
    const created = await post(client, '/notes', { text: 'mine' }, headers)

    expect(await found.json()).toEqual({ of: CREDENTIALS.email })
    expect(created.status).toBe(201)
  })

  it('HEAD of a protected service needs the token too', async () => {
    const { client } = await openWithUser(open, quick())
    const headers = bearer(await getToken(client))

    expect((await client.request('/notes', { method: 'HEAD' })).status).toBe(401)
    expect((await client.request('/notes', { method: 'HEAD', headers })).status).toBe(200)
  })

  it('without a token the answer is a 401 that says which scheme is expected', async () => {
    const { client } = await openWithUser(open, quick())

    for (const response of [await client.request('/notes'), await post(client, '/notes', { text: 'mine' })]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(await response.json()).toEqual({
        name: 'NotAuthenticated',
        message: 'Not authenticated',
        code: 401,
        className: 'not-authenticated'
      })
    }
  })

  it('a login that fails is a 401 that says which scheme is expected', async () => {
    const { client } = await openWithUser(open, quick())
    const response = await post(client, '/authentication', {
      strategy: 'local',
      ...CREDENTIALS,
      password: ''
    })

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('a token can be shown again for the user that it belongs to', async () => {
    const { client, user } = await openWithUser(open, quick())
    const accessToken = await getToken(client)
    const response = await post(client, '/authentication', { strategy: 'jwt', accessToken })

    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ accessToken, user })
  })

  it.each([
    ['DELETE /authentication', () => '/authentication'],
    ['DELETE /authentication/<token>', (token: string) => `/authentication/${token}`]
  ])('after %s the token is refused everywhere', async (_title, toPath) => {
    const { client, user } = await openWithUser(open)
    const token = await getToken(client)
    const other = await getToken(client)
    const response = await client.request(toPath(token), { method: 'DELETE', headers: bearer(token) })

    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ accessToken: token, user })

    const refused = [
      await client.request('/notes', { headers: bearer(token) }),
      await client.request(toPath(token), { method: 'DELETE', headers: bearer(token) }),
      await post(client, '/authentication', { strategy: 'jwt', accessToken: token })
    ]

    for (const { status, headers } of refused) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }

    // Who logs out here stays logged in elsewhere.
    expect((await client.request('/notes', { headers: bearer(other) })).status).toBe(200)
  })

  it('nobody is logged out by a token in the path alone, or by that of another login', async () => {
    const { client } = await openWithUser(open, quick())
    const token = await getToken(client)
    const other = await getToken(client)

    for (const headers of [{}, bearer(other), bearer('x')] as Record<string, string>[]) {
      const response = await client.request(`/authentication/${token}`, { method: 'DELETE', headers })

      expect(response.status).toBe(401)
    }

    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(200)
    expect((await client.request('/notes', { headers: bearer(other) })).status).toBe(200)
  })

  it('changing the password ends all sessions, removing the user too', async () => {
    const { app, client } = await openWithUser(open)
    const old = await getToken(client)

    await app.service('users').patch(0, { password: 'another one' })
    expect((await client.request('/notes', { headers: bearer(old) })).status).toBe(401)

    await app.service('users').patch(0, { password: CREDENTIALS.password })

    // The same password again is another hash.
    expect((await client.request('/notes', { headers: bearer(old) })).status).toBe(401)

    const token = await getToken(client)

    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(200)
    await app.service('users').remove(0)
    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(401)
  })

  it('another change of the user ends no session', async () => {
    const { app, client } = await openWithUser(open, quick())
    const token = await getToken(client)

    await app.service('users').patch(0, { name: 'Ann' })

    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(200)
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

describeHttpDoors('a malformed Authorization header', (open) => {
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

describeHttpDoors('how credentials are found in a request', (open) => {
  it('the token stands in the header and behind the schemes of the configuration', async () => {
    const { client } = await openWithUser(open, { jwt: { header: 'X-Token', schemes: ['Ticket'] } })
    const token = await getToken(client)

    for (const [headers, status] of [
      [{ 'X-Token': token }, 200],
      [{ 'X-Token': `Ticket ${token}` }, 200],
      [{ 'x-token': `tICKET   ${token} ` }, 200],
      [{ 'X-Token': `Bearer ${token}` }, 401],
      [bearer(token), 401]
    ] as [Record<string, string>, number][]) {
      expect((await client.request('/notes', { headers })).status).toBe(status)
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
      expect((await client.request('/notes', { headers: { Authorization: value } })).status).toBe(200)
    }
  })

  it('only parse strategies look at a request', async () => {
    const { client } = await openWithUser(open, { ...quick(), parseStrategies: [] })
    const token = await getToken(client)

    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(401)
  })

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

    await post(client, '/users', CREDENTIALS)

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
      expect((await post(client, '/authentication', { strategy, key: 'k' })).status).toBe(401)
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

    await post(client, '/users', CREDENTIALS)

    const usual = await getToken(client)
    const response = await post(client, '/staff/authentication', { strategy: 'local', ...CREDENTIALS })
    const { accessToken: staff } = (await response.json()) as any
    const status = async (path: string, token: string) =>
      (await client.request(path, { headers: bearer(token) })).status

    expect(await status('/notes', usual)).toBe(200)
    expect(await status('/safes', staff)).toBe(200)
    expect(await status('/safes', usual)).toBe(401)
    expect(await status('/notes', staff)).toBe(401)
  })
})
