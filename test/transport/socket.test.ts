import { describe, expect, it } from 'vitest'
import { NotAuthenticated, Unavailable } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import {
  authenticateConnection,
  isAuthenticated,
  toDeliveries,
  toSocketCall
} from '../../src/transport/socket.ts'
import { configureLogin } from '../support/login.ts'

const ANN = { email: 'ann@example.org', password: 'correct horse' }

async function createApp() {
  const app: any = alula()
  const auth = configureLogin(app)

  await app.service('users').create(ANN)
  await app.setup()

  const { accessToken } = await auth.create({ strategy: 'local', ...ANN })

  return { app, auth, headers: { authorization: `Bearer ${accessToken}` } }
}

const connect = (): any => ({ provider: 'test' })

it('a message needs a connection that says what it came through', () => {
  const message = { method: 'find', path: 'things', args: [] }

  for (const connection of [undefined, {}, { provider: '' }] as any[]) {
    expect(() => toSocketCall(alula(), { ...message, connection })).toThrow(
      "A connection needs a 'provider', the name of its transport"
    )
  }
})

describe('a connection', () => {
  it('is logged in by what its first request says', async () => {
    const { app, headers } = await createApp()
    const connection = connect()

    await authenticateConnection(app, connection, { headers })

    expect(connection).toMatchObject({ authentication: { strategy: 'jwt' }, user: { email: ANN.email } })
    expect(await isAuthenticated(app, connection)).toBe(true)
  })

  it('is nobody’s where the request says nothing, or nobody asks', async () => {
    const { app, headers } = await createApp()
    const [silent, unasked] = [connect(), connect()]

    await authenticateConnection(app, silent, { headers: {} })
    await authenticateConnection(alula() as any, unasked, { headers })

    for (const connection of [silent, unasked]) {
      expect(connection).toEqual({ provider: 'test' })
      expect(await isAuthenticated(app, connection)).toBe(true)
    }
  })

  it('with credentials that are not good is nobody’s either', async () => {
    const { app } = await createApp()
    const connection = connect()
    const request = { headers: { authorization: 'Bearer nonsense' } }

    await expect(authenticateConnection(app, connection, request)).rejects.toBeInstanceOf(NotAuthenticated)
    expect(connection).toEqual({ provider: 'test' })
  })

  it('keeps what a login has set before it failed, which has to be ended', async () => {
    const { app, auth, headers } = await createApp()
    const connection = connect()
    const own = { strategy: 'jwt', accessToken: 'own' }

    auth.hooks({
      before: {
        create: [
          ({ params }: any) => {
            params.connection.authentication = own
            throw new Unavailable('Later')
          }
        ]
      }
    })

    await expect(authenticateConnection(app, connection, { headers })).rejects.toThrow('Later')
    expect(connection.authentication).toBe(own)
  })

  it('with credentials for calls alone brings them along, and is not logged in', async () => {
    const { app, auth } = await createApp()
    const connection = connect()
    const key = { strategy: 'key', key: 'abc' }

    auth.register('key', { parse: async () => key, authenticate: async () => expect.fail('A login') } as any)
    await authenticateConnection(app, connection, { headers: {} }, { strategies: ['key'] })

    expect(connection).toEqual({ provider: 'test', authentication: key })
  })

  it('is not good any more when its token is void, and good as long as nobody knows', async () => {
    const { app, auth, headers } = await createApp()
    const connection = connect()

    await authenticateConnection(app, connection, { headers })
    await app.service('users').patch(0, { password: 'another horse' })
    expect(await isAuthenticated(app, connection)).toBe(false)

    auth.authenticate = () => Promise.reject(new Unavailable('Later'))
    expect(await isAuthenticated(app, connection)).toBe(true)
    expect(await isAuthenticated(alula() as any, connection)).toBe(true)
  })
})

describe('an event', () => {
  const [first, second, third] = [1, 2, 3].map((id) => ({ id, provider: 'test' })) as any[]
  const app: any = alula()
  const channel = app.channel('all').join(first, second)
  const data = { id: 5 }
  const context: any = { path: 'things', method: 'create', result: data }

  it('is one for all who hear the same', () => {
    expect(toDeliveries('created', channel, context, data)).toEqual([
      { name: 'things created', payload: data, connections: [first, second] }
    ])
    expect(toDeliveries('created', channel, { result: data } as any, data)[0]?.name).toBe('created')
    expect(toDeliveries('created', app.channel('nobody'), context, data)).toEqual([])
  })

  it('says what its channel says', () => {
    const other = app.channel('other').join(second, third)
    const both = app.channel('all', 'other')

    expect(toDeliveries('created', channel.send('told'), context, data)).toEqual([
      { name: 'things created', payload: 'told', connections: [first, second] }
    ])
    expect(both.connections).toEqual([first, second, third])
    expect(toDeliveries('created', other.send({ own: true }), context, data)[0]?.connections).toEqual([
      second,
      third
    ])
  })
})
