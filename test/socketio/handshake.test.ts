import { afterEach, describe, expect, it, vi } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { Forbidden, NotAuthenticated } from '../../src/errors.ts'
import { call, connect, createClient, hear } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { ANN, BEN, LOGIN, open, refuse, withToken } from './users.ts'

afterEach(() => void vi.unstubAllEnvs())

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
    await until(() => expect(app.io.engine.clientsCount).toBe(0))
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
