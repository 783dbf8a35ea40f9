import { expect, it } from 'vitest'
import { protect } from '../../src/authentication.ts'
import {
  authentication,
  socketio as connectClient,
  alula as createClient,
  MemoryStorage
} from '../../src/client.ts'
import { Forbidden } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { CountingHasher, configureLogin, SECRET } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect, hear } from '../support/socketio.ts'
import { until } from '../support/until.ts'

const ANN = { email: 'ann', password: 'one' }

async function open(settings: object = {}) {
  const app: any = alula().configure(socketio({ logger: false }))

  configureLogin(app, {
    settings: { local: { hasher: new CountingHasher() }, isActive: ({ banned }: any) => !banned, ...settings }
  })
  app.on('login', (_result: any, { connection }: any) => app.channel('members').join(connection))
  app.publish(() => app.channel('members'))

  const url = await serve(app)
  const { id } = await app.service('users').create(ANN)
  const socket = await connect(url, { reconnection: false })

  await call(socket, 'create', 'authentication', { strategy: 'local', ...ANN }, {})

  return { app, id, socket, url }
}

it.each<[string, (app: any, id: number) => Promise<unknown>]>([
  ['whose password was changed', (app, id) => app.service('users').patch(id, { password: 'two' })],
  ['that was removed', (app, id) => app.service('users').remove(id)],
  ['that is not active any more', (app, id) => app.service('users').patch(id, { banned: true })]
])(
  'every idle connection of a user %s closes within a second, and leaves its channels',
  async (_title, change) => {
    const { app, id, socket, url } = await open()
    const other = await connect(url, { reconnection: false })

    await app.service('users').create({ email: 'bob', password: 'three' })

    const staying = await connect(url, { reconnection: false })

    await call(other, 'create', 'authentication', { strategy: 'local', ...ANN }, {})
    await call(
      staying,
      'create',
      'authentication',
      { strategy: 'local', email: 'bob', password: 'three' },
      {}
    )

    const ended = Promise.all([socket, other].map((client) => hear(client, 'disconnect')))
    const begin = performance.now()

    await change(app, id)

    expect(await ended).toEqual([
      [expect.stringMatching('io server disconnect'), undefined],
      [expect.stringMatching('io server disconnect'), undefined]
    ])
    expect(performance.now() - begin).toBeLessThan(15_000)
    expect(app.channel('members').connections.map(({ user }: any) => user.email)).toEqual(['bob'])
    expect(staying.connected).toBe(true)
  }
)

it('a call that changes the password of its own connection gets its reply before the connection closes', async () => {
  const { id, socket } = await open()
  const ended = hear(socket, 'disconnect')

  expect(await call(socket, 'patch', 'users', id, { password: 'two' }, {})).toEqual({ id, email: 'ann' })
  expect(await ended).toEqual(['io server disconnect', undefined])
})

it('a change that leaves the token valid closes no connection', async () => {
  const { app, id, socket } = await open()

  await app.service('users').patch(id, { name: 'Ann' })
  await app.service('authentication').verifySessions(id)
  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'ann' })
})

it('a user who was changed in the database closes with verifySessions', async () => {
  const { app, id, socket } = await open()
  const ended = hear(socket, 'disconnect')

  await app.service('users')._patch(id, { banned: true })
  expect(await call(socket, 'find', 'things', {})).toEqual({ open: true })
  await app.service('authentication').verifySessions()
  expect(await ended).toEqual(['io server disconnect', undefined])
})

it.each([{ isActive: () => false }, { secret: `${SECRET} of today` }])(
  'connections whose login is not valid by new settings close with verifySessions: %j',
  async (settings) => {
    const { app, socket } = await open()
    const ended = hear(socket, 'disconnect')

    app.set('authentication', { ...app.get('authentication'), ...settings })
    await app.service('authentication').verifySessions()
    expect(await ended).toEqual(['io server disconnect', undefined])
  }
)

it('a password that is changed while a login runs leaves no session of the old one', async () => {
  const { app, id, url } = await open()
  const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...ANN })
  const socket = await connect(url, { reconnection: false })
  const { promise: begun, resolve: begin } = defer()
  const { promise: changed, resolve: goOn } = defer()

  app.service('authentication').register('slow', {
    getClaims: async () => ({}),
    handleConnection: async (event: string) => {
      if (event !== 'login') return

      begin()
      await changed
    }
  })
  // Before `jwt`: the session has not begun when the password changes.
  const { strategies } = app.service('authentication')
  const { jwt } = strategies

  delete strategies.jwt
  strategies.jwt = jwt

  const login = call(socket, 'create', 'authentication', { strategy: 'jwt', accessToken }, {})

  await begun
  await app.service('users').patch(id, { password: 'two' })
  goOn()
  await expect(login).rejects.toMatchObject({ code: 401 })
  await until(() => expect(app.channels).toEqual([]))
})

it('a login that fails ends no connection whose token is good', async () => {
  const { app, socket } = await open()

  await expect(
    call(socket, 'create', 'authentication', { strategy: 'local', ...ANN, password: 'no' }, {})
  ).rejects.toMatchObject({ code: 401 })

  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'ann' })
  expect(app.channel('members').length).toBe(1)
})

it.each<[string, (app: any) => object]>([
  [
    'in an after hook',
    (app) => {
      app.service('authentication').hooks({
        after: {
          create: [
            async ({ app, data, params }: any) => {
              if (data.email !== 'bob') return

              app.channel('of bob').join(params.connection)
              throw new Forbidden('Not today')
            }
          ]
        }
      })

      return {}
    }
  ],
  ['because a socket can get no cookie', () => ({ refresh: true })]
])('a login of another user that fails %s leaves a connection in its channels', async (_title, prepare) => {
  const { app, socket } = await open({ refresh: { cookie: true } })
  const bob = { email: 'bob', password: 'three' }
  const request = prepare(app)

  await app.service('users').create(bob)
  await expect(
    call(socket, 'create', 'authentication', { strategy: 'local', ...bob, ...request }, {})
  ).rejects.toMatchObject({ name: expect.stringMatching(/Forbidden|BadRequest/) })

  const event = hear(socket, 'things created')

  app.service('things').emit('created', { text: 'for members' })
  expect(await event).toEqual([{ text: 'for members' }])
  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'ann' })
  expect(app.channels).toEqual(['members'])
})

it('a connection closes when the login of another user is no longer valid as soon as it begins', async () => {
  const revoked = new Set<string>()
  const { app, socket } = await open({
    revocation: { revoke: async () => true, isRevoked: async (id: string) => revoked.has(id) }
  })
  const bob = { email: 'bob', password: 'three' }

  await app.service('users').create(bob)
  app.service('authentication').hooks({
    after: { create: [({ result }: any) => void revoked.add(result.authentication.payload.jti)] }
  })

  const ended = hear(socket, 'disconnect')

  await expect(
    call(socket, 'create', 'authentication', { strategy: 'local', ...bob }, {})
  ).rejects.toMatchObject({ code: 401 })
  expect(await ended).toEqual(['io server disconnect', undefined])
  expect(app.channels).toEqual([])
})

it('somebody else who logs in on a connection leaves the channels of the one before', async () => {
  const { app, socket } = await open()
  const [connection] = app.channel('members').connections

  app.channel('of ann').join(connection)
  await app.service('users').create({ email: 'bob', password: 'three' })
  await call(socket, 'create', 'authentication', { strategy: 'local', ...ANN }, {})
  expect(app.channels).toEqual(['members', 'of ann'])

  await call(socket, 'create', 'authentication', { strategy: 'local', email: 'bob', password: 'three' }, {})
  expect(app.channels).toEqual(['members'])
  expect(connection.user.email).toBe('bob')
})

it('somebody else leaves the channels of the one before, though clients do not see the ids of users', async () => {
  const { app, socket } = await open()
  const [connection] = app.channel('members').connections
  const auth = app.service('authentication')
  const bob = { email: 'bob', password: 'three' }

  app.service('users').hooks({ after: { get: [protect('id')] } })
  await app.service('users').create(bob)

  for (const user of [ANN, bob]) {
    const { accessToken } = await auth.create({ strategy: 'local', ...user })

    await call(socket, 'create', 'authentication', { strategy: 'jwt', accessToken }, {})
    if (user === ANN) app.channel('of ann').join(connection)
  }

  expect(app.channels).toEqual(['members'])
})

it('a login that fails on our client ends the session of the connection too', async () => {
  const { app, url } = await open()
  const client = createClient()
    .configure(connectClient(await connect(url)))
    .configure(authentication({ storage: new MemoryStorage() }))

  await client.authenticate({ strategy: 'local', ...ANN })
  expect(app.channel('members').length).toBe(2)

  await expect(client.authenticate({ strategy: 'local', ...ANN, password: 'no' })).rejects.toMatchObject({
    code: 401
  })
  expect(app.channel('members').length).toBe(1)
  await expect(client.service('notes').find()).rejects.toMatchObject({ code: 401 })
})
