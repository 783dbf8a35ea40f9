import { describe, expect, it } from 'vitest'
import { alula, authentication, MemoryStorage, type Storage, socketio } from '../../src/client.ts'
import { GeneralError } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { OTHER, serverNames, start } from './login.ts'
import { createSocket, EMAIL, failure, LOGIN } from './servers.ts'

// Over a socket the connection has a login, too: it is always that of the client.

const WRONG = { ...OTHER, password: 'wrong horse' }

describe.each(serverNames)('logins over a socket at the same time, with %s', (name) => {
  async function connect(storage: Storage = new MemoryStorage()) {
    const { server, url } = await start(name, 'sockets')
    const app = alula()
      .configure(socketio(createSocket(url)))
      .configure(authentication({ storage }))

    await app.service('public').find()

    return { app, server }
  }

  /** Runs before or after each login of clients; gets the e-mail address, or the name of the strategy. */
  function hookLogins(
    server: any,
    type: 'before' | 'after',
    run: (who: string) => Promise<void> | undefined
  ) {
    server.service('authentication').hooks({
      [type]: {
        create: [
          async ({ data, params }: any) => void (params.provider && (await run(data.email ?? data.strategy)))
        ]
      }
    })
  }

  /** The user of the client, and that of its connection. */
  async function getUsers(app: any): Promise<unknown[]> {
    const login = await app.get('authentication')
    const { user } = await app.service('public').find()

    expect(app.authentication.authenticated).toBe(login !== null)

    return [login?.user.email ?? null, user]
  }

  it.each([
    ['refused', () => undefined],
    [
      'failing',
      () => {
        throw new GeneralError('The database is away')
      }
    ]
  ])('leave nobody logged in when the last one is %s', async (_what, run) => {
    const { app, server } = await connect()

    hookLogins(server, 'before', async (who) => void (who === OTHER.email && run()))

    const first = app.authenticate(LOGIN)

    await failure(app.authenticate(WRONG))

    expect(await getUsers(app)).toEqual([null, null])
    expect(await first).toMatchObject({ user: { email: EMAIL } })
    expect(await getUsers(app)).toEqual([null, null])
    expect(await app.authenticate(LOGIN)).toMatchObject({ user: { email: EMAIL } })
    expect(await getUsers(app)).toEqual([EMAIL, EMAIL])
  })

  it('leave nobody logged in when the first one succeeds after the last one was refused', async () => {
    const { app, server } = await connect()
    const answer = defer()

    hookLogins(server, 'before', (who) => (who === EMAIL ? answer.promise : undefined))

    const first = app.authenticate(LOGIN)
    const second = failure(app.authenticate(WRONG))

    // The server has received both logins, if both were sent.
    await app.service('public')._find()
    answer.resolve()

    expect((await second).name).toBe('NotAuthenticated')
    await first
    expect(await getUsers(app)).toEqual([null, null])
  })

  it('log in the last user, however long the first login takes', async () => {
    const { app, server } = await connect()
    const answer = defer()

    hookLogins(server, 'before', (who) => (who === EMAIL ? answer.promise : undefined))

    const first = app.authenticate(LOGIN)
    const second = app.authenticate(OTHER)

    // The server has received both logins, if both were sent.
    await app.service('public')._find()
    answer.resolve()
    await Promise.all([first, second])

    expect(await getUsers(app)).toEqual([OTHER.email, OTHER.email])
  })

  it('leave the user logged in when the server fails', async () => {
    const { app, server } = await connect()
    let isBroken = false

    hookLogins(server, 'before', async () => {
      if (isBroken) throw new GeneralError('The database is away')
    })

    const { accessToken } = await app.authenticate(LOGIN)

    isBroken = true

    for (const login of [() => app.authenticate(OTHER), () => app.reAuthenticate(true)]) {
      expect(await failure(login())).toMatchObject({ name: 'GeneralError' })
      expect(await getUsers(app)).toEqual([EMAIL, EMAIL])
    }

    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    isBroken = false
    expect(await app.logout()).toMatchObject({ user: { email: EMAIL } })
    expect(await getUsers(app)).toEqual([null, null])
  })

  it('leave nobody logged in when the server fails after a logout', async () => {
    const { app, server } = await connect()

    hookLogins(server, 'before', async (who) => {
      if (who === OTHER.email) throw new GeneralError('The database is away')
    })
    await app.authenticate(LOGIN)

    const logout = app.logout()

    await failure(app.authenticate(OTHER))
    await logout

    expect(await getUsers(app)).toEqual([null, null])
  })

  it('log in who begins while a refused token is removed', async () => {
    const memory = new MemoryStorage()
    const removing = defer()
    const removed = defer()
    const { app } = await connect({
      getItem: (key) => memory.getItem(key),
      setItem: (key, value) => memory.setItem(key, value),
      removeItem: async (key) => {
        removing.resolve()
        await removed.promise

        return memory.removeItem(key)
      }
    })

    await app.authenticate(LOGIN)

    const refused = failure(app.authenticate(WRONG))

    await removing.promise

    const login = app.authenticate(OTHER)

    removed.resolve()
    await Promise.all([refused, login])

    expect(await getUsers(app)).toEqual([OTHER.email, OTHER.email])
  })

  it.each<[string, (app: any) => Promise<unknown>]>([
    ['another user has logged in', (app) => app.authenticate(OTHER)],
    ['the user has logged out', (app) => app.logout()]
  ])('fail a call in a hook of the client with a 401 after %s', async (_what, change) => {
    const { app } = await connect()
    const reached = defer()
    const gate = defer()

    await app.authenticate(LOGIN)
    app.service('public').hooks({
      before: {
        find: [
          async () => {
            reached.resolve()
            await gate.promise
          }
        ]
      }
    })

    const found = failure(app.service('public').find())

    await reached.promise
    await change(app)
    gate.resolve()

    expect(await found).toMatchObject({ code: 401, data: { reason: 'logout' } })
  })

  it('send a call in a hook of the client after the user has logged in again', async () => {
    const { app } = await connect()

    await app.authenticate(LOGIN)
    app.service('public').hooks({
      before: { find: [async () => void (await app.reAuthenticate(true))] }
    })

    expect(await app.service('public').find()).toEqual({ user: EMAIL })
  })
  it('send a call that was made before a logout before it', async () => {
    const { app } = await connect()
    const sent: string[] = []

    await app.authenticate(LOGIN)
    app.io.onAnyOutgoing((method: string) => sent.push(method))

    const found = app.service('public').find()

    await app.logout()

    expect(await found).toEqual({ user: EMAIL })
    expect(sent).toEqual(['find', 'remove'])
  })

  it('send a call with a token of its own as the user of the connection', async () => {
    const { app } = await connect()
    const find = () => app.service('public').find({ accessToken: 'token of a caller' } as any)

    expect(await find()).toEqual({ user: null })
    await app.authenticate(LOGIN)
    expect(await find()).toEqual({ user: EMAIL })
  })
})
