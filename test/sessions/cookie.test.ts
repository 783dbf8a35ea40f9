import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { listen, serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { configureSessions, createApp, LOGIN, WREN } from './app.ts'

const NAME = '__Host-authentication-refresh'

interface Sent {
  readonly cookie?: string | undefined
  readonly origin?: string | null
  readonly accessToken?: string | undefined
  readonly path?: string
}

/** An application with refresh tokens in cookies, over REST and sockets. */
async function start(options: object = {}) {
  const app: any = express(alula())

  app.configure(rest()).configure(socketio())
  configureSessions(app, { refresh: { cookie: true }, ...options })
  app.use(
    'signup',
    { create: async (_data: object, params: any) => issue(app, params) },
    { methods: ['create'] }
  )
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  await app.service('users').create(WREN)

  return { app, url, ...talkTo(url) }
}

function issue(app: any, params: object): Promise<object> {
  return app.service('authentication').issueToken({ user: { id: 1 } }, { ...params, refresh: true })
}

function talkTo(url: string) {
  async function send(
    method: string,
    data: object | undefined,
    { cookie, origin = url, accessToken, path = 'authentication' }: Sent = {}
  ) {
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: {
        ...(data && { 'Content-Type': 'application/json' }),
        ...(origin && { Origin: origin }),
        ...(cookie && { Cookie: cookie }),
        ...(accessToken && { Authorization: `Bearer ${accessToken}` })
      },
      ...(data && { body: JSON.stringify(data) })
    })
    const set = response.headers.getSetCookie()

    return {
      status: response.status,
      body: (await response.json()) as any,
      set,
      cookie: set[0]?.split(';')[0]
    }
  }

  return {
    post: (data: object, sent?: Sent) => send('POST', data, sent),
    refresh: (cookie: string | undefined, sent: Sent = {}) =>
      send('POST', { strategy: 'refresh' }, { cookie, ...sent }),
    logOut: (sent: Sent) => send('DELETE', undefined, sent)
  }
}

describe('a refresh token in a cookie', () => {
  it('is not in the body, and refreshes alone', async () => {
    const { post, refresh } = await start()
    const login = await post(LOGIN)

    expect(login).toMatchObject({ status: 201, body: { accessToken: expect.any(String) } })
    expect(JSON.stringify(login.body)).not.toContain('efreshToken')
    expect(login.set).toEqual([
      expect.stringMatching(
        /^__Host-authentication-refresh=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600; Secure$/
      )
    ])

    const next = await refresh(login.cookie)

    expect(next).toMatchObject({
      status: 201,
      body: { authentication: { payload: { session: { counter: 2 } } } }
    })
    expect(next.body).not.toHaveProperty('refreshToken')
    expect((await refresh(next.cookie)).body.authentication.payload.session.counter).toBe(3)
  })

  it('is in no body either when sessions are switched off during the refresh', async () => {
    const { app, post, refresh } = await start()
    const { cookie } = await post(LOGIN)
    const { refresh: _, ...others } = app.get('authentication')

    app.service('users').hooks({ before: { get: [() => void app.set('authentication', others)] } })

    const { status, body, set } = await refresh(cookie)

    expect([status, set]).toEqual([201, [expect.stringContaining(NAME)]])
    expect(body).not.toHaveProperty('refreshToken')
  })

  it('has no prefix for development on HTTP', async () => {
    const { post, refresh } = await start({ refresh: { cookie: { secure: false } } })
    const { set, cookie } = await post(LOGIN)

    expect(set[0]).toMatch(/^authentication-refresh=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
    expect(await refresh(cookie)).toMatchObject({ status: 201 })
  })

  it.each<[string, Sent]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['without an origin', { origin: null }],
    ['with an opaque origin', { origin: 'null' }]
  ])('does nothing for a page %s', async (_name, sent) => {
    const { post, refresh, logOut } = await start()
    const { cookie } = await post(LOGIN)

    expect(await refresh(cookie, sent)).toMatchObject({ status: 403, set: [] })
    expect(await logOut({ cookie, ...sent })).toMatchObject({ status: 403, set: [] })
    expect(await refresh(cookie)).toMatchObject({
      status: 201,
      body: { authentication: { payload: { session: { counter: 2 } } } }
    })
  })

  it('refreshes for a page of a known origin', async () => {
    const { app, post, refresh } = await start()

    app.set('origins', ['https://app.example.org'])

    const { cookie } = await post(LOGIN)

    expect(await refresh(cookie, { origin: 'https://app.example.org' })).toMatchObject({ status: 201 })
  })

  it('is set by no login that a page of others has its visitors make, nor by a refresh with a token of others', async () => {
    const { app, post } = await start()
    const origin = 'https://evil.example'
    const { refreshToken } = await app.service('authentication').create(LOGIN)

    expect(await post(LOGIN, { origin })).toMatchObject({ status: 403, set: [] })
    expect(await post({ strategy: 'refresh', refreshToken }, { origin })).toMatchObject({
      status: 403,
      set: []
    })
    expect(await post({}, { origin, path: 'signup' })).toMatchObject({ status: 403, set: [] })
    // A program is no page.
    expect(await post(LOGIN, { origin: null })).toMatchObject({ status: 201 })
    expect(await post({ ...LOGIN, refresh: false }, { origin })).toMatchObject({ status: 201, set: [] })
  })

  it('comes with issueToken too', async () => {
    const { post, refresh } = await start()
    const { body, cookie } = await post({}, { path: 'signup' })

    expect(body).toEqual({ accessToken: expect.any(String), user: { id: 1, email: WREN.email } })
    expect(await refresh(cookie)).toMatchObject({ status: 201 })
  })

  it('is set and cleared where hooks return a copy of the result', async () => {
    const { app, post, refresh, logOut } = await start()
    const copyResult = (context: any) => {
      context.result = { ...context.result, plan: 'free' }
    }

    app.service('authentication').hooks({ after: { create: [copyResult], remove: [copyResult] } })

    const { cookie, body } = await post(LOGIN)
    const next = await refresh(cookie)

    expect(body).toMatchObject({ plan: 'free' })
    expect(next).toMatchObject({ status: 201, set: [expect.stringContaining(`${NAME}=`)] })
    expect(await logOut({ cookie: next.cookie })).toMatchObject({
      status: 200,
      set: [expect.stringContaining('Max-Age=0')]
    })
  })

  it('is not sent where a hook withholds the login', async () => {
    const { app, post } = await start()

    app.service('authentication').hooks({
      after: {
        create: [(context: any) => Object.assign(context, { result: { secondFactor: true } })]
      }
    })

    const { body, set } = await post(LOGIN)

    expect(body).toEqual({ secondFactor: true })
    expect(set).toEqual([])
  })

  it('ends the session that a login replaces', async () => {
    const { post, refresh } = await start()
    const { cookie } = await post(LOGIN)

    await post(LOGIN, { cookie })
    expect(await refresh(cookie)).toMatchObject({ status: 401, body: { data: { reason: 'ended' } } })
  })

  it('goes by a token in the body first, as of clients from before the cookie', async () => {
    const { app, post } = await start()
    const { refreshToken } = await app.service('authentication').create(LOGIN)
    const { body, cookie } = await post({ strategy: 'refresh', refreshToken })

    expect(body).not.toHaveProperty('refreshToken')
    expect(cookie).toContain(`${NAME}=${refreshToken.split('.')[0]}.2.`)
  })
})

describe('a logout clears the cookie', () => {
  const CLEARED = [`${NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure`]

  it('and ends its session, without an access token', async () => {
    const { post, refresh, logOut } = await start()
    const { cookie } = await post(LOGIN)

    expect(await logOut({ cookie })).toMatchObject({ status: 200, set: CLEARED, body: { user: { id: 1 } } })
    expect(await refresh(cookie)).toMatchObject({ status: 401, body: { data: { reason: 'ended' } } })
  })

  it('and ends another login of the request, too', async () => {
    const { app, post, refresh, logOut } = await start()
    const { cookie } = await post(LOGIN)
    const { accessToken } = (await post({ ...LOGIN, refresh: false })).body

    expect(await logOut({ cookie, accessToken })).toMatchObject({ status: 200, set: CLEARED })
    expect(await refresh(cookie)).toMatchObject({ status: 401 })
    await expect(app.service('authentication').verifyAccessToken(accessToken)).rejects.toThrow('jwt revoked')
  })

  it('when its session is over, or it is none of ours', async () => {
    const { app, post, logOut } = await start()
    const { cookie, body } = await post(LOGIN)

    await app.service('authentication').endSessions(1)
    expect(await logOut({ cookie, accessToken: body.accessToken })).toMatchObject({
      status: 200,
      set: CLEARED
    })
    expect(await logOut({ cookie: `${NAME}=nonsense` })).toMatchObject({ status: 200, set: CLEARED })
    expect(await logOut({})).toMatchObject({ status: 401, set: [] })
  })
})

describe('a socket', () => {
  const OVER_HTTP = { code: 400, message: expect.stringContaining('log in and refresh over HTTP') }

  it('begins and refreshes no session, and takes the access token of one', async () => {
    const { url, post } = await start()
    const { body, cookie } = await post(LOGIN)
    const socket = await connectSocket(url, { extraHeaders: { Cookie: cookie as string } })

    expect(await ask(socket, 'create', 'authentication', LOGIN)).toMatchObject([OVER_HTTP])
    expect(await ask(socket, 'create', 'authentication', { strategy: 'refresh' })).toMatchObject([OVER_HTTP])
    expect(await ask(socket, 'create', 'authentication', { ...LOGIN, refresh: false })).toMatchObject([
      null,
      {}
    ])

    const login = { strategy: 'jwt', accessToken: body.accessToken }

    expect(await ask(socket, 'create', 'authentication', login)).toMatchObject([null, { user: { id: 1 } }])
  })
})

it('a call of the server gets the refresh token in the result', async () => {
  const { app } = await createApp({ refresh: { cookie: true } })

  await app.service('users').create(WREN)
  expect(await app.service('authentication').create(LOGIN)).toHaveProperty('refreshToken')
})

it('a server of Node sets the cookie, too', async () => {
  const app: any = alula()

  configureSessions(app, { refresh: { cookie: true } })
  await app.setup()
  await app.service('users').create(WREN)

  const { post, refresh } = talkTo(await listen(createServer(toListener(app, { logger: false }))))
  const { cookie } = await post(LOGIN)

  expect(await refresh(cookie)).toMatchObject({ status: 201 })
})
