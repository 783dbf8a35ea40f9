import { expect, it } from 'vitest'
import { decode } from '../authentication/app.ts'
import { describeTransports, type TransportClient } from '../support/transports.ts'
import { configureSessions, DAY, LOGIN, MINUTE, stopClock, WREN } from './app.ts'

/** A direct call sends the token itself. */
function useToken(client: TransportClient, accessToken: string): Promise<any> {
  return client.provider === 'socketio' || client.provider === 'rest'
    ? client.fail('find', 'notes', { headers: { Authorization: `Bearer ${accessToken}` } })
    : client.fail('create', 'authentication', { data: { strategy: 'jwt', accessToken } })
}

describeTransports('a login with refresh', (open) => {
  async function start(options: object = {}) {
    const clock = stopClock()
    const ended: any[] = []
    let app: any
    const client = await open((target) => {
      app = target
      configureSessions(app, options)
      app.on('session:ended', (event: object) => ended.push(event))
    })

    await app.service('users').create(WREN)

    const logIn = (data: object = {}) =>
      client.call('create', 'authentication', { data: { ...LOGIN, ...data } })
    const refresh = (refreshToken: string) =>
      client.call('create', 'authentication', { data: { strategy: 'refresh', refreshToken } })
    const refused = (refreshToken: string) =>
      client.fail('create', 'authentication', { data: { strategy: 'refresh', refreshToken } })

    return { app, client, clock, ended, logIn, refresh, refused }
  }

  it('gets a short access token, and pairs of tokens for as long as the session lasts', async () => {
    const { clock, logIn, refresh, refused } = await start()
    const login = await logIn()
    const { payload } = decode(login.accessToken)

    expect(login.user).toMatchObject({ email: WREN.email })
    expect(payload.exp - payload.iat).toBe(900)

    let { refreshToken } = login

    for (let day = 0; day < 29; day++) {
      clock.advance(DAY)

      const next = await refresh(refreshToken)
      const claims = decode(next.accessToken).payload

      expect(next.user).toEqual(login.user)
      expect(next.refreshToken).not.toBe(refreshToken)
      expect(claims.auth_time).toBe(payload.auth_time)
      expect(claims.session.id).toBe(payload.session.id)
      refreshToken = next.refreshToken
    }

    clock.advance(DAY - 5 * MINUTE)

    const last = await refresh(refreshToken)
    const { exp, auth_time } = decode(last.accessToken).payload

    expect(exp).toBe(auth_time + (30 * DAY) / 1000)
    clock.advance(5 * MINUTE)
    expect(await refused(last.refreshToken)).toMatchObject({ code: 401, data: { reason: 'expired' } })
  })

  it('is as it was without a session', async () => {
    const { logIn } = await start()
    const login = await logIn({ refresh: undefined })
    const { payload } = decode(login.accessToken)

    expect(login.refreshToken).toBeUndefined()
    expect(payload.exp - payload.iat).toBe(86_400)
    expect(payload.session).toBeUndefined()
  })

  it('ends when it is not used', async () => {
    const { clock, ended, logIn, refused } = await start({ refresh: { idle: '1d' } })
    const { refreshToken } = await logIn()

    clock.advance(DAY)
    expect(await refused(refreshToken)).toMatchObject({ code: 401, data: { reason: 'idle' } })
    expect(ended).toMatchObject([{ cause: 'idle', userId: '1' }])
  })

  it('converges: the token before gets the current one, within the grace', async () => {
    const { clock, logIn, refresh } = await start()
    const { refreshToken } = await logIn()
    const { refreshToken: current } = await refresh(refreshToken)

    clock.advance(10_000)

    const again = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)))

    expect(new Set(again.map((login) => login.refreshToken))).toEqual(new Set([current]))
  })

  it('ends with a token that is two behind, and so do its access tokens', async () => {
    const { client, ended, logIn, refresh, refused } = await start()
    const login = await logIn()
    const second = await refresh(login.refreshToken)
    const third = await refresh(second.refreshToken)

    expect(await refused(login.refreshToken)).toMatchObject({
      code: 401,
      message: 'The session has ended',
      data: { reason: 'reuse' }
    })
    expect(await refused(third.refreshToken)).toMatchObject({ code: 401, data: { reason: 'ended' } })
    expect(await useToken(client, third.accessToken)).toMatchObject({ code: 401, message: 'jwt revoked' })
    expect(ended).toMatchObject([{ cause: 'reuse' }])
  })

  it('refuses what is no refresh token', async () => {
    const { refused } = await start()

    for (const refreshToken of ['', 'a.1.b', {}, null, undefined, ['x']]) {
      expect(await refused(refreshToken as string)).toMatchObject({
        code: 401,
        message: 'Invalid refresh token'
      })
    }
  })

  it('refuses a token with another counter, session or signature', async () => {
    const { logIn, refused } = await start()
    const [one, other] = [await logIn(), await logIn()].map(({ refreshToken }) => refreshToken.split('.'))

    for (const parts of [
      [one[0], '2', one[2]],
      [other[0], one[1], one[2]],
      [one[0], '01', one[2]],
      [one[0], one[1], other[2]]
    ]) {
      expect(await refused(parts.join('.'))).toMatchObject({ code: 401, message: 'Invalid refresh token' })
    }
  })
})
