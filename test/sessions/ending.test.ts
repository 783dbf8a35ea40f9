import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { createApp, createShared, DAY, MINUTE, stopClock, WREN } from './app.ts'

async function start(options: object = {}) {
  const clock = stopClock()
  const shared = createShared()
  const one = await createApp({ shared, ...options })
  const other = await createApp({ shared, ...options })

  await one.app.service('users').create(WREN)

  const rows = (): Promise<any[]> => shared.sessions._find({ query: {}, paginate: false })

  return { one, other, shared, clock, rows }
}

const reason = (value: string) => ({ code: 401, data: { reason: value } })

const REVOKED = { code: 401, message: 'jwt revoked' }

describe('a refresh in several processes', () => {
  it('gives 1,000 simultaneous requests one token, and keeps one row', async () => {
    const { one, other, rows } = await start()
    const { refreshToken } = await one.logIn()
    const all = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => (index % 2 ? one : other).refresh(refreshToken))
    )

    expect(new Set(all.map((login) => login.refreshToken)).size).toBe(1)
    expect(await rows()).toMatchObject([{ counter: 2 }])
  })

  it('works once for a response that never arrived, an hour later', async () => {
    const { one, other, clock } = await start()
    const { refreshToken } = await one.logIn()
    const lost = await one.refresh(refreshToken)

    clock.advance(60 * MINUTE)

    const found = await other.refresh(refreshToken)

    expect(found.refreshToken).toBe(lost.refreshToken)
    await one.refresh(found.refreshToken)
    await expect(other.refresh(refreshToken)).rejects.toMatchObject(reason('reuse'))
  })

  it('refuses the token before once a call has shown that the new one arrived, and then ends', async () => {
    const { one, other, clock } = await start()
    const { refreshToken } = await one.logIn()
    const next = await one.refresh(refreshToken)

    await other.use(next.accessToken)
    clock.advance(MINUTE)
    await expect(one.refresh(refreshToken)).rejects.toMatchObject({
      ...reason('behind'),
      message: 'The refresh token was replaced'
    })
    await one.use(next.accessToken)
    await expect(other.refresh(refreshToken)).rejects.toMatchObject(reason('reuse'))
    await expect(one.use(next.accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('extends nothing by the token before, however often it comes', async () => {
    const { one, clock, rows } = await start()
    const { refreshToken } = await one.logIn()

    await one.refresh(refreshToken)

    const before = await rows()

    for (let count = 0; count < 1000; count++) {
      clock.advance(MINUTE)
      await one.refresh(refreshToken)
    }

    expect(await rows()).toEqual(before)
    clock.advance(14 * DAY - 1000 * MINUTE)
    await expect(one.refresh(refreshToken)).rejects.toMatchObject(reason('idle'))
  })

  it('accepts tokens from after a backup that was restored', async () => {
    const { one, shared, clock, rows } = await start()
    const login = await one.logIn()
    const [{ id, ...backup }] = await rows()
    const second = await one.refresh(login.refreshToken)
    const third = await one.refresh(second.refreshToken)

    await shared.sessions._patch(id, backup)
    clock.advance(MINUTE)

    const fourth = await one.refresh(third.refreshToken)

    await expect(one.refresh(second.refreshToken)).rejects.toMatchObject(reason('reuse'))
    await expect(one.refresh(fourth.refreshToken)).rejects.toMatchObject(reason('ended'))
  })

  it('stores nothing that refreshes, and emits no events about it', async () => {
    const { one, shared, rows } = await start()
    const events: unknown[] = []

    for (const event of ['created', 'patched', 'removed']) {
      one.app.service('sessions').on(event, (data: unknown) => events.push(data))
    }

    const { refreshToken } = await one.logIn()
    const secret = refreshToken.split('.')[2]

    await one.refresh(refreshToken)
    await one.logOut(refreshToken)
    expect(JSON.stringify(await rows())).not.toContain(secret)
    expect(await shared.sessions._find({ query: {}, paginate: false })).toEqual([])
    expect(events).toEqual([])
  })
})

describe('a session ends', () => {
  it('with a logout by its access token', async () => {
    const { one, other } = await start()
    const { accessToken, refreshToken } = await one.logIn()

    expect(await one.logOut(accessToken)).toMatchObject({ user: { email: WREN.email } })
    await expect(other.use(accessToken)).rejects.toMatchObject(REVOKED)
    await expect(other.refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
    expect(one.ended).toEqual([{ cause: 'logout', id: expect.any(String), userId: '1' }])
  })

  it('with all access tokens of it, also newer ones than that of the logout', async () => {
    const { one, other, clock } = await start()
    const first = await one.logIn()

    clock.advance(10 * MINUTE)

    const second = await one.refresh(first.refreshToken)

    await one.logOut(first.accessToken)
    clock.advance(10 * MINUTE)
    await expect(other.use(second.accessToken)).rejects.toMatchObject(REVOKED)
  })

  it.each([
    ['clockTolerance', { clockTolerance: 180 }, 17],
    ['ignoreExpiration', { ignoreExpiration: true }, 100 * 24 * 60]
  ])('for as long as access tokens are accepted with %s', async (_option, jwtOptions, minutes) => {
    const { one, other, clock } = await start({ jwtOptions })
    const { accessToken } = await one.logIn()
    const { accessToken: kept } = await one.logIn()

    await one.logOut(accessToken)
    clock.advance(minutes * MINUTE)
    await expect(other.use(accessToken)).rejects.toMatchObject(REVOKED)
    await other.use(kept)
  })

  it.each(['in the place of the access token', 'as the id'])(
    'with a logout by the refresh token %s, although the access token has expired',
    async (place) => {
      const { one, other, clock, rows } = await start()
      const { accessToken, refreshToken } = await one.logIn()

      clock.advance(DAY)

      const isId = place === 'as the id'
      const result = await other.logOut(isId ? accessToken : refreshToken, isId ? refreshToken : null)

      expect(result).toMatchObject({ user: { email: WREN.email } })
      expect(result.user.password).toBeUndefined()
      expect(await rows()).toEqual([])
      await expect(one.refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
    }
  )

  it('with no logout by a refresh token that is made up', async () => {
    const { one } = await start()
    const { refreshToken } = await one.logIn()
    const madeUp = `${refreshToken.slice(0, -1)}${refreshToken.endsWith('A') ? 'E' : 'A'}`

    await expect(one.logOut(madeUp)).rejects.toMatchObject({ code: 401 })
    await one.refresh(refreshToken)
  })

  it('by revokeAccessToken', async () => {
    const { one, other } = await start()
    const { accessToken, refreshToken } = await one.logIn()

    await one.authentication.revokeAccessToken(accessToken)
    await expect(other.use(accessToken)).rejects.toMatchObject(REVOKED)
    await expect(one.refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
  })

  it('with a new password, but for the one that has set it', async () => {
    const { one, other } = await start()
    const own = await one.logIn()
    const foreign = await other.logIn()

    await one.patch(own.accessToken, { password: 'battery staple' })

    for (const { accessToken } of [own, foreign]) {
      await expect(other.use(accessToken)).rejects.toMatchObject(REVOKED)
    }

    const next = await other.refresh(own.refreshToken)

    await one.use(next.accessToken)
    await expect(one.refresh(foreign.refreshToken)).rejects.toMatchObject(reason('password'))
    await expect(one.refresh(foreign.refreshToken)).rejects.toMatchObject(reason('ended'))
  })

  it('with a new password that the server sets', async () => {
    const { one } = await start()
    const { refreshToken } = await one.logIn()

    await one.app.service('users').patch(1, { password: 'battery staple' })
    await expect(one.refresh(refreshToken)).rejects.toMatchObject(reason('password'))
  })

  it.each([
    ['goes on when the call passes its authentication on', true],
    ['ends too when the call does not say whose it is', false]
  ])('with a password that a service sets: the own one %s', async (_name, isPassedOn) => {
    const { one, other } = await start()
    const service = {
      async create({ password }: any, { user, authentication }: any) {
        await one.app
          .service('users')
          .patch(user.id, { password }, isPassedOn ? { user, authentication } : {})

        return {}
      }
    }

    one.app.use('password', service, { methods: ['create'] })
    one.app.service('password').hooks({ before: { create: [authenticate('jwt')] } })

    const [own, second] = [await one.logIn(), await one.logIn()]
    const authentication = { strategy: 'jwt', accessToken: own.accessToken }

    await one.app.asClient({ authentication }).service('password').create({ password: 'battery staple' })
    await expect(other.use(own.accessToken)).rejects.toMatchObject(REVOKED)
    await expect(other.refresh(second.refreshToken)).rejects.toMatchObject(reason('password'))

    const refreshed = other.refresh(own.refreshToken)

    if (isPassedOn) await other.use((await refreshed).accessToken)
    else await expect(refreshed).rejects.toMatchObject(reason('password'))
  })

  it.each<[string, ({ one, shared }: any) => Promise<unknown>, string]>([
    [
      '',
      async ({ one }) => {
        const ended = new Promise((resolve) => one.app.once('session:ended', resolve))

        await one.app.service('users').remove(1)
        expect(await ended).toMatchObject({ cause: 'user' })
      },
      'ended'
    ],
    ['of whose removal no service knows', ({ shared }) => shared.users._remove(1), 'user']
  ])('with the user %s', async (_how, remove, found) => {
    const started = await start()
    const { refreshToken, accessToken } = await started.one.logIn()

    await remove(started)
    await expect(started.other.use(accessToken)).rejects.toMatchObject({ code: 401 })
    await expect(started.other.refresh(refreshToken)).rejects.toMatchObject(reason(found))
  })

  it('when the user is not active, and does not come back', async () => {
    const { one, other } = await start({ isActive: (user: any) => !user.blocked })
    const { refreshToken } = await one.logIn()

    await one.app.service('users').patch(1, { blocked: true })
    await expect(other.refresh(refreshToken)).rejects.toMatchObject(reason('user'))
    await one.app.service('users').patch(1, { blocked: false })
    await expect(other.refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
  })

  it('when a login carries its refresh token or its access token, and is of the same user', async () => {
    const { one, other } = await start()

    await one.app.service('users').create({ email: 'ada@example.org', password: 'correct horse' })

    const first = await one.logIn()
    const second = await one.logIn({ refreshToken: first.refreshToken })
    const third = await one.logIn({}, second.accessToken)

    await one.logIn({ email: 'ada@example.org', refreshToken: third.refreshToken }, third.accessToken)
    await expect(other.refresh(first.refreshToken)).rejects.toMatchObject(reason('ended'))
    await expect(other.refresh(second.refreshToken)).rejects.toMatchObject(reason('ended'))
    await other.refresh(third.refreshToken)
    expect(one.ended.map(({ cause }) => cause)).toEqual(['replaced', 'replaced'])
  })

  it('when there are more than the limit, the oldest first', async () => {
    const { one, other, clock, rows } = await start({ refresh: { limit: 3 } })
    const logins: any[] = []

    // A clock that is set back makes a new one the oldest.
    for (const time of [4, 1, 2, 0, 3]) {
      clock.advance(time * MINUTE)
      logins.push(await one.logIn())
      await other.use(logins.at(-1).accessToken)
      clock.advance(-time * MINUTE)
    }

    expect(await rows()).toHaveLength(3)
    expect(one.ended.map(({ cause }) => cause)).toEqual(['limit', 'limit'])
    await expect(other.refresh(logins[1].refreshToken)).rejects.toMatchObject(reason('ended'))
    await expect(other.refresh(logins[3].refreshToken)).rejects.toMatchObject(reason('ended'))
    for (const index of [0, 2, 4]) await other.refresh(logins[index].refreshToken)
  })

  it('by endSessions, with all others of the user', async () => {
    const { one, other } = await start()
    const [first, second] = [await one.logIn(), await one.logIn()]

    await one.authentication.endSessions(1)
    await expect(other.use(first.accessToken)).rejects.toMatchObject(REVOKED)
    await expect(other.refresh(second.refreshToken)).rejects.toMatchObject(reason('ended'))
  })
})

describe('a login', () => {
  it('with a token is none: it begins no session', async () => {
    const { one, rows } = await start({ refresh: { always: true } })
    const { accessToken } = await one.logIn({ refresh: undefined })

    await one.logIn({ strategy: 'jwt', accessToken })
    expect(await rows()).toHaveLength(1)
  })

  it('by issueToken begins a session when it is asked for', async () => {
    const { one } = await start()
    const user = await one.app.service('users').get(1)
    const { refreshToken } = await one.authentication.issueToken({ user }, { refresh: true })

    expect(await one.refresh(refreshToken)).toMatchObject({ user: { id: 1 } })
    expect((await one.authentication.issueToken({ user })).refreshToken).toBeUndefined()
  })

  it('by issueToken replaces the session of the caller, and with `refresh: false` none', async () => {
    const { one } = await start()
    const downloads = {
      create: async (data: object, { user, ...params }: any) =>
        one.authentication.issueToken({ user }, { ...params, ...data })
    }

    one.app.use('downloads', downloads, { methods: ['create'] })
    one.app.service('downloads').hooks({ before: { create: [authenticate('jwt')] } })

    const { accessToken, refreshToken } = await one.logIn()
    const caller = one.asClient(accessToken).service('downloads')

    await caller.create({ refresh: false })
    expect(one.ended).toEqual([])
    await one.refresh(refreshToken)
    await caller.create({})
    expect(one.ended).toMatchObject([{ cause: 'replaced' }])
  })
})
