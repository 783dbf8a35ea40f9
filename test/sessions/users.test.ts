import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { Forbidden, NotAuthenticated } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { createApp, createShared, WREN } from './app.ts'

const reason = (value: string) => ({ code: 401, data: { reason: value } })

describe('the sessions of a removed user', () => {
  it('end also where a hook replaces the result: the id may be given to another user', async () => {
    const { app, logIn, refresh } = await createApp()
    const hideUser = async (context: any) => {
      context.result = { removed: true }
    }

    app.service('users').hooks({ after: { remove: [hideUser] } })
    await app.service('users').create(WREN)

    const { refreshToken } = await logIn()
    const ended = once(app, 'session:ended', { signal: AbortSignal.timeout(5000) })

    await app.service('users').remove(1)
    expect(await ended).toMatchObject([{ cause: 'user', userId: '1' }])
    await expect(refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
  })
})

describe('a new password', () => {
  /** An application where a patch of the name takes some time, with two sessions of one user. */
  async function startTwoSessions() {
    const started = await createApp()
    const [begun, held] = [defer<void>(), defer<void>()]
    const wait = async ({ data }: any) => {
      if (data.name === undefined) return

      begun.resolve()
      await held.promise
    }

    started.app.service('users').hooks({ before: { patch: [wait] } })
    await started.app.service('users').create({ ...WREN, key: 'a key' })

    return {
      ...{ ...started, begun: begun.promise, release: held.resolve },
      owner: await started.logIn(),
      thief: await started.logIn()
    }
  }

  it.each([
    ['another field', {}],
    ['another credential', { key: 'another key' }]
  ])('ends the session of a thief whose patch of %s runs meanwhile', async (_name, changes) => {
    const { authentication, patch, refresh, use, begun, release, ...started } = await startTwoSessions()

    authentication.register('key', { getCredential: ({ key }: any) => key })

    const owner = await refresh(started.owner.refreshToken)
    const thief = await refresh(started.thief.refreshToken)
    const patching = patch(thief.accessToken, { name: 'Wren', ...changes })

    await begun
    await patch(owner.accessToken, { password: 'battery staple' })
    release()
    await patching
    await expect(use(thief.accessToken)).rejects.toMatchObject({ code: 401 })
    await expect(refresh(thief.refreshToken)).rejects.toMatchObject(reason('password'))
    if (!('key' in changes)) await use((await refresh(owner.refreshToken)).accessToken)
  })

  it('keeps the session that has set it, also with another credential that stays', async () => {
    const { authentication, patch, refresh, use, owner } = await startTwoSessions()

    authentication.register('key', { getCredential: ({ key }: any) => key })

    const { accessToken, refreshToken } = await refresh(owner.refreshToken)

    await patch(accessToken, { password: 'battery staple' })
    await use((await refresh(refreshToken)).accessToken)
  })

  it('keeps the session that has set it where sessions are switched on after the set-up', async () => {
    const { app, logIn, patch, refresh, use } = await createApp({ refresh: false })

    app.set('authentication', { ...app.get('authentication'), refresh: {} })
    await app.service('users').create(WREN)

    const [own, second] = [await logIn(), await logIn()]

    await patch(own.accessToken, { password: 'battery staple' })
    await use((await refresh(own.refreshToken)).accessToken)
    await expect(refresh(second.refreshToken)).rejects.toMatchObject(reason('password'))
  })

  it('keeps the session that has set it where users have another name than their id', async () => {
    const { app, asClient, logIn, refresh, use } = await createApp({ by: 'email' })

    await app.service('users').create(WREN)

    const [own, second] = [await logIn(), await logIn()]

    await asClient(own.accessToken).service('users').patch(WREN.email, { password: 'battery staple' })
    await use((await refresh(own.refreshToken)).accessToken)
    await expect(refresh(second.refreshToken)).rejects.toMatchObject(reason('password'))
  })

  it('of another user keeps no session', async () => {
    const { app, asClient, logIn, refresh, use } = await createApp()

    await app.service('users').create(WREN)
    await app.service('users').create({ email: 'ada@example.org', password: 'correct horse' })

    const own = await logIn()
    const ada = await logIn({ email: 'ada@example.org' })

    await asClient(own.accessToken).service('users').patch(2, { password: 'battery staple' })
    await use((await refresh(own.refreshToken)).accessToken)
    await expect(refresh(ada.refreshToken)).rejects.toMatchObject(reason('password'))
  })
})

it('a patch succeeds where a strategy expects fields that its data does not have', async () => {
  const { app, authentication, logIn, patch, refresh, use } = await createApp()

  await app.service('users').create(WREN)

  authentication.register('secret', { getCredential: ({ email }: any) => email.trim() })

  const { accessToken, refreshToken } = await logIn()

  expect(await patch(accessToken, { name: 'Wren' })).toMatchObject({ name: 'Wren' })
  await use((await refresh(refreshToken)).accessToken)
})

/** An application whose service of users has a user, and a hook that refuses to show it to clients as long as it is told to. */
async function createRefusing(error: Error = new NotAuthenticated('Not at this hour')) {
  const created = await createApp()
  let isRefusing = false
  const refuse = async ({ params }: any) => {
    if (isRefusing && params.provider) throw error
  }

  created.app.service('users').hooks({ before: { get: [refuse] } })
  await created.app.service('users').create(WREN)

  return {
    ...created,
    setRefusing(value: boolean) {
      isRefusing = value
    }
  }
}

async function withoutPassword(context: any): Promise<void> {
  const { password, ...user } = context.result

  context.result = user
}

describe('a hook of users', () => {
  it.each([undefined, new Forbidden('Suspended')])(
    'that refuses to show the user stops no logout by the refresh token: %s',
    async (error) => {
      const { setRefusing, logIn, logOut, refresh } = await createRefusing(error)

      const { refreshToken } = await logIn()

      setRefusing(true)
      expect(await logOut(refreshToken)).toEqual({ authentication: { strategy: 'refresh' } })
      await expect(refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
    }
  )

  it('that fails does not keep the session after a logout by the refresh token', async () => {
    const { setRefusing, logIn, logOut, refresh } = await createRefusing(new Error('The database is away'))

    const { refreshToken } = await logIn()

    setRefusing(true)
    await expect(logOut(refreshToken)).rejects.toMatchObject({ code: 500 })
    await expect(refresh(refreshToken)).rejects.toMatchObject(reason('ended'))
  })

  it('that refuses to show the user fails the refresh, and the session goes on', async () => {
    const { setRefusing, ended, logIn, refresh } = await createRefusing()

    const { refreshToken } = await logIn()

    setRefusing(true)
    await expect(refresh(refreshToken)).rejects.toMatchObject({ code: 401, message: 'Not at this hour' })
    setRefusing(false)
    expect(await refresh(refreshToken)).toMatchObject({ user: { id: 1 } })
    expect(ended).toEqual([])
  })

  it('that takes the hash out of `get` has no token tied to it after a refresh', async () => {
    const shared = createShared()
    const start = async () => {
      const started = await createApp({ shared })

      started.app.service('users').hooks({ after: { get: [withoutPassword] } })

      return started
    }
    const first = await start()

    await first.app.service('users').create(WREN)

    const { refreshToken } = await first.logIn()
    const { logIn, refresh, use } = await start()

    await refresh(refreshToken)
    expect(await use((await logIn()).accessToken)).toEqual(['a note'])
  })

  it('that asks for a fresh login does not look at the access token that a refresh carries', async () => {
    const { app, asClient, logIn } = await createApp()

    app.service('users').hooks({ before: { get: [authenticate({ strategies: ['jwt'], fresh: '10m' })] } })
    await app.service('users').create(WREN)

    const { accessToken, refreshToken } = await logIn()
    const refreshed = asClient(accessToken)
      .service('authentication')
      .create({ strategy: 'refresh', refreshToken })

    expect(await refreshed).toMatchObject({ user: { id: 1 } })
  })
})
