import type { Socket } from 'socket.io-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { Forbidden, NotAuthenticated } from '../../src/errors.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { CountingHasher, configureLogin, JWT_OPTIONS } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect, createClient, createRaw, hear, openRaw } from '../support/socketio.ts'

const ANN = { email: 'ann', password: 'open sesame' }
const BEN = { email: 'ben', password: 'a jar of figs' }
const LOGIN = { strategy: 'local', ...ANN }

afterEach(() => void vi.unstubAllEnvs())

/**
 * An application with users, REST and sockets on a port. Who logs in joins the channels `users` and the one of its
 * name; everybody who is connected is in `all`.
 */
async function open(
  settings: { [option: string]: any } = {},
  configure: (app: any) => void = () => undefined
) {
  const app: any = express(alula())
    .configure(rest())
    .configure(socketio({ logger: false }))
  const events: [name: string, connection: any][] = []
  const authentication = configureLogin(app, {
    settings: { ...settings, local: { hasher: new CountingHasher() } }
  })

  app.on('connection', (connection: any) => {
    events.push(['connection', connection])
    app.channel('all').join(connection)
  })
  app.on('login', ({ user }: any, { connection }: any) => {
    events.push(['login', connection])
    if (connection) app.channel('users', user.email).join(connection)
  })
  app.on('logout', (_result: unknown, { connection }: any) => events.push(['logout', connection]))
  app.on('disconnect', (connection: any) => events.push(['disconnect', connection]))
  app.service('notes').publish(() => app.channel('users'))
  configure(app)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const ann = await app.service('users').create({ id: 1, ...ANN })

  await app.service('users').create({ id: 2, ...BEN })

  const names = () => events.map(([name]) => name)
  const tokenOf = async (user: object): Promise<string> =>
    (await authentication.create({ strategy: 'local', ...user })).accessToken
  const logOutByRest = async (token: string): Promise<number> => {
    const { status } = await fetch(`${url}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}`, Connection: 'close' }
    })

    return status
  }

  return { app, authentication, url, ann, events, names, tokenOf, logOutByRest }
}

const withToken = (token: string) => ({ extraHeaders: { Authorization: `Bearer ${token}` } })

/** How a client that is refused hears of it. */
async function refuse(socket: Socket): Promise<any> {
  const [error] = await hear(socket, 'connect_error')

  return { message: error.message, data: error.data, ...error }
}

/** A strategy that takes anybody, when it is told to. */
function createSlow() {
  const begun = defer()
  const done = defer()
  const strategy = {
    authenticate: async () => {
      begun.resolve()
      await done.promise

      return { authentication: { strategy: 'slow' }, user: { id: 1, email: 'ann' } }
    },
    parse: async ({ headers }: any) => (headers['x-slow'] ? { strategy: 'slow' } : null)
  }

  return { begun, done, strategy }
}

const slowSettings = { authStrategies: ['jwt', 'local', 'slow'] }

describe('a login over the socket', () => {
  it('notes on the connection who it belongs to, before the application hears of the login', async () => {
    const seen: any[] = []
    const { url, events, names } = await open({}, (app) => {
      app.on('login', (result: any, params: any, context: any) => seen.push({ result, params, context }))
      app.on('login', (_result: unknown, { connection }: any) => seen.push({ ...connection }))
    })
    const socket = await connect(url)

    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })

    const { accessToken, user } = await call(socket, 'create', 'authentication', LOGIN)

    expect(user).toEqual({ id: 1, email: 'ann' })
    expect(names()).toEqual(['connection', 'login'])
    expect(events[1]?.[1]).toBe(events[0]?.[1])
    expect(seen[0].result.accessToken).toBe(accessToken)
    expect(seen[0].params).toMatchObject({ provider: 'socketio', connection: events[0]?.[1] })
    expect(seen[0].context).toMatchObject({ path: 'authentication', method: 'create' })
    expect(seen[1]).toMatchObject({
      provider: 'socketio',
      authentication: { strategy: 'jwt', accessToken },
      user: { id: 1, email: 'ann' }
    })
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
  })

  it('brings the events of those who are logged in, and none before', async () => {
    const { app, url } = await open()
    const socket = await connect(url)
    const heard: unknown[] = []

    socket.on('notes created', (note) => heard.push(note))
    await app.service('notes').create({ text: 'before' })
    await call(socket, 'create', 'authentication', LOGIN)
    await app.service('notes').create({ text: 'after' })
    await call(socket, 'find', 'things')
    expect(heard).toEqual([{ text: 'after' }])
  })

  it('that is wrong leaves the connection as it was', async () => {
    const { app, url, events } = await open()
    const socket = await connect(url)

    for (const wrong of [
      { ...LOGIN, password: 'wrong' },
      { ...LOGIN, email: 'nobody' },
      { ...LOGIN, email: { $ne: null } },
      { strategy: 'jwt', accessToken: 'wrong' },
      { strategy: '__proto__' },
      { strategy: ['local'], ...ANN },
      {}
    ]) {
      await expect(call(socket, 'create', 'authentication', wrong)).rejects.toMatchObject({ code: 401 })
    }

    expect(events).toHaveLength(1)
    expect(Object.keys(events[0]?.[1])).toEqual(['provider', 'headers'])
    expect(app.channels).toEqual(['all'])
    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ code: 401 })
  })

  it('reaches only the connection that it came over', async () => {
    const { app, url } = await open()
    const [socket, other] = await Promise.all([connect(url), connect(url)])

    await call(socket, 'create', 'authentication', LOGIN)
    await expect(call(other, 'find', 'notes')).rejects.toMatchObject({ code: 401 })
    expect(app.channel('users').length).toBe(1)
  })

  it('with a token is one too, and a second one by somebody else takes its place', async () => {
    const { app, url, tokenOf, events } = await open()
    const socket = await connect(url)
    const accessToken = await tokenOf(ANN)

    expect(
      (await call(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })).accessToken
    ).toBe(accessToken)
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
    await call(socket, 'create', 'authentication', { strategy: 'local', ...BEN })
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ben' })

    // It lives by the second token alone.
    await app.service('authentication').revokeAccessToken(accessToken)
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ben' })
    expect(events.map(([name]) => name)).toEqual(['connection', 'login', 'login'])
  })
})

describe('a handshake with a token', () => {
  it('logs in before the application hears of the connection', async () => {
    const { url, tokenOf, names, events } = await open()
    const accessToken = await tokenOf(ANN)
    const socket = await connect(url, withToken(accessToken))

    expect(names()).toEqual(['login', 'connection'])
    expect(events[0]?.[1]).toBe(events[1]?.[1])
    expect(events[0]?.[1]).toMatchObject({
      provider: 'socketio',
      authentication: { strategy: 'jwt', accessToken },
      user: { id: 1 }
    })
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
  })

  it('brings events as soon as the client is connected', async () => {
    const { app, url, tokenOf } = await open()
    const socket = createClient(url, withToken(await tokenOf(ANN)))
    const heard = hear(socket, 'notes created')

    app.on('connection', () => void app.service('notes').create({ text: 'welcome' }))
    expect(await heard).toEqual([{ text: 'welcome' }])
  })

  it.each([
    ['is none', 'not-a-token'],
    ['has another signature', 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImFjY2VzcyJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl']
  ])('that %s is refused with the error of REST, and leaves nothing', async (_title, token) => {
    const { app, url, events } = await open()
    const response = await fetch(`${url}/notes`, {
      headers: { Authorization: `Bearer ${token}`, Connection: 'close' }
    })
    const expected = (await response.json()) as any
    const socket = createClient(url, withToken(token))
    const { message, data } = await refuse(socket)

    expect(expected).toMatchObject({ name: 'NotAuthenticated', code: 401 })
    expect(data).toEqual(expected)
    expect(message).toBe(expected.message)
    expect(socket.connected).toBe(false)
    expect(app.channels).toEqual([])
    socket.close()
    await vi.waitFor(() => expect(app.io.engine.clientsCount).toBe(0))
    expect(events).toEqual([])
  })

  it('of somebody who is gone, or was revoked, is refused', async () => {
    const { app, authentication, url, tokenOf } = await open()
    const [gone, revoked] = [await tokenOf(BEN), await tokenOf(ANN)]

    await app.service('users').remove(2)
    await authentication.revokeAccessToken(revoked)

    for (const token of [gone, revoked]) {
      expect((await refuse(createClient(url, withToken(token)))).data).toMatchObject({ code: 401 })
    }

    expect(app.channels).toEqual([])
  })

  it('that is of another scheme is no login, and no reason to refuse', async () => {
    const { url } = await open()
    const socket = await connect(url, { extraHeaders: { Authorization: 'Basic YTpi' } })

    expect(await call(socket, 'find', 'things')).toEqual({ open: true })
    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ code: 401 })
  })

  it.each([
    ['production', 'An unexpected error occurred on the server'],
    ['development', 'password of the database is hunter2']
  ])('that fails unexpectedly shows in %s no more than: %s', async (environment, message) => {
    vi.stubEnv('NODE_ENV', environment)

    const broken = {
      parse: async ({ headers }: any) => (headers['x-broken'] ? { strategy: 'broken' } : null),
      authenticate: async () => {
        throw Object.assign(new Error('password of the database is hunter2'), { sql: 'select 1' })
      }
    }
    const { app, url } = await open({ authStrategies: ['jwt', 'local', 'broken'] }, (app) =>
      app.service('authentication').register('broken', broken)
    )
    const shown = await refuse(createClient(url, { extraHeaders: { 'X-Broken': 'yes' } }))

    expect(shown.message).toBe(message)
    expect(shown.data).toEqual({ name: 'GeneralError', message, code: 500, className: 'general-error' })
    expect(Object.keys(shown).sort()).toEqual(['data', 'message'])
    expect(app.channels).toEqual([])
  })
})

describe('a logout over the socket', () => {
  it('keeps the socket open, as nobody’s, and out of all channels', async () => {
    const { app, url, tokenOf, names, events } = await open()
    const accessToken = await tokenOf(ANN)
    const socket = await connect(url, withToken(accessToken))
    const heard: unknown[] = []

    socket.on('notes created', (note) => heard.push(note))
    expect(app.channels.sort()).toEqual(['all', 'ann', 'users'])
    expect(await call(socket, 'remove', 'authentication', null)).toMatchObject({ accessToken })
    expect(names()).toEqual(['login', 'connection', 'logout'])
    expect(events[2]?.[1]).toBe(events[1]?.[1])
    expect(events[2]?.[1]).not.toHaveProperty('user')
    expect(events[2]?.[1]).not.toHaveProperty('authentication')
    expect(app.channels).toEqual([])
    await app.service('notes').create({ text: 'private' })
    expect(await call(socket, 'find', 'things')).toEqual({ open: true })
    expect(socket.connected).toBe(true)
    expect(heard).toEqual([])
    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ code: 401 })

    // And the same connection may belong to somebody else.
    await call(socket, 'create', 'authentication', { strategy: 'local', ...BEN })
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ben' })
  })

  it('ends the other sockets of the same token', async () => {
    const { app, url, tokenOf } = await open()
    const token = await tokenOf(ANN)
    const socket = await connect(url, withToken(token))
    const same = await connect(url, withToken(token))
    const other = await connect(url, withToken(await tokenOf(ANN)))
    const gone = hear(same, 'disconnect')

    await call(socket, 'remove', 'authentication', null)
    expect((await gone)[0]).toBe('io server disconnect')
    expect(await call(other, 'find', 'notes')).toEqual({ of: 'ann' })
    expect(socket.connected).toBe(true)
    expect(app.channel('users').length).toBe(1)
  })

  it('with the token of somebody else is refused, and ends nothing', async () => {
    const { url, tokenOf } = await open()
    const socket = await connect(url, withToken(await tokenOf(ANN)))
    const token = await tokenOf(BEN)
    const other = await connect(url, withToken(token))

    await expect(call(socket, 'remove', 'authentication', token)).rejects.toMatchObject({ code: 401 })
    expect(await call(other, 'find', 'notes')).toEqual({ of: 'ben' })
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
  })
})

describe('a logout by REST', () => {
  it('closes the sockets of that token within a second, takes them out of channels, and leaves others', async () => {
    const { app, url, tokenOf, logOutByRest, events } = await open()
    const token = await tokenOf(ANN)
    const byHandshake = await connect(url, withToken(token))
    const byCall = await connect(url)
    const staying = await Promise.all([
      connect(url, withToken(await tokenOf(ANN))),
      connect(url, withToken(await tokenOf(BEN))),
      connect(url)
    ])

    await call(byCall, 'create', 'authentication', { strategy: 'jwt', accessToken: token })
    expect(app.channel('all').length).toBe(5)
    expect(app.channel('users').length).toBe(4)

    const began = performance.now()
    const gone = [byHandshake, byCall].map((socket) => hear(socket, 'disconnect'))

    expect(await logOutByRest(token)).toBe(200)
    expect(app.channel('users').length).toBe(2)
    expect(app.channel('all').length).toBe(3)
    expect((await Promise.all(gone)).map(([reason]) => reason)).toEqual(Array(2).fill('io server disconnect'))
    expect(performance.now() - began).toBeLessThan(1000)
    for (const socket of staying) expect(await call(socket, 'find', 'things')).toEqual({ open: true })
    expect(events.filter(([name]) => name === 'disconnect')).toHaveLength(2)
  })
})

describe('a token that expires', () => {
  const settings = { jwtOptions: { ...JWT_OPTIONS, expiresIn: '2s' } }

  it('ends its connection: the client is told, and hears nothing any more', async () => {
    const { app, url, names } = await open(settings)
    const socket = await connect(url)
    const other = await connect(url)
    const gone = hear(socket, 'disconnect')

    await call(socket, 'create', 'authentication', LOGIN)
    expect(app.channel('users').length).toBe(1)
    expect((await gone)[0]).toBe('io server disconnect')
    expect(names()).toEqual(['connection', 'connection', 'login', 'disconnect'])
    expect(app.channels).toEqual(['all'])
    expect(app.channel('all').length).toBe(1)
    expect(other.connected).toBe(true)
  })

  it('and was replaced by another one in time ends nothing', async () => {
    const { app, authentication, url, ann } = await open(settings)
    const socket = await connect(url)
    const passing = await connect(url)
    const gone = hear(passing, 'disconnect')
    const longer = await authentication.createAccessToken({}, { subject: String(ann.id), expiresIn: '1h' })

    await call(socket, 'create', 'authentication', LOGIN)
    await call(socket, 'create', 'authentication', { strategy: 'jwt', accessToken: longer })
    // The measure: it expires after the first token of the other.
    await call(passing, 'create', 'authentication', LOGIN)
    await gone
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
    expect(app.channel('users').length).toBe(1)
  })

  it('and was given up by a logout ends nothing', async () => {
    const { url } = await open(settings)
    const socket = await connect(url)
    const passing = await connect(url)
    const gone = hear(passing, 'disconnect')

    await call(socket, 'create', 'authentication', LOGIN)
    await call(socket, 'remove', 'authentication', null)
    await call(passing, 'create', 'authentication', LOGIN)
    await gone
    expect(await call(socket, 'find', 'things')).toEqual({ open: true })
  })
})

describe('a connection that ends while its login runs', () => {
  it.each([
    ['over the socket', false],
    ['in the handshake', true]
  ])('%s leaves nothing behind: no channel, no user, no session', async (_title, isHandshake) => {
    const { begun, done, strategy } = createSlow()
    const tokens: string[] = []
    const { app, authentication, url, events } = await open(slowSettings, (app) => {
      app.service('authentication').register('slow', strategy)
      app.on('login', ({ accessToken }: any) => tokens.push(accessToken))
    })
    const raw = createRaw(url, '', isHandshake ? { 'X-Slow': 'yes' } : {})
    const ended = () => events.filter(([name]) => name === 'disconnect')

    await raw.receive('0{')
    raw.send('40')

    if (!isHandshake) {
      await raw.receive('40{')
      raw.send('421["create","authentication",{"strategy":"slow"}]')
    }

    await begun.promise
    raw.socket.terminate()
    await vi.waitFor(() => expect(app.io.engine.clientsCount).toBe(0))
    expect(app.channels).toEqual([])
    done.resolve()
    // It was a login, and has to be seen to end.
    await vi.waitFor(() => expect(tokens).toHaveLength(1))
    await vi.waitFor(() => expect(events.at(-1)?.[0]).toBe('disconnect'))
    expect(app.channels).toEqual([])

    const [, connection] = events.at(-1) as any

    await vi.waitFor(() => expect(Object.keys(connection)).toEqual(['provider', 'headers']))

    const before = ended().length

    await authentication.revokeAccessToken(tokens[0])
    expect(ended()).toHaveLength(before)
    expect(events.filter(([name]) => name === 'connection')).toHaveLength(isHandshake ? 0 : 1)
  })

  it('and fails leaves nothing behind either', async () => {
    const { begun, done, strategy } = createSlow()
    const { app, url, events } = await open(slowSettings, (app) =>
      app.service('authentication').register('slow', {
        ...strategy,
        authenticate: async () => {
          await strategy.authenticate()
          throw new NotAuthenticated('No')
        }
      })
    )
    const raw = createRaw(url, '', { 'X-Slow': 'yes' })

    await raw.receive('0{')
    raw.send('40')
    await begun.promise
    raw.socket.terminate()
    await vi.waitFor(() => expect(app.io.engine.clientsCount).toBe(0))
    done.resolve()
    await call(await connect(url), 'find', 'things')
    expect(events.map(([name]) => name)).toEqual(['connection'])
  })
})

describe('a handshake with a key that is good for calls alone', () => {
  const keys = {
    parse: async ({ headers }: any) => (headers['x-key'] ? { strategy: 'key', key: headers['x-key'] } : null),
    authenticate: async ({ key }: any) => {
      if (key !== 'right') throw new NotAuthenticated('Invalid key')

      return { authentication: { strategy: 'key' }, client: 'reporter' }
    }
  }

  async function openWithKeys() {
    const opened = await open({ parseStrategies: ['jwt', 'key'] }, (app) => {
      app.service('authentication').register('key', keys)
      app.use('reports', { find: async ({ client = null }: any) => ({ client }) })
      app.service('reports').hooks({ before: { all: [authenticate('jwt', 'key')] } })
    })
    const withKey = (key: string) =>
      connect(opened.url, { extraHeaders: { 'X-Key': key }, reconnection: false })

    return { ...opened, withKey }
  }

  it('opens a connection whose calls bring it along, and logs nobody in', async () => {
    const { withKey, names } = await openWithKeys()
    const socket = await withKey('right')

    expect(await call(socket, 'find', 'reports')).toEqual({ client: 'reporter' })
    expect(names()).toEqual(['connection'])
    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ code: 401 })
  })

  it('gives way to a login over the socket', async () => {
    const { withKey } = await openWithKeys()
    const socket = await withKey('right')

    await call(socket, 'create', 'authentication', LOGIN)
    expect(await call(socket, 'find', 'notes')).toEqual({ of: 'ann' })
    expect(await call(socket, 'find', 'reports')).toEqual({ client: null })
  })

  it('that is wrong ends with the first call that asks for it', async () => {
    const { withKey, names } = await openWithKeys()
    const socket = await withKey('wrong')
    const ended = hear(socket, 'disconnect')

    expect(await call(socket, 'find', 'things')).toEqual({ open: true })
    await expect(call(socket, 'find', 'reports')).rejects.toMatchObject({ code: 401, message: 'Invalid key' })
    await ended
    expect(names()).toEqual(['connection', 'disconnect'])
  })
})

describe('a handshake that logs in and is refused then', () => {
  it.each([
    [
      'by a hook of the application',
      (app: any) =>
        app.hooks({
          around: {
            all: [
              async ({ path, params }: any, next: () => Promise<void>) => {
                await next()
                if (path === 'authentication' && params.provider) throw new Forbidden('Not at this hour')
              }
            ]
          }
        })
    ],
    [
      'by another strategy',
      (app: any) =>
        app.service('authentication').register('other', {
          handleConnection: async (event: string) => {
            if (event === 'login') throw new Forbidden('Not at this hour')
          }
        })
    ]
  ])('%s leaves nothing: no channel, no session', async (_title, configure) => {
    const { app, authentication, url, tokenOf, names } = await open({}, configure)
    const token = await tokenOf(ANN)
    const socket = createClient(url, { ...withToken(token), reconnection: false })

    expect((await refuse(socket)).data).toMatchObject({ name: 'Forbidden', message: 'Not at this hour' })
    expect(app.channels).toEqual([])

    const before = names()

    await authentication.revokeAccessToken(token)
    expect(names()).toEqual(before)
    expect(before).not.toContain('connection')
  })

  it('by the end that a listener to the login puts to it opens no connection', async () => {
    const { app, url, tokenOf, names } = await open({}, (app) =>
      app.on('login', (_result: unknown, { connection }: any) => {
        if (connection) app.emit('disconnect', connection)
      })
    )
    const socket = createClient(url, { ...withToken(await tokenOf(ANN)), reconnection: false })

    expect((await refuse(socket)).data).toMatchObject({ code: 400 })
    expect(names()).not.toContain('connection')
    expect(app.channels).toEqual([])
  })
})

describe('a token that is revoked while a login with it runs', () => {
  /** An application whose users take until they are told to be loaded. */
  async function openSlow() {
    const begun = defer()
    const done = defer()
    let isSlow = false
    const opened = await open({}, (app) =>
      app.service('users').hooks({
        before: {
          get: [
            async () => {
              if (!isSlow) return

              begun.resolve()
              await done.promise
            }
          ]
        }
      })
    )
    const token = await opened.tokenOf(ANN)

    return {
      ...opened,
      token,
      /** Waits for a login to begin, and revokes the token in its middle. */
      revoke: async (logIn: () => void) => {
        isSlow = true
        logIn()
        await begun.promise
        expect(await opened.authentication.revokeAccessToken(token)).toBeUndefined()
        done.resolve()
      }
    }
  }

  it('opens no connection in the handshake', async () => {
    const { app, url, token, revoke, names } = await openSlow()
    const socket = createClient(url, { ...withToken(token), reconnection: false, autoConnect: false })
    const refused = refuse(socket)

    await revoke(() => socket.connect())
    expect((await refused).data).toMatchObject({ name: 'NotAuthenticated', message: 'jwt revoked' })
    expect(names()).toEqual([])
    expect(app.channels).toEqual([])
  })

  it('is no login over the socket', async () => {
    const { app, url, token, revoke } = await openSlow()
    const socket = await connect(url)
    let login: Promise<unknown> = Promise.resolve()

    await revoke(() => {
      login = call(socket, 'create', 'authentication', { strategy: 'jwt', accessToken: token }).catch(
        (error) => error
      )
    })
    expect(await login).toMatchObject({ code: 401, message: 'jwt revoked' })
    expect(app.channels).toEqual(['all'])
    await expect(call(socket, 'find', 'notes')).rejects.toMatchObject({ code: 401 })
  })
})

describe('two CONNECT packets on one transport', () => {
  it('while the first is looked at are one connection and one that is refused', async () => {
    const { begun, done, strategy } = createSlow()
    const { app, url, names } = await open(slowSettings, (app) =>
      app.service('authentication').register('slow', strategy)
    )
    const raw = createRaw(url, '', { 'X-Slow': 'yes' })

    await raw.receive('0{')
    raw.send('40', '40')
    await begun.promise
    expect(JSON.parse((await raw.receive('44')).slice(2))).toMatchObject({
      message: expect.stringContaining('already'),
      data: { name: 'BadRequest', code: 400 }
    })
    done.resolve()
    await raw.receive('40{')
    raw.send('421["find","notes"]')
    expect(await raw.receive('431')).toBe('431[null,{"of":"ann"}]')
    expect(names()).toEqual(['login', 'connection'])
    expect(app.channel('all').length).toBe(1)
    raw.socket.terminate()
    await vi.waitFor(() => expect(names()).toEqual(['login', 'connection', 'disconnect']))
    expect(app.channels).toEqual([])
  })

  it('are two tries for who was refused by middleware', async () => {
    const { app, url, tokenOf, names } = await open()
    let isOpen = false

    app.io.use((_socket: unknown, next: (error?: Error) => void) =>
      next(isOpen ? undefined : new Error('Come back later'))
    )

    const raw = createRaw(url, '', { Authorization: `Bearer ${await tokenOf(ANN)}` })

    await raw.receive('0{')
    raw.send('40')
    expect(await raw.receive('44')).toBe('44{"message":"Come back later"}')
    isOpen = true
    raw.send('40')
    await raw.receive('40{')
    expect(names()).toEqual(['login', 'disconnect', 'login', 'connection'])
    expect(app.channel('users').length).toBe(1)
    raw.socket.terminate()
    await vi.waitFor(() => expect(app.channels).toEqual([]))
  })

  it('one after the other end the connection', async () => {
    const { app, url, names } = await open()
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('40')
    await raw.closed
    await vi.waitFor(() => expect(names()).toEqual(['connection', 'disconnect']))
    expect(app.channels).toEqual([])
  })

  it('many of them at once leave nothing', async () => {
    const { app, url, tokenOf, names } = await open()
    const raw = createRaw(url, '', { Authorization: `Bearer ${await tokenOf(ANN)}` })

    await raw.receive('0{')
    raw.send(...Array(50).fill('40'))
    await raw.receive('44')
    raw.socket.terminate()
    await vi.waitFor(() => expect(app.io.engine.clientsCount).toBe(0))
    await vi.waitFor(() => expect(names().at(-1)).toBe('disconnect'))
    for (const name of ['login', 'connection', 'disconnect']) {
      expect(names().filter((other) => other === name).length).toBeLessThanOrEqual(1)
    }
    expect(app.channels).toEqual([])
  })
})
