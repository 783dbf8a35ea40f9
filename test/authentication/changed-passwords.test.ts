import { describe, expect, it } from 'vitest'
import { JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import { createAppWithUser, decode, LOGIN, REVOKED, useToken, WREN } from './app.ts'

const CHANGED = {
  name: 'NotAuthenticated',
  code: 401,
  message: 'Invalid login'
}

describe('a password that is changed during a login', () => {
  it('ends the login when it is changed after it was verified', async () => {
    let change: (() => Promise<unknown>) | undefined

    class Slow extends LocalStrategy {
      override async authenticate(data: any, params: any) {
        const result = await super.authenticate(data, params)

        await change?.()

        return result
      }
    }

    const { app, user, service } = await createAppWithUser({
      strategies: { jwt: new JWTStrategy(), local: new Slow() }
    })

    change = () => app.service('users').patch(user.id, { password: 'a new password' })

    for (const params of [{}, { provider: 'rest' }]) {
      await expect(service.create(LOGIN, params)).rejects.toMatchObject(CHANGED)
      await app.service('users').patch(user.id, { password: WREN.password })
    }

    change = undefined
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it.each([
    ['taken away', { password: null }],
    ['emptied', { password: '' }]
  ])('ends the login when it is %s after it was verified', async (_title, change) => {
    let take: (() => Promise<unknown>) | undefined

    class Slow extends LocalStrategy {
      override async authenticate(data: any, params: any) {
        const result = await super.authenticate(data, params)

        await take?.()

        return result
      }
    }

    const { app, user, service } = await createAppWithUser({
      strategies: { jwt: new JWTStrategy(), local: new Slow() }
    })

    take = () => app.service('users')._patch(user.id, change)

    for (const params of [{}, { provider: 'rest' }]) {
      await app.service('users').patch(user.id, { password: WREN.password })
      await expect(service.create(LOGIN, params)).rejects.toMatchObject(CHANGED)
    }
  })

  it('is not one that a hook hides from the service itself', async () => {
    const { app, service } = await createAppWithUser()

    app.service('users').hooks({
      after: {
        get: [
          ({ result }: any) => {
            delete result.password
          }
        ]
      }
    })

    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
    expect(await useToken(app, accessToken)).toHaveProperty('user')
  })

  it('leaves no token that is good, however many logins run', async () => {
    const { app, user, service } = await createAppWithUser()

    for (let round = 0; round < 5; round++) {
      const [before, after] = [`password ${round}`, `password ${round + 1}`]

      await app.service('users').patch(user.id, { password: before })

      const login = () =>
        service.create({ ...LOGIN, password: before }, round % 2 ? { provider: 'rest' } : {})
      const logins = Array.from({ length: 10 }, login)
      const change = app.service('users').patch(user.id, { password: after })

      logins.push(...Array.from({ length: 10 }, login))
      await change

      const finished = await Promise.allSettled(logins)

      for (const attempt of finished) {
        if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 401 })
        else await expect(useToken(app, attempt.value.accessToken)).rejects.toMatchObject(REVOKED)
      }

      expect(await service.create({ ...LOGIN, password: after })).toHaveProperty('accessToken')
    }
  })
})
