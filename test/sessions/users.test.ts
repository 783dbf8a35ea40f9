import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createApp, WREN } from './app.ts'

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
