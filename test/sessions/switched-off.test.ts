import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { createApp, createShared, WREN } from './app.ts'

/** An application with a user, and what switches its sessions off. */
async function start(options: Parameters<typeof createApp>[0] = {}) {
  const app = await createApp(options)

  await app.app.service('users').create(WREN)

  return {
    ...app,
    switchOff() {
      const { refresh: _, ...others } = app.app.get('authentication')

      app.app.set('authentication', others)
    }
  }
}

describe('sessions that are switched off', () => {
  it('during a login leave it without a session', async () => {
    const { authentication, logIn, switchOff, use } = await start()

    authentication.register('switch', { authenticate: async () => ({}), getClaims: async () => switchOff() })

    const login = await logIn()

    expect(login).not.toHaveProperty('refreshToken')
    await use(login.accessToken)
  })

  it('while a login begins a session leave it with that session', async () => {
    const sessions = memory() as any
    const { _create } = sessions
    let afterCreate = () => undefined as unknown

    sessions._create = async (...args: unknown[]) => {
      const created = await _create.apply(sessions, args)

      afterCreate()

      return created
    }

    const { logIn, switchOff, use } = await start({ shared: { ...createShared(), sessions } })

    afterCreate = switchOff

    const login = await logIn()

    expect(login).toHaveProperty('refreshToken')
    await use(login.accessToken)
  })

  it.each([
    ['in memory', {}],
    ['in a service', { shared: createShared() }]
  ])('during a refresh let it go on, with sessions %s', async (_place, options) => {
    const { app, logIn, refresh, switchOff, use } = await start(options)
    const { refreshToken } = await logIn()

    app.service('users').hooks({ before: { get: [() => switchOff()] } })

    const refreshed = await refresh(refreshToken)

    expect(refreshed).toHaveProperty('refreshToken')
    await use(refreshed.accessToken)
  })
})
