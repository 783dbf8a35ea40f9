import { describe, expect, it } from 'vitest'
import { access, fresh, user } from '../../src/access.ts'
import { authenticate, SessionService } from '../../src/authentication.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { configureSessions, DAY, LOGIN, MINUTE, stopClock, WREN } from './app.ts'

const ADA = { email: 'ada@example.org', password: 'battery staple' }

describeRemoteTransports('sessions', (open) => {
  async function start() {
    const clock = stopClock()
    let app: any
    const client = await open((target) => {
      app = target
      configureSessions(app)
      app.use('authentication/sessions', new SessionService(app), {
        methods: ['find', 'remove'],
        access: access({ find: user, remove: fresh('10m') })
      })
      app.use('secrets', { find: async () => [] }, { methods: ['find'] })
      app
        .service('secrets')
        .hooks({ before: { find: [authenticate({ strategies: ['jwt'], fresh: '10m' })] } })
    })

    for (const each of [WREN, ADA]) await app.service('users').create(each)

    // Each without a connection, whose login the next one would replace.
    const send = (data: object) => app.asClient().service('authentication').create(data)
    const logIn = (data: object = {}) => send({ ...LOGIN, ...data })
    const refresh = ({ refreshToken }: any) => send({ strategy: 'refresh', refreshToken })
    const as = ({ accessToken }: any) => ({ headers: { Authorization: `Bearer ${accessToken}` } })

    return { app, client, clock, logIn, refresh, as }
  }

  it('are listed and ended by their user', async () => {
    const { client, clock, logIn, as } = await start()

    const first = await logIn()

    clock.advance(MINUTE)

    const second = await logIn()

    await logIn(ADA)

    const listed = await client.call('find', 'authentication/sessions', as(second))

    expect(listed).toEqual([
      expect.objectContaining({ current: true, address: null, usedAt: new Date().toISOString() }),
      expect.objectContaining({ current: false })
    ])
    expect(
      await client.call('remove', 'authentication/sessions', { id: listed[1].id, ...as(second) })
    ).toEqual(listed[1])
    expect(await client.fail('find', 'notes', as(first))).toMatchObject({ code: 401 })
    expect(await client.call('find', 'authentication/sessions', as(second))).toEqual([listed[0]])
  })

  it('of others are not found', async () => {
    const { client, logIn, as } = await start()

    const [wren, ada] = [await logIn(), await logIn(ADA)]
    const [{ id }] = await client.call('find', 'authentication/sessions', as(wren))

    expect(await client.fail('remove', 'authentication/sessions', { id, ...as(ada) })).toMatchObject({
      code: 404
    })
    expect(await client.fail('find', 'authentication/sessions')).toMatchObject({ code: 401 })
    expect(await client.call('find', 'authentication/sessions', as(wren))).toHaveLength(1)
  })

  it('need an access token, which a call as a user has not', async () => {
    const { app, logIn } = await start()
    const { accessToken } = await logIn()
    const as = (options: object) => app.asClient(options).service('authentication/sessions')
    const byUser = as({ user: await app.service('users').get(1) })
    const byToken = as({ authentication: { strategy: 'jwt', accessToken } })

    await expect(byUser.find()).rejects.toMatchObject({ code: 401 })
    await expect(byUser.remove(null)).rejects.toMatchObject({ code: 401, data: { reason: 'stale' } })
    expect(await byToken.find()).toHaveLength(1)
    expect(await byToken.remove(null)).toEqual([])
  })

  it('are ended after a fresh login alone, and a refresh is none', async () => {
    const { client, clock, logIn, refresh, as } = await start()

    const [first, second] = [await logIn(), await logIn()]

    expect(await client.call('find', 'secrets', as(first))).toEqual([])
    clock.advance(10 * MINUTE)

    const refreshed = await refresh(first)
    const stale = { code: 401, data: { reason: 'stale' } }

    expect(await client.fail('find', 'secrets', as(refreshed))).toMatchObject(stale)
    expect(
      await client.fail('remove', 'authentication/sessions', { id: null, ...as(refreshed) })
    ).toMatchObject(stale)

    const again = await logIn({ refreshToken: refreshed.refreshToken })

    await client.call('remove', 'authentication/sessions', { id: null, ...as(again) })
    expect(await client.fail('find', 'notes', as(second))).toMatchObject({ code: 401 })
    expect(await client.call('find', 'notes', as(again))).toEqual(['a note'])
  })
})

describe('fresh', () => {
  it.each(['soon', '', 0, -1, '5', {}, null])('takes a duration, and not %j', (duration) => {
    expect(() => fresh(duration as string)).toThrow(/expected a duration such as '10m'/)
    expect(() => authenticate({ strategies: ['jwt'], fresh: duration as string })).toThrow(/'fresh'/)
  })

  it('takes the time of a login without a session from its token, and none from a token of others', async () => {
    const { createFreshCheck } = await import('../../src/authentication-hooks/fresh.ts')
    const clock = stopClock()
    const check = createFreshCheck('1d', 'a test')
    const app: any = {
      defaultAuthentication: () => ({ configuration: { jwtOptions: { issuer: 'feathers' } } })
    }
    const iat = clock.now() / 1000
    const verify = (payload: object) => () =>
      check({ app, params: { authentication: { strategy: 'jwt', payload } } } as any)

    expect(verify({ iss: 'feathers', iat })).not.toThrow()
    expect(verify({ iss: 'https://other.example', iat, auth_time: iat })).not.toThrow()
    expect(verify({ iss: 'https://other.example', iat })).toThrow(/log in again/)
    expect(verify({ iss: 'feathers', iat, auth_time: 'now' })).toThrow(/log in again/)
    clock.advance(DAY)
    expect(verify({ iss: 'feathers', iat })).toThrow(/log in again/)
  })
})
