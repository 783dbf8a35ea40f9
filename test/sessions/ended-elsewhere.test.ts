import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { defer } from '../support/deferred.ts'
import { createApp, createShared, MINUTE, stopClock, stopTimers, WREN } from './app.ts'

/** Two processes that share a store of revoked tokens which tells neither of the other, and a socket of the second one. */
async function start(refresh: object = {}) {
  const { revocation, ...others } = createShared()
  const { subscribe, ...silent } = revocation
  const shared = { ...others, revocation: silent }
  const options = { shared, refresh, isActive: ({ isBlocked }: any) => !isBlocked }
  const [one, other] = [await createApp(options), await createApp(options)]

  await one.app.service('users').create(WREN)

  const login = await one.logIn()
  const socket = other.connect(Date.now())
  const [error] = await socket.call('create', 'authentication', {
    strategy: 'jwt',
    accessToken: login.accessToken
  })

  expect(error).toBeNull()

  return { one, other, login, socket, shared }
}

it.each([1, 20, 300])(
  'a call of a socket is refused %i minutes after its session has ended',
  async (minutes) => {
    const clock = stopClock()
    const { one, login, socket } = await start()

    expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
    await one.logOut(login.refreshToken)
    clock.advance(minutes * MINUTE)
    expect(await socket.call('find', 'notes')).toMatchObject([{ code: 401 }])
  }
)

it('calls of a socket go on while its session does, and ask for it once in the time of an access token', async () => {
  const clock = stopClock()
  const { login, one, socket, shared } = await start()
  const read = vi.spyOn(shared.sessions, '_get')

  clock.advance(20 * MINUTE)
  for (let count = 0; count < 3; count++)
    expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
  expect(read).toHaveBeenCalledTimes(1)
  clock.advance(20 * MINUTE)
  await one.refresh(login.refreshToken)
  read.mockClear()
  expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
  expect(read).toHaveBeenCalledTimes(1)
})

it('a call fails and its socket stays where the store of sessions does not respond', async () => {
  const clock = stopClock()
  const { socket, shared } = await start()

  vi.spyOn(shared.sessions, '_get').mockRejectedValueOnce(new Error('No store'))
  clock.advance(20 * MINUTE)
  expect(await socket.call('find', 'notes')).toMatchObject([{ code: 500 }])
  expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
})

type User = { users: any; login: any; one: any }

it.each<[string, (user: User) => Promise<unknown>]>([
  ['a logout', ({ one, login }) => one.logOut(login.refreshToken)],
  ['a new password', ({ users }) => users.patch(1, { password: 'another horse' })],
  ['a block', ({ users }) => users.patch(1, { isBlocked: true })],
  ['a removal', ({ users }) => users.remove(1)]
])('a socket without calls closes after the time of an access token, after %s', async (_name, change) => {
  const timers = stopTimers()
  const { one, other, login } = await start()
  const closed = once(other.app, 'disconnect', { signal: AbortSignal.timeout(10_000) })

  await change({ users: one.app.service('users'), login, one })
  await timers.advance(20 * MINUTE)
  await closed
})

it('a socket without calls stays when nothing about its user has changed', async () => {
  const timers = stopTimers()
  const { other, socket } = await start()
  const { promise: checked, resolve } = defer()

  other.app.service('users').hooks({ after: { get: [() => resolve()] } })
  await timers.advance(20 * MINUTE)
  await checked
  expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
  expect(socket.isClosed).toBe(false)
})
