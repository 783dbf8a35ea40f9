import { describe, expect, it } from 'vitest'
import { AuthenticationClient, alula, authentication, MemoryStorage, rest } from '../../src/client.ts'
import { GeneralError, NotAuthenticated } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { OTHER, serverNames, start, withWindow } from './login.ts'
import { EMAIL, failure, fetchOnce, LOGIN } from './servers.ts'

describe.each(serverNames)('a client over HTTP with %s', (name) => {
  const connect = async (options: any = {}) => {
    const { url, ...started } = await start(name, 'rest')
    const create = (more: any = {}) =>
      alula()
        .configure(rest(url).fetch(fetchOnce))
        .configure(authentication({ storage: new MemoryStorage(), ...options, ...more }))

    return { ...started, url, create, app: create() }
  }

  it('logs in, tells of it, and stores the token', async () => {
    const { app } = await connect()
    const heard: unknown[] = []

    app.on('login', (result) => heard.push('login', result))
    app.on('authenticated', (result) => heard.push('authenticated', result))

    const result = await app.authenticate(LOGIN)

    expect(result).toMatchObject({ accessToken: expect.any(String), user: { id: 1, email: EMAIL } })
    expect(heard).toEqual(['login', result, 'authenticated', result])
    expect(app.authentication).toBeInstanceOf(AuthenticationClient)
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.get('storage').getItem('feathers-jwt')).toBe(result.accessToken)
    expect(await app.get('authentication')).toBe(result)
    expect(await app.authenticate()).toBe(result)
    expect(await app.reAuthenticate()).toBe(result)
  })

  it('sends the token with calls, unless they have another', async () => {
    const { app } = await connect()
    const notes = app.service('notes')

    expect(await failure(notes.find())).toBeInstanceOf(NotAuthenticated)

    const { accessToken } = await app.authenticate(LOGIN)

    expect(await notes.find()).toEqual({ owner: EMAIL, header: `Bearer ${accessToken}` })

    const theirs = await app.authentication.service.create(OTHER)

    for (const header of ['Authorization', 'authorization', 'AUTHORIZATION']) {
      expect(await notes.find({ headers: { [header]: theirs.accessToken } })).toMatchObject({
        owner: OTHER.email
      })
    }

    const headers = new Headers({ Authorization: theirs.accessToken })

    expect(await notes.find({ headers })).toMatchObject({ owner: OTHER.email })
  })

  it('makes calls wait for a login that is on its way, and puts its result under their params', async () => {
    const { app } = await connect()
    const login = app.authenticate(LOGIN)
    const seen: any[] = []

    app
      .service('notes')
      .hooks({ before: { find: [async ({ params }) => void seen.push(params.user.email)] } })

    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(seen).toEqual([EMAIL])
    await login
  })

  it('logs in again with what it has stored', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const app = create()
    const result = await app.reAuthenticate()

    expect(result).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(await app.reAuthenticate(true)).not.toBe(result)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('goes by what it has stored, and leaves no other token in the URL', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const location = { hash: '#/page?access_token=of.somebody.else&oauth_code=too' }

    withWindow({ location })

    expect(await create().reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(location.hash).toBe('#/page')
  })

  it('goes by the token of the URL when the stored one is good no more', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const location = { hash: `#access_token=${accessToken}` }
    const app = create()

    withWindow({ location })
    await app.authentication.setAccessToken('a.b.c')

    expect(await app.reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(location.hash).toBe('')
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
  })

  it('makes calls wait for the token of the URL, too, when the stored one is good no more', async () => {
    const storage = new MemoryStorage()
    const { create, server } = await connect({ storage })
    const { accessToken } = await create().authenticate(LOGIN)
    const tried = defer()
    const app = create()

    server.service('authentication').hooks({ before: { create: [async () => tried.resolve()] } })
    withWindow({ location: { hash: `#access_token=${accessToken}` } })
    await app.authentication.setAccessToken('a.b.c')

    const login = app.reAuthenticate()

    await tried.promise
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect(await login).toMatchObject({ accessToken })
  })

  it('says what was wrong with a login of which the URL tells, when the stored token is good no more', async () => {
    const { app } = await connect()

    withWindow({ location: { hash: '#error=No%20entry' } })
    await app.authentication.setAccessToken('a.b.c')

    expect(await failure(app.reAuthenticate())).toMatchObject({ name: 'OauthError', message: 'No entry' })
  })

  it('has nothing to log in with before the first login', async () => {
    const { app } = await connect()

    expect(await failure(app.reAuthenticate())).toMatchObject({
      name: 'NotAuthenticated',
      message: 'No accessToken found in storage'
    })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('forgets a token that the server refuses, and keeps it when something else is wrong', async () => {
    const { app, server, createToken } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))
    await app.authentication.setAccessToken(await createToken({ expiresIn: -1 }))

    expect(await failure(app.reAuthenticate())).toMatchObject({
      name: 'NotAuthenticated',
      message: 'jwt expired'
    })
    expect(await app.authentication.getAccessToken()).toBeNull()
    // Nobody was logged in.
    expect(logouts).toEqual([])

    const { accessToken } = await app.authenticate(LOGIN)

    server.service('authentication').hooks({
      before: {
        create: [
          async () => {
            throw new GeneralError('The database is away')
          }
        ]
      }
    })

    expect((await failure(app.reAuthenticate(true))).name).toBe('GeneralError')
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(logouts).toEqual([])
  })

  it('tells of a session that has ended', async () => {
    const { app, createToken } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))
    await app.authenticate(LOGIN)
    await app.authentication.setAccessToken(await createToken({ expiresIn: -1 }))
    await failure(app.reAuthenticate(true))

    expect(logouts).toEqual([null])
    expect(app.authentication.authenticated).toBe(false)
    expect(await app.authentication.getAccessToken()).toBeNull()
  })

  it('logs out', async () => {
    const { app } = await connect()
    const logouts: unknown[] = []

    app.on('logout', (result) => logouts.push(result))

    expect(await app.logout()).toBeNull()

    await app.authenticate(LOGIN)

    const result = await app.logout()

    expect(result).toMatchObject({ user: { email: EMAIL } })
    expect(logouts).toEqual([result])
    expect(app.authentication.authenticated).toBe(false)
    expect(app.get('authentication')).toBeNull()
    expect(await app.authentication.getAccessToken()).toBeNull()
    expect(await failure(app.service('notes').find())).toBeInstanceOf(NotAuthenticated)
  })

  it('stays logged in when a logout fails, so that it can be tried again', async () => {
    const { app, server } = await connect()
    const logouts: unknown[] = []
    let isBroken = true

    server.service('authentication').hooks({
      before: {
        remove: [
          async () => {
            if (isBroken) throw new Error('The database is away')
          }
        ]
      }
    })
    app.on('logout', (result) => logouts.push(result))
    await app.authenticate(LOGIN)

    expect(await failure(app.logout())).toMatchObject({ code: 500 })
    expect(await app.service('notes').find()).toMatchObject({ owner: EMAIL })
    expect([app.authentication.authenticated, logouts]).toEqual([true, []])

    isBroken = false

    expect(await app.logout()).toMatchObject({ user: { email: EMAIL } })
    expect(logouts).toHaveLength(1)
    expect(await app.authentication.getAccessToken()).toBeNull()
  })

  it('logs out who is just being logged in again', async () => {
    const storage = new MemoryStorage()
    const { create } = await connect({ storage })

    await create().authenticate(LOGIN)

    const app = create()
    const login = app.reAuthenticate()

    expect(await app.logout()).toMatchObject({ user: { email: EMAIL } })
    await login
    expect(app.authentication.authenticated).toBe(false)
    expect(app.get('authentication')).toBeNull()
    expect(await app.authentication.getAccessToken()).toBeNull()
  })

  it('refuses a wrong password, and calls go on as those of nobody', async () => {
    const { app } = await connect()
    const login = app.authenticate({ ...LOGIN, password: 'wrong horse' })
    const waiting = failure(app.service('public').find())

    expect(await failure(login)).toMatchObject({ name: 'NotAuthenticated', message: 'Invalid login' })
    expect(await waiting).toMatchObject({ message: 'Invalid login' })
    expect(await app.service('public').find()).toEqual({ user: null })
  })

  it('is the user who has logged in last, whichever answer comes first', async () => {
    const { app, server } = await connect()
    const answer = defer()
    const users: string[] = []

    server.service('authentication').hooks({
      after: { create: [async ({ data }: any) => void (data.email === EMAIL && (await answer.promise))] }
    })
    app.on('login', ({ user }) => users.push(user.email))

    const first = app.authenticate(LOGIN)
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect(await first).toMatchObject({ user: { email: EMAIL } })
    expect(users).toEqual([OTHER.email])
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it('a login that fails late undoes none that has succeeded since', async () => {
    const { app, server } = await connect()
    const answer = defer()

    server.service('authentication').hooks({
      before: { create: [async ({ data }: any) => void (data.email === EMAIL && (await answer.promise))] }
    })

    const first = failure(app.authenticate({ ...LOGIN, password: 'wrong horse' }))
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect((await first).message).toBe('Invalid login')
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it.each([
    ['succeeds', null],
    ['fails', new GeneralError('The database is away')]
  ])('a logout that %s late undoes no login that came after it', async (_what, error) => {
    const { app, server } = await connect()
    const answer = defer()
    const events: string[] = []

    server.service('authentication').hooks({
      after: {
        remove: [
          async () => {
            await answer.promise
            if (error) throw error
          }
        ]
      }
    })
    await app.authenticate(LOGIN)
    app.on('login', ({ user }) => events.push(user.email))
    app.on('logout', () => events.push('logout'))

    const logout = app.logout().catch((thrown: unknown) => thrown)
    const { accessToken } = await app.authenticate(OTHER)

    answer.resolve()

    expect(await logout).toMatchObject(error ? { name: 'GeneralError' } : { user: { email: EMAIL } })
    expect(events).toEqual([OTHER.email])
    expect(app.authentication.authenticated).toBe(true)
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await app.service('notes').find()).toMatchObject({ owner: OTHER.email })
  })

  it('a listener that fails is reported, and the login succeeds', async () => {
    const { app } = await connect()
    const reported: unknown[] = []
    const mistake = new Error('A mistake of the page')

    app.on('error', (error) => reported.push(error))
    app.on('login', () => {
      throw mistake
    })

    expect(await app.authenticate(LOGIN)).toMatchObject({ user: { email: EMAIL } })
    expect(reported).toEqual([mistake])
  })
})
