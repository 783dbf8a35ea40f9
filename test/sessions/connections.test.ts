import { expect, it, vi } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import { events } from '../../src/events.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { readEvents } from '../support/event-stream.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { configureSessions, createShared, DAY, LOGIN, MINUTE, type Shared, stopClock, WREN } from './app.ts'

/** An application with REST, sockets and streams of events. */
async function start(shared: Shared, refresh: object = {}, settings: object = {}) {
  const app: any = express(alula())

  app.configure(rest({ params: (_request, { address }) => ({ address }) }))
  // A client closes its socket when its clock has gone further than that.
  app.configure(socketio({ pingTimeout: DAY })).configure(events())
  configureSessions(app, { shared, refresh, ...settings })
  app.on(
    'login',
    (_result: unknown, { connection }: any) => connection && app.channel('all').join(connection)
  )
  app.publish(() => app.channel('all'))
  app.use(errorHandler({ logger: false }))

  return { app, url: await serve(app) }
}

async function startTwo(refresh: object = {}) {
  const shared = createShared()
  const one = await start(shared, refresh)
  const other = await start(shared, refresh)

  await one.app.service('users').create(WREN)

  return { one, other, shared }
}

async function post(url: string, data: object): Promise<any> {
  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'a test',
      Connection: 'close'
    },
    body: JSON.stringify(data)
  })

  return response.json()
}

async function connect(url: string, accessToken: string) {
  const socket = await connectSocket(url)
  const [error] = await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })

  expect(error).toBeNull()

  return socket
}

it('a socket lives on when its access token has expired, and ends with the session in every process', async () => {
  const clock = stopClock()
  const { one, other } = await startTwo()
  const login = await post(one.url, LOGIN)
  const sockets = [await connect(one.url, login.accessToken), await connect(other.url, login.accessToken)]

  clock.advance(20 * MINUTE)

  for (const socket of sockets)
    expect((await ask(socket, 'find', 'notes')).slice(0, 2)).toEqual([null, ['a note']])

  const changed = await ask(sockets[0] as any, 'patch', 'users', 1, { name: 'Wren' })

  expect(changed[0]).toBeNull()
  expect((await ask(sockets[0] as any, 'find', 'notes')).slice(0, 2)).toEqual([null, ['a note']])

  const ends = sockets.map((socket) => next(socket, 'disconnect'))
  const second = await post(one.url, { strategy: 'refresh', refreshToken: login.refreshToken })

  await post(one.url, { strategy: 'refresh', refreshToken: second.refreshToken })

  const begun = performance.now()

  expect(await post(other.url, { strategy: 'refresh', refreshToken: login.refreshToken })).toMatchObject({
    code: 401,
    data: { reason: 'reuse' }
  })
  expect(await Promise.all(ends)).toEqual(['io server disconnect', 'io server disconnect'])
  expect(performance.now() - begun).toBeLessThan(1000)
})

it('a socket lives on when its access token is older than `maxAge`, and a token that is sent again does not', async () => {
  const clock = stopClock()
  const { app, url } = await start(createShared(), {}, { jwtOptions: { maxAge: '10m' } })

  await app.service('users').create(WREN)

  const { accessToken } = await post(url, LOGIN)
  const socket = await connect(url, accessToken)

  for (const minutes of [12, 8]) {
    clock.advance(minutes * MINUTE)
    expect((await ask(socket, 'find', 'notes')).slice(0, 2)).toEqual([null, ['a note']])
  }

  const [error] = await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })

  expect(error).toMatchObject({ code: 401 })
})

it('a stream of events lives on when its access token has expired, and ends with the session in every process', async () => {
  const clock = stopClock()
  const { one, other } = await startTwo()
  const { accessToken, refreshToken } = await post(one.url, LOGIN)
  const headers = { Authorization: `Bearer ${accessToken}`, Connection: 'close' }
  const streams = await Promise.all(
    [one, other].map(async ({ url }) => readEvents(await fetch(`${url}/events`, { headers })))
  )

  clock.advance(20 * MINUTE)

  for (const { app } of [one, other]) await app.service('users').patch(1, { name: 'Wren' })
  for (const { find } of streams) expect(await find('event')).toMatchObject({ event: 'users patched' })

  await fetch(`${one.url}/authentication`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${refreshToken}`, Connection: 'close' }
  })
  for (const { find } of streams) expect(await find('event')).toBeUndefined()
})

it('a token that a client sends again is checked, also on a socket whose session goes on', async () => {
  const clock = stopClock()
  const { one } = await startTwo()
  const login = await post(one.url, LOGIN)
  const socket = await connect(one.url, login.accessToken)

  clock.advance(20 * MINUTE)

  const data = { strategy: 'jwt', accessToken: login.accessToken }
  const [error] = await ask(socket, 'create', 'authentication', data)

  expect(error).toMatchObject({ code: 401, message: 'jwt expired' })
})

it('a socket ends when the session does, by its absolute end', async () => {
  const { one } = await startTwo({ expiresIn: '3s', accessExpiresIn: '3s' })
  const { accessToken } = await post(one.url, LOGIN)

  expect(await next(await connect(one.url, accessToken), 'disconnect')).toBe('io server disconnect')
})

it('a socket ends when the session is idle, and not while it is refreshed', async () => {
  const { one, shared } = await startTwo({ idle: '3s', accessExpiresIn: '3s' })
  const { accessToken, refreshToken } = await post(one.url, LOGIN)
  const socket = await connect(one.url, accessToken)
  const end = next(socket, 'disconnect').then(() => Date.now())

  await post(one.url, { strategy: 'refresh', refreshToken })

  const [{ refreshedAt }] = await shared.sessions._find({ query: {}, paginate: false })

  expect(await end).toBeGreaterThanOrEqual(refreshedAt + 3000)
  expect(await shared.sessions._find({ query: {}, paginate: false })).toEqual([])
})

it('a logout over a socket whose access token has expired ends the session, and leaves the socket open', async () => {
  const clock = stopClock()
  const { one, shared } = await startTwo()
  const { accessToken } = await post(one.url, LOGIN)
  const [socket, second] = [await connect(one.url, accessToken), await connect(one.url, accessToken)]
  const end = next(second, 'disconnect')

  clock.advance(20 * MINUTE)
  expect(await ask(socket, 'remove', 'authentication', null)).toMatchObject([null, { user: { id: 1 } }])
  expect(await end).toBe('io server disconnect')
  expect(await ask(socket, 'find', 'notes')).toMatchObject([{ code: 401 }])
  expect(await shared.sessions._find({ query: {}, paginate: false })).toEqual([])
})

it('a socket whose logout has failed closes when its session ends', async () => {
  const { one, shared } = await startTwo()
  const { accessToken } = await post(one.url, LOGIN)
  const socket = await connect(one.url, accessToken)
  const end = next(socket, 'disconnect')

  vi.spyOn(shared.sessions, '_remove').mockRejectedValueOnce(new Unavailable('The database is away'))
  expect(await ask(socket, 'remove', 'authentication', null)).toMatchObject([{ code: 503 }])
  expect((await ask(socket, 'find', 'notes')).slice(0, 2)).toEqual([null, ['a note']])
  await one.app.service('authentication').endSessions(1)
  expect(await end).toBe('io server disconnect')
})

it('calls with what the server keeps for a socket do not show that a refresh has arrived', async () => {
  const { one, shared } = await startTwo()
  const { accessToken, refreshToken } = await post(one.url, LOGIN)
  const socket = await connect(one.url, accessToken)
  const seen = async () => (await shared.sessions._find({ query: {}, paginate: false }))[0].seen

  expect(await seen()).toBe(1)

  const [, next] = await ask(socket, 'create', 'authentication', { strategy: 'refresh', refreshToken })

  expect((await ask(socket, 'find', 'notes')).slice(0, 2)).toEqual([null, ['a note']])
  expect(await seen()).toBe(1)
  await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken: next.accessToken })
  expect(await seen()).toBe(2)
})

it('nor does a login whose user changes meanwhile', async () => {
  const { one, shared } = await startTwo()
  const noteLogin = () => one.app.service('users').patch(1, { lastLogin: 'today' })

  one.app.service('authentication').hooks({ after: { create: [noteLogin] } })
  expect(await ask(await connectSocket(one.url), 'create', 'authentication', LOGIN)).toMatchObject([null, {}])
  expect(await shared.sessions._find({ query: {}, paginate: false })).toMatchObject([{ seen: 0 }])
})

it('notes the device and the address of a login', async () => {
  const { one, shared } = await startTwo()

  await post(one.url, LOGIN)
  expect(await shared.sessions._find({ query: {}, paginate: false })).toMatchObject([
    { device: 'a test', address: '127.0.0.1' }
  ])
})
