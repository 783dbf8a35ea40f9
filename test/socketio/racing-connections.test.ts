import { describe, expect, it } from 'vitest'
import { NotAuthenticated } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { call, connect, createClient, createRaw, openRaw } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { ANN, open, refuse, withToken } from './users.ts'

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
    await until(() => expect(app.io.engine.clientsCount).toBe(0))
    expect(app.channels).toEqual([])
    done.resolve()
    // It was a login, and has to be seen to end.
    await until(() => expect(tokens).toHaveLength(1))
    await until(() => expect(events.at(-1)?.[0]).toBe('disconnect'))
    expect(app.channels).toEqual([])

    const [, connection] = events.at(-1) as any

    await until(() => expect(Object.keys(connection)).toEqual(['provider', 'headers']))

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
    await until(() => expect(app.io.engine.clientsCount).toBe(0))
    done.resolve()
    await call(await connect(url), 'find', 'things')
    expect(events.map(([name]) => name)).toEqual(['connection'])
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
    expect(await raw.receive('431')).toMatch('431[null,{"of":"ann"}')
    expect(names()).toEqual(['login', 'connection'])
    expect(app.channel('all').length).toBe(1)
    raw.socket.terminate()
    await until(() => expect(names()).toEqual(['login', 'connection', 'disconnect']))
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
    await until(() => expect(app.channels).toEqual([]))
  })

  it('one after the other end the connection', async () => {
    const { app, url, names } = await open()
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('40')
    await raw.closed
    await until(() => expect(names()).toEqual(['connection', 'disconnect']))
    expect(app.channels).toEqual([])
  })

  it('many of them at once leave nothing', async () => {
    const { app, url, tokenOf, names } = await open()
    const raw = createRaw(url, '', { Authorization: `Bearer ${await tokenOf(ANN)}` })

    await raw.receive('0{')
    raw.send(...Array(50).fill('40'))
    await raw.receive('44')
    raw.socket.terminate()
    await until(() => expect(app.io.engine.clientsCount).toBe(0))
    await until(() => expect(names().at(-1)).toBe('disconnect'))
    for (const name of ['login', 'connection', 'disconnect']) {
      expect(names().filter((other) => other === name).length).toBeLessThanOrEqual(1)
    }
    expect(app.channels).toEqual([])
  })
})
