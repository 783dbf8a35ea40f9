import { describe, expect, it } from 'vitest'
import { JWT_OPTIONS } from '../support/login.ts'
import { call, connect, hear } from '../support/socketio.ts'
import { ANN, BEN, LOGIN, open, withToken } from './users.ts'

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
    expect(performance.now() - began).toBeLessThan(15_000)
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
