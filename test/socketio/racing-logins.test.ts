import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect, hear } from '../support/socketio.ts'

const ANN = { email: 'ann', password: 'one' }
const BOB = { email: 'bob', password: 'two' }

/** Compares passwords when the test says so. */
class HeldHasher extends CountingHasher {
  readonly held = new Map<string, Promise<void>>()

  override async compare(password: string, hash: string): Promise<boolean> {
    await this.held.get(password)

    return super.compare(password, hash)
  }
}

async function open() {
  const app: any = alula().configure(socketio({ logger: false }))
  const hasher = new HeldHasher()

  configureLogin(app, { settings: { local: { hasher } } })
  app.on('login', ({ user }: any, { connection }: any) => app.channel(`of ${user.email}`).join(connection))

  const url = await serve(app)

  for (const user of [ANN, BOB]) await app.service('users').create(user)

  return { app, hasher, url }
}

function logIn(client: any, user: object): Promise<any> {
  return call(client, 'create', 'authentication', { strategy: 'local', ...user }, {})
}

it('two logins that race on one connection leave it to the second, and to its channels alone', async () => {
  const { app, hasher, url } = await open()
  const socket = await connect(url, { reconnection: false })
  const { promise, resolve } = defer()

  hasher.held.set(ANN.password, promise)

  const logins = [logIn(socket, ANN), logIn(socket, BOB)]

  await call(socket, 'find', 'things', {})
  resolve()

  const [first] = await Promise.all(logins)

  expect(app.channels).toEqual(['of bob'])
  expect(app.channel('of bob').connections[0].user.email).toBe('bob')

  // A logout of the first user elsewhere is no matter of this connection.
  await app.service('authentication').revokeAccessToken(first.accessToken)
  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'bob' })
})

it('a logout that is sent right behind a login ends that login', async () => {
  const { app, url } = await open()
  const socket = await connect(url, { reconnection: false })

  const [login, logout] = await Promise.all([
    logIn(socket, BOB),
    call(socket, 'remove', 'authentication', null, {})
  ])

  expect(logout).toMatchObject({ accessToken: login.accessToken, user: { email: 'bob' } })
  expect(app.channels).toEqual([])
  await expect(call(socket, 'find', 'notes', {})).rejects.toMatchObject({ code: 401 })
})

it('a second logout that is sent right behind the first finds nobody', async () => {
  const { url } = await open()
  const socket = await connect(url, { reconnection: false })

  await logIn(socket, ANN)

  const logOut = () => call(socket, 'remove', 'authentication', null, {})
  const [first, second] = await Promise.allSettled([logOut(), logOut()])

  expect(first).toMatchObject({ status: 'fulfilled', value: { user: { email: 'ann' } } })
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 401 } })
})

it('hooks after a login that take long let the connection join no channels of its former user', async () => {
  const { app, url } = await open()
  const socket = await connect(url, { reconnection: false })
  const { promise, resolve } = defer()

  app.service('authentication').hooks({
    after: {
      create: [
        async ({ result: { user }, params: { connection } }: any) => {
          if (user.email === 'ann') await promise
          app.channel(`rooms of ${user.email}`).join(connection)
        }
      ]
    }
  })

  const logins = [logIn(socket, ANN), logIn(socket, BOB)]

  await call(socket, 'find', 'things', {})
  await call(socket, 'find', 'things', {})
  resolve()
  await Promise.all(logins)

  expect(app.channels.toSorted()).toEqual(['of bob', 'rooms of bob'])
})

it('a logout during a login of another user ends that login', async () => {
  const { app, hasher, url } = await open()
  const socket = await connect(url, { reconnection: false })
  const { accessToken } = await logIn(socket, ANN)
  const { promise, resolve } = defer()

  hasher.held.set(BOB.password, promise)

  const calls = [logIn(socket, BOB), call(socket, 'remove', 'authentication', null, {})] as const

  await call(socket, 'find', 'things', {})
  resolve()

  const [login, logout] = await Promise.all(calls)

  expect(logout).toMatchObject({ accessToken: login.accessToken, user: { email: 'bob' } })
  expect(app.channels).toEqual([])
  await expect(call(socket, 'find', 'notes', {})).rejects.toMatchObject({ code: 401 })
  expect(await app.service('authentication').verifyAccessToken(accessToken)).toHaveProperty('sub')
})

it('a logout that names its token ends that one, whoever has logged in meanwhile', async () => {
  const { app, hasher, url } = await open()
  const socket = await connect(url, { reconnection: false })
  const { accessToken } = await logIn(socket, ANN)
  const { promise, resolve } = defer()

  hasher.held.set(BOB.password, promise)

  const calls = [logIn(socket, BOB), call(socket, 'remove', 'authentication', accessToken, {})]

  await call(socket, 'find', 'things', {})
  resolve()
  await Promise.all(calls)
  await expect(app.service('authentication').verifyAccessToken(accessToken)).rejects.toThrow('jwt revoked')
  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'bob' })
})

it('a login that calls the service again does not wait for itself', async () => {
  const { app, url } = await open()
  const service = app.service('authentication')
  const socket = await connect(url, { reconnection: false })
  const ended = hear(socket, 'disconnect')

  service.register('nested', {
    authenticate: async (_data: unknown, { authenticated, ...params }: any) => {
      const { authentication, user } = await service.create({ strategy: 'local', ...ANN }, params)

      return { authentication, user }
    }
  })
  app.set('authentication', { ...app.get('authentication'), authStrategies: ['jwt', 'local', 'nested'] })

  const { accessToken } = await call(socket, 'create', 'authentication', { strategy: 'nested' }, {})

  expect(app.channels).toEqual(['of ann'])
  await service.revokeAccessToken(accessToken)
  expect(await ended).toEqual(['io server disconnect', undefined])
})
