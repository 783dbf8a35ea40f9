import { expect, it } from 'vitest'
import { describeHttpTransports, describeRemoteTransports } from '../support/transports.ts'
import {
  bearer,
  CREDENTIALS,
  getToken,
  logIn,
  MINE,
  openWithUser,
  outcome,
  post,
  quick
} from './support/login.ts'

describeRemoteTransports('authentication', (open) => {
  it('a user signs up without ever seeing the hash of the password', async () => {
    const { app, user } = await openWithUser(open)

    expect(user).toEqual({ id: 0, email: CREDENTIALS.email })
    expect((await app.service('users').get(0)).password).toMatch(/^\$2b\$04\$/)
  })

  it('a login gives a token and the user', async () => {
    const { client, user } = await openWithUser(open, quick())

    expect(await logIn(client)).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      authentication: { strategy: 'local', payload: expect.objectContaining({ sub: '0' }) },
      user
    })
  })

  it('a protected service answers who shows the token', async () => {
    const { client } = await openWithUser(open, quick())
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
    const { client, user } = await openWithUser(open, quick())
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

  it('no cache keeps a list of tokens, a page of them, or one below a name', async () => {
    const results: { [name: string]: (token: object) => unknown } = {
      list: (token) => [token],
      page: (token) => ({ total: 1, data: [token] }),
      named: (token) => ({ login: token }),
      none: () => [{ accessToken: 'a' }]
    }
    const { app, client, user } = await openWithUser(open, quick())

    app.use('tokens', {
      get: async (id: string) => results[id]?.(await app.service('authentication').issueToken({ user }))
    })

    const read = async (id: string) => (await client.request(`/tokens/${id}`)).headers.get('cache-control')

    for (const id of ['list', 'page', 'named']) expect([id, await read(id)]).toEqual([id, 'no-store'])
    expect(await read('none')).toBe(null)
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

  const UNCALLABLE = [
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
  ]

  it('no header calls another method of the authentication service', async () => {
    const { client } = await openWithUser(open, quick())
    const token = await getToken(client)

    for (const name of UNCALLABLE) {
      const response = await post(
        client,
        '/authentication',
        { strategy: 'local', ...CREDENTIALS, accessToken: token, sub: '0' },
        { ...bearer(token), 'X-Service-Method': name }
      )

      expect(response.status, name).toBe(405)
      expect(await response.text()).not.toContain('accessToken')
    }

    expect((await client.request('/notes', { headers: bearer(token) })).status).toBe(200)
  })
})
