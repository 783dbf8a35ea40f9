import { expect, it } from 'vitest'
import {
  authentication,
  socketio as connectClient,
  alula as createClient,
  MemoryStorage
} from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect } from '../support/socketio.ts'

const ANN = { email: 'ann', password: 'one' }

async function open() {
  const app: any = alula().configure(socketio({ logger: false }))

  configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })
  app.on('login', (_result: any, { connection }: any) => app.channel('members').join(connection))
  app.publish(() => app.channel('members'))

  const url = await serve(app)
  const { id } = await app.service('users').create(ANN)
  const socket = await connect(url, { reconnection: false })

  await call(socket, 'create', 'authentication', { strategy: 'local', ...ANN }, {})

  return { app, id, socket, url }
}

it('a connection whose password was changed is answered with a 401, and ends', async () => {
  const { app, id, socket } = await open()
  const ended = new Promise<string>((resolve) => socket.once('disconnect', resolve))

  await app.service('users').patch(id, { password: 'two' })
  await expect(call(socket, 'find', 'notes', {})).rejects.toMatchObject({ code: 401 })

  expect(await ended).toBe('io server disconnect')
  expect(app.channels).toEqual([])
})

it('a login that fails ends no connection whose token is good', async () => {
  const { app, socket } = await open()

  await expect(
    call(socket, 'create', 'authentication', { strategy: 'local', ...ANN, password: 'no' }, {})
  ).rejects.toMatchObject({ code: 401 })

  expect(await call(socket, 'find', 'notes', {})).toEqual({ of: 'ann' })
  expect(app.channel('members').length).toBe(1)
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
