import { once } from 'node:events'
import authenticationClient, { MemoryStorage } from '@feathersjs/authentication-client'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { type ClientOptions, connectSocket, next } from '../support/sockets.ts'
import { clients, socketClient } from './socketio-clients.ts'

// The official authentication client of Feathers v5, with its Socket.IO client, against our server: in an application
// of Feathers, and in one of ours.

const CREDENTIALS = { email: 'wren@example.org', password: 'correct horse' }
const LOGIN = { strategy: 'local', ...CREDENTIALS }
const MINE = { of: CREDENTIALS.email }

/** A server with one user. Who has logged in hears of notes. */
async function start() {
  const app: any = alula()
  const events: [event: string, email: unknown, connection: any][] = []

  app.configure(socketio({ logger: false }))

  const authentication = configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })

  for (const event of ['login', 'logout']) {
    app.on(event, (result: any, { connection }: any) => events.push([event, result.user.email, connection]))
  }
  app.on('disconnect', (connection: any) => events.push(['disconnect', connection.user?.email, connection]))
  app.on('login', (_result: unknown, { connection }: any) => app.channel('members').join(connection))
  app.publish(() => app.channel('members'))

  const url = await serve(app)

  await app.service('users').create(CREDENTIALS)

  return { app, url, events, authentication }
}

/** Closes the transports of all connections, as a network does that breaks. */
function interrupt(app: any): void {
  for (const { conn } of [...app.io.sockets.sockets.values()]) conn.close()
}

for (const [name, create] of Object.entries(clients)) {
  interface Options extends ClientOptions {
    storage?: any
  }

  const configure = (socket: any, storage: any = new MemoryStorage()) =>
    create()
      .configure(socketClient(socket))
      // Its types are those of a CommonJS module.
      .configure((authenticationClient as any)({ storage }))

  const connect = async (url: string, { storage, ...options }: Options = {}) => {
    const socket = await connectSocket(url, { reconnectionDelay: 1, reconnectionDelayMax: 1, ...options })

    return { socket, client: configure(socket, storage) }
  }

  describe(`the official authentication client over Socket.IO in an application of ${name}`, () => {
    it('logs in, and calls protected services then', async () => {
      const { url, events } = await start()
      const { client } = await connect(url)
      const heard: [string, unknown][] = []

      client.on('login', (result: unknown) => heard.push(['login', result]))
      client.on('authenticated', (result: unknown) => heard.push(['authenticated', result]))

      await expect(client.service('notes').find()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        message: 'Not authenticated'
      })

      const result = await client.authenticate(LOGIN)

      expect(result).toEqual({
        accessToken: expect.any(String),
        authentication: {
          strategy: 'local',
          payload: expect.objectContaining({ sub: '0', iss: 'feathers' })
        },
        user: { id: 0, email: CREDENTIALS.email }
      })
      expect(heard).toEqual([
        ['login', result],
        ['authenticated', result]
      ])
      expect(await client.service('notes').find()).toEqual(MINE)
      expect(await client.service('notes').create({ text: 'Hello' })).toEqual({ text: 'Hello' })
      expect(events).toEqual([
        [
          'login',
          CREDENTIALS.email,
          expect.objectContaining({
            provider: 'socketio',
            user: expect.objectContaining({ id: 0 }),
            authentication: { strategy: 'jwt', accessToken: result.accessToken }
          })
        ]
      ])
    })

    it('makes calls wait for the login that is on its way', async () => {
      const { url } = await start()
      const { client } = await connect(url)
      const login = client.authenticate(LOGIN)

      expect(await client.service('notes').find()).toEqual(MINE)
      await login
    })

    it('authenticates again from its storage, on another connection', async () => {
      const { url, events } = await start()
      const storage = new MemoryStorage()
      const { client: first } = await connect(url, { storage })
      const { accessToken } = await first.authenticate(LOGIN)
      const { client } = await connect(url, { storage })
      const result = await client.reAuthenticate()

      expect(result).toMatchObject({
        accessToken,
        authentication: { strategy: 'jwt', accessToken },
        user: { id: 0, email: CREDENTIALS.email }
      })
      expect(result.user).not.toHaveProperty('password')
      expect(await client.service('notes').find()).toEqual(MINE)
      expect(await client.authenticate()).toBe(result)
      expect(events.map(([event]) => event)).toEqual(['login', 'login'])
      expect(events[0]?.[2]).not.toBe(events[1]?.[2])
    })

    it('hears of the events of channels that it has joined by its login, until it logs out', async () => {
      const { app, url } = await start()
      const { client, socket } = await connect(url)
      const heard: unknown[] = []

      client.service('notes').on('created', (note: unknown) => heard.push(note))

      await app.service('notes').create({ n: 1 })
      await client.authenticate(LOGIN)
      await app.service('notes').create({ n: 2 })
      await client.logout()
      await app.service('notes').create({ n: 3 })
      // What was sent before the answer is here by now.
      await client.service('things').find()

      expect(heard).toEqual([{ n: 2 }])
      expect(app.channel('members').length).toBe(0)
      expect(socket.connected).toBe(true)
    })

    it('logs out: protected services and the token are closed to it, the connection stays', async () => {
      const { url, events } = await start()
      const { client, socket } = await connect(url)
      const heard: unknown[] = []

      client.on('logout', (result: unknown) => heard.push(result))

      const { accessToken } = await client.authenticate(LOGIN)
      const result = await client.logout()

      expect(result).toMatchObject({ accessToken, user: { id: 0, email: CREDENTIALS.email } })
      expect(result.user).not.toHaveProperty('password')
      expect(heard).toEqual([result])
      expect(client.authentication.authenticated).toBe(false)
      expect(await client.authentication.getAccessToken()).toBeNull()

      await expect(client.service('notes').find()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        message: 'Not authenticated'
      })
      expect(await client.service('things').find()).toEqual({ open: true })
      expect(socket.connected).toBe(true)

      const [login, logout, ...others] = events

      expect(login).toEqual(['login', CREDENTIALS.email, expect.anything()])
      expect(logout).toEqual(['logout', CREDENTIALS.email, login?.[2]])
      expect(others).toEqual([])
      // Nothing of the user stays on it.
      expect(Object.keys(login?.[2])).toEqual(['provider', 'headers'])

      const storage = new MemoryStorage()

      await storage.setItem('feathers-jwt', accessToken)

      const { client: thief } = await connect(url, { storage })

      await expect(thief.reAuthenticate()).rejects.toMatchObject({ code: 401, message: 'jwt revoked' })
      // The client forgets what was refused.
      expect(await storage.getItem('feathers-jwt')).toBeUndefined()

      await client.authenticate(LOGIN)
      expect(await client.service('notes').find()).toEqual(MINE)
    })

    it('logs out nobody when nobody is logged in', async () => {
      const { url } = await start()
      const { client } = await connect(url)

      expect(await client.logout()).toBeNull()
    })

    it('is logged in again after its connection was lost', async () => {
      const { app, url, events } = await start()
      const { client, socket } = await connect(url)
      const { accessToken } = await client.authenticate(LOGIN)
      const before = events[0]?.[2]
      const disconnected = next(socket, 'disconnect')
      const again = once(app, 'login')

      interrupt(app)
      await disconnected

      // It waits for the connection, and for the login.
      const found = client.service('notes').find()
      const [result, { connection }] = await again

      expect(result).toMatchObject({ accessToken, authentication: { strategy: 'jwt' } })
      expect(connection).not.toBe(before)
      expect(await found).toEqual(MINE)
      expect(app.channel('members').connections).toEqual([connection])
      expect(events.map(([event, email]) => [event, email])).toEqual([
        ['login', CREDENTIALS.email],
        ['disconnect', CREDENTIALS.email],
        ['login', CREDENTIALS.email]
      ])
      // Those who hear of the end still see whose it was; afterwards it is nobody’s.
      expect(events[1]?.[2]).toBe(before)
      expect(before).not.toHaveProperty('user')
      expect(before).not.toHaveProperty('authentication')

      const created = next(socket, 'notes created')

      await client.service('notes').create({ text: 'back' })
      expect(await created).toEqual({ text: 'back' })
    })

    it('does not log in again after a lost connection when it has logged out', async () => {
      const { app, url, events } = await start()
      const { client, socket } = await connect(url)

      await client.authenticate(LOGIN)
      await client.logout()

      const reconnected = next(socket, 'connect')

      interrupt(app)
      await reconnected

      await expect(client.service('notes').find()).rejects.toMatchObject({ code: 401 })
      expect(events.map(([event, email]) => [event, email])).toEqual([
        ['login', CREDENTIALS.email],
        ['logout', CREDENTIALS.email],
        ['disconnect', undefined]
      ])
    })

    it('tells of an unknown user and a wrong password in the same words', async () => {
      const { url, events } = await start()
      const { client } = await connect(url)
      const login = (changes: object) => client.authenticate({ ...LOGIN, ...changes })
      const wrong = await login({ password: 'wrong horse' }).catch((error: unknown) => error)
      const unknown = await login({ email: 'nobody@example.org' }).catch((error: unknown) => error)

      expect(wrong).toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        className: 'not-authenticated',
        message: 'Invalid login'
      })
      expect(wrong.constructor.name).toBe('NotAuthenticated')
      expect(unknown.toJSON()).toEqual(wrong.toJSON())
      expect(client.authentication.authenticated).toBe(false)
      expect(events).toEqual([])
      await expect(client.service('notes').find()).rejects.toMatchObject({ message: 'Not authenticated' })
    })

    it('learns that a token has expired', async () => {
      const { url, authentication } = await start()
      const storage = new MemoryStorage()

      await storage.setItem(
        'feathers-jwt',
        await authentication.createAccessToken({}, { subject: '0', expiresIn: -1 })
      )

      const { client } = await connect(url, { storage })

      await expect(client.reAuthenticate()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'jwt expired',
        data: { name: 'TokenExpiredError', expiredAt: expect.any(String) }
      })
      expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    })

    it('is logged in from the start by a token in the headers of its connection', async () => {
      const { app, url, events, authentication } = await start()
      const { accessToken } = await authentication.create(LOGIN)
      const { client, socket } = await connect(url, {
        extraHeaders: { Authorization: `Bearer ${accessToken}` }
      })
      const created = next(socket, 'notes created')

      expect(events).toEqual([
        ['login', CREDENTIALS.email, expect.objectContaining({ provider: 'socketio' })]
      ])
      expect(app.channel('members').length).toBe(1)
      expect(await client.service('notes').find()).toEqual(MINE)
      await app.service('notes').create({ n: 1 })
      expect(await created).toEqual({ n: 1 })
      expect(await client.logout()).toMatchObject({ accessToken })
      await expect(client.service('notes').find()).rejects.toMatchObject({ code: 401 })
    })
  })
}
