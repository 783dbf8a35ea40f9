import { expect, it } from 'vitest'
import { createApp, createShared, MINUTE, stopClock, WREN } from '../sessions/app.ts'

async function start() {
  const clock = stopClock()
  const shared = createShared()
  const { app, ...one } = await createApp({ shared, refresh: { accessExpiresIn: '1h' } })

  await app.service('users').create(WREN)

  return {
    ...{ clock, ...one },
    shorten: () => {
      const settings = app.get('authentication')

      app.set('authentication', { ...settings, refresh: { ...settings.refresh, accessExpiresIn: '1m' } })
    }
  }
}

it.each(['accessToken', 'refreshToken'])(
  'a token from before access tokens became shorter stays refused after a logout by the %s',
  async (name) => {
    const { clock, logIn, logOut, shorten, use } = await start()
    const login = await logIn()

    shorten()
    await logOut(login[name])

    for (const minutes of [1, 2, 3, 50]) {
      await expect(use(login.accessToken)).rejects.toMatchObject({ code: 401 })
      clock.advance(minutes * MINUTE)
    }
  }
)

it('a token from before access tokens became shorter is refused when it is older than that, and is renewed', async () => {
  const { authentication, clock, connect, logIn, refresh, shorten, use } = await start()
  const { accessToken, refreshToken } = await logIn()
  const socket = connect(clock.now())

  await socket.call('create', 'authentication', { strategy: 'jwt', accessToken })
  clock.advance(MINUTE / 2)
  shorten()
  expect(await use(accessToken)).toEqual(['a note'])
  clock.advance(MINUTE)
  await expect(use(accessToken)).rejects.toMatchObject({ code: 401, message: 'jwt expired' })
  await expect(authentication.verifyAccessToken(accessToken)).rejects.toMatchObject({ code: 401 })
  expect(await socket.call('find', 'notes')).toEqual([null, ['a note']])
  expect(await use((await refresh(refreshToken)).accessToken)).toEqual(['a note'])
})
